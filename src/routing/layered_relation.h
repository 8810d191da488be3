// SPDX-License-Identifier: Apache-2.0
// What lash and dfsssp have in common.
#pragma once

#include "faultline/routing/relation.h"
#include "routing/path_layers.h"
#include "routing/path_trees.h"

namespace faultline {

/// One path for each switch of a source and destination, in a virtual channel that the source chooses and the
/// packet keeps (its tag): InfiniBand's service level.
class LayeredRelation final : public RoutingRelation {
 public:
  /// `vcs` 0: as many as there are layers.
  LayeredRelation(TopologyPtr topology, const FaultSet& known, PathTrees trees, PathLayers layers,
                  std::uint32_t vcs);

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override;
  void route(const RouteState& state, RouteOptions& options) const override;
  [[nodiscard]] std::uint64_t tag_count() const override { return vcs_; }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return vcs_; }
  [[nodiscard]] Claim claim() const override {
    return {.minimal = true, .deadlock_free = true, .deadlock_free_cut_through = true, .tolerates = {}};
  }

 private:
  FaultSet known_;
  PathTrees trees_;
  PathLayers layers_;
  std::uint32_t vcs_;
};

}  // namespace faultline
