// SPDX-License-Identifier: Apache-2.0
#include "routing/methodology/tag_table.h"

#include <gtest/gtest.h>

#include <map>

#include "faultline/base/random.h"

namespace faultline {
namespace {

/// Some pairs have one of `different` tags, the others the tag 0.
void compare_with_map(std::uint16_t most_numbers, std::uint64_t different, std::size_t pairs = 2000) {
  TagTable table(pairs, most_numbers);
  std::map<std::size_t, Tag> expected;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const std::uint64_t drawn = mix(different, pair, 1);
    if (drawn % 3 == 0) continue;
    expected[pair] = mix(drawn % different, 0, 2);
    table.set(pair, expected[pair]);
  }
  for (std::size_t pair = 0; pair < pairs; ++pair)
    ASSERT_EQ(table[pair], expected.contains(pair) ? expected[pair] : 0)
        << pair << ", " << most_numbers << " numbers for " << different << " tags";
}

TEST(TagTable, HoldsTheTagOfEachPair) {
  for (const std::uint64_t different : {1U, 2U, 40U, 1000U}) compare_with_map(TagTable::most, different);
}

TEST(TagTable, HoldsMoreTagsThanItHasNumbersFor) {
  for (std::uint16_t most_numbers = 1; most_numbers <= 42; ++most_numbers) compare_with_map(most_numbers, 41);
  compare_with_map(TagTable::most, 1'000'000'000, 120'000);
}

}  // namespace
}  // namespace faultline
