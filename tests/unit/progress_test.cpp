// SPDX-License-Identifier: Apache-2.0
#include "faultline/base/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

namespace faultline {
namespace {

/// By number of parts done, what is said after it. Parts take these seconds, one after the other.
std::vector<std::optional<double>> told(const std::vector<double>& parts) {
  TimeToGo to_go;
  std::vector<std::optional<double>> all{to_go.after(0, parts.size(), 0)};
  double seconds = 0;
  for (const double part : parts) all.push_back(to_go.after(all.size(), parts.size(), seconds += part));
  return all;
}

double rest(const std::vector<double>& parts, std::size_t done) {
  return std::accumulate(parts.begin() + static_cast<std::ptrdiff_t>(done), parts.end(), 0.0);
}

TEST(TimeToGo, IsNotToldWhereTheTotalIsNotKnown) {
  TimeToGo to_go;
  EXPECT_FALSE(to_go.after(10, 0, 5).has_value());
}

TEST(TimeToGo, OfEqualPartsIsThatOfTheRest) {
  const std::vector<double> parts(100, 3.0);
  const auto said = told(parts);
  for (std::size_t done = 5; done <= 100; ++done) {
    ASSERT_TRUE(said[done]) << done;
    EXPECT_NEAR(*said[done], rest(parts, done), 1e-9);
  }
}

TEST(TimeToGo, IsUnknownAtFirst) {
  const auto first_told = [](std::size_t total) {
    const auto said = told(std::vector<double>(total, 1.0));
    return std::ranges::find_if(said, [](const auto& one) { return one.has_value(); }) - said.begin();
  };
  EXPECT_EQ(first_told(1), 1);
  EXPECT_EQ(first_told(2), 1);
  EXPECT_EQ(first_told(4), 2);
  EXPECT_EQ(first_told(36), 5);
  EXPECT_EQ(first_told(1000), 50);
  TimeToGo to_go;
  EXPECT_FALSE(to_go.after(1'000'000, std::numeric_limits<std::uint64_t>::max(), 10));
}

/// One of 36 cases takes an hour: what it alone says is five hundred times too much.
TEST(TimeToGo, IsNotThatOfAHeavyPartAtTheBeginning) {
  std::vector<double> parts(36, 10.0);
  parts.front() = 3600;
  const auto said = told(parts);
  for (std::size_t done = 1; done < parts.size(); ++done)
    if (said[done]) {
      EXPECT_NEAR(*said[done], rest(parts, done), 1e-9) << done;
    }
  EXPECT_TRUE(said[5]);
}

/// Stages finish out of order when threads report: nothing to say is better than nonsense.
TEST(TimeToGo, IsNeverNegative) {
  TimeToGo to_go;
  for (const std::uint64_t done : {8ULL, 20ULL, 7ULL, 50ULL, 6ULL, 5ULL, 51ULL}) {
    const auto left = to_go.after(done, 100, static_cast<double>(done));
    if (left) {
      EXPECT_GE(*left, 0) << done;
    }
  }
}

}  // namespace
}  // namespace faultline
