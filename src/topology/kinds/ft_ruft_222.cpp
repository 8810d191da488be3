// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/kind.h"
#include "topology/ruft_family.h"

namespace faultline::topologies {
namespace {

struct FtRuft222 {
  std::uint32_t k = 0;
  std::uint32_t n = 0;

  static void fields(auto& field) {
    field("k", &FtRuft222::k, between(2, 128).required(), "arity; even");
    field("n", &FtRuft222::n, between(2, 20).required(), "stages; k^n terminals");
  }
  static std::vector<FtRuft222> samples() { return {{2, 2}, {2, 3}, {4, 2}}; }
  [[nodiscard]] std::uint64_t terminal_total() const { return saturating_power(k, n); }
  [[nodiscard]] Topology build(const std::string& name) const {
    return build_ruft({.k = k, .n = n, .parallel = 2, .attachment = RuftLabelling::Attachment::crossed},
                      name);
  }
};

}  // namespace

extern constinit const TopologyKind ft_ruft_222 = topology_kind<FtRuft222>(
    "ft-ruft-222", "FT-RUFT-212 with every network channel doubled as well", "paper 1, section 4.3");

}  // namespace faultline::topologies
