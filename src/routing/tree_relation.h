// SPDX-License-Identifier: Apache-2.0
// What the routings of a k-ary n-tree share: up until the destination is below, then down by its digits.
#pragma once

#include "faultline/routing/relation.h"
#include "faultline/topology/labellings.h"

namespace faultline {

/// Which of its k ascending channels a switch that is not above the destination offers.
enum class UpPorts : std::uint8_t { any, by_destination };

class TreeRelation : public RoutingRelation {
 public:
  TreeRelation(TopologyPtr topology, std::string_view who, UpPorts up)
      : RoutingRelation(std::move(topology)),
        digits_(this->topology().labelling<TreeLabelling>(who).digits),
        up_(up) {}

  void route(const RouteState& state, RouteOptions& options) const final {
    const std::uint32_t stage = digits_.stage(state.at);
    const std::uint32_t destination = state.destination.value();
    const auto outputs = topology().outputs(state.at);
    if (is_below(state.at, stage, destination)) {
      options.push_back({.channel = outputs[digits_.digit(destination, stage)]});
      return;
    }
    const auto up = outputs.subspan(digits_.k());
    if (up_ == UpPorts::by_destination)
      options.push_back({.channel = up[digits_.digit(destination, stage)]});
    else
      for (const ChannelId channel : up) options.push_back({.channel = channel});
  }
  [[nodiscard]] bool offers_output_bits() const final { return digits_.k() <= 32; }
  [[nodiscard]] std::uint64_t output_bits(SwitchId at, TerminalId destination) const final {
    const std::uint32_t stage = digits_.stage(at), k = digits_.k();
    const bool goes_down = is_below(at, stage, destination.value());
    if (!goes_down && up_ == UpPorts::any) return ((std::uint64_t{1} << k) - 1) << k;
    return std::uint64_t{1} << (digits_.digit(destination.value(), stage) + (goes_down ? 0 : k));
  }
  [[nodiscard]] std::uint32_t injection_vcs() const final { return 1; }
  [[nodiscard]] Claim claim() const override {
    return {.minimal = true, .deadlock_free = true, .deadlock_free_cut_through = true, .tolerates = {}};
  }

 protected:
  [[nodiscard]] const StageDigits& digits() const { return digits_; }
  [[nodiscard]] bool is_below(SwitchId at, std::uint32_t stage, std::uint32_t destination) const {
    return digits_.prefix(digits_.order(at), stage) == digits_.prefix(destination, stage + 1);
  }

 private:
  StageDigits digits_;
  UpPorts up_;
};

/// Any up port serves: every switch at the level of the nearest common ancestors that is reached is one.
class AnyUpPort final : public TreeRelation {
 public:
  AnyUpPort(TopologyPtr topology, std::string_view who)
      : TreeRelation(std::move(topology), who, UpPorts::any) {}
  [[nodiscard]] Claim claim() const override {
    Claim claim = TreeRelation::claim();
    claim.tolerates = digits().k() - 1;
    return claim;
  }
  /// As paper 1 counts (section 3.1.1), for every stage alike: k multiplexers of k inputs upwards, k of 2k
  /// inputs downwards.
  [[nodiscard]] std::uint64_t switching_elements(SwitchId) const override {
    return std::uint64_t{3} * digits().k() * digits().k();
  }
};

}  // namespace faultline
