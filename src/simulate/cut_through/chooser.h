// SPDX-License-Identifier: Apache-2.0
// What a relation and a selection rule offer a packet, as bits of ports.
#pragma once

#include <algorithm>

#include "faultline/routing/contract.h"
#include "simulate/cut_through/fabric.h"
#include "simulate/cut_through/port_bits.h"

namespace faultline::cut_through {

struct Choice {
  std::uint64_t ports = 0;
  Tag tag = 0;
  bool tags_differ = false;  ///< between the ports; else all have `tag`
};

class Chooser {
 public:
  Chooser(const RoutingRelation& relation, const SimulationSpec& spec, const Fabric& fabric)
      : relation_(relation),
        contract_(relation),
        rule_(spec.selection),
        seed_(spec.seed),
        vcs_(fabric.vcs),
        by_bits_(relation.offers_output_bits() &&
                 spec.selection.candidates != SelectionRule::Candidates::first),
        unseen_(spec.unseen_faults ? &*spec.unseen_faults : nullptr),
        held_(fabric.held),
        position_of_channel_(fabric.position_of_channel) {}

  [[nodiscard]] bool by_free_buffer() const { return rule_.by_free_buffer; }

  [[nodiscard]] Choice injection(const Packet& packet) {
    ask_injection(packet);
    return choose(packet, Decision::injection_route, packet.source);
  }
  [[nodiscard]] Choice output(std::uint32_t at, std::uint32_t input, const Packet& packet) {
    if (by_bits_) {
#ifdef FAULTLINE_CHECKS
      ask_output(at, input, packet);
#endif
      return choose_bits(at, packet);
    }
    ask_output(at, input, packet);
    return choose(packet, Decision::route, at);
  }

  /// The tag that a packet gets with a port, where tags differ.
  [[nodiscard]] Tag injection_tag(const Packet& packet, unsigned port) {
    ask_injection(packet);
    return tag_of(port);
  }
  [[nodiscard]] Tag output_tag(std::uint32_t at, std::uint32_t input, const Packet& packet, unsigned port) {
    ask_output(at, input, packet);
    return tag_of(port);
  }

  /// Channels that are dead without the switches' knowledge.
  [[nodiscard]] bool came_over_dead(std::uint32_t input) const {
    return unseen_ != nullptr && unseen_->failed(held_[input].channel);
  }
  [[nodiscard]] bool ejects_onto_dead(std::uint32_t at, std::uint32_t port) const {
    return unseen_ != nullptr && unseen_->failed(relation_.topology().outputs(SwitchId(at))[port / vcs_]);
  }

  [[noreturn]] void refuse_ejection(std::uint32_t at, const Packet& packet) const {
    contract_.refuse_ejection(SwitchId(at), TerminalId(packet.source), TerminalId(packet.destination));
  }

  [[nodiscard]] unsigned break_tie(std::uint64_t ports, const Packet& packet, Decision decision,
                                   std::uint32_t place) const {
    if (is_single(ports)) return static_cast<unsigned>(std::countr_zero(ports));
    return drawn_port(ports, draw(seed_, decision, packet.source, packet.sequence, place));
  }
  /// The same in two steps.
  [[nodiscard]] std::uint32_t draw_tie(const Packet& packet, std::uint32_t at) const {
    return draw(seed_, Decision::tie, packet.source, packet.sequence, at);
  }
  [[nodiscard]] static unsigned drawn_port(std::uint64_t ports, std::uint32_t random) {
    return nth_bit(ports, below(random, count(ports)));
  }

 private:
  void ask_injection(const Packet& packet) {
    options_.clear();
    const TerminalId source(packet.source), destination(packet.destination);
    contract_.inject(source, destination, options_);
#ifdef FAULTLINE_CHECKS
    contract_.inject_again(source, destination, options_);
#endif
  }
  void ask_output(std::uint32_t at, std::uint32_t input, const Packet& packet) {
    options_.clear();
    const VirtualChannel held = held_[input];
    const RouteState state{.at = SwitchId(at),
                           .destination = TerminalId(packet.destination),
                           .held = held.channel,
                           .vc = held.vc,
                           .tag = packet.tag};
    contract_.route(state, options_);
#ifdef FAULTLINE_CHECKS
    contract_.route_again(state, options_);
#endif
  }

  [[nodiscard]] Choice choose_bits(std::uint32_t at, const Packet& packet) const {
    Choice choice{.ports = relation_.output_bits(SwitchId(at), TerminalId(packet.destination))};
    if (rule_.candidates == SelectionRule::Candidates::one_drawn && !is_single(choice.ports))
      choice.ports &= drawn_channel(choice.ports, packet, Decision::route, at);
    return choice;
  }

  [[nodiscard]] std::uint64_t ports(const RouteOption& option) const {
    return std::uint64_t{option.vcs} << (position_of_channel_[option.channel.index()] * vcs_);
  }

  /// The first of the options of the lowest tier.
  [[nodiscard]] const RouteOption& first() const {
    return *std::ranges::min_element(options_, {}, &RouteOption::tier);
  }

  /// Those of the lowest tier; of options with the same port the first counts.
  [[nodiscard]] Choice choose(const Packet& packet, Decision decision, std::uint32_t place) const {
    if (options_.empty()) return {};
    if (options_.size() == 1 || rule_.candidates == SelectionRule::Candidates::first) {
      const RouteOption& best = options_.size() == 1 ? options_.front() : first();
      return {.ports = ports(best), .tag = best.tag};
    }
    Choice choice = all_of_lowest_tier();
    if (rule_.candidates == SelectionRule::Candidates::one_drawn)
      choice.ports &= drawn_channel(choice.ports, packet, decision, place);
    return choice;
  }

  [[nodiscard]] Choice all_of_lowest_tier() const {
    Choice choice;
    std::uint8_t tier = options_.front().tier;
    choice.tag = options_.front().tag;
    for (const RouteOption& option : options_) {
      if (option.tier > tier) continue;
      if (option.tier < tier) {
        tier = option.tier;
        choice = {.ports = 0, .tag = option.tag};
      }
      choice.ports |= ports(option);
      choice.tags_differ |= option.tag != choice.tag;
    }
    return choice;
  }

  /// All ports of one of the channels that `ports` belong to.
  [[nodiscard]] std::uint64_t drawn_channel(std::uint64_t ports, const Packet& packet, Decision decision,
                                            std::uint32_t place) const {
    if (vcs_ == 1) return bit(break_tie(ports, packet, decision, place));
    std::uint64_t channels = 0;
    for (; ports != 0; ports &= ports - 1)
      channels |= bit(static_cast<unsigned>(std::countr_zero(ports)) / vcs_);
    return (bit(vcs_) - 1) << (break_tie(channels, packet, decision, place) * vcs_);
  }

  [[nodiscard]] Tag tag_of(unsigned taken) const {
    const auto takes = [&, tier = first().tier](const RouteOption& option) {
      return option.tier == tier && (ports(option) & bit(taken)) != 0;
    };
    return std::ranges::find_if(options_, takes)->tag;
  }

  const RoutingRelation& relation_;
  Contract contract_;
  SelectionRule rule_;
  std::uint64_t seed_;
  std::uint32_t vcs_;
  bool by_bits_;  ///< the relation says what it offers in one word
  const FaultSet* unseen_;
  const HugeVector<VirtualChannel>& held_;
  const HugeVector<std::uint8_t>& position_of_channel_;
  RouteOptions options_;  ///< reused
};

}  // namespace faultline::cut_through
