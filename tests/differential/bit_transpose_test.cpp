// SPDX-License-Identifier: Apache-2.0
// Does transposing eight registers at a time give the rows that a loop over all bits gives, and the bytes
// again?
#include <gtest/gtest.h>

#include "faultline/base/random.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>

#include <cstring>
#include <utility>
#include <vector>

#include "simulate/kernels/bit_transpose_plain.h"
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vbmi,gfni")
#include "simulate/kernels/bit_transpose_avx512.h"

namespace faultline::wormhole::planes {
namespace {

/// A way to transpose 2^`port_bits` ports: `rows` of `bytes`, and bytes `again`.
template <unsigned PortBits>
struct Avx512 {
  static constexpr unsigned port_bits = PortBits, register_bytes = 64;
  static void transpose(const std::uint8_t* bytes, std::uint8_t* rows, std::uint8_t* again) {
    __m512i registers[8];
    for (unsigned i = 0; i < 8; ++i) registers[i] = _mm512_loadu_si512(bytes + std::size_t{i} * 64);
    BitTranspose<PortBits>::to_rows(registers);
    for (unsigned i = 0; i < 8; ++i) _mm512_storeu_si512(rows + std::size_t{i} * 64, registers[i]);
    BitTranspose<PortBits>::to_bytes(registers);
    for (unsigned i = 0; i < 8; ++i) _mm512_storeu_si512(again + std::size_t{i} * 64, registers[i]);
  }
};
#pragma GCC pop_options

template <unsigned PortBits, class Registers>
struct Plain {
  using Way = PlainBitTranspose<PortBits, Registers>;
  static constexpr unsigned port_bits = PortBits, register_bytes = Way::register_bytes;
  static void transpose(const std::uint8_t* bytes, std::uint8_t* rows, std::uint8_t* again) {
    typename Way::Bytes registers[8];
    std::memcpy(registers, bytes, sizeof registers);
    Way::to_rows(registers);
    std::memcpy(rows, registers, sizeof registers);
    Way::to_bytes(registers);
    std::memcpy(again, registers, sizeof registers);
  }
};

using Bytes = std::vector<std::uint8_t>;

/// Row c, lane l, bit p is bit c of the byte of port p and lane l.
Bytes rows_of(const Bytes& bytes, std::size_t ports) {
  const std::size_t lanes = bytes.size() / ports, row_bytes = bytes.size() / 8;
  Bytes rows(bytes.size());
  for (unsigned c = 0; c < 8; ++c)
    for (std::size_t lane = 0; lane < lanes; ++lane)
      for (std::size_t port = 0; port < ports; ++port)
        if ((bytes[port * lanes + lane] >> c & 1) != 0) {
          std::uint8_t& byte = rows[c * row_bytes + (lane * ports + port) / 8];
          byte = static_cast<std::uint8_t>(byte | 1U << port % 8);
        }
  return rows;
}

template <class Way>
void expect_transposed() {
  RandomStream random(7, Way::port_bits);
  for (int i = 0; i < 200; ++i) {
    Bytes bytes(std::size_t{8} * Way::register_bytes), rows(bytes.size()), again(bytes.size());
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next_below(256));
    Way::transpose(bytes.data(), rows.data(), again.data());
    ASSERT_EQ(rows, rows_of(bytes, std::size_t{1} << Way::port_bits)) << Way::port_bits;
    ASSERT_EQ(again, bytes) << Way::port_bits;
  }
}

TEST(BitTranspose, GivesTheRowsThatALoopGives) {
  if (__builtin_cpu_supports("avx512vbmi") == 0 || __builtin_cpu_supports("gfni") == 0)
    GTEST_SKIP() << "no AVX-512 with GFNI here";
  expect_transposed<Avx512<3>>();
  expect_transposed<Avx512<4>>();
  expect_transposed<Avx512<5>>();
  expect_transposed<Avx512<6>>();
}

TEST(BitTranspose, GivesTheSameInPlainVectors) {
  expect_transposed<Plain<3, Registers16>>();
  expect_transposed<Plain<4, Registers16>>();
  expect_transposed<Plain<5, Registers16>>();
  expect_transposed<Plain<6, Registers16>>();
  expect_transposed<Plain<3, Registers32>>();
  expect_transposed<Plain<4, Registers32>>();
  expect_transposed<Plain<5, Registers32>>();
  expect_transposed<Plain<6, Registers32>>();
}

}  // namespace
}  // namespace faultline::wormhole::planes
#endif
