// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/attachments.h"
#include "faultline/topology/kind.h"
#include "faultline/topology/limits.h"
#include "faultline/topology/switched.h"
#include "topology/attachment_fields.h"

namespace faultline::topologies {
namespace {

struct SwitchTorus {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::uint32_t degree = 2;
  std::optional<std::uint32_t> terminals;
  std::string attachment = "diameters";
  std::string along = "rows";
  std::optional<InputFile> file;
  std::uint64_t seed = 1;

  static constexpr bool judged_by_lost_terminals = true;

  static void fields(auto& field) {
    using T = SwitchTorus;
    field("rows", &T::rows, between(3, 1024).required(), "rows of switches, each closed to a ring");
    field("columns", &T::columns, between(3, 1024).required(), "columns of switches, each closed to a ring");
    field("degree", &T::degree, between(1, 64), "network ports of a terminal");
    field("terminals", &T::terminals, between(1, max_terminals),
          "number of terminals (default: as many as switches)");
    field("attachment", &T::attachment, one_of({"diameters", "naive", "random", "file"}),
          "terminals attached to switches far apart, to neighbouring ones, at random, or as a file says");
    field("along", &T::along, one_of({"rows", "columns", "diagonals"}),
          "where a terminal's switches lie: in one row (against failing columns), in one column (against "
          "failing rows), or in different rows and columns (against both)");
    field("file", &T::file, file_path(),
          "attachment=file: one line per terminal, the numbers of its switches separated by commas");
    field("seed", &T::seed, at_least(0), "of attachment=random");
  }
  static std::vector<SwitchTorus> samples() {
    return {{.rows = 3, .columns = 4}, {.rows = 3, .columns = 3, .along = "diagonals"}};
  }

  void check(const Description& given) const {
    check_attachment_fields(*this, given);
    if (along != SwitchTorus{}.along && (attachment == "random" || attachment == "file"))
      throw Error(given.path_of("along"), along, "must be used with attachment=diameters or naive",
                  given.location);
  }

  [[nodiscard]] std::optional<std::uint64_t> terminal_total() const {
    if (attachment == "file") return std::nullopt;
    return terminals ? std::uint64_t{*terminals} : std::uint64_t{rows} * columns;
  }
  [[nodiscard]] Topology build(const std::string& name) const {
    return build_switched({SwitchNetwork::Shape::torus, rows, columns}, attachments(), name);
  }

 private:
  /// How far a terminal's switches lie from its first one, down a column or along a row of `size` switches.
  [[nodiscard]] std::vector<std::uint32_t> offsets(std::uint32_t size, bool runs_here) const {
    if (!runs_here) return std::vector<std::uint32_t>(degree, 0U);
    return attachment == "naive" ? naive_offsets(size, degree) : diameter_offsets(size, degree);
  }

  [[nodiscard]] Attachments attachments() const {
    const std::uint32_t switches = rows * columns, count = terminals.value_or(switches);
    if (attachment == "file") return attachments_of_file(file, switches, degree, terminals);
    if (attachment == "random") return random_attachments(switches, degree, count, seed);
    const auto down = offsets(rows, along != "rows"), across = offsets(columns, along != "columns");
    Attachments attached(count);
    for (std::uint32_t terminal = 0; terminal < count; ++terminal) {
      const std::uint32_t first = terminal % switches, row = first / columns, column = first % columns;
      for (std::uint32_t i = 0; i < degree; ++i)
        attached[terminal].push_back((row + down[i]) % rows * columns + (column + across[i]) % columns);
    }
    return attached;
  }
};

}  // namespace

extern constinit const TopologyKind switch_torus = topology_kind<SwitchTorus>(
    "switch-torus", "terminals with several ports on a torus of switches", "paper 4, section 6");

}  // namespace faultline::topologies
