// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "faultline/routing/kind.h"
#include "faultline/topology/switched.h"

namespace faultline::routings {
namespace {

using Shape = SwitchNetwork::Shape;

/// Round the ring to the first switch that the destination is attached to, and back if the next switch is
/// dead. A packet turns once, and crosses the end of the numbering at most once before and once after it: the
/// virtual channels (turned or not, crossed or not) are taken in one order, so that no cycle of waiting
/// packets can form (datelines: Dally & Towles, section 14.2.3).
class RingTurnRelation final : public RoutingRelation {
 public:
  explicit RingTurnRelation(TopologyPtr topology)
      : RoutingRelation(std::move(topology)),
        made_(this->topology().labelling<SwitchedLabelling>("ring-turn")),
        size_(made_.network.switches()) {
    if (made_.network.shape != Shape::ring)
      throw Error("routing", "ring-turn", "needs a switch-ring; " + this->topology().name() + " is none");
    for (const ChannelId channel : this->topology().channels())
      if (this->topology().role(channel) == ChannelRole::network) {
        const std::uint32_t from = this->topology().source(channel).value();
        const bool is_up = this->topology().target(channel).value() == (from + 1) % size_;
        next_.resize(size_);
        next_[from][is_up ? up : down] = channel;
      }
  }

  [[nodiscard]] std::uint64_t tag_count() const override { return 8; }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return 4; }

  /// Either way round from each of the source's switches, the shorter one of them.
  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    for (const ChannelId channel : topology().injection(source)) {
      const std::uint32_t from = topology().target(channel).value();
      const std::array<std::uint32_t, 2> hops{hops_to(destination, from, up),
                                              hops_to(destination, from, down)};
      for (const std::uint32_t direction : {up, down})
        if (hops[direction] <= hops[1 - direction] && (direction == up || hops[up] != 0))
          options.push_back({.channel = channel, .vcs = all_vcs, .tag = direction});
    }
  }

  void route(const RouteState& state, RouteOptions& options) const override {
    std::uint8_t tier = 0;
    for (const ChannelId channel : topology().ejection(state.destination))
      if (topology().source(channel) == state.at) {
        options.push_back({.channel = channel, .vcs = all_vcs});
        tier = 1;
      }
    const std::uint32_t direction = state.tag & 1U;
    const Tag crossed = state.tag & has_crossed, turned = state.tag & has_turned;
    go_on(state.at, direction, crossed, turned, tier, options);
    if (turned == 0)
      go_on(state.at, 1 - direction, 0, has_turned, static_cast<std::uint8_t>(tier + 1), options);
  }

  [[nodiscard]] Claim claim() const override {
    return {.minimal = false, .deadlock_free = true, .deadlock_free_cut_through = true, .tolerates = {}};
  }

 private:
  static constexpr std::uint32_t up = 0, down = 1, all_vcs = 15;
  static constexpr Tag has_crossed = 2, has_turned = 4;

  [[nodiscard]] std::uint32_t hops_to(TerminalId destination, std::uint32_t from,
                                      std::uint32_t direction) const {
    std::uint32_t fewest = size_;
    for (const ChannelId channel : topology().ejection(destination)) {
      const std::uint32_t to = topology().source(channel).value();
      fewest = std::min(fewest, (direction == up ? to + size_ - from : from + size_ - to) % size_);
    }
    return fewest;
  }

  void go_on(SwitchId at, std::uint32_t direction, Tag crossed, Tag turned, std::uint8_t tier,
             RouteOptions& options) const {
    const bool crosses = at.value() == (direction == up ? size_ - 1 : 0);
    if (crosses && crossed != 0) return;
    const Tag tag = direction | (crosses ? has_crossed : crossed) | turned;
    options.push_back(
        {.channel = next_[at.index()][direction], .vcs = 1U << (tag / 2), .tag = tag, .tier = tier});
  }

  const SwitchedLabelling& made_;
  std::uint32_t size_;
  std::vector<std::array<ChannelId, 2>> next_;  ///< by switch: upwards, downwards
};

struct RingTurn {
  static void fields(auto&) {}
  static std::vector<RingTurn> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const RingTurnRelation>(context.topology);
  }
};

}  // namespace

extern constinit const RoutingKind ring_turn =
    routing_kind<RingTurn>("ring-turn",
                           "switch-ring: the shorter way round from either switch of a terminal, turning "
                           "back where the next switch is dead",
                           "Dally & Towles, section 14.2.3", Survival::fixed_paths, "most-free");

}  // namespace faultline::routings
