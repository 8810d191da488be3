// SPDX-License-Identifier: Apache-2.0
// Papers' figures and ours, as a reader of the page sees and downloads them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "faultline/report/report.h"
#include "faultline/study/verdicts.h"
#include "report/browser.h"

namespace faultline {
namespace {

using testing::HasSubstr;

/// Shows the rows of the statements, and files that the reader downloads.
constexpr const char* reader = R"(
  window.Blob = class { constructor(parts) { see('file ' + parts.join('').replaceAll('\r\n', '/')); } };
  URL.createObjectURL = () => '#';
  const rows = (what) => {
    see(what);
    for (const row of document.querySelectorAll('[aria-label^="Statements of"] tbody tr'))
      see([...row.querySelectorAll('th, td')].map((cell) => cell.textContent).join(';'));
  };
)";

std::string page_of(const std::vector<Finding>& findings) {
  nlohmann::json shown = nlohmann::json::array();
  for (const Finding& finding : findings) shown.push_back(nlohmann::json(page_finding(finding)));
  return render_report({}, {.papers = {{{"name", "p"}, {"title", "P"}, {"findings", shown}}}});
}

TEST_F(Browser, SortsVerdictsByInterestAndWritesTheirNames) {
  const std::vector<Finding> findings{
      {.claim = "a",
       .source = "s",
       .printed = "0.97",
       .rounding = 0.005,
       .ours = 0.966,
       .verdict = ClaimVerdict::agrees},
      {.claim = "b", .source = "s", .printed = "1", .verdict = ClaimVerdict::not_computed},
      {.claim = "c",
       .source = "s",
       .printed = "> B",
       .ours = 405504,
       .interval = Interval{405503, 1e7},
       .verdict = ClaimVerdict::undecided}};
  const std::string dom = play(page_of(findings), std::string(reader) + R"(
    rows('first');
    const sort = () => [...document.querySelectorAll('#verdicts button.sort')].find((one) => one.textContent === 'Verdict').click();
    sort();
    rows('sorted');
    sort();
    rows('back');
    [...document.querySelectorAll('#verdicts button')].find((one) => one.textContent === 'CSV').click();
  )");
  const std::string a = "a;✓ agrees;0.97 ± 0.005;0.966;none;s;", b = "b;– not computed;1;–;–;s;",
                    c = "c;? undecided;&gt; B;405504;405503 … 10000000;s;";
  EXPECT_THAT(dom, HasSubstr("first|" + c + "|" + b + "|" + a + "|sorted|" + c + "|" + b + "|" + a +
                             "|back|" + a + "|" + b + "|" + c));
  EXPECT_THAT(dom, HasSubstr("file Statement,Verdict,Printed,Ours,95 % interval,Source,Why/"
                             "c,undecided,&gt; B,405504,405503 … 10000000,s,/b,not computed,1,,–,s,/"
                             "a,agrees,0.97 ± 0.005,0.966,none,s,/"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

/// The page knows each verdict by its name: what a reader looks for comes first, as the program counts them.
TEST_F(Browser, KnowsEveryVerdict) {
  constexpr std::array<std::string_view, claim_verdict_count> signs{"✗", "?", "≈", "–", "✓"};
  std::vector<Finding> findings;
  std::string expected;
  for (std::size_t i = 0; i < claim_verdict_count; ++i) {
    const auto verdict = static_cast<ClaimVerdict>(i);
    findings.insert(findings.begin(), {.claim = "a", .printed = "1", .verdict = verdict});
    expected += fmt::format("a;{} {};1;–;–;–;|", signs.at(i), to_string(verdict));
  }
  EXPECT_THAT(play(page_of(findings), std::string(reader) + "rows('all'); see('end');"),
              HasSubstr("all|" + expected + "end"));
}

TEST_F(Browser, ShowsAnIntervalThatIsNotBoundedAsOne) {
  const std::vector<Finding> findings{{.claim = "a",
                                       .printed = "7",
                                       .ours = 0.5,
                                       .interval = Interval{-HUGE_VAL, HUGE_VAL},
                                       .verdict = ClaimVerdict::undecided}};
  const std::string dom = play(page_of(findings), std::string(reader) + "rows('all');");
  EXPECT_THAT(dom, HasSubstr("all|a;? undecided;7;0.5;-inf … inf;"));
}

TEST_F(Browser, NamesTheGenerationOfEachCase) {
  const std::vector<Record> records{
      {"1", "", R"({"verb":"topology","topology":"ruft:k=2,n=2","options":{"seed":18446744073709551615}})",
       "{}", 1, "0.9", 0, "23"}};
  const std::string dom = play(render_report(records), std::string(reader) + R"(
    document.querySelector('#cases details').open = true;
    const details = document.querySelector('#cases details');
    details.dispatchEvent(new Event('toggle'));
    see(document.querySelector('#cases p.intro').textContent);
    for (const row of document.querySelectorAll('[aria-label="All cases"] tr'))
      see([...row.querySelectorAll('th, td')].map((cell) => cell.textContent).join(';'));
  )");
  EXPECT_THAT(dom, HasSubstr("of the same generation gives the same figures"));
  EXPECT_THAT(dom, HasSubstr("Verb;Topology;Routing;Options;Seed;Generation;Version;"));
  EXPECT_THAT(dom, HasSubstr("topology;ruft:k=2,n=2;–;seed 18446744073709551615;1;23;0.9;"));
}

}  // namespace
}  // namespace faultline
