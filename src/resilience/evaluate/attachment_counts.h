// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "resilience/evaluate/fault_block.h"
#include "resilience/kernels/terminal_tables.h"

namespace faultline::survival {

/// For the fault sets of a block, how many terminals of each class are left with each pattern of their
/// channels.
class AttachmentCounts {
 public:
  /// `values`: of a kernel, with the rows of patterns from `first_row` on, which are filled here.
  AttachmentCounts(const AttachmentTables& tables, Rows& values, std::uint32_t first_row);

  /// For sets whose components are loaded into the values.
  void load(const FaultBlock& block);
  /// Undoes what load changed.
  void unload();

  [[nodiscard]] const std::uint32_t* counts() const { return counts_.data(); }       ///< [row][lane]
  [[nodiscard]] const std::uint32_t* self_counts() const { return selves_.data(); }  ///< [self row][lane]
  /// Pairs, in a lane of the loaded block, that lost all channels of one of their terminals.
  [[nodiscard]] std::uint64_t cut_off_pairs(std::uint32_t lane) const {
    return cut_off_[lane].pairs(tables_.terminals.size());
  }

 private:
  struct Hit {
    std::uint32_t terminal, lane;
    PortsLeft left;
  };
  [[nodiscard]] PatternRows rows();

  const AttachmentTables& tables_;
  Rows& values_;
  std::uint32_t first_row_, lanes_;
  std::vector<std::uint32_t> counts_, selves_;
  std::vector<CutOff> cut_off_;  // by lane
  std::vector<Hit> hits_;
};

}  // namespace faultline::survival
