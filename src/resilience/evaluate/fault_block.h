// SPDX-License-Identifier: Apache-2.0
// Many fault sets at once, one bit lane each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <ranges>
#include <span>
#include <vector>

namespace faultline::survival {

inline constexpr std::size_t cache_line = 64;

/// Rows of `words` 64-bit words, aligned for any kernel.
class Rows {
 public:
  Rows(std::size_t rows, std::size_t words)
      : words_(words),
        data_(static_cast<std::uint64_t*>(
            ::operator new(rows* words * sizeof(std::uint64_t), std::align_val_t(cache_line)))) {}

  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] std::uint64_t* data() { return data_.get(); }
  [[nodiscard]] const std::uint64_t* data() const { return data_.get(); }
  [[nodiscard]] std::uint64_t* row(std::size_t row) { return data_.get() + row * words_; }

 private:
  struct Free {
    void operator()(std::uint64_t* data) const { ::operator delete(data, std::align_val_t(cache_line)); }
  };
  std::size_t words_;
  std::unique_ptr<std::uint64_t[], Free> data_;
};

/// `lanes` fault sets of `faults` components each, as lists in any order: set i is members[i * faults] … A
/// set of fewer components repeats its first one.
struct FaultBlock {
  std::uint32_t faults = 0;
  std::uint32_t lanes = 0;
  std::vector<std::uint32_t> members;

  [[nodiscard]] std::span<const std::uint32_t> set(std::size_t lane) const {
    return std::span(members).subspan(lane * faults, faults);
  }
};

/// Of sets of any sizes, each a range of components. An empty set has no component to repeat: it is alone, or
/// among empty ones.
template <std::ranges::sized_range Sets>
[[nodiscard]] FaultBlock block_of(const Sets& sets) {
  FaultBlock block{.faults = 0, .lanes = static_cast<std::uint32_t>(sets.size()), .members = {}};
  for (const auto& set : sets) block.faults = std::max(block.faults, static_cast<std::uint32_t>(set.size()));
  block.members.reserve(std::size_t{block.faults} * block.lanes);
  for (const auto& set : sets) {
    block.members.insert(block.members.end(), set.begin(), set.end());
    if (block.faults != 0) block.members.insert(block.members.end(), block.faults - set.size(), set.front());
  }
  return block;
}

/// Fills the rows of `components` components and the row of ones behind them: one bit a set, 1 where alive.
inline void load_components(Rows& values, std::uint32_t components, const FaultBlock& block) {
  std::fill_n(values.data(), (std::size_t{components} + 1) * values.words(), ~std::uint64_t{0});
  for (std::uint32_t lane = 0; lane < block.lanes; ++lane)
    for (const std::uint32_t component : block.set(lane))
      values.row(component)[lane / 64] &= ~(std::uint64_t{1} << (lane % 64));
}

/// What a block's fault sets do, by lane.
struct Verdicts {
  std::vector<std::uint64_t> lost_pairs;  ///< ordered pairs of different terminals
  std::vector<std::uint64_t> live_pairs;  ///< whose own switches are alive
  std::vector<bool>
      disconnected;  ///< sets with pairs that no routing could serve; empty if that is not determined
};

}  // namespace faultline::survival
