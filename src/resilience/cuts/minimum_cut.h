// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "resilience/cuts/pair_graph.h"

namespace faultline::survival {

constexpr std::uint64_t max_search_steps = 2'000'000;

struct MinimumCut {
  enum class Status : std::uint8_t {
    exact,    ///< `components` is a smallest set that cuts every path
    above,    ///< every such set has more than the limit
    never,    ///< no set of components cuts every path
    unknown,  ///< the search gave up: every such set has at least `size`, and `components` is one
  };
  Status status = Status::exact;
  std::uint32_t size = 0;
  std::vector<std::uint32_t> components;  ///< as the graph numbers them
  /// If exact: the components of all smallest sets, without those that remove a part of what another one
  /// removes. Absent where a search over hitting sets gives up before it knows them all.
  std::optional<std::vector<std::uint32_t>> members = {};
};

/// The fewest components whose loss cuts every path. Maximum flow if each component is one edge or one node
/// of the graph; otherwise a search over hitting sets, which examines at most `search_steps` of them.
[[nodiscard]] MinimumCut minimum_cut(const PairGraph& graph, std::uint32_t limit,
                                     std::uint64_t search_steps = max_search_steps);

}  // namespace faultline::survival
