// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "faultline/routing/relation.h"

namespace faultline {

/// Gives the answers of another relation, but hides what would let destinations be compared.
class Plain final : public RoutingRelation {
 public:
  explicit Plain(RelationPtr base) : RoutingRelation(base->shared_topology()), base_(std::move(base)) {}
  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    base_->inject(source, destination, options);
  }
  void route(const RouteState& state, RouteOptions& options) const override { base_->route(state, options); }
  [[nodiscard]] std::uint64_t tag_count() const override { return base_->tag_count(); }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return base_->virtual_channels(); }
  [[nodiscard]] bool reads_held_channel() const override { return base_->reads_held_channel(); }
  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const override { return base_->bubble_rings(); }
  [[nodiscard]] bool is_escape(const RouteState& state, const RouteOption& option,
                               std::uint8_t vc) const override {
    return base_->is_escape(state, option, vc);
  }
  [[nodiscard]] bool relies_on_escape() const override { return base_->relies_on_escape(); }

 private:
  RelationPtr base_;
};

/// The answers of another relation without tags, which uses output_bits() and is entered by any channel.
class ByOutputBits final : public RoutingRelation {
 public:
  explicit ByOutputBits(RelationPtr base)
      : RoutingRelation(base->shared_topology()), base_(std::move(base)) {}
  void route(const RouteState& state, RouteOptions& options) const override { base_->route(state, options); }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return base_->virtual_channels(); }
  [[nodiscard]] std::uint32_t injection_vcs() const override { return 1; }
  [[nodiscard]] bool offers_output_bits() const override { return true; }
  [[nodiscard]] std::uint64_t output_bits(SwitchId at, TerminalId destination) const override {
    RouteOptions options;
    base_->route({.at = at, .destination = destination, .held = topology().inputs(at).front()}, options);
    std::uint64_t bits = 0;
    for (const RouteOption& option : options) {
      const auto outputs = topology().outputs(at);
      const auto index = std::ranges::find(outputs, option.channel) - outputs.begin();
      bits |= std::uint64_t{option.vcs} << (static_cast<std::uint32_t>(index) * virtual_channels());
    }
    return bits;
  }

 private:
  RelationPtr base_;
};

}  // namespace faultline
