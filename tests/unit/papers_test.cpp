// SPDX-License-Identifier: Apache-2.0
// Does the study of a paper compute what the paper's claims need? Its cases are answered here without running
// them: with a number at each key that such a case has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "faultline/base/error.h"
#include "faultline/design/statements.h"
#include "faultline/study/reproduce.h"
#include "support/effort.h"

namespace faultline {
namespace {

using Json = nlohmann::json;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

/// "/by_faults/faults=50/sets" → 50.
std::optional<std::int64_t> fault_count(const std::string& key) {
  const std::string entry = "/by_faults/faults=";
  return key.starts_with(entry) ? std::optional(std::stoll(key.substr(entry.size()))) : std::nullopt;
}

/// Some keys exist for some options only.
bool holds(const Json& asked, const std::string& key) {
  const Json& options = asked["options"];
  if (const auto faults = fault_count(key)) {
    if (asked["verb"] == "verify") return options["all-faults-up-to"] >= *faults;
    return std::ranges::find(options["faults"], Json(*faults)) != options["faults"].end();
  }
  if (key.starts_with("/smallest_failing/")) return options["failing-set"];
  if (key.starts_with("/hypercube/")) return options["hypercube"];
  return !key.starts_with("/by_faults/");
}

/// An entry of a list is named by a number in it: "faults=50".
Json& entry(Json& list, const std::string& name, std::int64_t number) {
  for (Json& one : list)
    if (one[name] == number) return one;
  list.push_back({{name, number}});
  return list.back();
}

void put(Json& result, const std::string& key, const Json& value) {
  Json* here = &result;
  for (std::size_t at = 1; at <= key.size();) {
    const std::size_t end = std::min(key.find('/', at), key.size());
    const std::string step = key.substr(at, end - at);
    const std::size_t equals = step.find('=');
    here = equals == std::string::npos
               ? &(*here)[step]
               : &entry(*here, step.substr(0, equals), std::stoll(step.substr(equals + 1)));
    at = end + 1;
  }
  *here = value;
}

class Answers {
 public:
  explicit Answers(const std::vector<PaperClaim>& claims) {
    for (const PaperClaim& claim : claims) {
      keys_[claim.verb].insert(claim.key);
      if (!claim.interval_key.empty()) intervals_[claim.verb].insert(claim.interval_key);
    }
  }

  [[nodiscard]] Record record(Case one) {
    one.routing = routing_or_default(one.routing, topology(one)).canonical();  // as records name it
    const std::string text = case_text(one);
    const Json asked = Json::parse(text);
    return {.case_text = text,
            .result_text = (asked["verb"] == "statements" ? statements(one) : numbers(asked)).dump()};
  }

 private:
  Json numbers(const Json& asked) {
    Json result;
    for (const std::string& key : keys_[asked["verb"]])
      if (holds(asked, key)) put(result, key, 1);
    for (const std::string& key : intervals_[asked["verb"]])
      if (holds(asked, key)) put(result, key, {1, 1});
    return result;
  }

  /// Only those that are checked of such a network.
  Json statements(const Case& one) {
    Json result;
    for (const Statement& statement : statements_about(topology(one)))
      result["statements"][statement.name] = {{"holds", true}};
    return result;
  }

  const Topology& topology(const Case& one) {
    TopologyPtr& built = built_[to_compact(one.topology)];
    if (!built) built = build_topology(one.topology);
    return *built;
  }

  std::map<std::string, std::set<std::string>> keys_, intervals_;  ///< by verb
  std::map<std::string, TopologyPtr> built_;
};

/// The claims that no case of the paper's study answers.
std::vector<std::string> unanswered(const Paper& paper) {
  Answers answers(paper.claims);
  std::vector<Record> records;
  for (const Case& one : paper.study.cases) records.push_back(answers.record(one));
  std::vector<std::string> claims;
  for (const Finding& finding : judge(paper.claims, records))
    if (finding.verdict == ClaimVerdict::not_computed)
      claims.push_back(finding.source + ", " + finding.claim);
  return claims;
}

TEST(Papers, EveryClaimOfABuiltInPaperIsAnsweredByItsStudy) {
  ASSERT_THAT(paper_names(), testing::Not(IsEmpty()));
  for (const std::string& name : under_sanitizers ? std::vector{paper_names().back()} : paper_names())
    EXPECT_THAT(unanswered(find_paper(name)), IsEmpty()) << name;
}

constexpr std::string_view small_paper = R"(title = "t"
[designs]
I = "torus:radix=4x4 methodology:ties=leg,mechanisms=i"
default = "torus:radix=4x4 dimension-order:ring_rule=auto"
"rings" = "switch-ring:n=4..6"
[[experiment]]
verb = "resilience"
topology = "torus:radix=4x4"
routing = "methodology:mechanisms=i,ties=leg"
faults = [1, 2]
samples = 10
[[experiment]]
verb = "simulate"
topology = "torus:radix=4x4"
faults = ["0", "3"]
load = 0.5
[[experiment]]
verb = "statements"
topology = "switch-ring:n=4..6"
[[claim]]
claim = "unserved"
source = "s"
verb = "resilience"
options = {samples = 10}
key = "/by_faults/faults=2/unserved_fraction"
interval = "/by_faults/faults=2/unserved_interval"
printed = {I = 0}
[[claim]]
claim = "kept"
source = "s"
verb = "simulate"
options = {faults = "3"}
key = "/accepted"
relative_to = {faults = "0"}
printed = {default = 1}
[[claim]]
claim = "stated"
source = "s"
statement = "theorem-1"
every = ["rings"]
)";

std::vector<std::string> unanswered_with(const std::string& given, const std::string& planted) {
  std::string text(small_paper);
  const std::size_t at = text.find(given);
  EXPECT_NE(at, std::string::npos) << given;
  return unanswered(read_paper(text.replace(at, given.size(), planted), "t.toml"));
}

TEST(Papers, AClaimThatItsStudyDoesNotAskIsFound) {
  EXPECT_THAT(unanswered_with("", ""), IsEmpty());
  const auto first = ElementsAreArray({"s, I: unserved"}), second = ElementsAreArray({"s, default: kept"});
  EXPECT_THAT(unanswered_with("ties=leg,mech", "ties=plus,mech"), first);
  EXPECT_THAT(unanswered_with("radix=4x4 meth", "radix=4x5 meth"), first);
  EXPECT_THAT(unanswered_with("faults = [1, 2]", "faults = [1, 3]"), first);
  EXPECT_THAT(unanswered_with("{samples = 10}", "{samples = 11}"), first);
  EXPECT_THAT(unanswered_with("{samples = 10}", "{sample = 10}"), first);
  EXPECT_THAT(unanswered_with("faults=2/unserved_f", "1/unserved_f"), first);
  EXPECT_THAT(unanswered_with("ring_rule=auto", "ring_rule=none"), second);
  EXPECT_THAT(unanswered_with("[\"0\", \"3\"]", "[\"1\", \"3\"]"), second);
  EXPECT_THAT(unanswered_with("theorem-1", "theorem-9"), testing::SizeIs(1));
  EXPECT_THAT(unanswered_with("n=4..6\"\n[[claim]]", "n=4..5\"\n[[claim]]"), testing::SizeIs(1));
}

TEST(Papers, ADesignsRoutingIsKnownAndHasSuchParameters) {
  const auto refusal = [](const std::string& planted) {
    try {
      (void)unanswered_with("methodology:ties=leg,mechanisms=i", planted);
    } catch (const Error& error) {
      return error.parts();
    }
    ADD_FAILURE() << planted << " is accepted";
    return Error::Parts{};
  };
  const Error::Parts kind = refusal("methodolgy");
  EXPECT_EQ(kind.field, "designs.I.routing");
  EXPECT_EQ(kind.suggestion, "methodology");
  EXPECT_EQ(kind.location.file, "t.toml");
  EXPECT_EQ(kind.location.line, 3);
  const Error::Parts field = refusal("methodology:tie=leg");
  EXPECT_EQ(field.field, "designs.I.routing.tie");
  EXPECT_EQ(field.location.line, 3);
  EXPECT_EQ(refusal("methodology:ties=none").value, "none");
  EXPECT_EQ(refusal(" methodology").location.line, 3);
}

}  // namespace
}  // namespace faultline
