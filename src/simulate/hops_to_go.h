// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "faultline/routing/ejection_classes.h"
#include "faultline/routing/relation.h"
#include "faultline/simulate/spec.h"

namespace faultline {

/// Channels from each switch to each terminal over shortest paths.
class HopsToGo {
 public:
  /// Over channels that have not failed in `dead`.
  HopsToGo(const Topology& topology, const FaultSet& dead);

  /// Counts `channel`, which leads towards the terminal, or is its ejection channel. 0 where no path leads
  /// on.
  [[nodiscard]] std::uint16_t by(ChannelId channel, TerminalId destination) const;

 private:
  const Topology& topology_;
  EjectionClasses classes_;
  std::vector<std::uint16_t> from_;  // by class and switch: channels to go; 0: no path
};

/// What a selection function is offered: where it reads costs that the relation does not know, these are the
/// channels that shortest paths have to go.
class RelationForSelection {
 public:
  /// Refers to `relation`, and changes the relations of `spec` likewise.
  RelationForSelection(const RoutingRelation& relation, SimulationSpec& spec);
  RelationForSelection(const RelationForSelection&) = delete;
  RelationForSelection& operator=(const RelationForSelection&) = delete;

  [[nodiscard]] const RoutingRelation& relation() const { return with_costs_ ? *with_costs_ : relation_; }

 private:
  const RoutingRelation& relation_;
  std::unique_ptr<const HopsToGo> hops_;
  std::vector<RelationPtr> later_;  // the relations of `spec` as they were
  RelationPtr with_costs_;          // null: `relation_` as it is
};

}  // namespace faultline
