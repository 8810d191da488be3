// SPDX-License-Identifier: Apache-2.0
// Which of several requests in the same cycle is granted first (Dally & Towles, chapter 18). Round
// robin and matrix serve persistent contenders equally often, random on average, however many others never
// make a request; oldest first serves by age.
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/base/random.h"
#include "faultline/simulate/clock.h"
#include "faultline/simulate/simulate.h"

namespace faultline {

/// Identifies an arbiter: a random arbitration draw is a function of this, the cycle and the contender.
struct ArbiterKey {
  std::uint64_t seed = 0;
  std::uint32_t at = 0;      ///< the switch
  std::uint32_t number = 0;  ///< of the arbiter, among those of the switch
};

/// For random arbitration: the contender with the lowest draw goes first. It does not depend on the other
/// contenders.
[[nodiscard]] constexpr std::uint32_t arbitration_draw(const ArbiterKey& key, Time cycle,
                                                       std::uint32_t contender) {
  constexpr std::uint64_t purpose = 0xff;  // of the draw: no other draw of a simulation has it
  return static_cast<std::uint32_t>(
      mix(key.seed, std::uint64_t{key.at} << 32 | static_cast<std::uint32_t>(cycle),
          std::uint64_t{key.number} << 32 | std::uint64_t{contender} << 8 | purpose) >>
      32);
}

/// One arbiter, written to be read; cut_through/arbiters.h has those of a whole network.
class Arbiter {
 public:
  Arbiter(Arbitration rule, std::uint32_t contenders, ArbiterKey key);

  struct Contender {
    std::uint32_t number = 0;
    Time age = 0;  ///< when its packet was generated
  };
  [[nodiscard]] bool before(const Contender& a, const Contender& b, Time now) const;
  void served(std::uint32_t contender);

 private:
  /// How far a contender is from the pointer, which is just past the one served last.
  [[nodiscard]] std::uint32_t distance(std::uint32_t contender) const {
    return contender >= pointer_ ? contender - pointer_ : contender + count_ - pointer_;
  }

  Arbitration rule_;
  ArbiterKey key_;
  std::uint32_t count_;
  std::uint32_t pointer_ = 0;
  std::vector<bool> wins_;  ///< matrix: a * count + b, whether a goes before b
};

}  // namespace faultline
