// SPDX-License-Identifier: Apache-2.0
// From the options of a routing relation to the requests of a head: physical virtual channels, narrowed by
// the selection function. If a channel has more VCs than the relation names, equally many stand for each of
// its names ("classes"), or some names have one more where the number is no multiple. On an
// injection channel every VC may carry any class that the relation admits there, on an ejection channel any
// class at all: terminal channels are part of no cyclic dependency.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "faultline/base/random.h"
#include "faultline/routing/admissible.h"
#include "faultline/routing/contract.h"
#include "faultline/selection/selection.h"
#include "faultline/simulate/clock.h"
#include "simulate/faults/outages.h"
#include "simulate/switches/prefetch.h"
#include "simulate/wormhole/packets.h"

namespace faultline::wormhole {

/// One continuation: an output channel, the physical VCs of it that may be taken, and the packet's next tag.
struct Choice {
  ChannelId channel;
  std::uint32_t vcs = 0;  ///< bit v: physical VC v
  std::uint32_t classes = 0;
  Tag tag = 0;
  std::uint32_t cost = 0;
  friend bool operator==(const Choice&, const Choice&) = default;
};

class Chooser {
 public:
  /// Channels that are down in `outages`, if given, are not among the choices.
  Chooser(const RoutingRelation& relation, SelectionRule rule, std::uint32_t vcs, std::uint64_t seed,
          const Outages* outages = nullptr);

  /// From now on, another relation is used, also for packets that have taken options of the last one.
  void ask(const RoutingRelation& relation);
  /// No other relation follows the one in use.
  void set_last_relation(bool is_last) { is_last_relation_ = is_last; }

  /// The relation has injection options for every packet of the terminal.
  [[nodiscard]] bool sends_all(TerminalId source) const {
    const std::span<const ChannelId> channels = topology_.injection(source);
    return injection_vcs_ != 0 && !channels.empty() &&
           (outages_ == nullptr || !is_last_relation_ || !outages_->are_down_for_good(channels));
  }
  /// The choice of a packet whose terminal has one injection channel, if that is up; without VCs: it is not
  /// known without a query, see inject().
  [[nodiscard]] Choice known_injection(const Packet& packet, ChannelId channel) const {
    const InjectionOffer offer = injection_vcs_ != 0
                                     ? InjectionOffer{injection_vcs_}
                                     : relation_->injection_offer(packet.source, packet.destination);
    return {channel, offer.vcs != 0 ? all_vcs_ : 0, offer.vcs & all_classes_, offer.tag};
  }
  /// Whether known_injection() queries the relation.
  [[nodiscard]] bool queries_injection() const { return injection_vcs_ == 0; }
  /// What that query reads first.
  void prefetch_injection(TerminalId source, TerminalId destination) const {
    prefetch(relation_->injection_entry(source, destination));
  }
  /// Replaces `choices` by the injection options of a packet; none: it is stuck(), or all options are down.
  void inject(const Packet& packet, std::vector<Choice>& choices);
  /// For builds with checks: these are the relation's injection options. Else a std::logic_error.
  void check_injection(const Packet& packet, std::span<const Choice> choices);

  /// Replaces `choices` by the options of a packet whose head is at the end of `held`; none: it is stuck(),
  /// or all options are down. `queued(choice)`: flits that are ahead of the packet on that option, as far as
  /// the switch knows.
  template <class Queued>
  void route(const Packet& packet, ChannelId held, std::vector<Choice>& choices, Queued queued) {
    const SwitchId at = topology_.target(held);
    ask(packet, at, held, [&](ChannelId channel) { return topology_.source(channel) == at; });
    leave_out_what_is_down();
    narrow(packet, at.value(), choices, queued);
  }

  /// The relation offers its options as bits or as sets, and the selection function needs no more. A bit
  /// i * classes() + c is class c of the i-th output of the switch.
  [[nodiscard]] bool by_bits() const { return by_bits_ || by_sets_; }
  [[nodiscard]] bool by_sets() const { return by_sets_; }
  [[nodiscard]] std::uint64_t output_bits(SwitchId at, TerminalId destination) const {
    return en_route_->output_bits(at, destination);
  }
  [[nodiscard]] OutputSets output_sets(SwitchId at, TerminalId destination, Tag tag) const {
    return en_route_->output_sets(at, destination, tag);
  }
  [[nodiscard]] std::uint32_t relative_positions() const { return en_route_->relative_positions(); }
  [[nodiscard]] std::uint32_t relative_position(SwitchId at, TerminalId destination) const {
    return en_route_->relative_position(at, destination);
  }
  [[nodiscard]] Tag relative_tags() const { return en_route_->relative_tags(); }
  [[nodiscard]] std::uint32_t classes() const { return relation_->virtual_channels(); }
  /// Which of `count` options, of which nothing more is known, a selection function that commits picks.
  [[nodiscard]] std::size_t picked_of(const Packet& packet, std::uint32_t vertex, std::uint32_t count) const {
    static constexpr Way of_unknown_cost[64] = {};
    return rule_.picked({of_unknown_cost, count}, draw(packet, vertex, packet.hops, count));
  }
  [[noreturn]] void refuse_ejection(SwitchId at, const Packet& packet) const {
    contract_.refuse_ejection(at, packet.source, packet.destination);
  }

  /// The options behind the choices of route() at switch `at`, for a selection function that does not read
  /// queues; valid until the next query. `leaves(channel)`: it is an output of that switch.
  template <class Leaves>
  [[nodiscard]] const RouteOptions& options(const Packet& packet, SwitchId at, ChannelId held,
                                            Leaves leaves) {
    ask(packet, at, held, leaves);
    leave_out_what_is_down();
    if (options_.size() > 1) narrow_options(packet, at);
    return options_;
  }

  /// The packet queried last has no option, or none that will come up again: it cannot wait for anything.
  [[nodiscard]] bool stuck() const {
    return options_.empty() && (!down_ || (is_last_relation_ && none_comes_up_));
  }
  [[nodiscard]] bool is_last_relation() const { return is_last_relation_; }

  /// The relation's name of physical VC `vc` of `choice`.
  [[nodiscard]] std::uint8_t class_of(const Choice& choice, std::uint32_t vc) const;
  [[nodiscard]] std::uint8_t class_of_network_vc(std::uint32_t vc) const { return class_of_vc_[vc]; }

  /// The best of `choices` by the selection function's score and the free slots `free(choice)`; ties are
  /// drawn for this packet, vertex and cycle. Choices with a negative number are unavailable: nullptr if all
  /// are.
  template <class Free>
  [[nodiscard]] const Choice* best(const std::vector<Choice>& choices, const Packet& packet,
                                   std::uint32_t vertex, Time cycle, Free free) const;

  /// Whether the last of `count` choices with the same score replaces the one before: with probability 1 in
  /// `count`.
  [[nodiscard]] bool replaces(const Packet& packet, std::uint32_t vertex, Time cycle,
                              std::uint32_t count) const {
    return below(draw(packet, vertex, cycle, count), count) == 0;
  }

  /// The same in two steps, for a packet that stays where it is.
  [[nodiscard]] static std::uint64_t draw_key(const Packet& packet, std::uint32_t vertex) {
    return mix_first(std::uint64_t{packet.source.value()} << 32 | packet.sequence,
                     std::uint64_t{vertex} << 32);
  }
  [[nodiscard]] bool replaces(std::uint64_t draw_key, Time cycle, std::uint32_t count) const {
    return below(static_cast<std::uint32_t>(
                     mix_rest(seed_ + count, draw_key, static_cast<std::uint32_t>(cycle)) >> 32),
                 count) == 0;
  }

  [[nodiscard]] std::uint32_t vertex_of(TerminalId terminal) const {
    return static_cast<std::uint32_t>(topology_.switch_count()) + terminal.value();
  }

 private:
  /// inject() in general.
  void query_injection(const Packet& packet, std::vector<Choice>& choices);
  /// Fills `options_`.
  template <class Leaves>
  void ask(const Packet& packet, SwitchId at, ChannelId held, Leaves leaves) {
    options_.clear();
    const RouteState state{
        .at = at, .destination = packet.destination, .held = held, .vc = packet.vc_class, .tag = packet.tag};
    contract_.route(state, options_, leaves);
#ifdef FAULTLINE_CHECKS
    contract_.route_again(state, options_);
#endif
  }
  void leave_out_what_is_down() {
    if (outages_ != nullptr) keep_what_is_up();
  }
  void keep_what_is_up();
  /// To those of the lowest tier, or the one that a selection function that commits picks.
  void narrow_options(const Packet& packet, SwitchId at);
  /// So that draws do not depend on the order of the relation's options.
  void sort_by_port();
  /// From `options_` to choices.
  template <class Queued>
  void narrow(const Packet& packet, std::uint32_t vertex, std::vector<Choice>& choices, Queued queued);
  /// The position of the option that a selection function that commits picks among those of the lowest tier.
  template <class Queued>
  [[nodiscard]] std::size_t picked(const Packet& packet, std::uint32_t vertex, Queued queued);
  [[nodiscard]] Choice choice_of(const RouteOption& option) const;
  /// For one of `count`, for a packet at a switch or terminal; `time` is the cycle or, if a draw is to last,
  /// the hops so far: a packet that comes again draws again.
  [[nodiscard]] std::uint32_t draw(const Packet& packet, std::uint32_t vertex, Time time,
                                   std::uint32_t count) const {
    const std::uint64_t who = std::uint64_t{packet.source.value()} << 32 | packet.sequence;
    const std::uint64_t where = std::uint64_t{vertex} << 32 | static_cast<std::uint32_t>(time);
    return static_cast<std::uint32_t>(mix(seed_ + count, who, where) >> 32);
  }

  /// Reads what the relations in use can answer.
  void read_abilities();

  const RoutingRelation* relation_;
  const RoutingRelation* en_route_;  ///< answers for packets at switches, where bits or sets suffice
  Contract contract_;
  const Topology& topology_;
  SelectionRule rule_;
  bool by_bits_ = false, by_sets_ = false;
  std::uint32_t injection_vcs_ = 0;  ///< RoutingRelation::injection_vcs()
  std::uint64_t seed_;
  std::uint32_t vc_count_, all_vcs_, all_classes_;
  std::array<std::uint32_t, max_virtual_channels> vcs_of_class_{};
  std::array<std::uint8_t, max_virtual_channels> class_of_vc_{};
  const Outages* outages_;
  bool down_ = false, none_comes_up_ = false;
  bool is_last_relation_ = true;
  RouteOptions options_;  // kept, so that no packet allocates
  std::vector<Way> ways_;
};

template <class Queued>
void Chooser::narrow(const Packet& packet, std::uint32_t vertex, std::vector<Choice>& choices,
                     Queued queued) {
  choices.clear();
  keep_lowest_tier(options_);
  if (options_.empty()) return;
  if (options_.size() > 1 && !rule_.reads_order) sort_by_port();
  if (rule_.commits()) return choices.push_back(choice_of(options_[picked(packet, vertex, queued)]));
  for (const RouteOption& option : options_) choices.push_back(choice_of(option));
}

template <class Queued>
std::size_t Chooser::picked(const Packet& packet, std::uint32_t vertex, Queued queued) {
  if (options_.size() == 1) return 0;
  ways_.clear();
  for (const RouteOption& option : options_)
    ways_.push_back(
        {.cost = option.cost, .queued = rule_.reads_queues ? queued(choice_of(option)) : std::uint32_t{0}});
  return rule_.picked(ways_, draw(packet, vertex, packet.hops, static_cast<std::uint32_t>(ways_.size())));
}

template <class Free>
const Choice* Chooser::best(const std::vector<Choice>& choices, const Packet& packet, std::uint32_t vertex,
                            Time cycle, Free free) const {
  if (choices.size() == 1) return free(choices.front()) >= 0 ? &choices.front() : nullptr;
  const Choice* chosen = nullptr;
  std::uint32_t most = 0, ties = 0;
  for (const Choice& choice : choices) {
    const int slots = free(choice);
    if (slots < 0) continue;
    const std::uint32_t value =
        rule_.score == nullptr
            ? 0
            : rule_.score({.cost = choice.cost, .free = static_cast<std::uint32_t>(slots)});
    if (chosen != nullptr && value < most) continue;
    ties = chosen != nullptr && value == most ? ties + 1 : 1;
    most = value;
    if (ties == 1 || replaces(packet, vertex, cycle, ties)) chosen = &choice;
  }
  return chosen;
}

}  // namespace faultline::wormhole
