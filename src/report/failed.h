// SPDX-License-Identifier: Apache-2.0
// A network with faults: what is dead, and the paths of pairs leg by leg.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "faultline/describe/description.h"
#include "faultline/routing/kind.h"

namespace faultline::report {

/// One walk of each pair (legs_of):
///   {"pairs": [[source, destination, class, leg, …], …], "unserved": count, "left_out": count}
/// where class counts from 0 as PairClass does, "unserved" are the pairs that are neither served nor likely
/// to be, and a leg is [1 where there was a choice, else 0; its intermediate switch, -1 for the destination;
/// channel, …]. Pairs that do not go by one served leg come first; those beyond about `budget` numbers are
/// left out.
[[nodiscard]] nlohmann::json draw_legs(const RoutingRelation& relation, const Damage& damage,
                                       std::size_t budget);

/// The fault sets that the cases' results name, as far as they are of `topology`:
///   {"sets": [{"routing", "origin", "pair", "unit", "scope", "knowledge", "source", "switching", "names",
///   "channels": dead ones, "switches": dead ones} and the keys of draw_legs], "left_out": sets beyond a
///   limit}
/// A set whose routing cannot be built has no "pairs".
[[nodiscard]] nlohmann::json draw_failed(std::span<const nlohmann::json* const> cases,
                                         const TopologyPtr& topology,
                                         const std::shared_ptr<InputFiles>& files);

}  // namespace faultline::report
