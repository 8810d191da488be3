// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/attachments.h"
#include "faultline/topology/kind.h"
#include "faultline/topology/limits.h"
#include "faultline/topology/switched.h"
#include "topology/attachment_fields.h"

namespace faultline::topologies {
namespace {

struct SwitchRing {
  std::uint32_t n = 0;
  std::uint32_t degree = 2;
  std::optional<std::uint32_t> terminals;
  std::string attachment = "diameters";
  std::optional<InputFile> file;
  std::uint64_t seed = 1;

  static constexpr bool judged_by_lost_terminals = true;

  static void fields(auto& field) {
    field("n", &SwitchRing::n, between(3, 4096).required(), "switches on the ring");
    field("degree", &SwitchRing::degree, between(1, 64), "network ports of a terminal");
    field("terminals", &SwitchRing::terminals, between(1, max_terminals),
          "number of terminals (default: as many as switches)");
    field("attachment", &SwitchRing::attachment, one_of({"diameters", "naive", "random", "file"}),
          "terminals attached to switches far apart, to neighbouring ones, at random, or as a file says");
    field("file", &SwitchRing::file, file_path(),
          "attachment=file: one line per terminal, the numbers of its switches separated by commas");
    field("seed", &SwitchRing::seed, at_least(0), "of attachment=random");
  }
  static std::vector<SwitchRing> samples() {
    return {{.n = 5}, {.n = 6, .degree = 3}, {.n = 4, .terminals = 9}, {.n = 5, .attachment = "naive"}};
  }

  void check(const Description& given) const { check_attachment_fields(*this, given); }

  [[nodiscard]] std::optional<std::uint64_t> terminal_total() const {
    if (attachment == "file") return std::nullopt;
    return terminals.value_or(n);
  }
  [[nodiscard]] Topology build(const std::string& name) const {
    return build_switched({SwitchNetwork::Shape::ring, 1, n}, attachments(), name);
  }

 private:
  [[nodiscard]] Attachments attachments() const {
    const std::uint32_t count = terminals.value_or(n);
    if (attachment == "file") return attachments_of_file(file, n, degree, terminals);
    if (attachment == "random") return random_attachments(n, degree, count, seed);
    return attach_around(n, attachment == "naive" ? naive_offsets(n, degree) : diameter_offsets(n, degree),
                         count);
  }
};

}  // namespace

extern constinit const TopologyKind switch_ring = topology_kind<SwitchRing>(
    "switch-ring", "terminals with several ports on a ring of switches", "paper 4, sections 3 and 4");

}  // namespace faultline::topologies
