// SPDX-License-Identifier: Apache-2.0
// The contract of RoutingRelation, checked: a relation queried through this class gives an answer that keeps
// the contract, or throws an Error that names the switch, the destination and the option.
#pragma once

#include <algorithm>

#include "faultline/routing/relation.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Refers to the relation; assigning another Contract changes it. Safe to use from several threads.
class Contract {
 public:
  explicit Contract(const RoutingRelation& relation);

  /// RoutingRelation::inject(); throws Error unless each option is on an injection channel of `source`.
  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const {
    const std::size_t first = options.size();
    relation_->inject(source, destination, options);
    for (std::size_t i = first; i < options.size(); ++i)
      if (!is_sound(options[i]) || !injects(source, options[i].channel)) [[unlikely]]
        refuse_injection(source, destination, options[i]);
  }

  /// RoutingRelation::route(); throws Error unless each option leaves the switch, on a network channel or an
  /// ejection channel of the destination.
  void route(const RouteState& state, RouteOptions& options) const {
    route(state, options, [&](ChannelId channel) { return topology_->source(channel) == state.at; });
  }
  /// The same for an engine that knows the outputs of the switch itself, with less memory traffic:
  /// `leaves(channel)`.
  template <class Leaves>
  void route(const RouteState& state, RouteOptions& options, Leaves leaves) const {
    const std::size_t first = options.size();
    relation_->route(state, options);
    for (std::size_t i = first; i < options.size(); ++i)
      if (!is_sound(options[i]) || !leaves(options[i].channel) || !leads_on(state, options[i].channel))
          [[unlikely]]
        refuse_route(state, options[i]);
  }

  /// Queries again, and throws Error unless the answer is `options` as before. A relation that does not read
  /// the held channel is queried with another one; output_bits() and output_sets(), if offered, must agree.
  void inject_again(TerminalId source, TerminalId destination, const RouteOptions& options) const;
  void route_again(const RouteState& state, const RouteOptions& options) const;

  /// For an enumeration, which queries every source and every state of a destination: inject() and route(),
  /// and for some also inject_again() and route_again(), so that a relation whose answers change is detected
  /// without querying everything twice. Those are the first 64 sources, the first 64 states found (`number`,
  /// from 0), and one in 16 of the others; in a build with FAULTLINE_CHECKS all. `options` is empty before.
  void inject_spot_checked(TerminalId source, TerminalId destination, RouteOptions& options) const;
  void route_spot_checked(std::size_t number, const RouteState& state, RouteOptions& options) const;

  /// RoutingRelation::is_escape(); throws Error if it is false although the relation does not rely on escape.
  [[nodiscard]] bool is_escape(const RouteState& state, const RouteOption& option, std::uint8_t vc) const {
    const bool escape = relation_->is_escape(state, option, vc);
    if (!escape && !relies_on_escape_) [[unlikely]]
      refuse_escape(state, option, vc);
    return escape;
  }

  /// RoutingRelation::bubble_rings(); throws Error unless each ring leads over two channels or more back to
  /// its beginning, on virtual channels that the relation declares, each of them in one ring only.
  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const;

  /// For an engine that routes by output_bits(), if they led a packet to another terminal than its
  /// destination.
  [[noreturn]] void refuse_ejection(SwitchId at, TerminalId source, TerminalId destination) const;

 private:
  /// Its channel, virtual channels and tag exist.
  [[nodiscard]] bool is_sound(const RouteOption& option) const {
    return option.channel.index() < channels_ && option.vcs != 0 && (option.vcs & no_vcs_) == 0 &&
           option.tag < tags_;
  }
  /// Searches the terminal's list of channels, which the relation has just read. Reading the channel's record
  /// instead is a cache miss: in a network of 65,536 terminals such misses took a tenth of a simulation's
  /// time.
  [[nodiscard]] bool injects(TerminalId source, ChannelId channel) const {
    const auto own = topology_->injection(source);
    return std::find(own.begin(), own.end(), channel) != own.end();
  }
  [[nodiscard]] bool leads_on(const RouteState& state, ChannelId channel) const {
    return topology_->role(channel) == ChannelRole::network ||
           topology_->terminal(channel) == state.destination;
  }
  [[noreturn]] void refuse_injection(TerminalId source, TerminalId destination,
                                     const RouteOption& option) const;
  [[noreturn]] void refuse_route(const RouteState& state, const RouteOption& option) const;
  [[noreturn]] void refuse_escape(const RouteState& state, const RouteOption& option, std::uint8_t vc) const;
  void check_ring(const BubbleRing& ring) const;
  void check_output_bits(const RouteState& state, const RouteOptions& options) const;
  void check_output_sets(const RouteState& state, const RouteOptions& options) const;
  [[nodiscard]] std::string name(const RouteOption& option) const;
  /// What is wrong with an option that is not is_sound(), or `otherwise`.
  [[nodiscard]] std::string unsound_or(const RouteOption& option, const std::string& otherwise) const;

  const RoutingRelation* relation_;
  const Topology* topology_;
  std::size_t channels_;
  std::uint64_t tags_;
  std::uint32_t no_vcs_;  ///< bit v: there is no virtual channel v
  bool relies_on_escape_;
};

/// Enumerates the states of destinations, spread evenly over the terminals, until `max_states` of them have
/// been visited: all of a small network, a sample of a large one. Throws Error for a breach of the contract,
/// also where pairs of the same relative_position() have other outputs.
void check_contract(const RoutingRelation& relation, std::size_t max_states);

}  // namespace faultline
#pragma GCC visibility pop
