// SPDX-License-Identifier: Apache-2.0
// Sets of the ports of a switch: a word of 64 or 128 bits, or several words for more, with the same
// functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "simulate/cut_through/port_bits.h"

namespace faultline::cut_through {

/// Of 64 * Words ports.
template <std::uint32_t Words>
class WidePortSet {
 public:
  constexpr WidePortSet() = default;
  /// Of the first 64 ports, so that 0 is the empty set of either type.
  // NOLINTNEXTLINE(google-explicit-constructor,hicpp-explicit-conversions)
  constexpr WidePortSet(std::uint64_t first) : words_{first} {}

  /// Of ports 64 * i and following.
  [[nodiscard]] constexpr std::uint64_t word(std::uint32_t i) const { return words_[i]; }
  constexpr std::uint64_t& word(std::uint32_t i) { return words_[i]; }

  friend constexpr bool operator==(const WidePortSet&, const WidePortSet&) = default;
  constexpr WidePortSet& operator&=(const WidePortSet& other) {
    for (std::uint32_t i = 0; i < Words; ++i) words_[i] &= other.words_[i];
    return *this;
  }
  constexpr WidePortSet& operator|=(const WidePortSet& other) {
    for (std::uint32_t i = 0; i < Words; ++i) words_[i] |= other.words_[i];
    return *this;
  }
  constexpr WidePortSet& operator^=(const WidePortSet& other) {
    for (std::uint32_t i = 0; i < Words; ++i) words_[i] ^= other.words_[i];
    return *this;
  }
  friend constexpr WidePortSet operator&(WidePortSet a, const WidePortSet& b) { return a &= b; }
  friend constexpr WidePortSet operator|(WidePortSet a, const WidePortSet& b) { return a |= b; }
  friend constexpr WidePortSet operator^(WidePortSet a, const WidePortSet& b) { return a ^= b; }
  constexpr WidePortSet operator~() const {
    WidePortSet result;
    for (std::uint32_t i = 0; i < Words; ++i) result.words_[i] = ~words_[i];
    return result;
  }

 private:
  std::array<std::uint64_t, Words> words_{};
};

/// In registers, which an array of two words is not: a port with a variable number is a store to it.
__extension__ using DoubleWord = unsigned __int128;

/// Of a switch with up to that many ports.
template <std::uint32_t Ports>
using PortSet =
    std::conditional_t<(Ports <= 64), std::uint64_t,
                       std::conditional_t<(Ports <= 128), DoubleWord, WidePortSet<(Ports + 63) / 64>>>;

/// Of a terminal: the virtual channels of its injection channels.
using TerminalPorts = PortSet<64>;

template <class Set>
inline constexpr std::uint32_t words_of = sizeof(Set) / sizeof(std::uint64_t);

template <class Set>
inline constexpr bool is_word = words_of<Set> <= 2;

constexpr std::uint64_t word_of(std::uint64_t set, std::uint32_t /*i*/) { return set; }
constexpr std::uint64_t word_of(DoubleWord set, std::uint32_t i) {
  return static_cast<std::uint64_t>(set >> (64 * i));
}
template <std::uint32_t Words>
constexpr std::uint64_t word_of(const WidePortSet<Words>& set, std::uint32_t i) {
  return set.word(i);
}

/// The set of one port.
template <class Set>
constexpr Set only(unsigned port) {
  if constexpr (is_word<Set>) {
    return Set{1} << port;
  } else {
    Set set;
    set.word(port / 64) = bit(port % 64);
    return set;
  }
}

constexpr bool contains(std::uint64_t set, unsigned port) { return (set >> port & 1) != 0; }
constexpr bool contains(DoubleWord set, unsigned port) { return (set >> port & 1) != 0; }
template <std::uint32_t Words>
constexpr bool contains(const WidePortSet<Words>& set, unsigned port) {
  return contains(set.word(port / 64), port % 64);
}

/// `set`, of consecutive ports from `first` on, bit 0 being that one.
template <class Set>
constexpr Set ports_from(unsigned first, std::uint64_t set) {
  if constexpr (is_word<Set>) {
    return Set{set} << first;
  } else {
    Set moved;
    moved.word(first / 64) = set << first % 64;
    if (first % 64 != 0 && first / 64 + 1 < words_of<Set>)
      moved.word(first / 64 + 1) = set >> (64 - first % 64);
    return moved;
  }
}

/// As many as a word has.
constexpr std::uint64_t first_ports(std::uint32_t count) {
  return count == 64 ? ~std::uint64_t{0} : bit(count) - 1;
}

/// By words: to subtract 1 from both as one number takes longer.
constexpr bool is_single(DoubleWord set) {
  const std::uint64_t low = word_of(set, 0), high = word_of(set, 1);
  return is_single(low | high) && (low & high) == 0;
}
template <std::uint32_t Words>
constexpr bool is_single(const WidePortSet<Words>& set) {
  std::uint64_t any = 0, several = 0;
  for (std::uint32_t i = 0; i < Words; ++i) {
    several |= (any != 0 ? set.word(i) : 0) | (set.word(i) & (set.word(i) - 1));
    any |= set.word(i);
  }
  return any != 0 && several == 0;
}

/// Of a set that is not empty.
constexpr std::uint32_t lowest(std::uint64_t set) {
  return static_cast<std::uint32_t>(std::countr_zero(set));
}
constexpr std::uint32_t lowest(DoubleWord set) {
  return word_of(set, 0) != 0 ? lowest(word_of(set, 0)) : 64 + lowest(word_of(set, 1));
}
template <std::uint32_t Words>
constexpr std::uint32_t lowest(const WidePortSet<Words>& set) {
  std::uint32_t i = 0;
  while (i + 1 < Words && set.word(i) == 0) ++i;
  return i * 64 + lowest(set.word(i));
}

/// A set of several words.
template <class Set>
constexpr unsigned count(const Set& set) {
  unsigned ports = 0;
  for (std::uint32_t i = 0; i < words_of<Set>; ++i) ports += count(word_of(set, i));
  return ports;
}

/// The port of that rank (from 0, below the set's count).
template <class Set>
constexpr unsigned nth_bit(const Set& set, std::uint32_t rank) {
  std::uint32_t i = 0;
  for (; i + 1 < words_of<Set> && rank >= count(word_of(set, i)); ++i) rank -= count(word_of(set, i));
  return i * 64 + nth_bit(word_of(set, i), rank);
}

/// for (const std::uint32_t port : ports_of(set)), from the lowest on, as the set was at the start. A word at
/// a time stays in a register: a set that lost a port in each step waited for its own stores, for a fifth of
/// the time of a switch with 88 ports.
template <class Set>
class PortsOf {
 public:
  explicit PortsOf(const Set& set) : set_(set) {}

  struct End {};
  class Iterator {
   public:
    explicit Iterator(const Set& set) : set_(set), rest_(word_of(set, 0)) { find_word(); }
    std::uint32_t operator*() const { return word_ * 64 + lowest(rest_); }
    Iterator& operator++() {
      rest_ &= rest_ - 1;
      find_word();
      return *this;
    }
    bool operator==(End) const { return rest_ == 0; }

   private:
    void find_word() {
      while (rest_ == 0 && word_ + 1 < words_of<Set>) rest_ = word_of(set_, ++word_);
    }

    const Set& set_;
    std::uint32_t word_ = 0;
    std::uint64_t rest_;
  };
  [[nodiscard]] Iterator begin() const { return Iterator(set_); }
  [[nodiscard]] static End end() { return {}; }

 private:
  Set set_;
};
template <class Set>
PortsOf<Set> ports_of(const Set& set) {
  return PortsOf<Set>(set);
}

}  // namespace faultline::cut_through
