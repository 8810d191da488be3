// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/via_any.h"

namespace faultline::routings {
namespace {

struct Ugal {
  std::string ring_rule = "auto";
  static void fields(auto& field) {
    field("ring_rule", &Ugal::ring_rule, one_of({"auto", "dateline", "bubble", "none"}), via_ring_rule);
  }
  static std::vector<Ugal> samples() { return {{"auto"}, {"dateline"}, {"bubble"}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return build_via(context, "ugal", ring_rule, ViaChoice::at_first_switch);
  }
};

}  // namespace

extern constinit const RoutingKind ugal = routing_kind<Ugal>(
    "ugal",
    "mesh, torus, hypercube, dragonfly: minimal or as valiant, chosen at the first switch by its own queues",
    "Singh, PhD thesis, Stanford, 2005; Kim, Dally, Scott & Abts, ISCA 2008, section 4.1 (UGAL-L)",
    Survival::fixed_paths, "ugal");

}  // namespace faultline::routings
