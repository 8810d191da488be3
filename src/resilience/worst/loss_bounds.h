// SPDX-License-Identifier: Apache-2.0
// An upper bound of the pairs that N faults can disconnect, if some components are already decided.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "resilience/cuts/cut_search.h"
#include "resilience/worst/circuit_losses.h"

namespace faultline::survival {

/// A pair is disconnected only by components whose shares of its paths (CircuitLosses, CutSearch::Shares) add
/// up to 1, so that no set of faults disconnects more pairs than the sum of the shares over all pairs. If
/// switches do not know all faults, or there are too many pairs to examine, the bound is all pairs. Throws
/// Stopped once `stop` is set.
class LossBounds {
 public:
  explicit LossBounds(const Subject& subject, StopFlag stop = nullptr);
  LossBounds(const LossBounds&) = delete;
  LossBounds& operator=(const LossBounds&) = delete;
  ~LossBounds();

  [[nodiscard]] LossBound bound(const Decided& decided, std::uint32_t budget);
  /// Gates or arcs that a bound reads, some of them several times; 0 if the bound is all pairs.
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Paths;
  void for_each_paths(const std::function<void(std::unique_ptr<Paths>)>& visit) const;
  [[nodiscard]] std::unique_ptr<Paths> paths(const PairGraph& pair, std::uint64_t pairs,
                                             std::uint32_t turn) const;
  void use_circuit();
  void add(LossBound& bound, Paths& paths, std::uint32_t budget) const;

  Subject subject_;
  StopFlag stop_;
  const Topology& topology_;
  ComponentsOfChannel channels_;
  std::optional<CircuitLosses> circuit_;  ///< if paths are fixed and have no cycle
  std::vector<std::unique_ptr<Paths>>
      paths_;  ///< empty if there are many: they are then built for each bound
  std::size_t size_ = 0;
  std::vector<bool> dead_, spared_;
};

}  // namespace faultline::survival
