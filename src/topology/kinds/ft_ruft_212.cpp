// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/kind.h"
#include "topology/ruft_family.h"

namespace faultline::topologies {
namespace {

struct FtRuft212 {
  std::uint32_t k = 0;
  std::uint32_t n = 0;

  static void fields(auto& field) {
    field("k", &FtRuft212::k, between(2, 128).required(), "arity; even");
    field("n", &FtRuft212::n, between(2, 20).required(), "stages; k^n terminals");
  }
  static std::vector<FtRuft212> samples() { return {{2, 2}, {2, 3}, {4, 2}}; }
  [[nodiscard]] std::uint64_t terminal_total() const { return saturating_power(k, n); }
  [[nodiscard]] Topology build(const std::string& name) const {
    return build_ruft({.k = k, .n = n, .attachment = RuftLabelling::Attachment::crossed}, name);
  }
};

}  // namespace

extern constinit const TopologyKind ft_ruft_212 = topology_kind<FtRuft212>(
    "ft-ruft-212", "RUFT with injection and ejection doubled to different switches", "paper 1, section 4.2");

}  // namespace faultline::topologies
