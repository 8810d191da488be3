// SPDX-License-Identifier: Apache-2.0
#include "bench/matrix_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include "tests/support/shared_folder.h"

namespace faultline::bench {
namespace {

/// A routing for a number of virtual channels, as on the command line; absent if it does not support that
/// number.
using Routing = std::optional<std::string>;

/// The names of the routings for networks of one family.
struct Family {
  Routing deterministic;
  Routing oblivious;  ///< draws among shortest paths
  /// Chooses by free buffers. With known faults another one may be needed, which is free of deadlock.
  Routing (*adaptive)(Switching switching, std::uint32_t vcs, bool known_faults);
  /// Under cut-through switching the routing decides how many virtual channels there are; these have one.
  bool has_adaptive_vcs = false;
};

Routing with_adaptive_vcs(std::string_view routing, std::uint32_t vcs, std::uint32_t escape_vcs) {
  if (vcs <= escape_vcs) return {};
  return fmt::format("{}:adaptive_vcs={}", routing, vcs - escape_vcs);
}

/// Known faults may cut Duato's escape channels, and then nothing is proved; with the plans of paper 5 the
/// escape channels stay connected.
Routing on_open_grid(Switching /*switching*/, std::uint32_t vcs, bool known_faults) {
  return known_faults ? with_adaptive_vcs("methodology", vcs, 2) : with_adaptive_vcs("duato", vcs, 1);
}

/// Under wormhole switching no adaptive routing of a torus with faults is free of deadlock: the escape
/// channels of `methodology` rely on bubbles.
Routing on_torus(Switching switching, std::uint32_t vcs, bool known_faults) {
  if (known_faults && switching == Switching::wormhole) return {};
  if (known_faults) return with_adaptive_vcs("methodology", vcs, 2);
  return with_adaptive_vcs("duato", vcs, switching == Switching::wormhole ? 2 : 1);
}

Routing on_tree(Switching, std::uint32_t, bool) { return "nca-adaptive"; }
Routing on_ruft(Switching, std::uint32_t, bool) { return "ruft"; }
Routing on_fabric(Switching, std::uint32_t, bool) { return "shortest-path"; }

struct Network {
  std::string topology;
  /// 0.3 to 0.6 of the channels' capacity, and below saturation with two virtual channels.
  double load;
  /// Packets of one flit saturate meshes and tori with `duato`, whose virtual channels must be empty, and
  /// k=16 with `nca-adaptive`: these accept as little as a tenth of that load. This one is below saturation.
  double one_flit_load;
  Family family;
};

std::vector<Network> networks() {
  const Family open_grid{"dimension-order", {}, on_open_grid, true},
      torus{"dimension-order", {}, on_torus, true}, tree{"destro", "nca", on_tree}, ruft{{}, {}, on_ruft},
      fabric{"tables", {}, on_fabric};
  std::vector<Network> networks{
      {"mesh:radix=8x8", 0.3, 0.15, open_grid}, {"torus:radix=32x32", 0.1, 0.03, torus},
      {"torus:radix=8x8x8", 0.3, 0.15, torus},  {"hypercube:n=10", 0.4, 0.4, open_grid},
      {"fat-tree:k=8,n=3", 0.4, 0.4, tree},     {"fat-tree:k=16,n=3", 0.4, 0.2, tree},
      {"ft-ruft-222:k=8,n=3", 0.4, 0.4, ruft}};
  const std::filesystem::path folder = shared_folder() / "fabrics", dump = folder / "avakas.ibnetdiscover",
                              tables = folder / "avakas.lfts";
  if (std::filesystem::exists(dump) && std::filesystem::exists(tables))
    networks.push_back(
        {fmt::format("fabric:file={},tables={}", dump.string(), tables.string()), 0.3, 0.3, fabric});
  return networks;
}

/// The columns of a deterministic routing are varied one at a time; those of an adaptive one also, and
/// virtual channels and faults together, because users combine them and each changes what a head may request.
/// Left out, because they would not exercise a new path through an engine: packet lengths and pipelines
/// combined with other virtual channels or faults; known faults combined with dynamic faults. Under
/// cut-through switching there is no pipeline, and other numbers of virtual channels only if the routing has
/// them.
class CellsOfNetwork {
 public:
  CellsOfNetwork(const Network& network, Switching switching, std::vector<Cell>& cells)
      : network_(network), switching_(switching), cells_(cells) {}

  void add_deterministic() {
    if (!network_.family.deterministic) return;
    const Cell base = cell_of(*network_.family.deterministic, is_wormhole() ? 4 : 1);
    add_columns(base);
    add_with_faults(base);
    if (!is_wormhole()) return;
    add_with_vcs(base, 2);
    add_with_vcs(base, 8);
  }

  void add_oblivious() {
    if (network_.family.oblivious)
      cells_.push_back(cell_of(*network_.family.oblivious, is_wormhole() ? 4 : 1));
  }

  void add_adaptive() {
    const bool has_vcs = is_wormhole() || network_.family.has_adaptive_vcs;
    const std::optional<Cell> base = adaptive_cell(has_vcs ? 4 : 1, CellFaults::none);
    if (!base) return;
    add_columns(*base);
    if (is_wormhole() && network_.one_flit_load < network_.load) {  // that of add_columns() is saturated
      cells_.push_back(*base);
      cells_.back().packet_flits = 1;
      cells_.back().load = network_.one_flit_load;
    }
    for (const std::uint32_t vcs : has_vcs ? std::vector{2U, 4U, 8U} : std::vector{1U})
      for (const CellFaults faults :
           {CellFaults::none, CellFaults::known, CellFaults::in_time, CellFaults::in_time_dropped})
        if (const std::optional<Cell> cell = adaptive_cell(vcs, faults);
            cell && cell != base && (faults != CellFaults::in_time_dropped || vcs == base->virtual_channels))
          cells_.push_back(*cell);
  }

 private:
  [[nodiscard]] bool is_wormhole() const { return switching_ == Switching::wormhole; }

  [[nodiscard]] Cell cell_of(const std::string& routing, std::uint32_t vcs) const {
    return {.topology = network_.topology,
            .routing = routing,
            .switching = switching_,
            .load = network_.load,
            .virtual_channels = vcs};
  }

  [[nodiscard]] std::optional<Cell> adaptive_cell(std::uint32_t vcs, CellFaults faults) const {
    const Routing routing = network_.family.adaptive(switching_, vcs, faults == CellFaults::known);
    if (!routing) return {};
    Cell cell = cell_of(*routing, vcs);
    cell.faults = faults;
    return cell;
  }

  void add_columns(Cell cell) {
    cells_.push_back(cell);
    for (const std::uint32_t flits : {1U, 128U}) {
      cells_.push_back(cell);
      cells_.back().packet_flits = flits;
    }
    cell.speculative = true;
    if (is_wormhole()) cells_.push_back(cell);
  }

  void add_with_faults(Cell cell) {
    for (const CellFaults faults : {CellFaults::known, CellFaults::in_time}) {
      cell.faults = faults;
      cells_.push_back(cell);
    }
  }

  void add_with_vcs(Cell cell, std::uint32_t vcs) {
    cell.virtual_channels = vcs;
    cells_.push_back(cell);
  }

  const Network& network_;
  Switching switching_;
  std::vector<Cell>& cells_;
};

std::string_view name_of(CellFaults faults) {
  switch (faults) {
    case CellFaults::none:
      return "";
    case CellFaults::known:
      return " faults=known";
    case CellFaults::in_time:
      return " faults=in-time";
    case CellFaults::in_time_dropped:
      return " faults=in-time,dropped";
  }
  return "";
}

}  // namespace

std::string name_of(const Cell& cell) {
  const bool is_file = cell.topology.find('/') != std::string::npos;  // the path means nothing to others
  return fmt::format(
      "{} {} {} load={} vcs={} flits={}{}{}", cell.switching == Switching::wormhole ? "wormhole" : "vct",
      is_file ? "fabric" : cell.topology, cell.routing, cell.load, cell.virtual_channels, cell.packet_flits,
      cell.speculative ? " speculative credit-delay=2" : "", name_of(cell.faults));
}

std::vector<Cell> matrix_cells() {
  std::vector<Cell> cells;
  for (const Switching switching : {Switching::wormhole, Switching::cut_through})
    for (const Network& network : networks()) {
      CellsOfNetwork of_network(network, switching, cells);
      of_network.add_deterministic();
      of_network.add_oblivious();
      of_network.add_adaptive();
    }
  return cells;
}

Cell mesh_cell(Switching switching) {
  const std::vector<Cell> cells = matrix_cells();
  return *std::ranges::find(cells, switching, &Cell::switching);  // the first network
}

Cell tree_cell() {
  return {.topology = "fat-tree:k=8,n=3",
          .routing = "nca-adaptive",
          .switching = Switching::cut_through,
          .load = 0.4,
          .virtual_channels = 1};
}

}  // namespace faultline::bench
