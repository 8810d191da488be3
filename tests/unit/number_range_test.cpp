// SPDX-License-Identifier: Apache-2.0
// Is a number that does not fit refused in every field, and kept unchanged where it does?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "faultline/base/random.h"
#include "faultline/routing/kind.h"
#include "faultline/study/case.h"
#include "faultline/topology/kind.h"
#include "faultline/traffic/pattern.h"
#include "study/sweep.h"
#include "support/effort.h"
#include "support/error_message.h"

namespace faultline {
namespace {

using testing::HasSubstr;

struct Registered {
  std::string path;
  KindInfo info;
};

std::vector<Registered> all_kinds() {
  std::vector<Registered> kinds;
  for (const auto* kind : topology_kinds()) kinds.push_back({"topology", kind->info});
  for (const auto* kind : routing_kinds()) kinds.push_back({"routing", kind->info});
  for (const auto* kind : pattern_kinds()) kinds.push_back({"traffic", kind->info});
  for (const auto* kind : verb_kinds()) kinds.push_back({"verb", kind->info});
  return kinds;
}

std::string allowed_value(const FieldInfo& field) {
  return field.rule.is_file ? __FILE__ : std::to_string(field.integers.low);
}

std::string answer(const Registered& kind, const std::string& field, const Scalar& value) {
  Description given{.path = kind.path, .kind = std::string(kind.info.name)};
  for (const FieldInfo& other : kind.info.fields())
    if (other.rule.is_required && other.name != field)
      given.fields.emplace_back(other.name, Value{{allowed_value(other)}, false, {}});
  given.fields.emplace_back(field, Value{{value}, false, {}});
  try {
    (void)kind.info.canonical(given);
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(NumberRange, EveryIntegerFieldRefusesWhatItCannotHold) {
  int fields = 0;
  for (const Registered& kind : all_kinds())
    for (const FieldInfo& field : kind.info.fields()) {
      if (field.type != FieldType::integer) continue;
      ++fields;
      std::vector<std::string> outside{"-1",
                                       "-9223372036854775809",
                                       "18446744073709551616",
                                       "1e3",
                                       "1.0",
                                       "",
                                       "340282366920938463463374607431768211456"};
      if (field.integers.high < ~std::uint64_t{0}) outside.push_back(std::to_string(field.integers.high + 1));
      for (const std::string& text : outside)
        EXPECT_THAT(answer(kind, field.name, text), HasSubstr("must be " + allowed_text(field)))
            << kind.info.name << '.' << field.name << '=' << text;
      EXPECT_THAT(answer(kind, field.name, std::int64_t{-1}), HasSubstr("must be " + allowed_text(field)));
    }
  EXPECT_GT(fields, 20);
}

struct Widths {
  std::uint8_t narrow = 0;
  std::uint32_t middle = 0;
  std::uint64_t wide = 0;
  std::int32_t whole = 0;
  std::vector<std::uint32_t> list;
  double real = 0;

  static void fields(auto& field) {
    field("narrow", &Widths::narrow, at_least(0), "");
    field("middle", &Widths::middle, at_least(0), "");
    field("wide", &Widths::wide, at_least(0), "");
    field("whole", &Widths::whole, Rule{}, "");
    field("list", &Widths::list, between(0, 1e12), "");
    field("real", &Widths::real, Rule{}, "");
  }
};

Widths read(const std::string& assignment) {
  return read_params<Widths>(parse_compact("test", "widths:" + assignment));
}

std::string refusal(const std::string& assignment) {
  try {
    (void)read(assignment);
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(NumberRange, IsDecidedByTheMembersType) {
  EXPECT_EQ(read("narrow=255").narrow, 255);
  EXPECT_THAT(refusal("narrow=256"), HasSubstr("from 0 to 255"));
  EXPECT_EQ(read("middle=4294967295").middle, 4294967295U);
  EXPECT_THAT(refusal("middle=4294967296"), HasSubstr("from 0 to 2^32 - 1"));
  EXPECT_EQ(read("wide=18446744073709551615").wide, 18446744073709551615U);
  EXPECT_THAT(refusal("wide=18446744073709551616"), HasSubstr("from 0 to 2^64 - 1"));
  EXPECT_EQ(read("whole=-2147483648").whole, -2147483647 - 1);
  EXPECT_THAT(refusal("whole=2147483648"), HasSubstr("from -2147483648 to 2147483647"));
  EXPECT_THAT(refusal("list=4294967296"), HasSubstr("2^32 - 1"));  // although the rule would allow it
  EXPECT_THAT(refusal("real=inf"), HasSubstr("a number"));
  EXPECT_THAT(refusal("real=1e999"), HasSubstr("a number"));
}

TEST(NumberRange, CanonicalFormKeepsLargeNumbers) {
  const Widths widths = read("wide=18446744073709551615");
  const Description canonical = describe_params("test", "widths", widths);
  EXPECT_EQ(to_string(*canonical.find("wide")), "18446744073709551615");
  EXPECT_EQ(read_params<Widths>(canonical).wide, widths.wide);
  EXPECT_THAT(canonical_text(canonical, fields_of<Widths>()), HasSubstr("18446744073709551615"));
}

/// What a file system allows in a name need not be UTF-8, as "fä" in Latin-1: texts that differ stay so.
TEST(CanonicalText, TellsBytesApartThatAreNoUtf8) {
  const auto text_of = [](const std::string& text) {
    return canonical_text({.path = "t", .kind = "k", .fields = {{"name", {{text}, false, {}}}}},
                          {{.name = "name", .type = FieldType::text}});
  };
  std::set<std::string> texts;
  const std::vector<std::string> all{"f\xe4",
                                     "f\xe5",
                                     "f\xe4\xe5",
                                     "f\xef\xbf\xbd",
                                     "f\xef\xbf\xbd\xef\xbf\xbd",
                                     "f\xef\xbf\xbd"
                                     "e4",
                                     "f\xef\xbf\xbd\xe4",
                                     "f\\xe4",
                                     "fä",
                                     "fe4"};
  for (const std::string& text : all) {
    EXPECT_TRUE(nlohmann::json::accept(text_of(text))) << printable(text);
    texts.insert(text_of(text));
  }
  EXPECT_EQ(texts.size(), all.size());
  EXPECT_EQ(text_of("fä\\\n"), "{\"kind\":\"k\",\"name\":\"fä\\\\\\n\"}");
}

/// Two zeros are one question.
TEST(CanonicalText, KnowsOneZero) {
  const auto text_of = [](double real) {
    const Widths widths =
        read_params<Widths>({.path = "t", .kind = "k", .fields = {{"real", {{real}, false, {}}}}});
    return canonical_text(describe_params("t", "k", widths), fields_of<Widths>());
  };
  EXPECT_EQ(text_of(-0.0), text_of(0.0));
}

std::vector<std::string> values_of(const std::string& range) {
  std::vector<std::string> values;
  for (const Scalar& value : range_values(range, "test", {})) values.push_back(to_string(value));
  return values;
}

TEST(Ranges, OfIntegersAreExact) {
  using testing::ElementsAreArray;
  EXPECT_THAT(values_of("2..8:3"), ElementsAreArray({"2", "5", "8"}));
  EXPECT_THAT(values_of("2..8:4"), ElementsAreArray({"2", "6"}));
  EXPECT_THAT(values_of("-1..1"), ElementsAreArray({"-1", "0", "1"}));
  EXPECT_THAT(values_of("9007199254740993..9007199254740995"),
              ElementsAreArray({"9007199254740993", "9007199254740994", "9007199254740995"}));
  EXPECT_THAT(values_of("18446744073709551614..18446744073709551615"),
              ElementsAreArray({"18446744073709551614", "18446744073709551615"}));
  EXPECT_THAT(values_of("9223372036854775807..9223372036854775808"),
              ElementsAreArray({"9223372036854775807", "9223372036854775808"}));
  EXPECT_THROW((void)values_of("0..18446744073709551615"), Error);
  EXPECT_THROW((void)values_of("-9223372036854775808..9223372036854775807"), Error);
  EXPECT_THROW((void)values_of("3..1"), Error);
  EXPECT_THROW((void)values_of("1..3:0"), Error);
}

TEST(Ranges, OfDecimalsAreWhatIsWritten) {
  using testing::ElementsAreArray;
  EXPECT_THAT(values_of("0.1..0.3:0.1"), ElementsAreArray({"0.1", "0.2", "0.3"}));
  EXPECT_THAT(values_of("-0.3..0.3:0.3"), ElementsAreArray({"-0.3", "0", "0.3"}));
  EXPECT_THAT(values_of("1e-10..3e-10:1e-10"), ElementsAreArray({"1e-10", "2e-10", "3e-10"}));
  EXPECT_THAT(values_of("0.0001..0.0003:0.0001"), ElementsAreArray({"0.0001", "0.0002", "0.0003"}));
  EXPECT_THROW((void)values_of("0..1:1e-9"), Error);
}

TEST(Ranges, OfManyDigitsHoldTheirEnds) {
  using testing::ElementsAreArray;
  EXPECT_THAT(values_of("0.123456789012345..0.323456789012345:0.1"),
              ElementsAreArray({"0.123456789012345", "0.223456789012345", "0.323456789012345"}));
  EXPECT_EQ(values_of("0.12345678901234566..0.2:0.1").front(), "0.12345678901234566");
  EXPECT_EQ(values_of("1e-12..1:0.5").front(), "1e-12");
  // Digits are lost where terms are subtracted.
  EXPECT_EQ(values_of("-1..1:0.001").at(1001), "0.001");
  EXPECT_EQ(values_of("-0.7..0.7:0.1").at(7), "0");
  const std::vector<std::string> many = values_of("0.0001..9.9999:0.0001");
  ASSERT_EQ(many.size(), 99'999U);
  for (std::uint32_t i = 0; i < many.size(); ++i)
    ASSERT_EQ(std::stod(many[i]), std::stod(fmt::format("{}e-4", i + 1))) << many[i];
}

TEST(Compact, CommasInValuesAreEscaped) {
  const Description given = parse_compact("topology", "fabric:file=a\\,b.txt,tables=c");
  EXPECT_EQ(to_string(*given.find("file")), "a,b.txt");
  EXPECT_EQ(to_compact(given), "fabric:file=a\\,b.txt,tables=c");
  EXPECT_EQ(to_string(*parse_compact("t", to_compact(given)).find("file")), "a,b.txt");
}

TEST(Compact, BackslashesBeforeCommasAreEscaped) {
  const auto compact = [](const std::string& file) {
    return to_compact({.path = "t",
                       .kind = "fabric",
                       .fields = {{"file", {{file}, false, {}}}, {"tables", {{"c"}, false, {}}}}});
  };
  EXPECT_EQ(compact(R"(a\b\\c,d)"), R"(fabric:file=a\b\\c\,d,tables=c)");
  EXPECT_EQ(compact(R"(x\)"), R"(fabric:file=x\\,tables=c)");
  EXPECT_EQ(compact(R"(x\,y)"), R"(fabric:file=x\\\,y,tables=c)");
  // As people write it.
  EXPECT_EQ(to_string(*parse_compact("t", R"(fabric:file=x\)").find("file")), R"(x\)");
}

/// Alone, in a list of a command line, and as a value of another description.
TEST(Compact, AnyTextComesBackAsItWas) {
  constexpr std::string_view letters = R"(\\\,,ax=)";
  const auto text = [&](RandomStream& random) {
    std::string drawn;
    for (std::uint32_t left = random.next_below(6); left > 0; --left)
      drawn += letters[random.next_below(static_cast<std::uint32_t>(letters.size()))];
    return drawn;
  };
  for (std::uint64_t seed = 0; seed < effort(20'000U, 4'000U); ++seed) {
    RandomStream random(seed, 0);
    Description given{.path = "t", .kind = "k"};
    for (const char* name : {"one", "two", "three"})
      given.fields.push_back({name, {{text(random)}, false, {}}});
    const Description outer{
        .path = "t",
        .kind = "outer",
        .fields = {{"inner", {{to_compact(given)}, false, {}}}, {"last", {{text(random)}, false, {}}}}};
    const std::string written = to_compact(given);
    SCOPED_TRACE(written);
    const Sweep list(
        {.path = "t", .kind = "k", .fields = {{"field", {{written + "," + written}, false, {}}}}}, {});
    EXPECT_EQ(to_string(list.at(0).fields.front().second.items.back()), written);
    const Description outer_again = parse_compact("t", to_compact(outer));
    ASSERT_EQ(outer_again.fields.size(), 2U);
    EXPECT_EQ(to_string(*outer_again.find("last")), to_string(*outer.find("last")));
    for (const std::string& compact : {written, to_string(*outer_again.find("inner"))}) {
      const Description again = parse_compact("t", compact);
      ASSERT_EQ(again.fields.size(), given.fields.size());
      for (std::size_t i = 0; i < given.fields.size(); ++i) {
        EXPECT_EQ(again.fields[i].first, given.fields[i].first);
        ASSERT_EQ(to_string(again.fields[i].second), to_string(given.fields[i].second));
      }
    }
  }
}

TEST(Compact, EmptyPartsAreRefused) {
  for (const char* text : {"duato:", "duato:vcs=2,", "duato:,vcs=2", "duato:vcs=2,,x=1"}) {
    try {
      (void)parse_compact("routing", text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("a parameter is missing")) << text;
    }
  }
  EXPECT_THROW((void)parse_compact("routing", "fabric:file=a,b"), Error);
}

TEST(Sweeps, APathIsOneValue) {
  const FieldInfo file{.name = "file", .rule = file_path()},
      faults{.name = "faults", .rule = count_or_file()};
  const auto count = [](const FieldInfo& field, const std::string& text) {
    Description given{.path = "test", .kind = "any"};
    given.fields.emplace_back(field.name, Value{{text}, false, {}});
    return Sweep(given, {field}).count();
  };
  EXPECT_EQ(count(file, "a,b.txt"), 1U);
  EXPECT_EQ(count(file, "1..3"), 1U);
  EXPECT_EQ(count(faults, "a,b.txt"), 1U);
  EXPECT_EQ(count(faults, "1,4..6"), 4U);
}

/// Ten kilobytes can name a billion values.
TEST(Sweeps, OfMoreValuesThanThereMayBeCasesAreRefused) {
  const auto refusal = [](int ranges, bool is_list, std::size_t names) {
    Description given{.path = "test", .kind = "any"};
    std::vector<FieldInfo> fields;
    for (std::size_t i = 0; i < names; ++i) {
      std::string text = "1..100000";
      for (int more = 1; more < ranges; ++more) text += ",1..100000";
      const std::string name(1, static_cast<char>('a' + i));
      given.fields.emplace_back(name, Value{{text}, false, {}});
      fields.push_back({.name = name, .type = FieldType::integer, .is_list = is_list});
    }
    return testing_support::error_message([&] { (void)Sweep(given, fields); });
  };
  for (const bool is_list : thinned(std::vector{false, true}, 2)) {
    EXPECT_THAT(refusal(11, is_list, 1), HasSubstr("test.a"));
    EXPECT_THAT(refusal(11, is_list, 1), HasSubstr("at most 1000000 values in all fields"));
    EXPECT_THAT(refusal(1, is_list, 11), HasSubstr("test.k"));
    EXPECT_EQ(refusal(effort(10, 2), is_list, 1), "accepted");
  }
}

TEST(Sweeps, AreMadeOneByOneAndCountedBeforehand) {
  Description given{.path = "test", .kind = "any"};
  std::vector<FieldInfo> fields;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    given.fields.emplace_back(name, Value{{std::string("0..9999")}, false, {}});
    fields.push_back({.name = name, .type = FieldType::integer});
  }
  const Sweep sweep(given, fields);
  EXPECT_EQ(sweep.count(), ~std::uint64_t{0});
  given.fields.pop_back();
  EXPECT_EQ(Sweep(given, fields).count(), 10'000'000'000'000'000U);
  EXPECT_EQ(to_string(*Sweep(given, fields).at(1234'5678'9012'3456U).find("b")), "5678");
}

}  // namespace
}  // namespace faultline
