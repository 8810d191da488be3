// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "faultline/base/error.h"
#include "faultline/routing/kind.h"
#include "routing/grid_relation.h"

namespace faultline::routings {
namespace {

/// Any channel on a shortest path, with the virtual channels separated so that no cycle of waiting packets
/// can form: one virtual network for each choice of a direction in every dimension but the first, and within
/// it, on a torus, one level for each wrap-around link that a packet has crossed. A packet keeps to a virtual
/// network that has its directions, and never goes down a level. Within a level no packet turns back in a
/// dimension and none crosses a wrap-around link, so that the channel dependency graph has no cycle: no
/// escape channels are needed, and a virtual channel may take a packet behind another one's tail. A packet
/// that has fewer wrap-around links to cross than levels are left may also take the higher levels.
class VirtualNetworksRelation final : public GridRelation {
 public:
  VirtualNetworksRelation(TopologyPtr topology, std::uint32_t each)
      : GridRelation(std::move(topology), "virtual-networks"),
        each_(each),
        levels_(grid().wraps() ? grid().dimensions() + 1 : 1),
        networks_(1U << (grid().dimensions() - 1)) {
    constexpr std::uint32_t most = 32;
    if (virtual_channels() > most)
      throw Error(
          "routing.each", std::to_string(each),
          fmt::format("must leave at most {} virtual channels; a grid of {} dimensions has {} virtual "
                      "networks of {} levels",
                      most, grid().dimensions(), networks_, levels_));
  }

  [[nodiscard]] std::uint32_t virtual_channels() const override { return networks_ * levels_ * each_; }
  [[nodiscard]] bool reads_held_channel() const override { return true; }
  [[nodiscard]] Claim claim() const override {
    return {.minimal = true, .deadlock_free = true, .deadlock_free_cut_through = true, .tolerates = {}};
  }

 private:
  void route_towards(SwitchId to, const RouteState& state, RouteOptions& options) const override {
    const bool injected = topology().role(state.held) == ChannelRole::injection;
    const std::uint32_t level = injected ? 0 : state.vc / each_ % levels_;
    const std::uint32_t network = state.vc / each_ / levels_;
    for (std::uint32_t dimension = 0; dimension < grid().dimensions(); ++dimension)
      for (const Direction direction : {Direction::plus, Direction::minus}) {
        if (!grid().nearer(state.at, to, dimension, direction)) continue;
        const ChannelId channel = grid().output(state.at, dimension, direction);
        std::uint32_t vcs = 0;
        for (std::uint32_t other = 0; other < networks_; ++other)
          if ((injected || other == network) && has(other, dimension, direction) &&
              leads(other, state.at, to))
            vcs |= of_levels(other, level + (crosses(state.at, dimension, direction) ? 1 : 0),
                             levels_ - 1 - still_to_cross(topology().target(channel), to, other));
        if (vcs != 0) options.push_back({.channel = channel, .vcs = vcs});
      }
  }

  /// Bit d - 1 of a network's number: minus in dimension d.
  [[nodiscard]] static bool has(std::uint32_t network, std::uint32_t dimension, Direction direction) {
    return dimension == 0 || ((network >> (dimension - 1) & 1U) != 0) == (direction == Direction::minus);
  }
  /// Whether the network has a shortest path in every dimension.
  [[nodiscard]] bool leads(std::uint32_t network, SwitchId at, SwitchId to) const {
    for (std::uint32_t dimension = 1; dimension < grid().dimensions(); ++dimension)
      if (grid().coordinate(at, dimension) != grid().coordinate(to, dimension) &&
          !grid().nearer(at, to, dimension, way(network, dimension)))
        return false;
    return true;
  }
  [[nodiscard]] static Direction way(std::uint32_t network, std::uint32_t dimension) {
    return has(network, dimension, Direction::minus) ? Direction::minus : Direction::plus;
  }

  /// Whether the hop crosses a wrap-around link.
  [[nodiscard]] bool crosses(SwitchId at, std::uint32_t dimension, Direction direction) const {
    const std::uint32_t end = direction == Direction::plus ? grid().radix(dimension) - 1 : 0;
    return grid().wraps() && grid().coordinate(at, dimension) == end;
  }
  /// Wrap-around links still to cross; half-way round a ring of dimension 0, either direction counts.
  [[nodiscard]] std::uint32_t still_to_cross(SwitchId at, SwitchId to, std::uint32_t network) const {
    if (!grid().wraps()) return 0;
    std::uint32_t ends = 0;
    for (std::uint32_t dimension = 0; dimension < grid().dimensions(); ++dimension) {
      const std::uint32_t here = grid().coordinate(at, dimension), there = grid().coordinate(to, dimension);
      const auto over_the_end = [&](Direction direction) {
        return has(network, dimension, direction) && grid().nearer(at, to, dimension, direction) &&
               (direction == Direction::plus ? there < here : there > here);
      };
      if (over_the_end(Direction::plus) || over_the_end(Direction::minus)) ++ends;
    }
    return ends;
  }

  [[nodiscard]] std::uint32_t of_levels(std::uint32_t network, std::uint32_t first,
                                        std::uint32_t last) const {
    std::uint32_t vcs = 0;
    for (std::uint32_t level = first; level <= last; ++level)
      vcs |= ((std::uint32_t{1} << each_) - 1) << ((network * levels_ + level) * each_);
    return vcs;
  }

  std::uint32_t each_, levels_, networks_;
};

struct VirtualNetworks {
  std::uint32_t each = 1;
  static void fields(auto& field) {
    field("each", &VirtualNetworks::each, between(1, 31),
          "virtual channels for each level of each virtual network: a torus of n dimensions has 2^(n-1) "
          "networks "
          "of n + 1 levels, a mesh of one");
  }
  static std::vector<VirtualNetworks> samples() { return {{1}, {2}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const VirtualNetworksRelation>(context.topology, each);
  }
};

}  // namespace

extern constinit const RoutingKind virtual_networks = routing_kind<VirtualNetworks>(
    "virtual-networks",
    "mesh, torus, hypercube: any channel on a shortest path, virtual channels separated by direction and by "
    "wrap-around links crossed; free of deadlock without escape channels",
    "Linder & Harden, IEEE Trans. Computers, 1991; Dally & Towles, chapter 14", Survival::fixed_paths,
    "most-free");

}  // namespace faultline::routings
