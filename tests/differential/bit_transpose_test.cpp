// SPDX-License-Identifier: Apache-2.0
// Does transposing eight registers at a time give the rows that a loop over all bits gives, and the bytes
// again?
#include <gtest/gtest.h>

#include "faultline/base/random.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>

#include <array>
#include <utility>

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vbmi,gfni")
#include "simulate/kernels/bit_transpose_avx512.h"

namespace faultline::wormhole::planes {
namespace {

constexpr unsigned byte_count = 512;

template <unsigned PortBits>
void transpose(const std::uint8_t* bytes, std::uint8_t* rows, std::uint8_t* again) {
  __m512i registers[8];
  for (unsigned i = 0; i < 8; ++i) registers[i] = _mm512_loadu_si512(bytes + std::size_t{i} * 64);
  BitTranspose<PortBits>::to_rows(registers);
  for (unsigned i = 0; i < 8; ++i) _mm512_storeu_si512(rows + std::size_t{i} * 64, registers[i]);
  BitTranspose<PortBits>::to_bytes(registers);
  for (unsigned i = 0; i < 8; ++i) _mm512_storeu_si512(again + std::size_t{i} * 64, registers[i]);
}
#pragma GCC pop_options

using Bytes = std::array<std::uint8_t, byte_count>;

/// Row c, lane l, bit p is bit c of the byte of port p and lane l.
Bytes rows_of(const Bytes& bytes, unsigned ports) {
  const unsigned lanes = byte_count / ports;
  Bytes rows{};
  for (unsigned c = 0; c < 8; ++c)
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned port = 0; port < ports; ++port)
        if ((bytes[port * lanes + lane] >> c & 1) != 0) {
          const unsigned bit = lane * ports + port;
          rows[c * 64 + bit / 8] = static_cast<std::uint8_t>(rows[c * 64 + bit / 8] | 1U << bit % 8);
        }
  return rows;
}

template <unsigned PortBits>
void expect_transposed() {
  RandomStream random(7, PortBits);
  for (int i = 0; i < 200; ++i) {
    Bytes bytes{}, rows{}, again{};
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next_below(256));
    transpose<PortBits>(bytes.data(), rows.data(), again.data());
    ASSERT_EQ(rows, rows_of(bytes, 1U << PortBits)) << (1U << PortBits) << " ports";
    ASSERT_EQ(again, bytes) << (1U << PortBits) << " ports";
  }
}

TEST(BitTranspose, GivesTheRowsThatALoopGives) {
  if (__builtin_cpu_supports("avx512vbmi") == 0 || __builtin_cpu_supports("gfni") == 0)
    GTEST_SKIP() << "no AVX-512 with GFNI here";
  expect_transposed<3>();
  expect_transposed<4>();
  expect_transposed<5>();
  expect_transposed<6>();
}

}  // namespace
}  // namespace faultline::wormhole::planes
#endif
