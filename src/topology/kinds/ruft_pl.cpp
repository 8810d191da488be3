// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/kind.h"
#include "topology/ruft_family.h"

namespace faultline::topologies {
namespace {

struct RuftPl {
  std::uint32_t k = 0;
  std::uint32_t n = 0;
  std::string selection = "dynamic";

  static void fields(auto& field) {
    field("k", &RuftPl::k, between(2, 128).required(), "arity: 2k input and 2k output ports per switch");
    field("n", &RuftPl::n, between(1, 20).required(), "stages; k^n terminals");
    field("selection", &RuftPl::selection, one_of({"dynamic", "static"}),
          "choice of parallel channel: by free buffer, or fixed by the destination (cheaper switch, no fault "
          "tolerance)");
  }
  static std::vector<RuftPl> samples() { return {{2, 3, "dynamic"}, {3, 2, "dynamic"}, {4, 2, "static"}}; }
  [[nodiscard]] std::uint64_t terminal_total() const { return saturating_power(k, n); }
  [[nodiscard]] Topology build(const std::string& name) const {
    return build_ruft({.k = k,
                       .n = n,
                       .parallel = 2,
                       .attachment = RuftLabelling::Attachment::parallel,
                       .static_selection = selection == "static"},
                      name);
  }
};

}  // namespace

extern constinit const TopologyKind ruft_pl =
    topology_kind<RuftPl>("ruft-pl", "RUFT with every channel doubled in parallel", "paper 1, section 4.1");

}  // namespace faultline::topologies
