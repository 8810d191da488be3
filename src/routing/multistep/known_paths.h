// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "routing/multistep/path_list.h"

namespace faultline {

/// The paths of pairs that were requested before, as many as fit: finding them takes as long as tens of
/// hops of a packet. Safe to use from several threads.
class KnownPaths {
 public:
  explicit KnownPaths(std::size_t terminals)
      : terminals_(terminals), by_pair_(terminals * terminals <= max_pairs ? terminals * terminals : 0) {}
  KnownPaths(const KnownPaths&) = delete;
  KnownPaths& operator=(const KnownPaths&) = delete;
  ~KnownPaths() {
    for (const auto& paths : by_pair_) delete paths.load(std::memory_order_relaxed);
  }

  /// find() computes those that are not known; `own` holds them if they do not fit.
  template <class Find>
  [[nodiscard]] std::span<const MultistepPath> of(TerminalId source, TerminalId destination, Find find,
                                                  std::vector<MultistepPath>& own) const {
    if (by_pair_.empty()) return own = find();
    std::atomic<const Paths*>& known = by_pair_[source.index() * terminals_ + destination.index()];
    if (const Paths* const paths = known.load(std::memory_order_acquire); paths != nullptr) return *paths;
    if (kept_.fetch_add(1, std::memory_order_relaxed) >= max_kept) return own = find();
    auto found = std::make_unique<const Paths>(find());
    const Paths* first = nullptr;
    if (known.compare_exchange_strong(first, found.get(), std::memory_order_acq_rel)) first = found.release();
    return *first;
  }

 private:
  using Paths = std::vector<MultistepPath>;
  static constexpr std::size_t max_pairs = std::size_t{1} << 22;  // 32 MiB
  static constexpr std::size_t max_kept = std::size_t{1} << 20;   // of about 130 bytes each

  std::size_t terminals_;
  mutable std::vector<std::atomic<const Paths*>> by_pair_;  // by source and destination
  mutable std::atomic<std::size_t> kept_ = 0;
};

}  // namespace faultline
