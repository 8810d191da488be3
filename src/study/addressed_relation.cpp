// SPDX-License-Identifier: Apache-2.0
#include "study/addressed_relation.h"

#include <algorithm>
#include <memory>

#include "faultline/infiniband/lids.h"
#include "faultline/routing/based_relation.h"

namespace faultline {
namespace {

class AddressedRelation final : public BasedRelation {
 public:
  AddressedRelation(RelationPtr base, const FabricLabelling& fabric)
      : BasedRelation(*base), base_(std::move(base)), fabric_(fabric) {}

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    if (infiniband::has_lid(fabric_.end_port(destination))) base().inject(source, destination, options);
  }
  [[nodiscard]] const PlanFigures* plan_figures() const override { return base().plan_figures(); }

 private:
  RelationPtr base_;  // lives as long as this
  const FabricLabelling& fabric_;
};

}  // namespace

RelationPtr addressed_relation(RelationPtr relation, const FabricLabelling& fabric) {
  const bool all = std::ranges::all_of(relation->topology().terminals(), [&](TerminalId terminal) {
    return infiniband::has_lid(fabric.end_port(terminal));
  });
  if (all) return relation;
  return std::make_shared<const AddressedRelation>(std::move(relation), fabric);
}

}  // namespace faultline
