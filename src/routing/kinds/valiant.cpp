// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/via_any.h"

namespace faultline::routings {
namespace {

struct Valiant {
  std::string ring_rule = "auto";
  static void fields(auto& field) {
    field("ring_rule", &Valiant::ring_rule, one_of({"auto", "dateline", "bubble", "none"}), via_ring_rule);
  }
  static std::vector<Valiant> samples() { return {{"auto"}, {"dateline"}, {"bubble"}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return build_via(context, "valiant", ring_rule, ViaChoice::at_injection);
  }
};

}  // namespace

extern constinit const RoutingKind valiant =
    routing_kind<Valiant>("valiant",
                          "mesh, torus, hypercube: by way of a random switch; dragonfly: by way of another "
                          "random group; drawn at the source",
                          "Valiant & Brebner, STOC 1981; Kim, Dally, Scott & Abts, ISCA 2008, section 4.1",
                          Survival::fixed_paths, "random");

}  // namespace faultline::routings
