// SPDX-License-Identifier: Apache-2.0
// A topology is one file in src/topology/kinds/: a parameter struct with fields(), samples() and build().
// Optional: terminal_total(), the number of terminals, for those who need to know it without building the
// network; and the constant judged_by_lost_terminals.
#pragma once

#include <optional>

#include "faultline/describe/kind.h"
#include "faultline/topology/limits.h"
#include "faultline/topology/topology.h"

#pragma GCC visibility push(default)
namespace faultline {

struct TopologyKind;
[[nodiscard]] std::span<const TopologyKind* const> topology_kinds();

struct TopologyKind {
  static constexpr auto catalogue = &topology_kinds;

  KindInfo info;
  bool judged_by_lost_terminals;  ///< `resilience` always counts them
  /// Absent if it is known only after building.
  std::optional<std::uint64_t> (*terminals)(const Parameters& parameters);
  Topology (*build)(const Parameters& parameters, const std::string& name);
};

template <class Params>
concept TopologyParams = requires(const Params& params, std::string name) {
  { params.build(name) } -> std::same_as<Topology>;
  { Params::samples() } -> std::same_as<std::vector<Params>>;
};

template <TopologyParams Params>
[[nodiscard]] consteval TopologyKind topology_kind(std::string_view name, std::string_view summary,
                                                   std::string_view source) {
  bool judged_by_lost_terminals = false;
  if constexpr (requires { Params::judged_by_lost_terminals; })
    judged_by_lost_terminals = Params::judged_by_lost_terminals;
  return {kind_info<Params>(name, summary, source), judged_by_lost_terminals,
          [](const Parameters& parameters) -> std::optional<std::uint64_t> {
            if constexpr (requires(const Params& params) { params.terminal_total(); })
              return parameters.as<Params>().terminal_total();
            return std::nullopt;
          },
          [](const Parameters& parameters, const std::string& described) {
            return parameters.as<Params>().build(described);
          }};
}

/// Named as it is described. Throws Error for parameters that only building refuses.
[[nodiscard]] TopologyPtr build_topology(const Resolved<TopologyKind>& topology);

}  // namespace faultline
#pragma GCC visibility pop
