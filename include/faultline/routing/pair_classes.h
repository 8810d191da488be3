// SPDX-License-Identifier: Apache-2.0
// Whether the packets of a pair arrive, whatever switches choose among their admissible options.
#pragma once

#include <array>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "faultline/routing/knowledge.h"
#include "faultline/routing/states.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Best first.
enum class PairClass : std::uint8_t {
  served,    ///< every play arrives, within a bounded number of hops
  likely,    ///< arrives with probability one if each option is taken with some probability; no bound on hops
  livelock,  ///< never gets stuck, and may travel for ever
  stalled,   ///< may come to a switch without an admissible option, or onto a dead channel
  refused,   ///< the source has no admissible option: never injected
};
constexpr std::size_t pair_class_count = 5;
[[nodiscard]] std::string_view to_string(PairClass of);

/// Ordered pairs of different terminals, by class.
struct PairCounts {
  std::array<std::uint64_t, pair_class_count> of{};

  void add(PairClass one) { ++of[static_cast<std::size_t>(one)]; }
  [[nodiscard]] std::uint64_t operator[](PairClass one) const { return of[static_cast<std::size_t>(one)]; }
  [[nodiscard]] std::uint64_t total() const {
    return std::accumulate(of.begin(), of.end(), std::uint64_t{0});
  }
  friend bool operator==(const PairCounts&, const PairCounts&) = default;
};

/// The class of a packet in each state of `plays` (see enumerate_plays), never `refused`. O(states + moves).
[[nodiscard]] std::vector<PairClass> classes_of_states(const DestinationStates& plays);

/// The same where no play revisits a state: `last_first` lists every state after those that it moves to.
[[nodiscard]] std::vector<PairClass> classes_of_states(const DestinationStates& plays,
                                                       std::span<const std::uint32_t> last_first);

/// The class of the pair of `source` and the destination of `plays`, given the classes of its states. With
/// SourceRole::plan the source offers only options that lead to served states.
[[nodiscard]] PairClass class_of_pair(const DestinationStates& plays, std::span<const PairClass> states,
                                      TerminalId source, SourceRole role);

}  // namespace faultline
#pragma GCC visibility pop
