// SPDX-License-Identifier: Apache-2.0
// The options that a relation and a selection function offer a packet, as bits of ports.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "faultline/routing/admissible.h"
#include "faultline/routing/contract.h"
#include "simulate/cut_through/buffer_state.h"
#include "simulate/cut_through/port_sets.h"
#include "simulate/cut_through/ports_of_outputs.h"
#include "simulate/switches/prefetch.h"

namespace faultline::cut_through {

template <class Set>
struct Choice {
  Set ports = 0;
  Tag tag = 0;             ///< with each of the ports, unless `by_option`
  bool by_option = false;  ///< the port does not determine the option, or its score
  bool open = false;       ///< one option is to be picked from among these when the packet has been routed
};

/// A port, and the tag that the packet gets with it.
struct Taken {
  unsigned port = 0;
  Tag tag = 0;
};

/// Of switches (or terminals) with such sets of ports.
template <class Set>
class Chooser {
  using Choice = cut_through::Choice<Set>;

 public:
  Chooser(const RoutingRelation& relation, const SimulationSpec& spec, const BufferState& network)
      : relation_(&relation),
        en_route_(&relation.en_route()),
        contract_(relation),
        rule_(spec.selection),
        seed_(spec.seed),
        vcs_(network.vcs),
        learns_(network.traffic.learns),
        own_lanes_(network.own_lanes),
        knows_by_port_(knows_by_port()),
        by_bits_(can_take_bits()),
        by_sets_(can_take_sets()),
        sets_by_position_(known_positions()),
        has_entries_(has_entries()),
        injection_vcs_(known_injection_vcs()),
        is_last_relation_(network.relations.size() == 1),
        unseen_(spec.faults.unseen ? &*spec.faults.unseen : nullptr),
        held_(network.held),
        first_injector_(network.first_injector),
        position_of_channel_(network.position_of_channel),
        ports_of_outputs_(network.channels, network.vcs) {}

  [[nodiscard]] bool by_free_slots() const { return rule_.score == free_slots; }
  [[nodiscard]] bool reads_queues() const { return rule_.reads_queues; }
  [[nodiscard]] const Topology& topology() const { return relation_->topology(); }

  /// From now on, another relation is used, also for packets that have taken options of the last one.
  void ask(const RoutingRelation& relation) {
    if (relation_ == &relation) return;
    relation_ = en_route_ = &relation;
    contract_ = Contract(relation);
    by_bits_ = can_take_bits();
    by_sets_ = can_take_sets();
    sets_by_position_.assign(known_positions(), Set(0));
    has_entries_ = has_entries();
    injection_vcs_ = known_injection_vcs();
  }

  /// No other follows the one in use.
  void set_last_relation(bool is_last) { is_last_relation_ = is_last; }

  // Ports that are `down`, of the switch or of the terminal, are not offered.

  [[nodiscard]] Choice injection(const Packet& packet, TerminalId from, Set down) {
    InjectionOffer offer{injection_vcs_};
    if (offer.vcs == 0 && knows_by_port_)
      offer = relation_->injection_offer(from, TerminalId(packet.destination));
    if (offer.vcs != 0) {
#ifdef FAULTLINE_CHECKS
      ask_injection(packet, from, down);
#endif
      const Choice choice{.ports = injection_ports(from, offer.vcs) & ~down, .tag = offer.tag};
      if (!rule_.commits() || choice.ports == 0 || is_single(choice.ports)) return choice;
    }
    return choose_injection(packet, from, down);
  }

  /// Before injection().
  void prefetch_injection(TerminalId from, TerminalId destination) const {
    prefetch(relation_->injection_entry(from, destination));
  }

  /// All injection options, of which an agent may choose one; ways() returns them.
  [[nodiscard]] Choice all_ways(const Packet& packet, TerminalId from, Set down) {
    ask_injection(packet, from, down);
    Choice choice;
    for (const RouteOption& option : options_) choice.ports |= ports(option);
    return choice;
  }
  [[nodiscard]] const RouteOptions& ways() const { return options_; }

  /// The port and the tag of the one of `ways` that choose(ways left, random) names: among those of the
  /// lowest tier with a port in `available`.
  template <class Choose, class Free>
  [[nodiscard]] Taken take_way(const Packet& packet, std::span<const RouteOption> ways, Set available,
                               Choose choose, Free free) {
    options_.clear();
    for (RouteOption way : ways) {
      way.vcs = static_cast<std::uint32_t>(available >> first_port(way)) & way.vcs;
      if (way.vcs != 0) options_.push_back(way);
    }
    keep_lowest_tier(options_);
    const std::uint32_t random = draw_at(packet, Decision::agent, packet.source, packet.hops);
    options_ = {options_[choose(std::span<const RouteOption>(options_), mix(random))]};
    in_lane_ = false;
    return take(ports(options_.front()), draw_at(packet, Decision::injection_tie, packet.source, packet.hops),
                free);
  }

  /// The relay to which `at` sends a packet to `destination` first when it re-injects it.
  [[nodiscard]] TerminalId relay(const Packet& packet, TerminalId at, TerminalId destination) const {
    return relay_for(draw_at(packet, Decision::relay, at.value(), packet.hops), at, destination,
                     topology().terminal_count());
  }

  /// What the head last queried would take if nothing were down, if all of its lowest tier is down; else
  /// invalid.
  [[nodiscard]] ChannelId dead_choice() const { return dead_; }
  [[nodiscard]] bool sends_again() const { return relation_->sends_again(); }
  [[nodiscard]] Choice output(std::uint32_t at, std::uint32_t input, const Packet& packet, Set down) {
    if (by_bits_ || by_sets_) {
#ifdef FAULTLINE_CHECKS
      check_offer(at, input, packet);
#endif
      return choose_bits(at, packet, down);
    }
    return choose_output(at, input, packet, down);
  }

  /// Of a choice without a port: the relation offers nothing, whether or not channels are down.
  [[nodiscard]] bool offers_nothing(const Packet& packet, TerminalId from) const {
    return offers_nothing(*relation_, packet, from);
  }
  [[nodiscard]] static bool offers_nothing(const RoutingRelation& relation, const Packet& packet,
                                           TerminalId from) {
    return offered(relation, packet, from).empty();
  }
  [[nodiscard]] static RouteOptions offered(const RoutingRelation& relation, const Packet& packet,
                                            TerminalId from) {
    RouteOptions options;
    Contract(relation).inject(from, TerminalId(packet.destination), options);
    return options;
  }
  /// The same of a head, which may wait for channels that come up again, and for another relation.
  [[nodiscard]] bool offers_nothing(std::uint32_t at, std::uint32_t input, const Packet& packet,
                                    Set down_for_good) const {
    RouteOptions options;
    contract_.route(state_at(at, input, packet), options);
    return options.empty() || (is_last_relation_ && std::ranges::none_of(options, [&](const auto& option) {
                                 return (ports(option) & ~down_for_good) != 0;
                               }));
  }

  /// Picks the option of an open choice of a packet that has been routed here, which counts as a hop of it.
  /// `queued(ports)`: occupied slots in the buffers of these ports.
  template <class Queued>
  [[nodiscard]] Choice pick_output(std::uint32_t at, std::uint32_t input, const Packet& packet, Set down,
                                   Queued queued) {
    ask_output(at, input, packet, down);
    if (options_.empty()) return {};
    keep_lowest_tier(options_);
    return pick(draw_at(packet, Decision::route, at, packet.hops - 1), queued);
  }

  /// If the choice is by option: one with a port among `ports`, the best of them by the selection function's
  /// score. `free(port)`: its free slots.
  template <class Free>
  [[nodiscard]] Taken take_injection(const Packet& packet, TerminalId from, Set ports, Set down, Free free) {
    ask_injection(packet, from, down);
    return take(ports, draw_at(packet, Decision::injection_tie, from.value(), packet.hops), free);
  }
  template <class Free>
  [[nodiscard]] Taken take_output(std::uint32_t at, std::uint32_t input, const Packet& packet, Set ports,
                                  Set down, Free free) {
    ask_output(at, input, packet, down);
    return take(ports, draw_at(packet, Decision::tie, at, packet.hops - 1), free);
  }

  /// Before output() of a packet that has come to `at`.
  void prefetch_output(std::uint32_t at, const Packet& packet) const {
    if (has_entries_) prefetch(en_route_->output_entry(SwitchId(at), TerminalId(packet.destination)));
  }

  /// Channels that are dead without the switches knowing.
  [[nodiscard]] bool came_over_dead(std::uint32_t input) const {
    return unseen_ != nullptr && unseen_->failed(held_[input].channel);
  }
  [[nodiscard]] bool ejects_onto_dead(std::uint32_t at, std::uint32_t port) const {
    return unseen_ != nullptr && unseen_->failed(relation_->topology().outputs(SwitchId(at))[port / vcs_]);
  }

  [[noreturn]] void refuse_ejection(std::uint32_t at, const Packet& packet) const {
    contract_.refuse_ejection(SwitchId(at), TerminalId(packet.source), TerminalId(packet.destination));
  }

  [[nodiscard]] unsigned break_tie(Set ports, const Packet& packet, Decision decision,
                                   std::uint32_t vertex) const {
    if (is_single(ports)) return lowest(ports);
    return nth_bit(ports, below(draw_at(packet, decision, vertex, packet.hops), count(ports)));
  }
  /// The same in two steps.
  [[nodiscard]] std::uint32_t draw_tie(const Packet& packet, std::uint32_t at) const {
    return draw_at(packet, Decision::tie, at, packet.hops);
  }

 private:
  [[nodiscard]] bool can_take_bits() const { return en_route_->offers_output_bits() && knows_by_port_; }
  [[nodiscard]] bool can_take_sets() const { return en_route_->offers_output_sets() && knows_by_port_; }
  /// A routing of a hypercube with 8 virtual channels takes a tenth of a run to give its sets.
  [[nodiscard]] std::size_t known_positions() const {
    constexpr std::size_t most_bytes = std::size_t{1} << 18;  // they fit in a second-level cache
    const std::uint32_t positions = !by_bits_ && by_sets_ ? en_route_->relative_positions() : 0;
    return positions <= most_bytes / sizeof(Set) ? positions : 0;
  }
  [[nodiscard]] bool has_entries() const {
    return by_bits_ && topology().switch_count() != 0 && topology().terminal_count() != 0 &&
           en_route_->output_entry(SwitchId(0), TerminalId(0)) != nullptr;
  }
  [[nodiscard]] std::uint32_t known_injection_vcs() const {
    return knows_by_port_ ? relation_->injection_vcs() : 0;
  }
  [[nodiscard]] bool knows_by_port() const {
    return !learns_ && !rule_.reads_order && !rule_.reads_queues &&
           (rule_.score == nullptr || by_free_slots());
  }
  /// These virtual channels of all injection channels, without reading the terminal's list of channels: in a
  /// network of 65,536 terminals the cache misses took a twentieth of a run's time.
  [[nodiscard]] Set injection_ports(TerminalId from, std::uint32_t vcs) {
    if (vcs != repeated_vcs_) repeat(vcs);
    const std::uint32_t* const first = &first_injector_[from.index()];
    return ports_from<Set>(0, repeated_ & first_ports(first[1] - first[0]));
  }
  [[gnu::noinline]] void repeat(std::uint32_t vcs) {
    repeated_vcs_ = vcs;
    repeated_ = 0;
    for (std::uint32_t port = 0; port < 64; port += vcs_) repeated_ |= std::uint64_t{vcs} << port;
  }
  [[nodiscard]] std::uint32_t draw_at(const Packet& packet, Decision decision, std::uint32_t vertex,
                                      std::uint32_t hops) const {
    if ((hops & Packet::control) != 0) [[unlikely]]
      decision = static_cast<Decision>(static_cast<unsigned>(decision) |
                                       static_cast<unsigned>(Decision::of_control));
    return draw(seed_, decision, packet.source, packet.sequence, vertex, hops & ~Packet::control);
  }
  [[nodiscard]] RouteState state_at(std::uint32_t at, std::uint32_t input, const Packet& packet) const {
    const VirtualChannel held = held_[input];
    return {.at = SwitchId(at),
            .destination = TerminalId(packet.destination),
            .held = held.channel,
            .vc = learns_ && held.vc == vcs_ - 1 ? std::uint8_t{0} : held.vc,  // a lane is not a VC
            .tag = packet.tag};
  }
  void ask_injection(const Packet& packet, TerminalId from, Set down) {
    options_.clear();
    const TerminalId destination(packet.destination);
    contract_.inject(from, destination, options_);
#ifdef FAULTLINE_CHECKS
    contract_.inject_again(from, destination, options_);
#endif
    in_lane_ = own_lanes_ && packet.is_control();
    if (packet.is_control() && !options_.empty())
      options_ = {*std::ranges::min_element(options_, {}, &RouteOption::cost)};
    leave_out(down);
  }
  void ask_output(std::uint32_t at, std::uint32_t input, const Packet& packet, Set down) {
    options_.clear();
    const RouteState state = state_at(at, input, packet);
    contract_.route(state, options_);
#ifdef FAULTLINE_CHECKS
    contract_.route_again(state, options_);
#endif
    in_lane_ = own_lanes_ && packet.is_control();
    if (learns_) find_dead_choice(down);
    leave_out(down);
  }
  void find_dead_choice(Set down) {
    dead_ = {};
    if (down == 0 || options_.empty()) return;
    const std::uint8_t lowest = std::ranges::min_element(options_, {}, &RouteOption::tier)->tier;
    for (const RouteOption& option : options_) {
      if (option.tier != lowest) continue;
      if ((ports(option) & down) == 0) {
        dead_ = {};
        return;
      }
      if (!dead_.valid()) dead_ = option.channel;
    }
  }
  void leave_out(Set down) {
    if (down != 0) [[unlikely]]
      std::erase_if(options_, [&](const RouteOption& option) { return (ports(option) & down) != 0; });
  }

  [[nodiscard]] Choice offer(std::uint32_t at, const Packet& packet) {
    const TerminalId destination(packet.destination);
    if (by_bits_) return Choice{Set(en_route_->output_bits(SwitchId(at), destination))};
    if (sets_by_position_.empty() || packet.tag != 0) return choice_of_sets(at, packet);
    Set& known = sets_by_position_[en_route_->relative_position(SwitchId(at), destination)];
    if (known != Set(0)) [[likely]]
      return Choice{known};
    const Choice choice = choice_of_sets(at, packet);
    if (choice.tag == 0) known = choice.ports;
    return choice;
  }
  void check_offer(std::uint32_t at, std::uint32_t input, const Packet& packet) {
    ask_output(at, input, packet, 0);
    Set offered = 0;
    for (const RouteOption& option : options_) offered |= ports(option);
    if (offered != offer(at, packet).ports)
      throw std::logic_error("cut-through: the output bits or sets are not the relation's options");
  }
  [[nodiscard]] Choice choose_bits(std::uint32_t at, const Packet& packet, Set down) {
    Choice choice = offer(at, packet);
    choice.ports &= ~down;
    if (!rule_.commits() || choice.ports == 0 || is_single(choice.ports)) return choice;
    Set channels = choice.ports;
    if (vcs_ != 1) {
      channels = 0;
      for (const std::uint32_t port : ports_of(choice.ports)) channels |= only<Set>(port / vcs_);
      if (is_single(channels)) return choice;
    }
    const std::uint32_t random = draw_at(packet, Decision::route, at, packet.hops);
    static constexpr Way of_unknown_cost[64] = {};
    const auto picked = static_cast<std::uint32_t>(rule_.picked({of_unknown_cost, count(channels)}, random));
    choice.ports &= ports_from<Set>(nth_bit(channels, picked) * vcs_, first_ports(vcs_));
    return choice;
  }

  [[nodiscard]] Choice choice_of_sets(std::uint32_t at, const Packet& packet) const {
    const OutputSets sets = en_route_->output_sets(SwitchId(at), TerminalId(packet.destination), packet.tag);
    Choice choice{.ports = 0, .tag = sets.tag};
    for (const OutputSets::Part& part : sets.parts) choice.ports |= ports_of_outputs_(part);
    return choice;
  }

  [[nodiscard]] unsigned first_port(const RouteOption& option) const {
    return std::uint32_t{position_of_channel_[option.channel.index()]} * vcs_;
  }
  [[nodiscard]] Set ports(const RouteOption& option) const {
    return ports_from<Set>(first_port(option), option.vcs);
  }

  /// What the packet last queried competes for with `option`.
  [[nodiscard]] Set competed_ports(const RouteOption& option) const {
    return in_lane_ ? only<Set>(first_port(option) + vcs_ - 1) : ports(option);
  }

  [[gnu::noinline, nodiscard]] Choice choose_injection(const Packet& packet, TerminalId from, Set down) {
    ask_injection(packet, from, down);
    return choose(packet, Decision::injection_route, from.value());
  }
  /// Out of line: inlined at every query of a switch, it took minutes to compile.
  [[gnu::noinline, nodiscard]] Choice choose_output(std::uint32_t at, std::uint32_t input,
                                                    const Packet& packet, Set down) {
    ask_output(at, input, packet, down);
    if (!rule_.reads_queues) return choose(packet, Decision::route, at);
    Choice choice = all_of_lowest_tier();
    choice.open = options_.size() > 1;
    return choice;
  }

  [[nodiscard]] Choice choose(const Packet& packet, Decision decision, std::uint32_t vertex) {
    if (options_.size() > 1 && rule_.commits()) {
      keep_lowest_tier(options_);
      if (options_.size() > 1)
        return pick(draw_at(packet, decision, vertex, packet.hops), [](const Set&) { return 0U; });
    }
    return all_of_lowest_tier();
  }

  template <class Queued>
  [[nodiscard]] Choice pick(std::uint32_t random, Queued queued) {
    const auto by_port = [&](const RouteOption& option) { return first_port(option); };
    if (!rule_.reads_order && !std::ranges::is_sorted(options_, {}, by_port))
      std::ranges::stable_sort(options_, {}, by_port);
    ways_.clear();
    for (const RouteOption& option : options_)
      ways_.push_back({.cost = option.cost, .queued = queued(ports(option))});
    const RouteOption& picked = options_[rule_.picked(ways_, random)];
    return {.ports = competed_ports(picked), .tag = picked.tag};
  }

  [[nodiscard]] Choice all_of_lowest_tier() {
    if (options_.empty()) return {};
    if (options_.size() > 1) keep_lowest_tier(options_);
    Choice choice{.ports = 0, .tag = options_.front().tag};
    for (const RouteOption& option : options_) {
      choice.ports |= competed_ports(option);
      choice.by_option |= option.tag != choice.tag;
    }
    choice.by_option |= rule_.score != nullptr && !by_free_slots() && !is_single(choice.ports);
    return choice;
  }

  /// Of the virtual channels of options among `among`: those that differ in port or tag compete.
  template <class Free>
  [[nodiscard]] Taken take(Set among, std::uint32_t random, Free free) {
    keep_lowest_tier(options_);
    taken_.clear();
    std::uint32_t best = 0;
    for (const std::uint32_t port : ports_of(among)) {
      for (const RouteOption& option : options_) {
        if (!contains(competed_ports(option), port)) continue;
        const std::uint32_t score =
            rule_.score == nullptr ? 0 : rule_.score({.cost = option.cost, .free = free(port)});
        add(port, option.tag, score, best);
      }
    }
    return taken_[below(random, static_cast<std::uint32_t>(taken_.size()))];
  }
  void add(unsigned port, Tag tag, std::uint32_t score, std::uint32_t& best) {
    if (score < best) return;
    if (score > best) taken_.clear();
    best = score;
    const auto same = [&](const Taken& other) { return other.port == port && other.tag == tag; };
    if (std::ranges::none_of(taken_, same)) taken_.push_back({port, tag});
  }

  const RoutingRelation* relation_;
  const RoutingRelation* en_route_;  ///< answers for packets at switches, where bits or sets suffice
  Contract contract_;
  SelectionRule rule_;
  std::uint64_t seed_;
  std::uint32_t vcs_;
  bool learns_;           ///< sources do: there are lanes, and packets of control
  bool own_lanes_;        ///< these compete for lanes alone
  bool in_lane_ = false;  ///< the packet last queried does
  ChannelId dead_;
  bool knows_by_port_;                 ///< the selection function needs to know only the port of an option
  bool by_bits_;                       ///< the relation's options are one word
  bool by_sets_;                       ///< the relation's options are sets of outputs
  std::vector<Set> sets_by_position_;  ///< those of tag 0 by relative position, as far as known
  bool has_entries_;                   ///< the relation says where it will read output bits
  std::uint32_t injection_vcs_;  ///< likewise at a terminal: these of each injection channel; 0: not known
  bool is_last_relation_;
  std::uint32_t repeated_vcs_ = 0;  ///< the last ones that were asked for,
  std::uint64_t repeated_ = 0;      ///< of as many channels as fit in a word
  const FaultSet* unseen_;
  const HugeVector<VirtualChannel>& held_;
  const std::vector<std::uint32_t>& first_injector_;
  const HugeVector<std::uint8_t>& position_of_channel_;
  PortsOfOutputs<Set> ports_of_outputs_;
  RouteOptions options_;  ///< reused, as are the next two
  std::vector<Way> ways_;
  std::vector<Taken> taken_;
};

}  // namespace faultline::cut_through
