// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/tree_relation.h"

namespace faultline::routings {
namespace {

class DestroRelation final : public TreeRelation {
 public:
  explicit DestroRelation(TopologyPtr topology)
      : TreeRelation(std::move(topology), "destro", UpPorts::by_destination) {}
  /// As paper 1 counts (section 3.1.2), for every stage alike: k multiplexers of k inputs upwards, k of k + 1
  /// inputs downwards.
  [[nodiscard]] std::uint64_t switching_elements(SwitchId) const override {
    return std::uint64_t{2} * digits().k() * digits().k() + digits().k();
  }
};

struct Destro {
  static void fields(auto&) {}
  static std::vector<Destro> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const DestroRelation>(context.topology);
  }
};

}  // namespace

extern constinit const RoutingKind destro =
    routing_kind<Destro>("destro", "k-ary n-tree: deterministic, each destination has its own path down",
                         "paper 1, section 3.1.2", Survival::fixed_paths, "most-free");

}  // namespace faultline::routings
