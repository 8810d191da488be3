// SPDX-License-Identifier: Apache-2.0
// Is every message one line that a terminal can show?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <ctime>
#include <random>

#include "faultline/base/counted.h"
#include "faultline/base/error.h"

namespace faultline {
namespace {

using namespace std::string_literals;

TEST(Printable, LeavesTextAndEscapesTheRest) {
  EXPECT_EQ(printable("fat-tree:k=4 … ä 日本"), "fat-tree:k=4 … ä 日本");
  EXPECT_EQ(printable("a\0b"s), "a\\x00b");
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(printable("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "1m"),
            "\\u{9b}1m");  // CSI in one code point
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\u{202e}b");                                          // right-to-left override
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");                    // not UTF-8
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // longer than need be
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
  EXPECT_EQ(printable("\xe6\x97"), "\\xe6\\x97");                    // cut short
}

TEST(Printable, ShortensAndSaysHowLongItWas) {
  const std::string text = printable(std::string(100'000, 'x'));
  EXPECT_LT(text.size(), 250U);
  EXPECT_THAT(text, testing::HasSubstr("(100000 bytes)"));
  EXPECT_EQ(printable(std::string(200, 'x')), std::string(200, 'x'));
  for (std::size_t most = 8; most < 40; ++most) {  // cuts at every byte of a code point
    std::string accents, signs;
    for (int i = 0; i < 50; ++i) accents += "é", signs += "x日";
    EXPECT_THAT(printable(accents, most), testing::Not(testing::HasSubstr("\\x"))) << most;
    EXPECT_THAT(printable(signs, most), testing::Not(testing::HasSubstr("\\x"))) << most;
  }
}

TEST(Printable, AnyBytesMakeAMessageOfOneLine) {
  std::mt19937 random(std::random_device{}());
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (std::size_t length = random() % 400; text.size() < length;)
      text += random() % 3 == 0 ? static_cast<char>(random() % 256)
                                : "\x1b\n\xe2\x80\xae"
                                  "ax"[random() % 7];
    const std::string said = Error(Error::Parts{text, text, text, text, {text, 3}}).what();
    EXPECT_EQ(printable(said, said.size()), said);  // nothing is left to be escaped
  }
}

TEST(Printable, AnErrorKeepsTheValueAsItWas) {
  const Error error("field", "a\nb", "must be plain");
  EXPECT_EQ(error.parts().value, "a\nb");
  EXPECT_STREQ(error.what(), "field = 'a\\nb': must be plain");
}

TEST(NearestName, IsTheLikestOfThoseThatAreAlike) {
  constexpr std::array<std::string_view, 3> known{"uniform", "transpose", "uniforms"};
  EXPECT_EQ(nearest_name("unifrom", known), "uniform");
  EXPECT_EQ(nearest_name("transposed", known), "transpose");
  EXPECT_EQ(nearest_name("unifo", known), "uniform");
  EXPECT_EQ(nearest_name("hot-spot", known), "");
  EXPECT_EQ(nearest_name("", known), "");
}

/// A file of another kind may be one line of megabytes, and a network has thousands of names.
TEST(NearestName, OfALongLineIsFoundAtOnce) {
  const std::vector<std::string_view> known(400, "switch 10.11 port 12");
  const std::clock_t start = std::clock();
  EXPECT_EQ(nearest_name(std::string(1'000'000, 'x'), known), "");
  EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC);
}

TEST(Counted, HasThePluralOfItsNoun) {
  EXPECT_EQ(counted(1, "fault"), "1 fault");
  EXPECT_EQ(counted(0, "fault"), "0 faults");
  EXPECT_EQ(counted(2, "switch"), "2 switches");
  EXPECT_EQ(counted(3, "entry"), "3 entries");
  EXPECT_EQ(counted(1, "channel dependency"), "1 channel dependency");
  EXPECT_EQ(counted(4, "channel dependency"), "4 channel dependencies");
}

TEST(Counted, AgreesWithItsVerb) {
  EXPECT_EQ(all_counted(1, "set"), "the only set");
  EXPECT_EQ(all_counted(2, "set"), "all 2 sets");
  EXPECT_EQ(agreeing(0, "is", "are"), "are");
  EXPECT_EQ(agreeing(1, "is", "are"), "is");
  EXPECT_EQ(agreeing(2, "loses", "lose"), "lose");
}

}  // namespace
}  // namespace faultline
