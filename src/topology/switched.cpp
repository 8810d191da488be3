// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "faultline/topology/builder.h"
#include "faultline/topology/limits.h"
#include "faultline/topology/switched.h"
#include "topology/degree.h"

namespace faultline {
namespace {

using Shape = SwitchNetwork::Shape;

std::string switch_name(const SwitchNetwork& network, std::uint32_t at) {
  if (network.shape != Shape::torus) return fmt::format("s{}", at);
  return fmt::format("s{}.{}", at / network.columns, at % network.columns);
}

Position position_of(const SwitchNetwork& network, std::uint32_t at) {
  if (network.shape != Shape::torus) return {0, at};
  return {at % network.columns, at / network.columns};
}

/// In both directions of a ring of `size`: where position i comes to lie.
std::vector<std::vector<std::uint32_t>> turns(std::uint32_t size) {
  std::vector<std::vector<std::uint32_t>> all;
  for (const bool reflected : {false, true})
    for (std::uint32_t turn = 0; turn < size; ++turn) {
      std::vector<std::uint32_t> images(size);
      for (std::uint32_t i = 0; i < size; ++i) images[i] = (reflected ? size - i + turn : i + turn) % size;
      all.push_back(std::move(images));
    }
  if (size < 3) all.resize(size);  // reflections are rotations
  return all;
}

}  // namespace

std::vector<std::pair<std::uint32_t, std::uint32_t>> SwitchNetwork::links() const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
  if (shape == Shape::clique) {
    for (std::uint32_t a = 0; a < columns; ++a)
      for (std::uint32_t b = a + 1; b < columns; ++b) all.emplace_back(a, b);
    return all;
  }
  for (std::uint32_t row = 0; row < rows; ++row)
    for (std::uint32_t column = 0; column < columns; ++column) {
      const std::uint32_t at = row * columns + column;
      all.emplace_back(at, row * columns + (column + 1) % columns);
      if (shape == Shape::torus) all.emplace_back(at, (row + 1) % rows * columns + column);
    }
  return all;
}

std::vector<std::vector<std::uint32_t>> SwitchNetwork::symmetries() const {
  std::vector<std::vector<std::uint32_t>> all;
  for (const auto& down : turns(rows))
    for (const auto& across : turns(columns)) {
      std::vector<std::uint32_t> images;
      for (std::uint32_t row = 0; row < rows; ++row)
        for (std::uint32_t column = 0; column < columns; ++column)
          images.push_back(down[row] * columns + across[column]);
      all.push_back(std::move(images));
    }
  return all;
}

void require_attachments(const SwitchNetwork& network, const Attachments& attachments) {
  const std::uint64_t switches = std::uint64_t{network.rows} * network.columns;
  if (switches > max_terminals)
    throw std::logic_error(fmt::format("a network of {} switches; at most {}", switches, max_terminals));
  for (const auto& attached : attachments)
    for (const std::uint32_t at : attached)
      if (at >= switches)
        throw std::logic_error(fmt::format("a terminal is attached to switch {} of {}", at, switches));
}

Topology build_switched(const SwitchNetwork& network, Attachments attachments, const std::string& name) {
  if (attachments.size() > max_terminals)
    throw Error("topology.terminals", std::to_string(attachments.size()),
                fmt::format("must be at most {}", max_terminals));
  require_attachments(network, attachments);
  std::size_t degree = 0;
  for (const auto& attached : attachments) degree = std::max(degree, attached.size());
  require_fitting_ports(degree, attachments.size());
  TopologyBuilder builder;
  std::vector<std::uint32_t> next_port(network.switches());
  for (std::uint32_t at = 0; at < network.switches(); ++at)
    builder.add_switch(position_of(network, at), switch_name(network, at));
  for (const auto& [a, b] : network.links()) {
    const Port from{SwitchId(a), next_port[a]++};
    builder.connect_both(from, {SwitchId(b), next_port[b]++});
  }
  for (const auto& attached : attachments) {
    const TerminalId terminal = builder.add_terminal();
    for (const std::uint32_t at : attached) builder.attach(terminal, {SwitchId(at), next_port[at]++});
  }
  builder.set_labelling(std::make_unique<SwitchedLabelling>(network, std::move(attachments)));
  return std::move(builder).build(name, "up-down");
}

}  // namespace faultline
