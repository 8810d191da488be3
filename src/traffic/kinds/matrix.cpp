// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "faultline/base/random.h"
#include "faultline/traffic/pattern.h"
#include "traffic/matrix_file.h"

namespace faultline::patterns {
namespace {

class MatrixPattern final : public TrafficPattern {
 public:
  /// Keeps the cumulative sums of each row's weights, in which draws are looked up.
  explicit MatrixPattern(WeightMatrix weights) : sums_(std::move(weights)) {
    for (auto& row : sums_.rows) {
      double sum = 0;
      for (WeightMatrix::Entry& entry : row) entry.weight = sum += entry.weight;
    }
  }

  [[nodiscard]] TerminalId destination(TerminalId source, std::uint64_t random) const override {
    const auto& row = sums_.rows[source.index()];
    const double drawn = unit_interval(random) * row.back().weight;
    const auto found = std::ranges::upper_bound(row, drawn, {}, &WeightMatrix::Entry::weight);
    return TerminalId(found == row.end() ? row.back().column : found->column);
  }
  [[nodiscard]] bool silent(TerminalId source) const override { return sums_.rows[source.index()].empty(); }
  [[nodiscard]] double share(TerminalId source, TerminalId destination) const override {
    const auto& row = sums_.rows[source.index()];
    const auto found = std::ranges::lower_bound(row, destination.value(), {}, &WeightMatrix::Entry::column);
    if (found == row.end() || found->column != destination.value()) return 0;
    return (found->weight - (found == row.begin() ? 0 : std::prev(found)->weight)) / row.back().weight;
  }

 private:
  WeightMatrix sums_;
};

struct Matrix {
  InputFile file;

  static void fields(auto& field) {
    field("file", &Matrix::file, file_path().required(),
          "CSV: one row per source, with a weight for each destination");
  }
  static std::vector<Matrix> samples() { return {}; }

  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t) const {
    return std::make_shared<const MatrixPattern>(read_weight_matrix(file, topology.terminal_count()));
  }
};

}  // namespace

extern constinit const PatternKind matrix =
    pattern_kind<Matrix>("matrix",
                         "destinations drawn by the weights in a file; every source with a nonzero weight "
                         "sends at the offered load",
                         "Dally & Towles, section 3.2");

}  // namespace faultline::patterns
