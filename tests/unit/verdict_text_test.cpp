// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/study/verdicts.h"

namespace faultline {
namespace {

using testing::HasSubstr;

TEST(VerdictPage, TellsTheEndsOfAnIntervalApart) {
  const auto shown = [](double ours, std::optional<Interval> interval) {
    Finding finding;
    finding.ours = ours;
    finding.interval = interval;
    const FindingText text = text_of(finding);
    return text.ours + " | " + text.interval;
  };
  EXPECT_EQ(shown(405504, {}), "405504 | none");
  EXPECT_EQ(shown(0.123456, {}), "0.1235 | none");
  EXPECT_EQ(shown(0.123456, Interval{0.11, 0.13}), "0.1235 | 0.11 … 0.13");
  EXPECT_EQ(shown(1.0000011, Interval{0.9999981, 1.0000041}), "1.000001 | 0.9999981 … 1.000004");
  EXPECT_EQ(shown(1, Interval{1, 1}), "1 | 1 … 1");
  EXPECT_EQ(shown(2e20, Interval{1e20, 3e20}), "2e+20 | 1e+20 … 3e+20");
  Finding rounded{
      .claim = "c", .printed = "0.97", .rounding = 0.005, .ours = 0.966, .verdict = ClaimVerdict::agrees};
  EXPECT_THAT(verdict_page(Paper(), "t", {rounded}, "2026-01-02"),
              HasSubstr("| agrees | 0.97 ± 0.005 | 0.966 | none |"));
  EXPECT_EQ(text_of({}).ours + text_of({}).interval, "––");
}

}  // namespace
}  // namespace faultline
