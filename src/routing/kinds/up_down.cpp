// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>

#include "faultline/routing/ejection_classes.h"
#include "faultline/routing/kind.h"
#include "routing/path_trees.h"
#include "routing/up_down_order.h"

namespace faultline::routings {
namespace {

/// The shortest of the paths that go up, then down, and never up again. The tag says whether the packet has
/// gone down.
class UpDownRelation final : public RoutingRelation {
 public:
  UpDownRelation(TopologyPtr topology, const FaultSet& known)
      : RoutingRelation(std::move(topology)),
        order_(this->topology(), known, "up-down"),
        classes_(this->topology(), order_.unusable()) {
    for (const auto& ends : classes_.switches) hops_.push_back(hops_to(ends));
  }

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    for (const ChannelId channel : topology().injection(source))
      if (order_.usable(channel) && hops(destination, topology().target(channel), climbing) != unreachable)
        options.push_back({.channel = channel});
  }

  void route(const RouteState& state, RouteOptions& options) const override {
    const std::uint16_t here = hops(state.destination, state.at, state.tag);
    if (here == unreachable) return;
    if (here == 0) {
      for (const ChannelId channel : topology().ejection(state.destination))
        if (topology().source(channel) == state.at && order_.usable(channel))
          options.push_back({.channel = channel});
      return;
    }
    for (const ChannelId channel : topology().outputs(state.at)) {
      if (topology().role(channel) != ChannelRole::network || !order_.usable(channel)) continue;
      const bool up = order_.goes_up(topology(), channel);
      if (up && state.tag == descending) continue;
      const Tag next = up ? climbing : descending;
      if (hops(state.destination, topology().target(channel), next) + 1 == here)
        options.push_back({.channel = channel, .tag = next});
    }
  }

  [[nodiscard]] std::uint64_t tag_count() const override { return 2; }
  [[nodiscard]] Claim claim() const override {
    return {.minimal = false, .deadlock_free = true, .deadlock_free_cut_through = true, .tolerates = {}};
  }

 private:
  static constexpr Tag climbing = 0;
  static constexpr Tag descending = 1;
  static constexpr std::uint16_t unreachable = std::numeric_limits<std::uint16_t>::max();
  using Hops = std::vector<std::array<std::uint16_t, 2>>;  // by switch, then by tag

  [[nodiscard]] std::uint16_t hops(TerminalId destination, SwitchId at, Tag tag) const {
    return hops_[classes_.class_of[destination.index()]][at.index()][tag];
  }

  /// Breadth first, backwards from the ends, over (switch, tag).
  [[nodiscard]] Hops hops_to(const std::vector<SwitchId>& ends) const {
    Hops hops(topology().switch_count(), {unreachable, unreachable});
    std::vector<std::pair<SwitchId, Tag>> queue;
    const auto reach = [&](SwitchId at, Tag tag, std::uint16_t distance) {
      if (hops[at.index()][tag] != unreachable) return;
      hops[at.index()][tag] = distance;
      queue.emplace_back(at, tag);
    };
    for (const SwitchId end : ends) {
      reach(end, climbing, 0);
      reach(end, descending, 0);
    }
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const auto [at, tag] = queue[next];
      const std::uint16_t distance = one_hop_more(hops[at.index()][tag], topology());
      for (const ChannelId channel : topology().inputs(at)) {
        if (topology().role(channel) != ChannelRole::network || !order_.usable(channel)) continue;
        const bool up = order_.goes_up(topology(), channel);
        if (up != (tag == climbing)) continue;  // the tag after this hop says which way it went
        reach(topology().source(channel), climbing, distance);
        if (!up) reach(topology().source(channel), descending, distance);
      }
    }
    return hops;
  }

  UpDownOrder order_;
  EjectionClasses classes_;
  std::vector<Hops> hops_;  // by class
};

struct UpDown {
  static constexpr std::uint32_t table_bytes = 4;  // hops, by tag
  static void fields(auto&) {}
  static std::vector<UpDown> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const UpDownRelation>(context.topology, context.known);
  }
};

}  // namespace

extern constinit const RoutingKind up_down =
    routing_kind<UpDown>("up-down",
                         "any topology of two-way links, or of one-way channels without a cycle: shortest "
                         "paths that never turn from down to up, on links all of whose channels are alive; "
                         "free of deadlock",
                         "Schroeder et al., Autonet, 1991", Survival::any_path_two_way, "most-free");

}  // namespace faultline::routings
