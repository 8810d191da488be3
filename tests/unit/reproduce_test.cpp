// SPDX-License-Identifier: Apache-2.0
// Verdicts on hand-made records.
#include "faultline/study/reproduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "faultline/base/error.h"
#include "faultline/routing/kind.h"
#include "faultline/study/verdicts.h"
#include "support/error_message.h"

namespace faultline {
namespace {

using testing::HasSubstr;

constexpr std::string_view head = R"(title = "t"
[designs]
A = "ruft:k=2,n=2"
B = "fat-tree:k=2,n=2 fta"
[[experiment]]
verb = "topology"
topology = ["ruft:k=2,n=2", "fat-tree:k=2,n=2"]
)";

std::vector<PaperClaim> claims(const std::string& text) {
  return read_paper(std::string(head) + text, "t.toml").claims;
}

Record record(const std::string& topology, const std::string& routing, int load, double accepted,
              double half) {
  const nlohmann::json asked{{"verb", "simulate"},
                             {"topology", topology},
                             {"routing", routing},
                             {"options", {{"load", load}, {"seed", 1}}}};
  const nlohmann::json result{{"accepted", accepted},
                              {"accepted_interval", {accepted - half, accepted + half}}};
  return {.case_text = asked.dump(), .result_text = result.dump()};
}

/// The record with other options.
Record with(const nlohmann::json& options, Record record) {
  nlohmann::json asked = nlohmann::json::parse(record.case_text);
  asked["options"].update(options);
  record.case_text = asked.dump();
  return record;
}

std::vector<Record> records() {
  return {record("ruft:k=2,n=2", "ruft", 1, 0.5, 0.02), record("ruft:k=2,n=2", "ruft", 2, 0.6, 0.02),
          record("fat-tree:k=2,n=2", "fta", 1, 0.3, 0.01),
          record("fat-tree:k=2,n=2", "destro", 1, 0.9, 0.01)};
}

std::string claim(const std::string& rest) {
  return "[[claim]]\nclaim = \"c\"\nsource = \"s\"\nverb = \"simulate\"\nkey = \"/accepted\"\ninterval = "
         "\"/accepted_interval\"\nnote = \"n\"\n" +
         rest + "\n";
}

Finding finding(const std::string& rest) { return judge(claims(claim(rest)), records()).at(0); }

TEST(Judge, ANumberAgreesWithinItsRoundingAndOurInterval) {
  EXPECT_EQ(finding("options = {load = 1}\nprinted = {A = 0.51}").verdict, ClaimVerdict::agrees);
  EXPECT_EQ(finding("options = {load = 1}\nprinted = {A = 0.524}\nrounding = 0.005").verdict,
            ClaimVerdict::agrees);
  EXPECT_EQ(finding("options = {load = 1}\nprinted = {A = 0.524}").verdict, ClaimVerdict::within_5_percent);
  const Finding differs = finding("options = {load = 1}\nprinted = {A = 0.6}");
  EXPECT_EQ(differs.verdict, ClaimVerdict::differs);
  EXPECT_EQ(differs.explanation, "n");
  EXPECT_DOUBLE_EQ(differs.ours.value_or(0), 0.5);
  EXPECT_DOUBLE_EQ(differs.interval.value_or(Interval{}).low, 0.48);
}

TEST(Judge, OneRecordCountsOrTheGreatestOrTheMeanOfAll) {
  EXPECT_DOUBLE_EQ(finding("options = {load = 2}\nprinted = {A = 0}").ours.value_or(0), 0.6);
  EXPECT_DOUBLE_EQ(finding("take = \"max\"\nprinted = {A = 0}").ours.value_or(0), 0.6);
  EXPECT_DOUBLE_EQ(finding("printed = {A = 0}").ours.value_or(0), 0.55);
  EXPECT_DOUBLE_EQ(
      finding("options = {load = 2}\nrelative_to = {load = 1}\nprinted = {A = 0}").ours.value_or(0), 1.2);
  EXPECT_DOUBLE_EQ(finding("printed = {B = 0}").ours.value_or(0), 0.3);  // not the record of another routing
}

/// A mean of quotients, not a quotient of means, in which the largest values would decide; the interval is
/// over seeds, however much patterns differ.
TEST(Judge, EachCaseIsDividedByTheOneThatDiffersInNothingElse) {
  std::vector<Record> all;
  for (const int seed : {1, 2})
    for (const auto& [traffic, load, accepted] : {std::tuple{"uniform", 1, 1.0},
                                                  {"uniform", 2, 2.0},
                                                  {"transpose", 1, 100.0},
                                                  {"transpose", 2, 100.0}}) {
      all.push_back(
          with({{"traffic", traffic}, {"seed", seed}}, record("ruft:k=2,n=2", "ruft", load, accepted, 0.01)));
    }
  const std::string relative = "options = {load = 2}\nrelative_to = {load = 1}\nprinted = {A = 1.5}";
  const Finding found = judge(claims(claim(relative)), all).at(0);
  EXPECT_DOUBLE_EQ(found.ours.value_or(0), 1.5);
  EXPECT_NEAR(found.interval.value_or(Interval{}).high, 1.5, 1e-9);
}

TEST(Judge, ADamagedRecordIsAMissingOne) {
  const std::string one = "options = {load = 1}\nprinted = {A = 0.5}";
  std::vector<Record> damaged = records();
  damaged[0].result_text = "{";
  damaged[1].case_text = "[";
  EXPECT_EQ(judge(claims(claim(one)), records()).at(0).verdict, ClaimVerdict::agrees);
  EXPECT_EQ(judge(claims(claim(one)), damaged).at(0).verdict,
            judge(claims(claim(one)), {records()[2]}).at(0).verdict);
}

/// However many they are: the first and the tenth of these are like no other.
TEST(Judge, EverySeedIsInTheInterval) {
  std::vector<Record> all;
  std::vector<double> values;
  for (int seed = 1; seed <= 50; ++seed) {
    values.push_back(seed == 1 || seed == 10 ? 0.1 : 1 + seed % 3);
    all.push_back(with({{"seed", seed}}, record("ruft:k=2,n=2", "ruft", 2, values.back(), 0.01)));
  }
  const Interval found =
      judge(claims(claim("options = {load = 2}\nprinted = {A = 1.5}")), all).at(0).interval.value();
  double sum = 0, squares = 0;
  for (const double value : values) sum += value, squares += value * value;
  const double mean = sum / 50, half = 2.0096 * std::sqrt((squares / 50 - mean * mean) / 49);  // t of 49
  EXPECT_NEAR(found.low, mean - half, 1e-4);
  EXPECT_NEAR(found.high, mean + half, 1e-4);
}

/// The record with another value in its result.
Record with_result(const std::string& key, const nlohmann::json& value, Record record) {
  nlohmann::json result = nlohmann::json::parse(record.result_text);
  result[key] = value;
  record.result_text = result.dump();
  return record;
}
/// The record whose interval has only these bounds; null: none.
Record bounded(const nlohmann::json& interval, const Record& record) {
  return with_result("accepted_interval", interval, record);
}

/// Any number lies in an interval without bounds, as that of a mean over too few batches.
TEST(Judge, AnIntervalThatIsNotBoundedConfirmsNoNumber) {
  const Record ours = record("ruft:k=2,n=2", "ruft", 1, 0.5, 0.02);
  const auto verdict_of = [](const Record& one, const std::string& rest) {
    return judge(claims(claim(rest)), {one}).at(0).verdict;
  };
  for (const char* printed : {"0.5", "7"}) {
    const std::string rest = std::string("printed = {A = ") + printed + "}";
    EXPECT_EQ(verdict_of(bounded({nullptr, nullptr}, ours), rest), ClaimVerdict::undecided) << printed;
    EXPECT_EQ(verdict_of(bounded({0.48, nullptr}, ours), rest), ClaimVerdict::undecided) << printed;
  }
  EXPECT_EQ(verdict_of(bounded({0.48, nullptr}, ours), "printed = {A = 0.3}"), ClaimVerdict::differs);
  EXPECT_EQ(verdict_of(bounded({nullptr, 0.52}, ours), "printed = {A = 7}"), ClaimVerdict::differs);
  EXPECT_EQ(verdict_of(bounded({0.48, nullptr}, ours), "at_least = {A = 0.48}"), ClaimVerdict::agrees);
}

TEST(Judge, QuotientsOfIntervalsThatAreNotBoundedAreUndecided) {
  const std::vector<Record> all{bounded({nullptr, nullptr}, record("ruft:k=2,n=2", "ruft", 1, 0.5, 0)),
                                bounded({nullptr, nullptr}, record("fat-tree:k=2,n=2", "fta", 1, 0.3, 0))};
  for (const char* rest : {"greater = \"A\"\nthan = [\"B\"]", "about = \"A\"\nthan = [\"B\"]"})
    EXPECT_EQ(judge(claims(claim(rest)), all).at(0).verdict, ClaimVerdict::undecided) << rest;
}

/// A mean or a maximum over the seeds that happened to give a number would be another estimate.
TEST(Judge, ACaseWithoutANumberLeavesItsClaimWithoutAVerdict) {
  std::vector<Record> all;
  for (const int seed : {1, 2, 3})
    all.push_back(with({{"seed", seed}}, record("ruft:k=2,n=2", "ruft", 1, 0.5, 0.02)));
  for (const char* rest :
       {"printed = {A = 0.5}", "take = \"max\"\nprinted = {A = 0.5}", "at_most = {A = 1}"}) {
    EXPECT_EQ(judge(claims(claim(rest)), all).at(0).verdict, ClaimVerdict::agrees) << rest;
    std::vector<Record> some = all;
    some[2] = with_result("accepted", nullptr, some[2]);
    const Finding found = judge(claims(claim(rest)), some).at(0);
    EXPECT_EQ(found.verdict, ClaimVerdict::not_computed) << rest;
    EXPECT_EQ(found.explanation, "1 of its cases has no number there") << rest;
    EXPECT_FALSE(found.ours) << rest;
  }
}

/// Without faults, seeds may differ so little that a study has fewer of them.
TEST(Judge, MeansAreDividedWhereSomeCasesHaveNoneToBeDividedBy) {
  std::vector<Record> all;
  for (const auto& [seed, load, accepted] : {std::tuple{1, 1, 1.0}, {1, 2, 1.0}, {2, 2, 3.0}, {2, 1, 2.0}})
    all.push_back(with({{"seed", seed}}, record("ruft:k=2,n=2", "ruft", load, accepted, 0.02)));
  const auto found = claims(claim("options = {load = 2}\nrelative_to = {load = 1}\nprinted = {A = 2}"));
  EXPECT_EQ(judge(found, all).at(0).ours, 1.25);  // of 1 / 1 and 3 / 2
  all.pop_back();
  EXPECT_EQ(judge(found, all).at(0).ours, 2.0);  // 2 / 1
  // A number that is not there is another matter: of two seeds, one would be left.
  all.push_back(
      with_result("accepted", nullptr, with({{"seed", 2}}, record("ruft:k=2,n=2", "ruft", 1, 2, 0))));
  EXPECT_EQ(judge(found, all).at(0).verdict, ClaimVerdict::not_computed);
  all.erase(all.begin());
  all.pop_back();
  EXPECT_EQ(judge(found, all).at(0).explanation, "it has no case to be divided by");
}

TEST(Judge, ComparisonsHoldForAllOfTheInterval) {
  EXPECT_EQ(finding("options = {load = 1}\ngreater = \"A\"\nthan = [\"B\"]").verdict,
            ClaimVerdict::agrees);  // 0.48 / 0.31 = 1.55
  EXPECT_EQ(finding("options = {load = 1}\ngreater = \"A\"\nthan = [\"B\"]\nfactor = 1.6").verdict,
            ClaimVerdict::undecided);
  EXPECT_EQ(finding("options = {load = 1}\ngreater = \"A\"\nthan = [\"B\"]\nfactor = 2").verdict,
            ClaimVerdict::differs);
  EXPECT_EQ(finding("options = {load = 1}\ngreater = \"B\"\nthan = [\"A\"]").verdict, ClaimVerdict::differs);
  EXPECT_EQ(finding("options = {load = 1}\nabout = \"A\"\nthan = [\"B\"]").verdict, ClaimVerdict::differs);
  EXPECT_EQ(finding("options = {load = 1}\nabout = \"A\"\nthan = [\"A\"]").verdict,
            ClaimVerdict::undecided);  // 8 % wide
}

TEST(Judge, WordsAreReadAsBoundsOnAllOfTheInterval) {
  EXPECT_EQ(finding("options = {load = 1}\nat_least = {A = 0.48}").verdict, ClaimVerdict::agrees);
  EXPECT_EQ(finding("options = {load = 1}\nat_least = {A = 0.49}").verdict, ClaimVerdict::undecided);
  EXPECT_EQ(finding("options = {load = 1}\nat_least = {A = 0.53}").verdict, ClaimVerdict::differs);
  EXPECT_EQ(finding("options = {load = 1}\nat_most = {A = 0.52}").verdict, ClaimVerdict::agrees);
  EXPECT_EQ(finding("options = {load = 1}\nat_most = {A = 0.51}").verdict, ClaimVerdict::undecided);
  const Finding differs = finding("options = {load = 1}\nat_most = {A = 0.47}");
  EXPECT_EQ(differs.verdict, ClaimVerdict::differs);
  EXPECT_EQ(differs.printed, "at most 0.47");
  EXPECT_EQ(finding("options = {load = 1}\nabout = \"A\"\nthan = [\"A\"]\nwithin = 0.1").verdict,
            ClaimVerdict::agrees);
}

/// Without a number nothing can be compared, though 0 / 0 is neither above nor below anything.
TEST(Judge, AQuotientThatIsNoNumberHasNoVerdict) {
  const std::vector<Record> none{record("ruft:k=2,n=2", "ruft", 1, 0, 0),
                                 record("fat-tree:k=2,n=2", "fta", 1, 0, 0),
                                 record("ruft:k=2,n=2", "ruft", 2, 0, 0)};
  const std::string relative = "options = {load = 2}\nrelative_to = {load = 1}\n";
  for (const std::string& rest :
       {std::string("options = {load = 1}\ngreater = \"A\"\nthan = [\"B\"]"),
        std::string("options = {load = 1}\nabout = \"A\"\nthan = [\"B\"]"), relative + "printed = {A = 1}",
        relative + "at_least = {A = 1}", relative + "at_most = {A = 1}"}) {
    const Finding found = judge(claims(claim(rest)), none).at(0);
    EXPECT_EQ(found.verdict, ClaimVerdict::not_computed) << rest;
    EXPECT_THAT(found.explanation, HasSubstr("not a number")) << rest;
    EXPECT_FALSE(found.ours || found.interval) << rest;
  }
  // Something divided by nothing is more than any factor.
  const std::vector<Record> one{record("ruft:k=2,n=2", "ruft", 1, 0.5, 0),
                                record("fat-tree:k=2,n=2", "fta", 1, 0, 0)};
  EXPECT_EQ(judge(claims(claim("options = {load = 1}\ngreater = \"A\"\nthan = [\"B\"]")), one).at(0).verdict,
            ClaimVerdict::agrees);
}

TEST(Judge, AKeyFindsTheEntryOfAListByItsNumber) {
  const auto at = [](const std::string& key) {
    const nlohmann::json asked{{"verb", "simulate"},
                               {"topology", "ruft:k=2,n=2"},
                               {"routing", "ruft"},
                               {"options", nlohmann::json::object()}};
    const nlohmann::json result{
        {"by_faults", {{{"faults", 5}, {"sets", 50}}, {{"faults", 50}, {"sets", 500}}}}};
    const auto found =
        claims("[[claim]]\nclaim = \"c\"\nsource = \"s\"\nverb = \"simulate\"\nprinted = {A = 1}\nkey = \"" +
               key + "\"\n");
    return judge(found, {{.case_text = asked.dump(), .result_text = result.dump()}}).at(0).ours;
  };
  EXPECT_EQ(at("/by_faults/faults=50/sets"), 500.0);
  EXPECT_EQ(at("/by_faults/faults=5/sets"), 50.0);
  EXPECT_FALSE(at("/by_faults/faults=7/sets"));
  EXPECT_FALSE(at("/by_faults/faults=5/set"));
}

/// The maximum over a sweep, of which some loads are missing, might be another; a record of an older program,
/// or of another study, might as well.
TEST(Judge, OnlyWholeSetsOfThePapersOwnCasesAreJudged) {
  const Paper paper = read_paper(R"(title = "t"
[designs]
A = "ruft:k=2,n=2"
[[experiment]]
verb = "simulate"
topology = "ruft:k=2,n=2"
load = [0.1, 0.2, 0.3]
cycles = 1000
[[claim]]
claim = "c"
source = "s"
verb = "simulate"
key = "/accepted"
take = "max"
printed = {A = 0.3}
)",
                                 "t.toml");
  const CaseList& cases = paper.study.cases;
  std::vector<Record> stored;
  const auto add = [&](std::size_t i, const std::string& hash, double accepted) {
    stored.push_back({.hash = hash,
                      .case_text = case_text(cases[i]),
                      .result_text = nlohmann::json{{"accepted", accepted}}.dump()});
  };
  add(0, cases.hash(0), 0.1);
  add(1, cases.hash(1), 0.2);
  add(2, "of an older program", 0.4);
  EXPECT_EQ(judge(paper, stored)[0].verdict, ClaimVerdict::not_computed);
  EXPECT_EQ(judge(paper, stored)[0].explanation, "1 of its cases is not computed yet");
  add(2, cases.hash(2), 0.3);
  EXPECT_EQ(judge(paper, stored)[0].verdict, ClaimVerdict::agrees);
  EXPECT_EQ(judge(paper, {})[0].explanation, "3 of its cases are not computed yet");
  stored[0].case_text = "[";
  EXPECT_EQ(judge(paper, stored)[0].explanation, "1 of its cases is not computed yet")
      << "its text is damaged";
}

/// Studies leave fields of a routing, or all of it, to defaults; designs and records name every field.
TEST(Judge, ACaseIsMissedHoweverItsRoutingIsGiven) {
  const auto first_verdict = [](const std::string& routing) {
    const Paper paper = read_paper(R"(title = "t"
[designs]
A = "torus:radix=4x4 dimension-order"
[[experiment]]
verb = "simulate"
topology = "torus:radix=4x4"
load = [0.1, 0.2]
)" + routing + R"(
[[claim]]
claim = "c"
source = "s"
verb = "simulate"
key = "/accepted"
printed = {A = 0.1}
)",
                                   "t.toml");
    Case named = paper.study.cases[0];
    named.routing = Resolved<RoutingKind>(parse_compact("routing", "dimension-order")).canonical();
    return judge(paper, {{.hash = paper.study.cases.hash(0),
                          .case_text = case_text(named),
                          .result_text = R"({"accepted":0.1})"}})[0]
        .verdict;
  };
  EXPECT_EQ(first_verdict(""), ClaimVerdict::not_computed);
  EXPECT_EQ(first_verdict("routing = \"dimension-order\""), ClaimVerdict::not_computed);
  EXPECT_EQ(first_verdict("routing = \"dimension-order:ring_rule=auto\""), ClaimVerdict::not_computed);
}

TEST(VerdictPage, ListsWhatDiffersFirstAndSaysWhy) {
  const Paper paper = read_paper(std::string(head) + claim("options = {load = 1}\nprinted = {A = 0.51}") +
                                     claim("options = {load = 1}\nprinted = {A = 0.6}"),
                                 "t.toml");
  const std::vector<Finding> findings = judge(paper.claims, records());
  const VerdictCounts counts = count_verdicts(findings);
  EXPECT_EQ(counts[ClaimVerdict::agrees], 1U);
  EXPECT_EQ(counts[ClaimVerdict::differs], 1U);
  EXPECT_EQ(counts.total(), 2U);
  const std::string page = verdict_page(paper, "t", findings, "2026-01-02");
  EXPECT_THAT(page, HasSubstr("run on 2026-01-02"));
  EXPECT_THAT(page, HasSubstr("2 statements: 1 agree"));
  EXPECT_LT(page.find("| differs | 0.6 | 0.5 | 0.48 … 0.52 | s | A: c |"), page.find("| agrees | 0.51 |"));
  EXPECT_THAT(page, HasSubstr("- **A: c** (s): n"));
}

TEST(Judge, WithoutARecordNothingIsClaimed) {
  const Finding missing = finding("options = {load = 7}\nprinted = {A = 0.5}");
  EXPECT_EQ(missing.verdict, ClaimVerdict::not_computed);
  EXPECT_TRUE(to_json(missing)["ours"].is_null());
  for (const char* key : {"claim", "source", "printed", "ours", "interval", "verdict"})
    EXPECT_TRUE(to_json(missing).contains(key)) << key;
}

TEST(Papers, BadClaimsAreRefusedWithTheirLine) {
  const auto refusal = [](const std::string& text) {
    try {
      (void)claims(text);
    } catch (const Error& error) {
      EXPECT_GT(error.parts().location.line, 0) << error.what();
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal(claim("printed = {C = 1}")), HasSubstr("[designs]"));
  EXPECT_THAT(refusal(claim("printd = {A = 1}")), HasSubstr("did you mean 'printed'"));
  EXPECT_THAT(refusal(claim("greater = \"A\"")), HasSubstr("claim.than"));
  EXPECT_THAT(refusal("[[claim]]\nclaim = \"c\"\nprinted = {A = 1}\n"), HasSubstr("claim.source"));
}

TEST(Papers, ValuesOfAnotherTypeAreRefusedWithTheirLine) {
  const auto refusal = [](const std::string& rest, int line) {
    const std::string text = std::string(head) + claim(rest);
    try {
      (void)read_paper(text, "t.toml");
    } catch (const Error& error) {
      EXPECT_EQ(error.parts().location.file, "t.toml") << error.what();
      EXPECT_EQ(error.parts().location.line, line) << error.what();
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const int first = 15;  // of `rest`, after `head` and the lines of claim()
  EXPECT_THAT(refusal("take = \"median\"\nprinted = {A = 1}", first), HasSubstr("must be mean or max"));
  EXPECT_THAT(refusal("take = 1\nprinted = {A = 1}", first), HasSubstr("claim.take"));
  EXPECT_THAT(refusal("printed = {A = 1}\nrounding = \"0.005\"", first + 1), HasSubstr("claim.rounding"));
  EXPECT_THAT(refusal("printed = {A = true}", first), HasSubstr("claim.printed.A"));
  EXPECT_THAT(refusal("printed = 1", first), HasSubstr("must be numbers by design"));
  EXPECT_THAT(refusal("greater = \"A\"\nthan = [\"B\"]\nfactor = \"2\"", first + 2),
              HasSubstr("claim.factor"));
  EXPECT_THAT(refusal("about = \"A\"\nthan = [\"B\"]\nwithin = \"0.1\"", first + 2),
              HasSubstr("claim.within"));
  EXPECT_THAT(refusal("greater = \"A\"\nthan = [1]", first + 1), HasSubstr("claim.than"));
  EXPECT_THAT(refusal("printed = {A = 1}\noptions = {load = [1, 2]}", first + 1),
              HasSubstr("claim.options.load"));
  EXPECT_THAT(refusal("printed = {A = 1}\noptions = \"load\"", first + 1), HasSubstr("claim.options"));
}

/// A number belongs to one network: of a sweep, only the first would be compared.
TEST(Papers, ANumberOfASweepIsRefused) {
  constexpr std::string_view sweep = "[designs]\nS = \"ruft:k=2..4,n=2\"\n";
  const auto refusal = [&](const std::string& rest) {
    std::string text(head);
    text.replace(text.find("[designs]\n"), std::string_view("[designs]\n").size(), sweep);
    return testing_support::error_message([&] { (void)read_paper(text + claim(rest), "t.toml"); });
  };
  const std::string said = "'S': must be one network where numbers are compared; this design has 3";
  EXPECT_THAT(refusal("printed = {S = 1}"), HasSubstr(said));
  EXPECT_THAT(refusal("at_least = {S = 1}"), HasSubstr(said));
  EXPECT_THAT(refusal("greater = \"S\"\nthan = [\"B\"]"), HasSubstr(said));
  EXPECT_THAT(refusal("about = \"A\"\nthan = [\"S\"]"), HasSubstr(said));
}

TEST(Papers, AClaimMakesOneComparison) {
  const auto refusal = [](const std::string& rest) {
    try {
      (void)claims(claim(rest));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal("greater = \"A\"\nabout = \"A\"\nthan = [\"B\"]"),
              HasSubstr("claim.about: must be in another claim than greater"));
  EXPECT_THAT(refusal("printed = {A = 1}\nat_most = {A = 1}"), HasSubstr("claim.at_most"));
  EXPECT_THAT(refusal("printed = {A = 1}\nwithin = 0.1"), HasSubstr("claim.within"));
  EXPECT_THAT(refusal("about = \"A\"\nthan = [\"B\"]\nfactor = 2"), HasSubstr("claim.factor"));
  EXPECT_THAT(refusal("take = \"mean\""), HasSubstr("must have one of"));
  EXPECT_EQ(refusal("take = \"mean\"\nprinted = {A = 1}\nrounding = 1"), "accepted");
}

TEST(Papers, LongIsAFlag) {
  EXPECT_TRUE(read_paper("long = true\n" + std::string(head) + claim("printed = {A = 1}"), "t.toml").is_long);
  EXPECT_THROW(
      (void)read_paper("long = \"yes\"\n" + std::string(head) + claim("printed = {A = 1}"), "t.toml"), Error);
}

Record statement(const std::string& topology, const nlohmann::json& holds) {
  const nlohmann::json asked{{"verb", "statements"},
                             {"topology", topology},
                             {"routing", "up-down"},
                             {"options", nlohmann::json::object()}};
  const nlohmann::json result{
      {"statements",
       {{"s", {{"holds", holds}, {"counter_example", {"s0", "s2"}}, {"counter_example_lost", {"t"}}}}}}};
  return {.case_text = asked.dump(), .result_text = result.dump()};
}

const std::string statement_of_a_sweep =
    "title = \"t\"\n[designs]\nR = \"ruft:k=2..4,n=2\"\n[[experiment]]\nverb = \"topology\"\ntopology = "
    "[\"ruft:k=2,n=2\"]\n[[claim]]\nclaim = \"c\"\nsource = \"s\"\nstatement = \"s\"\nevery = [\"R\"]\n";

/// The note of a claim says why it differs, not why it is unknown.
TEST(Judge, ANoteExplainsAVerdictOnly) {
  const auto found = read_paper(statement_of_a_sweep + "note = \"n\"\n", "t.toml").claims;
  const std::vector<Record> some{statement("ruft:k=2,n=2", true), statement("ruft:k=3,n=2", true)};
  EXPECT_EQ(judge(found, some)[0].verdict, ClaimVerdict::not_computed);
  EXPECT_EQ(judge(found, some)[0].explanation, "");
  const Finding differs = judge(found, {some[0], some[1], statement("ruft:k=4,n=2", false)})[0];
  EXPECT_EQ(differs.verdict, ClaimVerdict::differs);
  EXPECT_THAT(differs.explanation, testing::EndsWith("; n"));
}

TEST(Judge, AStatementIsToHoldForEveryNetworkOfASweep) {
  const auto found = read_paper(statement_of_a_sweep, "t.toml").claims;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].design.topologies.size(), 3U);
  const std::vector<Record> all{statement("ruft:k=2,n=2", true), statement("ruft:k=3,n=2", true),
                                statement("ruft:k=4,n=2", true)};
  EXPECT_EQ(judge(found, all)[0].verdict, ClaimVerdict::agrees);
  EXPECT_EQ(judge(found, {all[0], all[1]})[0].verdict, ClaimVerdict::not_computed);
  EXPECT_EQ(judge(found, {all[0], all[1], statement("ruft:k=4,n=2", nullptr)})[0].verdict,
            ClaimVerdict::not_computed);
  const Finding differs =
      judge(found, {all[0], statement("ruft:k=4,n=2", false), statement("ruft:k=3,n=2", false)})[0];
  EXPECT_EQ(differs.verdict, ClaimVerdict::differs);
  EXPECT_EQ(differs.ours, 2.0);
  EXPECT_EQ(differs.explanation, "smallest exception ruft:k=3,n=2: s0, s2 fail; lost: t");
}

TEST(Papers, AnUnknownOneIsRefused) { EXPECT_THROW((void)find_paper("1-indirect"), Error); }

}  // namespace
}  // namespace faultline
