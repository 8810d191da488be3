// SPDX-License-Identifier: Apache-2.0
#include "faultline/design/statements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "faultline/study/answer.h"
#include "faultline/study/case.h"
#include "faultline/topology/switched.h"
#include "study/answer_text.h"

namespace faultline::verbs {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const std::vector<LossLimit>& limits) {
  Json json = Json::array();
  for (const LossLimit& limit : limits) json.push_back({{"faults", limit.faults}, {"lost", limit.max_lost}});
  return json;
}

Json to_json(const CheckedStatement& checked) {
  const Statement& statement = checked.statement;
  Json json{{"source", statement.source},          {"text", statement.text},
            {"unit", to_string(statement.units)},  {"scope", to_string(statement.scope)},
            {"stated", to_json(statement.limits)}, {"method", to_string(checked.method)},
            {"worst", to_json(checked.worst)},     {"sets", checked.sets},
            {"classes", checked.classes}};
  json["holds"] = nullptr;
  if (checked.checked()) json["holds"] = checked.holds();
  json["counter_example"] = checked.faults;
  json["counter_example_lost"] = checked.lost;
  return json;
}

/// "0, 1, 3", by limit.
std::string worst_lost_text(const Json& statement) {
  std::string text;
  for (const Json& one : statement["worst"]) text += (text.empty() ? "" : ", ") + count_text(one["lost"]);
  text += " lost";
  const Json& worst = statement["worst"];  // of the limits up to a broken one, if others take too many sets
  if (!worst.empty() && worst.back()["faults"] != statement["stated"][worst.size() - 1]["faults"])
    text += fmt::format(" (there are only {} to fail)", count_text(worst.back()["faults"]));
  return text;
}

[[noreturn]] void refuse_without_statements(const Topology& topology) {
  if (topology.find_labelling<SwitchedLabelling>() != nullptr)
    throw Error(
        "topology", topology.name(),
        "must have a degree of at least 2, and fewer than switches, with attachment diameters: paper 4 "
        "states nothing about other rings");
  throw Error(
      "topology", topology.name(),
      "must be a switch-ring, a switch-clique or a switch-torus: there are no statements about others");
}

struct StatementsVerb {
  std::optional<std::string> only;
  std::uint64_t max_classes = 30'000'000;

  static void fields(auto& field) {
    field("only", &StatementsVerb::only, any_text(),
          "one statement by its name, such as theorem-1 (default: all)");
    field("most-classes", &StatementsVerb::max_classes, at_least(1),
          "maximum number of fault sets to evaluate for a statement (symmetric ones count once); one that "
          "needs more is settled by its worst case or left unchecked");
  }
  static std::vector<StatementsVerb> samples() { return {{}}; }

  [[nodiscard]] WorkEstimate estimate(const CaseContext& context) const {
    constexpr double channels_examined_a_second = 2e8;
    double classes = 0;
    for (const Statement& statement : statements_about(*context.topology))
      if (!only || *only == statement.name)
        classes += classes_to_check(context.topology, statement, {.max_classes = max_classes});
    return {.fault_sets = classes,
            .cpu_seconds = classes * static_cast<double>(context.topology->channel_count()) /
                           channels_examined_a_second};
  }

  [[nodiscard]] Answer run(const CaseContext& context) const {
    const std::vector<Statement> all = statements_about(*context.topology);
    if (all.empty()) refuse_without_statements(*context.topology);
    std::vector<std::string_view> names;
    bool holds = true;
    Json statements = Json::object();
    for (const Statement& statement : all) {
      names.push_back(statement.name);
      if (only && *only != statement.name) continue;
      const CheckedStatement checked = check_statement(
          context.topology, statement,
          {.max_classes = max_classes, .threads = context.threads, .stop = context.stop}, context.progress);
      holds = holds && checked.holds();
      statements[statement.name] = to_json(checked);
    }
    if (statements.empty())
      throw Error(Error::Parts{context.options.path_of("only"),
                               only.value_or(""),
                               fmt::format("must be one of: {}", fmt::join(names, ", ")),
                               nearest_name(only.value_or(""), names),
                               {}});
    return Json{{"statements", statements}, {"holds", holds}, {"interrupted", is_set(context.stop)}};
  }

  static std::string text(const Case& one, const Json& result) {
    std::string text = printable(to_compact(one.topology), 1000) + "\n";
    for (const auto& [name, statement] : result["statements"].items()) {
      const Json& holds = statement["holds"];
      text += fmt::format("  {:<9} {:<18} {} ({})\n",
                          holds.is_null() ? "unchecked"
                          : holds         ? "holds"
                                          : "FAILS",
                          name, statement["text"].get<std::string>(), statement["source"].get<std::string>());
      if (!holds.is_null())
        text += fmt::format("            worst {}{}; {} ({}), {} evaluated\n",
                            statement["method"] == "dominance" && holds ? "at most " : "",
                            worst_lost_text(statement), counted_text(statement["sets"], "fault set"),
                            statement["method"].get<std::string>(), count_text(statement["classes"]));
      if (!statement["counter_example"].empty())
        text += fmt::format("            counter-example: {} fail; lost: {}\n",
                            joined(statement["counter_example"]), joined(statement["counter_example_lost"]));
    }
    return text;
  }
};

}  // namespace

extern constinit const VerbKind statements = verb_kind<StatementsVerb>(
    "statements", "check what paper 4 states about lost terminals of a switch ring, clique or torus");

}  // namespace faultline::verbs
