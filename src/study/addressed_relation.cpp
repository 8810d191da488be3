// SPDX-License-Identifier: Apache-2.0
#include "study/addressed_relation.h"

#include <algorithm>
#include <vector>

#include "faultline/infiniband/lids.h"
#include "faultline/routing/based_relation.h"

namespace faultline {
namespace {

class AddressedRelation final : public BasedRelation {
 public:
  AddressedRelation(RelationPtr base, std::vector<bool> has_lid)
      : BasedRelation(*base), base_(std::move(base)), has_lid_(std::move(has_lid)) {}

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    if (has_lid_[destination.index()]) base().inject(source, destination, options);
  }
  [[nodiscard]] const PlanFigures* plan_figures() const override { return base().plan_figures(); }

 private:
  RelationPtr base_;  // lives as long as this
  std::vector<bool> has_lid_;
};

}  // namespace

RelationPtr addressed_relation(RelationPtr relation, const FabricLabelling& fabric) {
  std::vector<bool> has_lid;
  for (const TerminalId terminal : relation->topology().terminals()) {
    has_lid.push_back(false);
    infiniband::for_each_lid(fabric.end_port(terminal), [&](infiniband::Lid) { has_lid.back() = true; });
  }
  if (std::ranges::all_of(has_lid, [](bool has) { return has; })) return relation;
  return std::make_shared<const AddressedRelation>(std::move(relation), std::move(has_lid));
}

}  // namespace faultline
