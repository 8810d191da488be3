// SPDX-License-Identifier: Apache-2.0
// A description within a field is found, validated and typed where the field is read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/describe/kind.h"
#include "faultline/fault/process.h"
#include "faultline/traffic/pattern.h"

namespace faultline {
namespace {

struct Params {
  Nested<PatternKind> traffic{"hot-spot:share=0.25", {}};
  std::optional<Nested<FaultProcessKind>> process;

  static void fields(auto& field) {
    field("traffic", &Params::traffic, nested().written_out(), "a pattern");
    field("process", &Params::process, nested().or_word("none"), "of faults");
  }
};

Description given(const std::string& field, const std::string& text) {
  Description description{.path = "verb", .kind = "verb"};
  description.fields.emplace_back(field, Value{{text}, false, {"study.toml", 7}});
  return description;
}

Error::Parts refusal(const std::string& field, const std::string& text) {
  try {
    (void)read_params<Params>(given(field, text));
  } catch (const Error& error) {
    return error.parts();
  }
  return {};
}

TEST(Nested, HasItsKindAndAllOfItsFields) {
  const auto params = read_params<Params>(given("process", "transient:rate=1e-7,repair=2000"));
  EXPECT_EQ(params.process->text, "transient:rate=1e-7,repair=2000");
  const Description& process = params.process->resolved.description();
  EXPECT_EQ(process.kind, "transient");
  EXPECT_EQ(process.path, "verb.process");
  EXPECT_EQ(params.process->resolved.kind().info.name, "transient");
  for (const FieldInfo& field : params.process->resolved.kind().info.fields())
    EXPECT_TRUE(field.default_text.empty() || process.find(field.name) != nullptr) << field.name;
}

TEST(Nested, IsResolvedAsWellWhereItIsTheDefault) {
  const auto params = read_params<Params>({.path = "verb", .kind = "verb"});
  EXPECT_EQ(params.traffic.resolved.kind().info.name, "hot-spot");
  EXPECT_EQ(to_string(*params.traffic.resolved.description().find("share")), "0.25");
  EXPECT_FALSE(params.process);
}

TEST(Nested, NoneLeavesItOutWhereThatIsAllowed) {
  EXPECT_TRUE(read_params<Params>(given("process", "none")).process->is_none());
  EXPECT_EQ(refusal("traffic", "none").field, "verb.traffic");
}

TEST(Nested, ItsTextStaysAsItWasWritten) {
  for (const char* text : {"hot-spot:share=0.250", "hot-spot:spots=2,share=0.1", "uniform"}) {
    const auto params = read_params<Params>(given("traffic", text));
    EXPECT_EQ(to_string(*describe_params("verb", "verb", params).find("traffic")), text);
  }
}

TEST(Nested, ErrorsNameTheFieldWithinAndWhereItWasWritten) {
  using testing::HasSubstr;
  const Error::Parts kind = refusal("traffic", "hotspot"), field = refusal("traffic", "hot-spot:shares=0.1"),
                     value = refusal("traffic", "hot-spot:share=2");
  EXPECT_EQ(kind.field, "verb.traffic");
  EXPECT_EQ(kind.suggestion, "hot-spot");
  EXPECT_EQ(field.field, "verb.traffic.shares");
  EXPECT_EQ(value.field, "verb.traffic.share");
  for (const Error::Parts& parts : {kind, field, value}) EXPECT_EQ(parts.location.line, 7) << parts.field;
  EXPECT_EQ(refusal("traffic", "").field, "verb.traffic");
}

TEST(Nested, HelpNamesTheKinds) {
  for (const FieldInfo& field : fields_of<Params>()) {
    EXPECT_EQ(field.type, FieldType::nested);
    for (const KindInfo* kind : field.rule.catalogue())
      EXPECT_THAT(allowed_text(field), testing::HasSubstr(std::string(kind->name)));
  }
}

}  // namespace
}  // namespace faultline
