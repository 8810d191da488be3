// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "simulate/planes/state.h"

namespace faultline::wormhole::planes {

/// Input VCs of a switch, numbered port * Vcs + VC, as arbiters count them.
template <class Word, std::uint32_t Vcs>
class InputSet {
 public:
  void add(std::uint32_t input) { words_[input / bits] |= std::uint64_t{1} << input % bits; }
  void remove(std::uint32_t input) { words_[input / bits] &= ~(std::uint64_t{1} << input % bits); }
  [[nodiscard]] bool has(std::uint32_t input) const {
    return (words_[input / bits] >> input % bits & 1) != 0;
  }
  [[nodiscard]] bool empty() const {
    std::uint64_t any = 0;
    for (const std::uint64_t word : words_) any |= word;
    return any == 0;
  }

  /// Of a set that is not empty: the first from a pointer on, which wraps.
  [[nodiscard]] std::uint32_t first_from(std::uint32_t pointer) const {
    if constexpr (words == 1) {
      const std::uint64_t rest = words_[0] >> pointer << pointer;
      return lowest(rest != 0 ? rest : words_[0]);
    }
    std::uint32_t word = pointer / bits;
    if (const std::uint64_t rest = words_[word] >> pointer % bits; rest != 0) return pointer + lowest(rest);
    do word = word + 1 == words ? 0 : word + 1;
    while (words_[word] == 0);
    return word * bits + lowest(words_[word]);
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t word = 0; word < words; ++word)
      for (std::uint64_t rest = words_[word]; rest != 0;) visit(word * bits + take_lowest(rest));
  }

 private:
  static constexpr std::uint32_t bits = 64, max_inputs = sizeof(Word) * 8 * Vcs;
  static constexpr std::uint32_t words = (max_inputs + bits - 1) / bits;
  std::uint64_t words_[words]{};
};

}  // namespace faultline::wormhole::planes
