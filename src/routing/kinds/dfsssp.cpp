// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/layered_relation.h"

namespace faultline::routings {
namespace {

struct Dfsssp {
  static constexpr std::uint32_t table_bytes = 5;  // a channel and a layer
  std::optional<std::uint32_t> vcs;

  static void fields(auto& field) {
    field("vcs", &Dfsssp::vcs, between(1, 32), "virtual channels (default: as many as it needs, at most 8)");
  }
  static std::vector<Dfsssp> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    constexpr std::uint32_t most = 8;
    const Topology& topology = *context.topology;
    PathTrees trees = balanced_trees(topology, context.known);
    PathLayers layers = cycle_breaking_layers(topology, context.known, trees, vcs.value_or(most));
    return std::make_shared<const LayeredRelation>(context.topology, context.known, std::move(trees),
                                                   std::move(layers), vcs.value_or(0));
  }
};

}  // namespace

extern constinit const RoutingKind dfsssp = routing_kind<Dfsssp>(
    "dfsssp",
    "any topology: shortest paths balanced over the links, and moved to other virtual channels where they "
    "close cycles; free of deadlock",
    "Domke, Hoefler & Nagel, Deadlock-Free Oblivious Routing for Arbitrary Topologies, IPDPS 2011",
    Survival::any_path, "first");

}  // namespace faultline::routings
