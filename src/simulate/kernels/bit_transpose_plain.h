// SPDX-License-Identifier: Apache-2.0
// Bytes of ports and lanes become rows with a bit for each port, and rows bytes, all at once: in vectors as
// the compiler knows them.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

namespace faultline::wormhole::planes {

// Types that are known to be vectors before a template is instantiated.
struct Registers16 {
  typedef std::uint8_t Bytes __attribute__((vector_size(16)));
  typedef std::uint64_t Words __attribute__((vector_size(16)));
};
struct Registers32 {
  typedef std::uint8_t Bytes __attribute__((vector_size(32)));
  typedef std::uint64_t Words __attribute__((vector_size(32)));
};

/// Of eight registers: bytes [port][lane] of 2^PortBits ports, or a row for each bit of a byte, with words of
/// as many bits as there are ports.
template <std::uint32_t PortBits, class Registers>
class PlainBitTranspose {
  static_assert(std::endian::native == std::endian::little, "a word's first byte holds its first ports");

 public:
  using Bytes = typename Registers::Bytes;
  static constexpr std::uint32_t register_bytes = sizeof(Bytes);

  static void to_rows(Bytes (&registers)[8]) {
    for (std::uint32_t i = 3; i < PortBits; ++i) rotate_left(registers, Indices());
    transpose(registers);
  }
  static void to_bytes(Bytes (&registers)[8]) {
    transpose(registers);
    for (std::uint32_t i = 3; i < PortBits; ++i) rotate_right(registers, Indices());
  }

 private:
  using Words = typename Registers::Words;
  using Indices = std::make_index_sequence<register_bytes>;

  // A byte's number among those of all registers has the bits of its port above those of its lane. Rotated
  // left by PortBits - 3 bits, it begins with the lowest three bits of the port, which number the register;
  // in a register, the lane numbers the word, and the higher bits of the port a byte of it.

  template <std::size_t... I>
  static void rotate_left(Bytes (&registers)[8], std::index_sequence<I...>) {
    Bytes rotated[8];
#pragma GCC unroll 4
    for (std::uint32_t i = 0; i < 4; ++i) {
      const Bytes low = registers[i], high = registers[i + 4];
      rotated[2 * i] = __builtin_shufflevector(low, high, index(I / 2 + I % 2 * register_bytes)...);
      rotated[2 * i + 1] =
          __builtin_shufflevector(low, high, index(register_bytes / 2 + I / 2 + I % 2 * register_bytes)...);
    }
#pragma GCC unroll 8
    for (std::uint32_t i = 0; i < 8; ++i) registers[i] = rotated[i];
  }
  template <std::size_t... I>
  static void rotate_right(Bytes (&registers)[8], std::index_sequence<I...>) {
    Bytes rotated[8];
#pragma GCC unroll 4
    for (std::uint32_t i = 0; i < 4; ++i) {
      const Bytes first = registers[2 * i], second = registers[2 * i + 1];
      rotated[i] = __builtin_shufflevector(first, second, index(2 * I)...);
      rotated[i + 4] = __builtin_shufflevector(first, second, index(2 * I + 1)...);
    }
#pragma GCC unroll 8
    for (std::uint32_t i = 0; i < 8; ++i) registers[i] = rotated[i];
  }
  static constexpr int index(std::size_t of) { return static_cast<int>(of); }

  /// Bit b of register r changes places with bit r of register b, in each byte (Warren, Hacker's Delight,
  /// section 7-3).
  static void transpose(Bytes (&registers)[8]) {
    swap<4>(registers, 0x0f0f0f0f0f0f0f0f);
    swap<2>(registers, 0x3333333333333333);
    swap<1>(registers, 0x5555555555555555);
  }
  template <std::uint32_t Distance>
  static void swap(Bytes (&registers)[8], std::uint64_t low) {
#pragma GCC unroll 8
    for (std::uint32_t i = 0; i < 8; ++i) {
      if ((i & Distance) != 0) continue;
      const auto first = (Words)registers[i], second = (Words)registers[i + Distance];
      const Words differs = ((first >> Distance) ^ second) & low;
      registers[i] = (Bytes)(first ^ differs << Distance);
      registers[i + Distance] = (Bytes)(second ^ differs);
    }
  }
};

}  // namespace faultline::wormhole::planes
