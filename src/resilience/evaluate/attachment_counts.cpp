// SPDX-License-Identifier: Apache-2.0
#include "resilience/evaluate/attachment_counts.h"

#include <algorithm>

namespace faultline::survival {
namespace {

/// Row by row, each lane what the row's entry says.
std::vector<std::uint32_t> in_every_lane(const std::vector<std::uint32_t>& rows, std::uint32_t lanes) {
  std::vector<std::uint32_t> table;
  table.reserve(rows.size() * lanes);
  for (const std::uint32_t entry : rows) table.insert(table.end(), lanes, entry);
  return table;
}

}  // namespace

AttachmentCounts::AttachmentCounts(const AttachmentTables& tables, Rows& values, std::uint32_t first_row)
    : tables_(tables),
      values_(values),
      first_row_(first_row),
      lanes_(static_cast<std::uint32_t>(64 * values.words())),
      counts_(in_every_lane(tables.counts, lanes_)),
      selves_(in_every_lane(tables.selves, lanes_)),
      cut_off_(lanes_) {
  for (std::uint32_t row = 0; row < tables.counts.size(); ++row)
    std::fill_n(values.row(first_row + row), values.words(),
                tables.counts[row] != 0 ? ~std::uint64_t{0} : std::uint64_t{0});
}

PatternRows AttachmentCounts::rows() {
  return {.masks = values_.row(first_row_),
          .words = static_cast<std::uint32_t>(values_.words()),
          .counts = counts_.data(),
          .selves = selves_.data(),
          .cut_off = cut_off_.data(),
          .lanes = lanes_};
}

void AttachmentCounts::load(const FaultBlock& block) {
  const auto words = static_cast<std::uint32_t>(values_.words());
  for (std::uint32_t lane = 0; lane < block.lanes; ++lane)
    for_each_hit(
        tables_.view(), Lane{values_.data(), words, lane}, block.faults,
        [set = block.set(lane)](std::uint32_t i) { return set[i]; },
        [&](std::uint32_t terminal, const PortsLeft& left) {
          hits_.push_back({terminal, lane, left});
        });
  for (const Hit& hit : hits_) move_terminal(tables_.terminals[hit.terminal], rows(), hit.lane, hit.left, 1);
}

void AttachmentCounts::unload() {
  for (const Hit& hit : hits_)
    move_terminal(tables_.terminals[hit.terminal], rows(), hit.lane, hit.left, std::uint32_t{0} - 1);
  hits_.clear();
}

}  // namespace faultline::survival
