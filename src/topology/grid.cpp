// SPDX-License-Identifier: Apache-2.0
#include "topology/grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "faultline/topology/automorphism.h"
#include "faultline/topology/builder.h"
#include "faultline/topology/limits.h"

namespace faultline {
namespace {

std::size_t switch_count(const GridShape& shape) {
  std::uint64_t switches = 1;
  for (const std::uint32_t radix : shape.radix) {
    switches *= radix;
    if (switches * shape.terminals_per_switch > max_terminals)
      throw Error("topology.radix", fmt::format("{}", fmt::join(shape.radix, "x")),
                  fmt::format("must make at most {} terminals (with {} a switch)", max_terminals,
                              shape.terminals_per_switch));
  }
  return switches;
}

std::vector<std::uint32_t> coordinates_of(std::size_t at, const std::vector<std::uint32_t>& radix) {
  std::vector<std::uint32_t> coordinates;
  for (const std::uint32_t size : radix) {
    coordinates.push_back(static_cast<std::uint32_t>(at % size));
    at /= size;
  }
  return coordinates;
}

/// The first half of the dimensions runs across the drawing, the others down.
Position position_of(const std::vector<std::uint32_t>& coordinates, const std::vector<std::uint32_t>& radix) {
  const std::size_t across = (radix.size() + 1) / 2;
  Position position;
  for (std::size_t i = radix.size(); i-- > 0;) {
    std::uint32_t& axis = i < across ? position.column : position.row;
    axis = axis * radix[i] + coordinates[i];
  }
  return position;
}

}  // namespace

CartesianLabelling::CartesianLabelling(std::vector<std::uint32_t> radix, bool wraps,
                                       std::uint32_t terminals_per_switch, std::vector<ChannelId> outputs)
    : radix_(std::move(radix)),
      wraps_(wraps),
      terminals_per_switch_(terminals_per_switch),
      outputs_(std::move(outputs)) {
  if (radix_.empty() || terminals_per_switch == 0 ||
      std::ranges::any_of(radix_, [](std::uint32_t size) { return size == 0 || size > 0x10000; }))
    throw std::logic_error("coordinates need dimensions of 1 to 65536 switches, and a terminal at each");
  const std::size_t switches = outputs_.size() / 2 / radix_.size();
  coordinates_.reserve(switches * radix_.size());
  for (std::size_t at = 0; at < switches; ++at)
    for (const std::uint32_t coordinate : coordinates_of(at, radix_))
      coordinates_.push_back(static_cast<std::uint16_t>(coordinate));
  find_ways();
}

void CartesianLabelling::find_ways() {
  for (const std::uint32_t radix : radix_) {
    const auto size = static_cast<std::int32_t>(radix);
    no_distance_.push_back(static_cast<std::uint32_t>(ways_.size()) + radix - 1);
    for (std::int32_t ahead = 1 - size; ahead < size; ++ahead) {
      const std::int32_t round = ahead < 0 ? ahead + size : ahead;  // hops upwards, round a ring
      const bool plus = wraps_ ? 2 * round <= size : ahead > 0,
                 minus = wraps_ ? 2 * round >= size : ahead < 0;
      ways_.push_back(static_cast<std::uint8_t>(ahead == 0 ? 0 : (plus ? 1 : 0) | (minus ? 2 : 0)));
    }
  }
}

std::vector<Automorphism> CartesianLabelling::automorphisms(const Topology& topology) const {
  std::vector<Automorphism> all;
  const std::uint32_t at_each = terminals_per_switch_;
  std::uint32_t stride = 1;
  for (std::uint32_t dimension = 0; dimension < dimensions(); stride *= radix_[dimension++]) {
    if (!wraps_ && radix_[dimension] != 2) continue;
    const auto next = [&](SwitchId at) {
      const std::uint32_t here = coordinate(at, dimension);
      return SwitchId(here + 1 == radix_[dimension] ? at.value() - here * stride : at.value() + stride);
    };
    const auto terminal = [&](TerminalId one) {
      return TerminalId(next(home(one)).value() * at_each + one.value() % at_each);
    };
    const auto port = [&](SwitchId at, std::uint32_t output) {
      if (wraps_) return output;
      const bool up = coordinate(at, dimension) == 0;  // and comes to lie at the other end
      const ChannelId here = this->output(at, dimension, up ? Direction::plus : Direction::minus);
      if (topology.output_port(here) != output) return output;
      return topology.output_port(this->output(next(at), dimension, up ? Direction::minus : Direction::plus));
    };
    all.push_back(renaming(topology, next, terminal, port));
  }
  if (at_each == 1) return all;
  const auto turned = [&](std::uint32_t index) { return (index + 1) % at_each; };
  all.push_back(renaming(
      topology, [](SwitchId at) { return at; },
      [&](TerminalId one) {
        return TerminalId(one.value() - one.value() % at_each + turned(one.value() % at_each));
      },
      [&](SwitchId at, std::uint32_t output) {
        const ChannelId first = topology.ejection(TerminalId(at.value() * at_each)).front();
        const std::uint32_t from = topology.output_port(first);
        return output < from ? output : from + turned(output - from);
      }));
  return all;
}

std::uint64_t grid_terminals(const std::vector<std::uint32_t>& radix, std::uint32_t terminals_per_switch) {
  std::uint64_t terminals = terminals_per_switch;
  for (const std::uint32_t size : radix) terminals = saturating_product(terminals, size);
  return terminals;
}

Topology build_grid(const GridShape& shape, const std::string& name) {
  const std::size_t switches = switch_count(shape);
  const auto dimensions = static_cast<std::uint32_t>(shape.radix.size());
  const auto port = [&](std::uint32_t dimension, Direction direction) {
    return shape.one_port_a_dimension ? dimension : 2 * dimension + static_cast<std::uint32_t>(direction);
  };
  TopologyBuilder builder;
  std::vector<ChannelId> outputs(switches * dimensions * 2);
  for (std::size_t at = 0; at < switches; ++at) {
    const auto coordinates = coordinates_of(at, shape.radix);
    builder.add_switch(position_of(coordinates, shape.radix),
                       fmt::format("s{}", fmt::join(coordinates, ".")));
  }
  std::size_t channels = 0;
  for (std::size_t at = 0; at < switches; ++at) {
    const auto coordinates = coordinates_of(at, shape.radix);
    std::size_t stride = 1;
    for (std::uint32_t dimension = 0; dimension < dimensions; stride *= shape.radix[dimension++]) {
      const bool last = coordinates[dimension] + 1 == shape.radix[dimension];
      if (last && !shape.wraps) continue;
      const std::size_t next = last ? at - coordinates[dimension] * stride : at + stride;
      builder.connect_both({SwitchId(at), port(dimension, Direction::plus)},
                           {SwitchId(next), port(dimension, Direction::minus)});
      outputs[(at * dimensions + dimension) * 2] = ChannelId(channels++);
      outputs[(next * dimensions + dimension) * 2 + 1] = ChannelId(channels++);
    }
  }
  const std::uint32_t network_ports = dimensions * (shape.one_port_a_dimension ? 1 : 2);
  for (std::size_t at = 0; at < switches; ++at)
    for (std::uint32_t i = 0; i < shape.terminals_per_switch; ++i)
      builder.attach(builder.add_terminal(), {SwitchId(at), network_ports + i});
  builder.set_labelling(std::make_unique<CartesianLabelling>(shape.radix, shape.wraps,
                                                             shape.terminals_per_switch, std::move(outputs)));
  return std::move(builder).build(name, "dimension-order");
}

}  // namespace faultline
