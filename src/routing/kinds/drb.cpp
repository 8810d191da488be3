// SPDX-License-Identifier: Apache-2.0
#include "routing/multistep/multistep_relation.h"

namespace faultline::routings {
namespace {

struct Drb : MultistepSpec {
  static constexpr std::string_view agent = "drb";
  static constexpr std::uint32_t table_bytes = 13;  // the base as a table, and that of a base such as dfsssp
  static constexpr bool table_by_terminal = true;
  static void fields(auto& field) { multistep_fields<Drb>(field); }
  static std::vector<Drb> samples() { return {{}, {{.paths = 4, .adaptive_vcs = 0}}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return build_multistep(context, *this, false);
  }
};

}  // namespace

extern constinit const RoutingKind drb = routing_kind<Drb>(
    "drb",
    "multistep paths by way of up to two intermediate switches, among which sources divide their packets",
    "Franco, Garces & Luque, ICS 1999", Survival::fixed_paths, "most-free", Knowledge::neighbours());

}  // namespace faultline::routings
