// SPDX-License-Identifier: Apache-2.0
#include "routing/nearer_outputs.h"

#include <algorithm>

#include "routing/grid_differences.h"
#include "routing/output_positions.h"

namespace faultline {

NearerOutputs::NearerOutputs(const Topology& topology, const CartesianLabelling& grid, std::uint32_t stride,
                             Ties ties)
    : grid_(grid), stride_(stride), ties_(ties) {
  find_hops(topology);
  const std::uint32_t dimensions = grid.dimensions();
  std::vector<Hops> of_any(dimensions);
  for (std::size_t i = 0; i < hops_.size(); ++i) {
    of_any[i % dimensions].plus |= hops_[i].plus;
    of_any[i % dimensions].minus |= hops_[i].minus;
  }
  if (ties == Ties::both && grid.wraps())
    for (std::uint32_t dimension = 0; dimension < dimensions; ++dimension)
      if (grid.radix(dimension) % 2 == 0) may_tie_ |= of_any[dimension].plus;
  const auto at_one_position = [](std::uint64_t outputs) { return (outputs & (outputs - 1)) == 0; };
  if (!std::ranges::all_of(of_any, at_one_position, &Hops::plus) ||
      !std::ranges::all_of(of_any, at_one_position, &Hops::minus))
    return;
  const std::vector<Group> groups = this->groups();
  group_count_ = groups.size();
  for (const Group& group : groups) fill(group, of_any);
  find_codes(groups, topology.switch_count());
}

void NearerOutputs::find_hops(const Topology& topology) {
  const std::vector<std::uint16_t> positions = output_positions(topology);
  const auto output = [&](ChannelId channel) {
    return channel.valid() ? std::uint64_t{1} << (positions[channel.index()] * stride_) : 0;
  };
  for (const SwitchId at : topology.switches()) {
    plus_.push_back(0);
    for (std::uint32_t dimension = 0; dimension < grid_.dimensions(); ++dimension) {
      const Hops hops{output(grid_.output(at, dimension, Direction::plus)),
                      output(grid_.output(at, dimension, Direction::minus))};
      hops_.push_back(hops);
      plus_.back() |= hops.plus;
    }
  }
}

std::vector<NearerOutputs::Group> NearerOutputs::groups() const {
  constexpr std::uint32_t max_entries = 256;
  std::vector<Group> groups;
  std::uint32_t entries = 1;
  for (std::uint32_t dimension = 0; dimension < grid_.dimensions(); ++dimension) {
    const std::uint32_t size = 2 * grid_.radix(dimension) - 1;
    if (dimension == 0 || entries * size > max_entries) {
      groups.push_back({dimension, dimension});
      entries = 1;
    }
    groups.back().end = dimension + 1;
    entries *= size;
  }
  return groups;
}

void NearerOutputs::fill(const Group& group, const std::vector<Hops>& hops) {
  const std::size_t begin = ahead_.size();
  std::size_t entries = 1;
  std::uint32_t stride = 1;  // of the numbers of switches
  for (std::uint32_t dimension = 0; dimension < group.first; ++dimension) stride *= grid_.radix(dimension);
  ahead_.push_back(0);
  for (std::uint32_t dimension = group.first; dimension < group.end; ++dimension) {
    const std::uint32_t radix = grid_.radix(dimension), size = 2 * radix - 1;
    for (std::size_t i = entries; i < entries * size; ++i) ahead_.push_back(ahead_[begin + i % entries]);
    for (std::uint32_t ahead = 0; ahead < size; ++ahead) {
      const std::uint32_t at = ahead < radix ? radix - 1 - ahead : 0, to = at + ahead - (radix - 1);
      const std::uint32_t taken = ways(SwitchId(at * stride), SwitchId(to * stride), dimension);
      const std::uint64_t outputs =
          ((taken & 1) != 0 ? hops[dimension].plus : 0) | ((taken & 2) != 0 ? hops[dimension].minus : 0);
      for (std::size_t i = 0; i < entries; ++i) ahead_[begin + ahead * entries + i] |= outputs;
    }
    entries *= size;
    stride *= radix;
  }
  no_hop_.push_back(static_cast<std::uint32_t>(begin) +
                    DifferenceCodes(grid_, group.first, group.end).none());
}

void NearerOutputs::find_codes(const std::vector<Group>& groups, std::size_t switches) {
  codes_.resize(switches * groups.size());
  for (std::size_t number = 0; number < groups.size(); ++number) {
    const DifferenceCodes differences(grid_, groups[number].first, groups[number].end);
    for (std::size_t at = 0; at < switches; ++at)
      codes_[at * groups.size() + number] = static_cast<std::uint16_t>(differences.code(SwitchId(at)));
  }
}

std::uint64_t NearerOutputs::all_by_dimension(SwitchId at, SwitchId to) const {
  std::uint64_t found = 0;
  for (std::uint32_t dimension = 0; dimension < grid_.dimensions(); ++dimension) {
    const Hops& hops = hops_[at.index() * grid_.dimensions() + dimension];
    const std::uint64_t taken = ways(at, to, dimension);
    found |= (hops.plus & (0 - (taken & 1))) | (hops.minus & (0 - (taken >> 1)));
  }
  return found;
}

}  // namespace faultline
