// SPDX-License-Identifier: Apache-2.0
// What lash and dfsssp have in common.
#pragma once

#include "faultline/routing/kind.h"
#include "routing/path_layers.h"
#include "routing/path_trees.h"

namespace faultline {

/// One path for each switch of a source and destination, in a virtual channel that the source chooses and the
/// packet keeps (its tag): InfiniBand's service level.
class LayeredRelation final : public RoutingRelation {
 public:
  /// `vcs` 0: as many as there are layers. Computed for other faults, it may use up to `most`.
  LayeredRelation(TopologyPtr topology, const FaultSet& known, PathTrees trees, PathLayers layers,
                  std::uint32_t vcs, std::uint32_t most);

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override;
  void route(const RouteState& state, RouteOptions& options) const override;
  [[nodiscard]] std::uint64_t tag_count() const override { return vcs_; }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return vcs_; }
  [[nodiscard]] std::optional<std::uint32_t> most_virtual_channels() const override { return most_; }
  [[nodiscard]] Claim claim() const override {
    return {.minimal = true, .deadlock_free = true, .deadlock_free_cut_through = true, .tolerates = {}};
  }

 private:
  FaultSet known_;
  PathTrees trees_;
  PathLayers layers_;
  std::uint32_t vcs_, most_;
};

enum class TreesFor : bool { ejection_classes, terminals };

/// The parameters of a kind that finds paths, and then layers for them. `each`: what has a tree of its own.
template <PathTrees (&trees_of)(const Topology&, const FaultSet&),
          PathLayers (&layers_of)(const Topology&, const FaultSet&, const PathTrees&, std::uint32_t),
          TreesFor each>
struct Layered {
  static constexpr std::uint32_t table_bytes = 5;  // a channel and a layer
  static constexpr bool table_by_terminal = each == TreesFor::terminals;
  std::optional<std::uint32_t> vcs;

  static void fields(auto& field) {
    field("vcs", &Layered::vcs, between(1, 32), "virtual channels (default: as many as it needs, at most 8)");
  }
  static std::vector<Layered> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    constexpr std::uint32_t default_most = 8;
    const std::uint32_t most = vcs.value_or(default_most);
    PathTrees trees = trees_of(*context.topology, context.known);
    PathLayers layers = layers_of(*context.topology, context.known, trees, most);
    return std::make_shared<const LayeredRelation>(context.topology, context.known, std::move(trees),
                                                   std::move(layers), vcs.value_or(0), most);
  }
};

}  // namespace faultline
