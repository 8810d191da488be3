// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/attachments.h"
#include "faultline/topology/kind.h"
#include "faultline/topology/limits.h"
#include "faultline/topology/switched.h"
#include "topology/attachment_fields.h"

namespace faultline::topologies {
namespace {

struct SwitchClique {
  std::uint32_t switches = 0;
  std::uint32_t terminals = 0;
  std::uint32_t degree = 2;
  std::string attachment = "uniform";
  std::optional<InputFile> file;
  std::uint64_t seed = 1;

  static constexpr bool judged_by_lost_terminals = true;

  static void fields(auto& field) {
    field("switches", &SwitchClique::switches, between(2, 1024).required(),
          "switches, each linked to every other");
    field("terminals", &SwitchClique::terminals, between(1, max_terminals).required(),
          "terminals, attached to the switches");
    field("degree", &SwitchClique::degree, between(1, 64), "network ports of a terminal");
    field("attachment", &SwitchClique::attachment, one_of({"uniform", "careless", "random", "file"}),
          "terminals attached evenly over all sets of switches; in groups, each of which shares the same "
          "`degree` switches; at random; or as a file says");
    field("file", &SwitchClique::file, file_path(),
          "attachment=file: one line per terminal, the numbers of its switches separated by commas");
    field("seed", &SwitchClique::seed, at_least(0), "of attachment=random");
  }
  static std::vector<SwitchClique> samples() {
    return {{4, 6, 2}, {4, 8, 2}, {5, 7, 3}, {4, 4, 2, "careless"}};
  }

  void check(const Description& given) const { check_attachment_fields(*this, given); }

  [[nodiscard]] std::optional<std::uint64_t> terminal_total() const {
    if (attachment == "file") return std::nullopt;
    return terminals;
  }
  [[nodiscard]] Topology build(const std::string& name) const {
    return build_switched({SwitchNetwork::Shape::clique, 1, switches}, attachments(), name);
  }

 private:
  [[nodiscard]] Attachments attachments() const {
    if (attachment == "file") return attachments_of_file(file, switches, degree, terminals);
    if (attachment == "random") return random_attachments(switches, degree, terminals, seed);
    if (attachment == "careless") return careless_attachments(switches, degree, terminals);
    return uniform_attachments(switches, degree, terminals);
  }
};

}  // namespace

extern constinit const TopologyKind switch_clique = topology_kind<SwitchClique>(
    "switch-clique", "terminals with several ports on switches that are all linked to each other",
    "paper 4, section 5");

}  // namespace faultline::topologies
