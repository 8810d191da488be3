// SPDX-License-Identifier: Apache-2.0
#include "routing/numbered_words.h"

#include <gtest/gtest.h>

#include <map>

#include "faultline/base/random.h"

namespace faultline {
namespace {

/// Some indices have one of `different` words, the others 0.
void compare_with_map(std::uint16_t max_numbers, std::uint64_t different, std::size_t size = 2000) {
  NumberedWords words(size, max_numbers);
  std::map<std::size_t, std::uint64_t> expected;
  for (std::size_t index = 0; index < size; ++index) {
    const std::uint64_t drawn = mix(different, index, 1);
    if (drawn % 3 == 0) continue;
    expected[index] = mix(drawn % different, 0, 2);
    words.set(index, expected[index]);
  }
  for (std::size_t index = 0; index < size; ++index)
    ASSERT_EQ(words[index], expected.contains(index) ? expected[index] : 0)
        << index << ", " << max_numbers << " numbers for " << different << " words";
}

TEST(NumberedWords, HoldTheWordOfEachIndex) {
  for (const std::uint64_t different : {1U, 2U, 40U, 1000U}) compare_with_map(NumberedWords::most, different);
}

TEST(NumberedWords, HoldMoreWordsThanThereAreNumbersFor) {
  for (std::uint16_t max_numbers = 1; max_numbers <= 42; ++max_numbers) compare_with_map(max_numbers, 41);
  compare_with_map(NumberedWords::most, 1'000'000'000, 120'000);
}

}  // namespace
}  // namespace faultline
