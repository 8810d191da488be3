// SPDX-License-Identifier: Apache-2.0
// Multistep paths (Franco, Garcés & Luque, DRB, ICS 1999; paper 2, section 3): via the switches of up to two
// intermediate terminals, each segment along a deterministic base routing, on a separate virtual channel.
#pragma once

#include "faultline/routing/kind.h"

namespace faultline {

struct MultistepSpec {
  Nested<RoutingKind> base{"auto", {}};
  std::uint32_t paths = 7;          ///< offered to a pair, the direct one among them
  std::uint32_t intermediates = 0;  ///< per path at most; 0: 2, or 1 if a switch has no terminal
  std::uint32_t adaptive_vcs = 1;   ///< shared by all segments
};

/// `escapes`: switches route packets around a dead channel. Throws Error for a base that is not
/// deterministic, and for a network whose terminals have several channels.
[[nodiscard]] RelationPtr build_multistep(const RoutingContext& context, const MultistepSpec& spec,
                                          bool escapes);

/// The fields of `Params`, which derives from MultistepSpec.
template <class Params>
void multistep_fields(auto& field) {
  const auto member = []<class Value>(Value MultistepSpec::*of) { return static_cast<Value Params::*>(of); };
  field("base", member(&MultistepSpec::base), nested().or_word("auto").written_out(),
        "deterministic routing within each segment; auto: dimension-order on grids, destro on fat trees, "
        "dfsssp on other networks where it needs one virtual channel");
  field("paths", member(&MultistepSpec::paths), between(1, 64),
        "paths that a source may choose from for each pair of terminals, the direct one first");
  field("intermediates", member(&MultistepSpec::intermediates), between(0, 2),
        "maximum number of intermediate switches on a path; 0: two, or one if some switch has no terminal");
  field("adaptive_vcs", member(&MultistepSpec::adaptive_vcs), between(0, 8),
        "virtual channels shared by all segments, besides the one of each segment");
}

}  // namespace faultline
