// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "faultline/routing/relation.h"
#include "support/output_bits.h"

namespace faultline {

/// Gives the answers of another relation, but hides what would let destinations be compared.
class Plain : public RoutingRelation {
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

 protected:
  RelationPtr base_;
};

/// The answers of another relation without tags, which uses output_bits() and is entered by these virtual
/// channels of any channel.
class ByOutputBits final : public RoutingRelation {
 public:
  explicit ByOutputBits(RelationPtr base, std::uint32_t injection_vcs = 1)
      : RoutingRelation(base->shared_topology()), base_(std::move(base)), injection_vcs_(injection_vcs) {}
  void inject(TerminalId source, TerminalId, RouteOptions& options) const override {
    for (const ChannelId channel : topology().injection(source))
      options.push_back({.channel = channel, .vcs = injection_vcs_});
  }
  void route(const RouteState& state, RouteOptions& options) const override { base_->route(state, options); }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return base_->virtual_channels(); }
  [[nodiscard]] std::uint32_t injection_vcs() const override { return injection_vcs_; }
  [[nodiscard]] bool offers_output_bits() const override { return true; }
  [[nodiscard]] std::uint64_t output_bits(SwitchId at, TerminalId destination) const override {
    RouteOptions options;
    base_->route({.at = at, .destination = destination, .held = topology().inputs(at).front()}, options);
    return as_output_bits(*this, at, options);
  }

 private:
  RelationPtr base_;
  std::uint32_t injection_vcs_;
};

}  // namespace faultline
