// SPDX-License-Identifier: Apache-2.0
#include "faultline/base/random.h"

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <cmath>

namespace faultline {
namespace {

using Words = std::array<std::uint32_t, 4>;

/// examples/kat_vectors of Random123, "philox4x32 10".
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(philox(0, 0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox(~0ULL, ~0ULL, ~0ULL), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

/// The seed is the key, stream and index are the counter, low halves first.
TEST(Philox, IsThatOfRandom123) {
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const std::uint64_t seed = mix(i, 1, 0), stream = mix(i, 2, 0), index = mix(i, 3, 0);
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const r123::Philox4x32::ctr_type counter{{low(index), low(index >> 32), low(stream), low(stream >> 32)}};
    const auto expected = r123::Philox4x32()(counter, {{low(seed), low(seed >> 32)}});
    ASSERT_EQ(philox(seed, stream, index), (Words{expected[0], expected[1], expected[2], expected[3]})) << i;
  }
}

TEST(UnitInterval, IsOpen) {
  EXPECT_EQ(unit_interval(0), 0x1p-54);
  EXPECT_EQ(unit_interval(1ULL << 63), 0.5);
  EXPECT_LT(unit_interval(~0ULL), 1.0);
  EXPECT_EQ(std::nextafter(unit_interval(~0ULL), 2.0), 1.0);
  double before = 0;
  for (std::uint64_t low = 1ULL << 16; low-- > 0;) {
    const double value = unit_interval(~(low << 11));
    ASSERT_LT(value, 1.0) << low;
    ASSERT_LE(before, value) << low;
    before = value;
  }
}

/// Below the largest values it is the middle of one of 2^53 equal parts, rounded.
TEST(UnitInterval, IsTheMiddleOfAPart) {
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const std::uint64_t random = mix(i, 4, 0);
    const long double middle = (static_cast<long double>(random >> 11) + 0.5L) * 0x1p-53L;
    ASSERT_EQ(unit_interval(random), static_cast<double>(middle)) << random;
  }
}

}  // namespace
}  // namespace faultline
