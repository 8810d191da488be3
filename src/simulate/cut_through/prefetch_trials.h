// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace faultline::cut_through {

/// Which lines a region prefetches.
enum class Prefetching : std::uint8_t {
  none,
  certain,  ///< what is read in any case: ports of the switches that run, buffers that messages name; also
            ///< the heads that are probably granted
  likely    ///< also what depends on those: heads that may be granted, their packets and outputs
};

/// Measures which pays: that depends on the size of the network and on the processor's caches. (On a Zen 3
/// with 512 KB of second-level cache `certain` gained 15 % with 1.5 MB and 8 % over `likely` with 6 MB,
/// `likely` 10 % more with 8 MB and 54 % with 130 MB, and cost 18 % with 0.6 MB.) The result of a run does
/// not depend on it.
class PrefetchTrials {
 public:
  /// A network of a few hundred KB stays in the second-level cache, and nothing is tried.
  explicit PrefetchTrials(std::size_t network_bytes)
      : tries_(network_bytes > 400'000), left_(tries_ ? trial : 0) {}

  [[nodiscard]] Prefetching in_force() const { return in_force_; }

  /// Around the region's work: waiting for other regions does not count.
  void starts() {
    if (left_ != 0) started_ = Clock::now();
  }
  void stops() {
    if (left_ != 0) spent_ += Clock::now() - started_;
  }
  /// After each window; `hops`: all that the region has made since the run began.
  void ran(std::uint64_t hops) {
    if (!tries_ || hops < batch_end_) return;
    if (left_ != 0)
      note(hops - batch_start_);
    else if (--patience_left_ == 0)
      try_again();
    spent_ = {};
    batch_start_ = hops;
    batch_end_ = hops + batch_hops;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint32_t ways = 3,
                                 trial = 3 * ways;   ///< batches: the least disturbed one of each counts
  static constexpr std::uint64_t batch_hops = 2000;  ///< some 0.3 ms
  static constexpr std::uint32_t longest_patience = 2048;  ///< batches
  static constexpr double unknown = std::numeric_limits<double>::max();

  void note(std::uint64_t hops) {
    double& least = least_[static_cast<std::size_t>(in_force_)];
    least = std::min(least, spent_.count() / static_cast<double>(hops));
    // A window of a very large network is long enough to be disturbed little: one of each way suffices.
    if (left_ == trial && hops > 4 * batch_hops) left_ = ways;
    --left_;
    in_force_ = static_cast<Prefetching>(left_ != 0 ? left_ % ways
                                                    : std::ranges::min_element(least_) - least_.begin());
  }
  void try_again() {
    left_ = trial;
    least_.fill(unknown);
    patience_ = std::min(2 * patience_, longest_patience);
    patience_left_ = patience_;
    in_force_ = Prefetching::none;
  }

  bool tries_;
  Prefetching in_force_ = Prefetching::none;
  std::uint32_t left_;                                  ///< batches of the trial; 0: the best way is in force
  std::uint32_t patience_ = 128, patience_left_ = 128;  ///< batches until the next trial
  std::uint64_t batch_start_ = 0, batch_end_ = batch_hops;
  std::array<double, ways> least_{unknown, unknown, unknown};  ///< seconds a hop
  std::chrono::duration<double> spent_{};
  Clock::time_point started_;
};

}  // namespace faultline::cut_through
