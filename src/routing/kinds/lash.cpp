// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/layered_relation.h"

namespace faultline::routings {
namespace {

struct Lash {
  static constexpr std::uint32_t table_bytes = 5;  // a channel and a layer
  std::optional<std::uint32_t> vcs;

  static void fields(auto& field) {
    field("vcs", &Lash::vcs, between(1, 32), "virtual channels (default: as many as it needs, at most 8)");
  }
  static std::vector<Lash> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    constexpr std::uint32_t most = 8;
    const Topology& topology = *context.topology;
    PathTrees trees = lowest_port_trees(topology, context.known);
    PathLayers layers = first_fitting_layers(topology, context.known, trees, vcs.value_or(most));
    return std::make_shared<const LayeredRelation>(context.topology, context.known, std::move(trees),
                                                   std::move(layers), vcs.value_or(0));
  }
};

}  // namespace

extern constinit const RoutingKind lash = routing_kind<Lash>(
    "lash",
    "any topology: one shortest path per pair, spread over virtual channels until each is free of cycles; "
    "free of deadlock",
    "Skeie, Lysne & Theiss, Layered Shortest Path (LASH), IPDPS 2002", Survival::any_path, "first");

}  // namespace faultline::routings
