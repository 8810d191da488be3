// SPDX-License-Identifier: Apache-2.0
#include "routing/multistep/multistep_relation.h"

namespace faultline::routings {
namespace {

struct FtDrb : MultistepSpec {
  static constexpr std::string_view agent = "ft-drb";
  // As drb, where the detours of a pair begin, and five of them, as in a torus of three dimensions, in a list
  // with room for twice as many.
  static constexpr std::uint32_t table_bytes = 13 + 8 + 2 * 5 * 16;
  static constexpr bool table_by_terminal = true;
  static void fields(auto& field) { multistep_fields<FtDrb>(field); }
  static std::vector<FtDrb> samples() { return {{}, {{.paths = 4, .adaptive_vcs = 0}}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return build_multistep(context, *this, true);
  }
};

}  // namespace

extern constinit const RoutingKind ft_drb = routing_kind<FtDrb>(
    "ft-drb",
    "multistep paths as in drb; a switch next to a dead channel routes packets around it, or lets one of its "
    "terminals send them again (where all of these are dead for good, it may drop packets)",
    "paper 2, section 3", Survival::fixed_paths, "most-free", Knowledge::neighbours());

}  // namespace faultline::routings
