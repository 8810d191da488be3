// SPDX-License-Identifier: Apache-2.0
// A source agent chooses among the injection options that the relation offers for each packet, given the
// acknowledgements and notifications that its terminal has received.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "faultline/describe/kind.h"
#include "faultline/routing/relation.h"

#pragma GCC visibility push(default)
namespace faultline {

/// An injection option, as reports name it: options of one tag may begin with different channels.
struct InjectionWay {
  ChannelId channel;
  Tag tag = 0;
  friend constexpr auto operator<=>(const InjectionWay&, const InjectionWay&) = default;
};
[[nodiscard]] inline InjectionWay way_of(const RouteOption& option) { return {option.channel, option.tag}; }

/// An acknowledgement has arrived: a packet to `destination`, injected by `way`, took `latency` cycles
/// from its injection to its arrival, and met no dead channel.
struct LatencyReport {
  TerminalId destination;
  InjectionWay way;
  std::uint32_t latency = 0;
};

/// A notification has arrived: a packet to `destination`, injected by `way`, was about to take
/// `channel`, which is down.
struct FaultReport {
  TerminalId destination;
  InjectionWay way;
  ChannelId channel;
};

/// A path by which a source injects packets to a destination.
struct OpenPath {
  std::uint32_t latency = 0;  ///< in cycles, as last reported; before any report, that of an empty network
  std::vector<ChannelId> channels;  ///< network channels
  friend bool operator==(const OpenPath&, const OpenPath&) = default;
};

/// The paths of a pair of terminals that are open at the end of a run, in the order in which the relation
/// offered them: the direct one first if it was offered.
struct WatchedPair {
  TerminalId source, destination;
  std::vector<OpenPath> paths;
  friend bool operator==(const WatchedPair&, const WatchedPair&) = default;
};

/// What source agents hold at the end of a run, summed over all sources.
struct AgentFigures {
  std::uint64_t pairs = 0;              ///< destinations that a source has sent to
  std::uint64_t paths_open = 0;         ///< over which packets to them may be injected, at least one per pair
  std::uint64_t max_paths_open = 0;     ///< of a pair, at any time
  std::uint64_t fault_entries = 0;      ///< channels that a source considers down
  std::uint64_t permanent_entries = 0;  ///< of these, permanently
  std::uint64_t max_fault_entries = 0;  ///< of a source, at any time
  std::uint64_t reclaimed_entries = 0;  ///< deleted because a packet came through
  std::uint64_t refused_paths = 0;      ///< paths refused to a packet because of entries
  std::uint64_t forced_packets = 0;     ///< injected although all paths were refused
  std::optional<WatchedPair> watched;   ///< if one was to be watched; of several runs, that of the first

  void add(const AgentFigures& other);
};

/// The agent of one source in one run: it knows only what these functions have told it.
class SourceAgent {
 public:
  virtual ~SourceAgent() = default;

  /// The position of one of `ways`, the options by which a packet to `destination` can be injected in this
  /// cycle; there is at least one. Called once per packet. `random` is drawn for this packet.
  [[nodiscard]] virtual std::size_t choose(TerminalId destination, std::span<const RouteOption> ways,
                                           std::uint64_t random) = 0;

  virtual void told(const LatencyReport& /*report*/) {}
  virtual void told(const FaultReport& /*report*/) {}
  /// From now on `relation`, which outlives the agent, offers the options (Rerouting of simulate/spec.h).
  virtual void rerouted(const RoutingRelation& /*relation*/) {}

  virtual void add_to(AgentFigures& /*figures*/) const {}

  /// The paths among which packets to `destination` are divided now, in the order in which the relation
  /// offered them; empty if none was sent.
  [[nodiscard]] virtual std::vector<OpenPath> open_paths(TerminalId /*destination*/) { return {}; }
};

/// What an agent is created with.
struct AgentContext {
  std::reference_wrapper<const RoutingRelation> relation;  ///< that of the beginning: see rerouted()
  TerminalId source;
  std::uint32_t packet_flits = 1;   ///< of a packet on average, rounded
  std::uint32_t switch_cycles = 0;  ///< for a switch to route a head and its crossbar to pass it
  bool has_slow_channels = false;   ///< some take more than one cycle

  /// Latency in cycles of a packet alone in the network that is injected by `way`, whose cost is known, and
  /// takes the first option from there.
  [[nodiscard]] std::uint32_t unloaded_latency(const RouteOption& way, TerminalId destination) const;
};

using AgentMaker = std::function<std::unique_ptr<SourceAgent>(const AgentContext&)>;

struct AgentKind;
[[nodiscard]] std::span<const AgentKind* const> agent_kinds();

/// An agent is one file in src/agent/kinds/: a parameter struct with fields(), samples() and make().
struct AgentKind {
  static constexpr auto catalogue = &agent_kinds;

  KindInfo info;
  AgentMaker (*maker)(const Parameters& parameters);
};

template <class Params>
concept AgentParams = requires(const Params& params, const AgentContext& context) {
  { params.make(context) } -> std::same_as<std::unique_ptr<SourceAgent>>;
  { Params::samples() } -> std::same_as<std::vector<Params>>;
};

template <AgentParams Params>
[[nodiscard]] consteval AgentKind agent_kind(std::string_view name, std::string_view summary,
                                             std::string_view source) {
  return {kind_info<Params>(name, summary, source), [](const Parameters& parameters) -> AgentMaker {
            return
                [parameters](const AgentContext& context) { return parameters.as<Params>().make(context); };
          }};
}

[[nodiscard]] AgentMaker agent_maker(const Resolved<AgentKind>& agent);

}  // namespace faultline
#pragma GCC visibility pop
