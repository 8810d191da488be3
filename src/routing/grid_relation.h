// SPDX-License-Identifier: Apache-2.0
// What the routings of meshes, tori and hypercubes share.
#pragma once

#include <algorithm>

#include "faultline/routing/relation.h"
#include "faultline/topology/grid.h"

namespace faultline {

class GridRelation : public RoutingRelation {
 public:
  GridRelation(TopologyPtr topology, std::string_view who)
      : RoutingRelation(std::move(topology)), grid_(this->topology().labelling<CartesianLabelling>(who)) {}

  /// Terminal channels may be used on every virtual channel: no packet waits there for one that it blocks.
  void inject(TerminalId source, TerminalId, RouteOptions& options) const final {
    options.push_back({.channel = topology().injection(source).front(), .vcs = all_vcs()});
  }
  void route(const RouteState& state, RouteOptions& options) const final {
    const SwitchId to = grid_.home(state.destination);
    if (state.at == to)
      options.push_back({.channel = topology().ejection(state.destination).front(), .vcs = all_vcs()});
    else
      route_towards(to, state, options);
  }

 protected:
  [[nodiscard]] const CartesianLabelling& grid() const { return grid_; }
  [[nodiscard]] std::uint32_t all_vcs() const {
    return static_cast<std::uint32_t>((std::uint64_t{1} << virtual_channels()) - 1);
  }

  /// The lowest dimension in which the coordinates differ; they must.
  [[nodiscard]] std::uint32_t first_dimension(SwitchId at, SwitchId to) const {
    std::uint32_t dimension = 0;
    while (grid_.coordinate(at, dimension) == grid_.coordinate(to, dimension)) ++dimension;
    return dimension;
  }
  /// Dateline class (Dally & Towles, section 14.2.3): packets above their destination are the only ones that
  /// cross the end of the ring upwards, the others the only ones that cross it downwards.
  [[nodiscard]] std::uint32_t dateline_class(SwitchId at, SwitchId to, std::uint32_t dimension) const {
    return grid_.coordinate(at, dimension) > grid_.coordinate(to, dimension) ? 1 : 0;
  }

 private:
  /// Appends the options of a packet at another switch than `to`.
  virtual void route_towards(SwitchId to, const RouteState& state, RouteOptions& options) const = 0;

  const CartesianLabelling& grid_;
};

/// True when every ring is so short that no shortest path takes two of its channels: then nothing waits round
/// it.
[[nodiscard]] inline bool rings_are_trivial(const CartesianLabelling& grid) {
  for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension)
    if (grid.wraps() && grid.radix(dimension) > 3) return false;
  return true;
}

}  // namespace faultline
