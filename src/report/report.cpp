// SPDX-License-Identifier: Apache-2.0
#include "faultline/report/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <stdexcept>

#include "base/xml_text.h"
#include "faultline/base/counted.h"
#include "faultline/base/error.h"
#include "faultline/base/version.h"
#include "report/cases.h"
#include "report/networks.h"
#include "report/page.h"

namespace faultline {
namespace {

using nlohmann::json;

std::string title_of(std::span<const Record> records, const ReportOptions& options) {
  if (!options.title.empty()) return options.title;
  std::set<std::string> studies;
  for (const Record& record : records)
    if (!record.study.empty()) studies.insert(record.study);
  const std::string title = fmt::format("{}", fmt::join(studies, " · "));
  return title.empty() ? "faultline report" : title;
}

/// Answers of different generations must not be compared unknowingly.
json notes_on_generations(const report::Cases& cases) {
  std::map<std::string, std::size_t> counts;
  for (const json& one : cases.readable) ++counts[one.at("generation").get<std::string>()];
  json notes = json::array();
  if (counts.empty() || (counts.size() == 1 && counts.contains(std::string(results_generation))))
    return notes;
  std::vector<std::string> parts;
  for (const auto& [generation, count] : counts)
    parts.push_back(fmt::format("{} of {}", count,
                                generation.empty() ? "an older program that wrote no generation"
                                                   : "generation " + printable(generation, 20)));
  notes.push_back(fmt::format(
      "The engines' answers have changed between generations of the program, and these cases {}: {}. This "
      "program is of generation {}; run the study again to compute its missing results.",
      counts.size() == 1 ? "are of another one" : "are of several", fmt::join(parts, ", "),
      results_generation));
  return notes;
}

/// A reader must not take a case that failed for one that the study does not have.
json list_of_failures(const std::vector<std::string>& failures) {
  constexpr std::size_t shown = 10, characters = 500;
  if (failures.empty()) return nullptr;
  std::map<std::string, std::size_t> cases;
  for (const std::string& failure : failures) ++cases[failure];
  json items = json::array();
  for (const auto& [failure, count] : cases | std::views::take(shown))
    items.push_back(printable(failure, characters) + (count == 1 ? "" : fmt::format(" ({} cases)", count)));
  if (cases.size() > shown)
    items.push_back(
        fmt::format("and {} other messages, which “faultline study” prints", cases.size() - shown));
  return {{"text", fmt::format("{} failed when the study last ran:", counted(failures.size(), "case"))},
          {"items", std::move(items)}};
}

json notes_on(const report::Cases& cases, const ReportOptions& options) {
  json notes = json::array();
  if (cases.readable.empty() && options.papers.empty())
    notes.push_back(
        "This results file holds no finished case yet. Run “faultline study FILE.toml --results FILE.db”, "
        "then "
        "“faultline report FILE.db” again: every case is stored as soon as it is finished.");
  if (cases.unreadable != 0)
    notes.push_back(fmt::format("{} of the records could not be read and {} left out.", cases.unreadable,
                                agreeing(cases.unreadable, "is", "are")));
  if (cases.left_out != 0)
    notes.push_back(fmt::format(
        "{} {} shown; {} more {} in the results file.", counted(cases.readable.size(), "case"),
        agreeing(cases.readable.size(), "is", "are"), cases.left_out, agreeing(cases.left_out, "is", "are")));
  if (cases.superseded != 0)
    notes.push_back(
        fmt::format("{} {} left out: {} computed again since, because a file that was read has "
                    "changed, by a newer program, or with the topology's default routing named.",
                    counted(cases.superseded, "older record"), agreeing(cases.superseded, "is", "are"),
                    agreeing(cases.superseded, "its case was", "their cases were")));
  for (json& note : notes_on_generations(cases)) notes.push_back(std::move(note));
  return notes;
}

/// JSON that can stand inside a <script>: ASCII only, and no '<' that could close the element or open a
/// comment. In place, and the value is gone before it is done: a page's data fills much of the memory.
std::string script_safe(json value) {
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  value = nullptr;
  constexpr std::string_view escaped = "\\u003c";
  std::size_t from = text.size();
  text.resize(from + (escaped.size() - 1) * static_cast<std::size_t>(std::ranges::count(text, '<')));
  for (std::size_t to = text.size(); from != to;) {
    const char c = text[--from];
    to -= c == '<' ? escaped.size() : 1;
    if (c == '<')
      escaped.copy(text.data() + to, escaped.size());
    else
      text[to] = c;
  }
  return text;
}

/// `page` with `mark`, which it holds once, replaced.
std::string replace(std::string_view page, std::string_view mark, std::string_view text) {
  const std::size_t at = page.find(mark);
  if (at == std::string_view::npos) throw std::logic_error("the report's page lacks " + std::string(mark));
  std::string replaced;
  replaced.reserve(page.size() + text.size());
  return replaced.append(page.substr(0, at)).append(text).append(page.substr(at + mark.size()));
}

}  // namespace

std::string render_report(std::span<const Record> records, const ReportOptions& options) {
  report::Cases cases = report::read_cases(records, options.shown_cases, options.data_bytes);
  const std::string title = title_of(records, options);
  json data{{"title", title},
            {"date", options.date},
            {"notes", notes_on(cases, options)},
            {"failures", list_of_failures(options.failures)},
            {"papers", options.papers},
            {"networks", report::draw_networks(cases.readable, options)}};
  data["cases"] = std::move(cases.readable);
  const std::string text = script_safe(std::move(data));
  report::refuse_above(options.data_bytes, text.size());
  // The data last, because it must not be searched for marks.
  return replace(replace(report::page_template(), report::title_mark, xml_text(title)), report::data_mark,
                 text);
}

}  // namespace faultline
