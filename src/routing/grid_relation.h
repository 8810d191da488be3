// SPDX-License-Identifier: Apache-2.0
// What the routings of meshes, tori and hypercubes share.
#pragma once

#include <algorithm>
#include <vector>

#include "faultline/routing/relation.h"
#include "faultline/topology/grid.h"
#include "routing/first_vcs.h"
#include "routing/grid_differences.h"
#include "routing/output_positions.h"

namespace faultline {

class GridRelation : public RoutingRelation {
 public:
  GridRelation(TopologyPtr topology, std::string_view who)
      : RoutingRelation(std::move(topology)),
        grid_(this->topology().labelling<CartesianLabelling>(who)),
        position_(output_positions(this->topology())),
        max_outputs_(faultline::max_outputs(this->topology())),
        differences_(this->topology(), grid_, position_) {}

  /// Terminal channels may be used on every virtual channel: no packet there waits for one that it blocks
  /// itself.
  void inject(TerminalId source, TerminalId, RouteOptions& options) const override {
    for (const ChannelId channel : topology().injection(source))
      options.push_back({.channel = channel, .vcs = all_vcs()});
  }
  [[nodiscard]] std::uint32_t injection_vcs() const override { return all_vcs(); }
  void route(const RouteState& state, RouteOptions& options) const override {
    const SwitchId to = grid_.home(state.destination);
    if (state.at == to)
      options.push_back({.channel = topology().ejection(state.destination).front(), .vcs = all_vcs()});
    else
      route_towards(to, state, options);
  }
  [[nodiscard]] std::uint64_t output_bits(SwitchId at, TerminalId destination) const final {
    const SwitchId to = grid_.home(destination);
    return at == to ? bits(topology().ejection(destination).front(), all_vcs()) : bits_towards(to, at);
  }
  [[nodiscard]] OutputSets output_sets(SwitchId at, TerminalId destination, Tag tag) const final {
    const SwitchId to = grid_.home(destination);
    if (at != to) return sets_towards(to, at, tag);
    const ChannelId ejection = topology().ejection(destination).front();
    return {{{{output_bit(ejection), all_vcs()}}}};
  }

  [[nodiscard]] std::uint32_t relative_position(SwitchId at, TerminalId destination) const final {
    const SwitchId to = grid_.home(destination);
    if (at != to) return differences_.of(at, to);
    return differences_.count() + position_[topology().ejection(destination).front().index()];
  }

 protected:
  /// relative_positions() of a routing that needs to know only how far the destination is in each dimension.
  [[nodiscard]] std::uint32_t differences() const {
    return differences_.count() == 0 ? 0 : differences_.count() + static_cast<std::uint32_t>(max_outputs_);
  }
  /// To be called by the constructor of a routing that does not distinguish them.
  void ignore_binary_signs() {
    differences_.need_only(GridDifferences::BinarySigns::none, topology(), grid_, position_);
  }
  [[nodiscard]] const CartesianLabelling& grid() const { return grid_; }
  [[nodiscard]] std::uint32_t all_vcs() const { return first_vcs(virtual_channels()); }

  /// Virtual channels of a channel as output_bits() has them.
  [[nodiscard]] std::uint64_t bits(ChannelId channel, std::uint32_t vcs) const {
    return std::uint64_t{vcs} << (position_[channel.index()] * virtual_channels());
  }
  /// A channel as output_sets() has it.
  [[nodiscard]] std::uint64_t output_bit(ChannelId channel) const {
    return std::uint64_t{1} << position_[channel.index()];
  }
  [[nodiscard]] std::size_t max_outputs() const { return max_outputs_; }
  [[nodiscard]] bool fits_output_bits() const { return max_outputs_ * virtual_channels() <= 64; }
  [[nodiscard]] bool fits_output_sets() const { return max_outputs_ <= 64; }

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
  /// The same as output bits, where they are offered.
  [[nodiscard]] virtual std::uint64_t bits_towards(SwitchId, SwitchId) const { return 0; }
  /// The same as output sets, where they are offered.
  [[nodiscard]] virtual OutputSets sets_towards(SwitchId, SwitchId, Tag) const { return {}; }

  const CartesianLabelling& grid_;
  std::vector<std::uint16_t> position_;  ///< by channel: among the outputs of its switch
  std::size_t max_outputs_;
  GridDifferences differences_;
};

}  // namespace faultline
