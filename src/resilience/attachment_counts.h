// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "resilience/attachments.h"
#include "resilience/fault_block.h"

namespace faultline::survival {

/// For the fault sets of a block, how many terminals of each class are left with each pattern of their
/// channels.
class AttachmentCounts {
 public:
  AttachmentCounts(std::shared_ptr<const Attachments> attachments, const FaultComponents& components,
                   Survival survival, std::uint32_t lanes);

  /// `masks`: a row of lanes for each pattern row, all zero for patterns that are not full (those are all
  /// ones); bits are set in the lanes that have such a terminal.
  void load(const FaultBlock& block, std::uint64_t* masks);
  /// Puts back what load changed.
  void unload(std::uint64_t* masks);
  void fill_masks(std::uint64_t* masks) const;

  [[nodiscard]] const std::uint32_t* counts() const { return counts_.data(); }       ///< [row][lane]
  [[nodiscard]] const std::uint32_t* self_counts() const { return selves_.data(); }  ///< [self row][lane]
  /// Pairs, in a lane of the loaded block, that lost all channels of one of their terminals.
  [[nodiscard]] std::uint64_t cut_off_pairs(std::uint32_t lane) const;

 private:
  struct Cell {
    std::vector<std::uint32_t>* table;
    std::uint32_t row, lane, before;
  };
  void load_terminal(TerminalId terminal, std::uint32_t lane, std::uint64_t* masks);
  [[nodiscard]] Pattern pattern(const std::vector<ChannelId>& channels) const;
  void add(std::vector<std::uint32_t>& table, std::uint32_t row, std::uint32_t lane, int change);

  std::shared_ptr<const Attachments> attachments_;
  ComponentsOfChannel components_;
  std::vector<std::vector<TerminalId>> terminals_of_;  // by component
  std::uint32_t lanes_;
  std::vector<std::uint32_t> counts_, selves_;
  std::vector<bool> failed_, seen_;  // by component, by terminal
  struct CutOff {
    std::uint32_t sources = 0, destinations = 0, either = 0;
  };
  std::vector<CutOff> cut_off_;  // by lane
  std::vector<Cell> changed_;
  std::vector<TerminalId> touched_;
};

}  // namespace faultline::survival
