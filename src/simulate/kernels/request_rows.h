// SPDX-License-Identifier: Apache-2.0
// Rows for the allocation of VCs in all switches of a group at once (vc_matching.h). Unlike in Rows, a bit is
// an output port and there is a row for each input VC.
#pragma once

#include <cstdint>

#include "simulate/kernels/vector_state.h"

namespace faultline::wormhole::planes {

/// `input`: port * Vcs + VC, as arbiters count them.
template <std::uint32_t Vcs>
class RequestRows {
 public:
  /// `alike`: every head may take any VC of its ports.
  constexpr RequestRows(std::uint32_t ports, bool alike)
      : candidates_(alike ? 1 : Vcs),
        given_from_(ports * Vcs * candidates_),
        count_(given_from_ + ports * Vcs * Vcs) {}

  /// Outputs of which the head may take VC w; `alike`: the same for all w.
  [[nodiscard]] constexpr std::uint32_t candidates(std::uint32_t input, std::uint32_t w) const {
    return input * candidates_ + (candidates_ == 1 ? 0 : w);
  }
  /// Outputs whose VC w was given to this input last: their grant pointer is at the next one.
  [[nodiscard]] constexpr std::uint32_t given_last(std::uint32_t input, std::uint32_t w) const {
    return given_from_ + input * Vcs + w;
  }
  [[nodiscard]] constexpr std::uint32_t count() const { return count_; }

 private:
  std::uint32_t candidates_, given_from_, count_;
};

/// What the steps of an allocation tell each other, one after the other for each group.
template <class Word>
struct VcRequests {
  Word* requested = nullptr;    ///< [input][lane]: the output that the head requests, if any
  Event* events = nullptr;      ///< listed by the last step
  std::uint8_t* won = nullptr;  ///< by event of the second: bit w: VC w of the output chose it
  std::uint32_t asks = 0;       ///< heads that can request some output
  bool by_credits = false;      ///< heads request the output with most of them
  bool summed =
      false;  ///< of VectorState::summed_vcs every head may take all at some ports, and none at others
};

/// The steps; each lists input VCs, and returns their number.
template <class Word>
struct VcSteps {
  using Step = std::uint32_t (*)(const VectorState<Word>& vectors, std::uint32_t group,
                                 VcRequests<Word>& requests);
  Step choose = nullptr;  ///< what heads request; lists those for which several outputs are equally good
  Step match = nullptr;   ///< lists those that were chosen by a VC
};

}  // namespace faultline::wormhole::planes
