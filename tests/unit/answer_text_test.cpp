// SPDX-License-Identifier: Apache-2.0
#include "study/answer_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace faultline {
namespace {

TEST(Percent, IsAHundredOnlyOfAll) {
  EXPECT_EQ(percent(1.0), "100 %");
  EXPECT_EQ(percent(0.125), "12.5 %");
  EXPECT_EQ(percent(0.0), "0 %");
  EXPECT_EQ(percent(0.9999995222296967), "99.99995 %");
  EXPECT_NE(percent(1 - 1e-16), "100 %");
}

}  // namespace
}  // namespace faultline
