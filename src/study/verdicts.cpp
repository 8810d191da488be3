// SPDX-License-Identifier: Apache-2.0
#include "faultline/study/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "faultline/base/version.h"

namespace faultline {
namespace {

/// A cell must not end early.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string number(double value, int digits) {
  constexpr double max_whole = 1e15;
  if (std::abs(value) < max_whole && value == std::floor(value)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, digits);
}

std::string row(const Finding& finding) {
  const FindingText text = text_of(finding);
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", to_string(finding.verdict), cell(text.printed),
                     text.ours, text.interval, cell(finding.source), cell(finding.claim));
}

}  // namespace

FindingText text_of(const Finding& finding) {
  constexpr int max_digits = 12;
  int digits = 4;
  const auto look_alike = [&](double a, double b) {
    return a != b && number(a, digits) == number(b, digits);
  };
  if (finding.ours && finding.interval)
    while (digits < max_digits && (look_alike(finding.interval->low, *finding.ours) ||
                                   look_alike(*finding.ours, finding.interval->high)))
      ++digits;
  FindingText text{finding.printed, "–", "–"};
  if (finding.rounding != 0) text.printed += fmt::format(" ± {}", finding.rounding);
  if (finding.ours) {
    text.ours = number(*finding.ours, digits);
    text.interval = "none";
  }
  if (finding.interval)
    text.interval = number(finding.interval->low, digits) + " … " + number(finding.interval->high, digits);
  return text;
}

std::size_t VerdictCounts::total() const { return std::accumulate(of.begin(), of.end(), std::size_t{0}); }

VerdictCounts count_verdicts(const std::vector<Finding>& findings) {
  VerdictCounts counts;
  for (const Finding& finding : findings) ++counts.of.at(static_cast<std::size_t>(finding.verdict));
  return counts;
}

nlohmann::ordered_json to_json(const VerdictCounts& counts) {
  return {{"agrees", counts[ClaimVerdict::agrees]},
          {"within_5_percent", counts[ClaimVerdict::within_5_percent]},
          {"undecided", counts[ClaimVerdict::undecided]},
          {"differs", counts[ClaimVerdict::differs]},
          {"not_computed", counts[ClaimVerdict::not_computed]}};
}

nlohmann::ordered_json page_finding(const Finding& finding) {
  const FindingText text = text_of(finding);
  nlohmann::ordered_json json = to_json(finding);
  json["shown"] = {{"printed", text.printed}, {"ours", text.ours}, {"interval", text.interval}};
  return json;
}

std::string verdict_page(const Paper& paper, const std::string& name, const std::vector<Finding>& findings,
                         const std::string& date) {
  const VerdictCounts counts = count_verdicts(findings);
  std::string page = fmt::format(
      "# {}\n\n`faultline reproduce {}`, run on {} with results of generation {}. {} statements: {} agree, "
      "{} are "
      "within 5 %,\n{} are undecided (they hold for a part of our 95 % interval), {} differ, {} were not "
      "computed. A printed number agrees if our "
      "interval, extended by the\nrounding of the print (±), holds it; a bound or an order if it is true in "
      "all of the "
      "interval. Generated with `--table`.\n\n",
      paper.study.title, name, date, results_generation, counts.total(), counts[ClaimVerdict::agrees],
      counts[ClaimVerdict::within_5_percent], counts[ClaimVerdict::undecided], counts[ClaimVerdict::differs],
      counts[ClaimVerdict::not_computed]);
  page += "| verdict | printed | ours | 95 % interval | source | claim |\n|---|---|---|---|---|---|\n";
  std::vector<Finding> ordered = findings;
  std::ranges::stable_sort(ordered, {}, &Finding::verdict);
  for (const Finding& finding : ordered) page += row(finding);
  std::vector<std::string> told;
  for (const Finding& finding : ordered) {
    if (finding.verdict == ClaimVerdict::agrees || finding.explanation.empty()) continue;
    const std::string line =
        fmt::format("- **{}** ({}): {}\n", finding.claim, finding.source, finding.explanation);
    if (told.empty()) page += "\n## Why\n\n";
    if (std::ranges::find(told, line) == told.end()) page += told.emplace_back(line);
  }
  return page;
}

}  // namespace faultline
