// SPDX-License-Identifier: Apache-2.0
// What the routings of MiKANT and of the Clos k-ary n-tree share (paper 3; PAPERS.md, section 3).
#pragma once

#include "faultline/routing/relation.h"
#include "faultline/topology/mirrored_tree.h"

namespace faultline {

/// Up while the destination is in the other group or its switch differs in a digit from this level on, then
/// down by the destination's digits (Algorithm 2's test). Derived routings choose the up ports to offer.
class MirroredTreeRelation : public RoutingRelation {
 public:
  MirroredTreeRelation(TopologyPtr topology, std::string_view who)
      : RoutingRelation(std::move(topology)),
        labels_(this->topology().labelling<MirroredTreeLabelling>(who)) {}

  [[nodiscard]] std::uint32_t injection_vcs() const override { return 1; }

 protected:
  [[nodiscard]] const MirroredTreeLabelling& labels() const { return labels_; }
  [[nodiscard]] std::uint32_t k() const { return labels_.digits.k(); }

  [[nodiscard]] bool goes_up(SwitchId at, TerminalId destination) const {
    if (labels_.is_middle(at)) return false;
    if (labels_.group(at) != labels_.group(destination)) return true;
    const std::uint32_t to = labels_.address(destination) % labels_.digits.switches_per_stage();
    const std::uint32_t level = labels_.level(at);
    return labels_.digits.prefix(labels_.order(at), level) != labels_.digits.prefix(to, level);
  }
  /// Digit L of the destination: the up port of Algorithm 1 at level L is k + this.
  [[nodiscard]] std::uint32_t up_digit(SwitchId at, TerminalId destination) const {
    return labels_.digits.digit(labels_.address(destination), labels_.level(at));
  }
  [[nodiscard]] ChannelId up(SwitchId at, std::uint32_t digit) const {
    return topology().outputs(at)[k() + digit];
  }
  /// The only path down, at a switch that does not go up.
  [[nodiscard]] ChannelId down(SwitchId at, TerminalId destination) const {
    const std::uint32_t level = labels_.level(at);
    const std::uint32_t digit =
        labels_.digits.digit(labels_.address(destination), level == 0 ? labels_.levels() : level - 1);
    const std::uint32_t first = labels_.is_middle(at) ? labels_.group(destination) * k() : 0;
    return topology().outputs(at)[first + digit];
  }

 private:
  const MirroredTreeLabelling& labels_;
};

/// Offers, going up, the port of the destination's digit, then `alternatives` more in cyclic order, each in a
/// separate tier: a switch takes the next if it knows that the one before leads to a dead neighbour.
class TieredUpPorts final : public MirroredTreeRelation {
 public:
  TieredUpPorts(TopologyPtr topology, std::string_view who, std::uint32_t alternatives)
      : MirroredTreeRelation(std::move(topology), who), alternatives_(alternatives) {}

  void route(const RouteState& state, RouteOptions& options) const override {
    if (!goes_up(state.at, state.destination)) {
      options.push_back({.channel = down(state.at, state.destination)});
      return;
    }
    const std::uint32_t digit = up_digit(state.at, state.destination);
    for (std::uint32_t tier = 0; tier <= alternatives_ && tier < k(); ++tier)
      options.push_back(
          {.channel = up(state.at, (digit + tier) % k()), .tier = static_cast<std::uint8_t>(tier)});
  }
  [[nodiscard]] Claim claim() const override {
    // Past a dead switch at the top a packet changes groups several times, over channels that others use the
    // other way round.
    return {.minimal = true,
            .deadlock_free = true,
            .deadlock_free_cut_through = true,
            .while_channels_fail = WhileChannelsFail::no,
            .tolerates = {}};
  }

 private:
  std::uint32_t alternatives_;
};

/// Offers every port forward in one tier.
class AllWaysForward final : public MirroredTreeRelation {
 public:
  using MirroredTreeRelation::MirroredTreeRelation;

  void route(const RouteState& state, RouteOptions& options) const override {
    if (!goes_up(state.at, state.destination)) {
      options.push_back({.channel = down(state.at, state.destination)});
      return;
    }
    for (std::uint32_t digit = 0; digit < k(); ++digit) options.push_back({.channel = up(state.at, digit)});
  }
};

}  // namespace faultline
