// SPDX-License-Identifier: Apache-2.0
// The help of an option of one switching model says so ("vct: …", "wormhole: …"); with the other model the
// option is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/study/case.h"

namespace faultline {
namespace {

/// Allowed, and not the default.
std::vector<std::string> other_value(const FieldInfo& field) {
  if (field.name == "agent") return {"drb"};
  if (field.name == "pipeline") return {"2", "1", "1", "1"};
  if (field.type == FieldType::boolean) return {"true"};
  for (const std::string_view name : field.rule.names)
    if (name != field.default_text) return {std::string(name)};
  return {std::to_string(std::stoi(field.default_text) + 1)};
}

/// As the user wrote it, and as a message quotes it.
std::string joined(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& one : texts) text += (text.empty() ? "" : ",") + one;
  return text;
}

std::string refusal(const std::string& switching, const FieldInfo& field) {
  const auto value = [](const std::vector<std::string>& texts, bool is_list) {
    return Value{{texts.begin(), texts.end()}, is_list, {}};
  };
  const Description options{"simulate",
                            "simulate",
                            {{"load", value({"0.1"}, false)},
                             {"switching", value({switching}, false)},
                             {field.name, value(other_value(field), field.is_list)}},
                            {},
                            nullptr};
  try {
    (void)find_kind(verb_kinds(), options).info.canonical(options);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(SwitchingOptions, AreRefusedWithTheOtherModel) {
  std::size_t seen = 0;
  for (const FieldInfo& field : find_kind(verb_kinds(), {"verb", "simulate", {}, {}}).info.fields())
    for (const auto& [own, other] : {std::pair{"vct", "wormhole"}, std::pair{"wormhole", "vct"}}) {
      if (!field.help.starts_with(std::string(own) + ":")) continue;
      ++seen;
      EXPECT_EQ(refusal(own, field), "") << field.name;
      EXPECT_EQ(refusal(other, field), "simulate." + field.name + " = '" + joined(other_value(field)) +
                                           "': must be left out with switching " + other +
                                           ": it is an option of switching " + own);
    }
  EXPECT_GE(seen, 10U);
}

}  // namespace
}  // namespace faultline
