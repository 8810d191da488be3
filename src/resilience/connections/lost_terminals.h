// SPDX-License-Identifier: Apache-2.0
// Terminals outside the largest set of which every two are connected both ways.
#pragma once

#include "resilience/connections/connections.h"

namespace faultline::survival {

struct LostCount {
  std::uint32_t terminals = 0;
  bool exact = true;  ///< otherwise an upper bound: a larger connected set was not ruled out
};

/// Used by one thread at a time.
class LostTerminals {
 public:
  /// Limit of branchings in the search for the largest set, per fault set.
  static constexpr std::uint64_t max_branchings = 20'000;

  explicit LostTerminals(std::shared_ptr<const CompiledConnections> compiled)
      : connections_(std::move(compiled)) {}

  /// By lane of the block, if `verdicts` say that a pair is lost; 0 elsewhere.
  void count(const FaultBlock& block, const Verdicts& verdicts, std::vector<LostCount>& result);

 private:
  [[nodiscard]] LostCount count(std::span<const std::uint32_t> failed, std::uint32_t lane);

  Connections connections_;
  std::vector<Connections::Gap> gaps_;
  std::vector<std::uint32_t> left_;
};

}  // namespace faultline::survival
