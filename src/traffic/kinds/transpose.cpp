// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>

#include "traffic/bit_permutation.h"
#include "traffic/grid_map.h"

namespace faultline::patterns {
namespace {

struct Transpose : SelfTraffic {
  std::string of = "bits";

  static void fields(auto& field) {
    field("of", &Transpose::of, one_of({"bits", "coordinates"}),
          "exchange the halves of the bits of the source, or, on a grid, rotate its coordinates: (x, y, z) "
          "sends to (y, z, x)");
    self_field<Transpose>(field);
  }
  static std::vector<Transpose> samples() {
    return {{}, {{"include"}}, {{}, "coordinates"}, {{"include"}, "coordinates"}};
  }
  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t) const {
    return of == "bits" ? of_bits(topology) : of_coordinates(topology);
  }

 private:
  [[nodiscard]] PatternPtr of_bits(const Topology& topology) const {
    const std::size_t terminals = topology.terminal_count();
    if (!std::has_single_bit(terminals) || std::countr_zero(terminals) % 2 != 0)
      throw Error(
          "traffic", "transpose",
          fmt::format("needs a number of terminals that is a power of four; {} has {} (a grid of equal "
                      "radices takes transpose:of=coordinates)",
                      topology.name(), terminals));
    return bit_permutation(
        topology, "transpose",
        [](std::uint32_t address, std::uint32_t bits) {
          return (address >> (bits / 2) | address << (bits / 2)) & ((1U << bits) - 1);
        },
        included());
  }

  [[nodiscard]] PatternPtr of_coordinates(const Topology& topology) const {
    const auto* grid = topology.find_labelling<CartesianLabelling>();
    if (grid == nullptr)
      throw Error("traffic.of", of,
                  fmt::format("needs the {}, which {} does not have; there, it must be bits",
                              CartesianLabelling::needed, topology.name()));
    const std::uint32_t dimensions = grid->dimensions();
    for (std::uint32_t dimension = 1; dimension < dimensions; ++dimension)
      if (grid->radix(dimension) != grid->radix(0))
        throw Error("traffic.of", of,
                    fmt::format("needs a grid of equal radices; {} has {} and {}", topology.name(),
                                grid->radix(0), grid->radix(dimension)));
    return grid_map(
        topology, *grid,
        [&](SwitchId at, std::uint32_t dimension) {
          return grid->coordinate(at, (dimension + 1) % dimensions);
        },
        included());
  }
};

}  // namespace

extern constinit const PatternKind transpose = pattern_kind<Transpose>(
    "transpose", "the upper and the lower half of the bits of the source, or its coordinates, exchanged",
    "Dally & Towles, section 3.2");

}  // namespace faultline::patterns
