// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "faultline/fault/components.h"

namespace faultline::survival {

/// Counts the pairs whose source can still inject into a living switch and whose destination still has one
/// that ejects.
class LivePairs {
 public:
  explicit LivePairs(const FaultComponents& components);

  /// `failed`: the components of one fault set.
  [[nodiscard]] std::uint64_t count(std::span<const std::uint32_t> failed);

 private:
  /// Terminals that are attached alike.
  struct Attachment {
    std::vector<std::uint32_t> injection, ejection;  ///< components that are their switches
    std::uint64_t terminals = 0;
  };
  [[nodiscard]] bool all_failed(const std::vector<std::uint32_t>& switches) const;

  std::uint64_t terminals_;
  std::vector<Attachment> attachments_;
  std::vector<std::vector<std::uint32_t>> attachments_of_;  ///< by component
  std::vector<bool> failed_, seen_;
};

}  // namespace faultline::survival
