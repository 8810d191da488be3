// SPDX-License-Identifier: Apache-2.0
#include "routing/via_any.h"

#include "routing/dragonfly_relation.h"
#include "routing/via_grid.h"

namespace faultline {

RelationPtr build_via(const RoutingContext& context, std::string_view who, std::string_view ring_rule,
                      ViaChoice choice) {
  if (context.topology->find_labelling<DragonflyLabelling>() != nullptr)
    return std::make_shared<const ViaDragonfly>(context.topology, who, choice);
  return std::make_shared<const ViaGrid>(context, who, ring_rule, choice);
}

}  // namespace faultline
