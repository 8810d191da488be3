// SPDX-License-Identifier: Apache-2.0
#include "faultline/resilience/resilience.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/number.h"
#include "faultline/results/json.h"
#include "faultline/study/answer.h"
#include "faultline/study/case.h"
#include "study/fault_options.h"
#include "study/journeys.h"
#include "study/relation_output.h"
#include "study/resilience_text.h"
#include "study/unused_options.h"
#include "study/work_sizes.h"

namespace faultline::verbs {
namespace {

double number(const std::string& text, const std::string& field) {
  const auto value = finite_number_of(text);
  if (!value) throw Error(field, text, "must be a number, or a unit and a number as in link=1e-6");
  return *value;
}

/// The units that "link=1e-6" is for; without a name, all units that fail.
FaultUnits units_of(const std::string& item, FaultUnits units, const std::string& field) {
  const std::size_t equals = item.find('=');
  return equals == std::string::npos ? units : fault_units(item.substr(0, equals), field);
}

/// Items are "1e-6", for all units that fail, or "link=1e-6".
std::map<FaultUnit, double> by_unit(const std::vector<std::string>& items, FaultUnits units,
                                    const std::string& field) {
  std::map<FaultUnit, double> values;
  for (const std::string& item : items) {
    const std::size_t equals = item.find('=');
    const FaultUnits meant = units_of(item, units, field);
    const double value = number(equals == std::string::npos ? item : item.substr(equals + 1), field);
    for (const FaultUnit unit : all_fault_units) {
      if (!meant.contains(unit)) continue;
      if (!units.contains(unit))
        throw Error(field, item, "must name a unit that fails: --unit " + to_string(units));
      if (!values.emplace(unit, value).second)
        throw Error(field, item, "gives a unit a second value; give only one");
    }
  }
  return values;
}

nlohmann::ordered_json to_json(const Journeys& point) {
  nlohmann::ordered_json json{
      {"faults", point.faults}, {"sets", point.sets}, {"exhaustive", point.exhaustive}};
  const auto add = [&](const std::string& name, const std::optional<MeanOverSets>& value) {
    json[name] = nullptr;
    json[name + "_interval"] = nullptr;
    if (!value) return;
    json[name] = value->mean;
    json[name + "_interval"] = {value->interval.low, value->interval.high};
  };
  add("served", point.served);
  add("connected", point.connected);
  add("likely", point.likely);
  add("dead_leaf", point.dead_leaf);
  add("ping_pong", point.ping_pong);
  add("dead_end", point.dead_end);
  add("links", point.links);
  add("shortest_links", point.shortest_links);
  return json;
}

struct ResilienceVerb : FaultOptions {
  std::vector<std::uint32_t> faults;
  std::uint64_t sample_count = 100'000;
  bool exhaustive = false;
  bool exact = false;
  bool rare = false;
  std::optional<double> interval_width;
  std::optional<std::uint64_t> budget;
  bool lost = false;
  std::vector<std::string> failure_rate, repair_time;
  std::optional<std::string> semantics;
  bool adversary = false;
  std::uint64_t cuts = 0;
  std::optional<std::string> relation_out;
  std::uint64_t seed = 1;
  std::string placement = "random";
  std::uint32_t radius = 2;
  bool failing_set = false;
  std::uint64_t follow = 0;

  static void fields(auto& field) {
    what_fails(field);
    field(
        "faults", &ResilienceVerb::faults, at_least(0),
        "numbers of simultaneous faults to evaluate: 3, 1..6 or 0..400:50 (the last value is included if the "
        "steps reach it); for one set of faults from a file, ask 'faultline verify --faults FILE'");
    field(
        "samples", &ResilienceVerb::sample_count, at_least(1),
        "fault sets drawn for each number of faults; all sets if there are no more. For reliability without "
        "repair: histories drawn, by default 10000");
    field("interval-width", &ResilienceVerb::interval_width, between(0, 1),
          "instead of a fixed number of samples, draw until the 95 % interval of the intolerable fraction is "
          "narrower than this, above 0 and below 1 (absolute: 0.01 is one percentage point)");
    field("budget", &ResilienceVerb::budget, at_least(1),
          fmt::format(
              "maximum number of fault sets for each number of faults (default: {} with interval-width, "
              "no limit otherwise)",
              FractionsSpec::budget_for_width));
    field("lost", &ResilienceVerb::lost, {},
          "count lost terminals: those outside the largest set in which every two are connected both ways (a "
          "terminal alone is a set, so one is always left); always done for switched topologies such as "
          "switch-ring");
    field("failure-rate", &ResilienceVerb::failure_rate, any_text(),
          "reliability: failures per hour of each component, for all units or as link=1e-6,switch=2e-7");
    field("repair-time", &ResilienceVerb::repair_time, any_text(),
          "mean hours to repair a failed component, for all units or by unit (default: never repaired)");
    field("exhaustive", &ResilienceVerb::exhaustive, {}, "evaluate every fault set");
    field("exact", &ResilienceVerb::exact, {}, "count the intolerable fault sets exactly");
    field("rare", &ResilienceVerb::rare, {}, "estimate fractions too small for sampling");
    who_knows(field);
    field("semantics", &ResilienceVerb::semantics, one_of({"possible", "guaranteed"}),
          "older names for knowledge: possible means all, guaranteed means neighbours");
    field("adversary", &ResilienceVerb::adversary, {},
          "search for the most harmful faults of each number: the proven worst case, else the worst found "
          "and an upper bound");
    field("cuts", &ResilienceVerb::cuts, at_least(0),
          "count the minimum cuts (the sets of the fewest faults that disconnect a pair) and list up to this "
          "many");
    field("relation-out", &ResilienceVerb::relation_out, output_path(), relation_out_help);
    field("seed", &ResilienceVerb::seed, at_least(0), "seed of the random fault sets");
    field("placement", &ResilienceVerb::placement, one_of({"random", "clustered"}),
          "where faults are drawn: anywhere, or near a random switch");
    field("radius", &ResilienceVerb::radius, at_least(0),
          "clustered: maximum hops from that switch; more if too few components lie within them");
    field("failing-set", &ResilienceVerb::failing_set, {},
          "search for the smallest fault set that leaves the network connected but a pair unserved");
    field("follow", &ResilienceVerb::follow, between(0, 1e9),
          "follow the packets of all pairs under this many fault sets of each number: links travelled, and "
          "the causes of failure (dead leaf, ping-pong, dead end); all sets if there are no more");
  }
  static std::vector<ResilienceVerb> samples() { return {{}}; }

  /// Checks that need no network.
  void check(const Description& given) const {
    (void)method(given);
    check_faults(given);
    if (faults.empty()) check_needs_no_faults(given);
    check_sampling(given);
    check_reliability(given);
    if (placement != "clustered" && radius != ResilienceVerb().radius)
      refuse_unused(given, "radius", std::to_string(radius), "must be used with placement clustered");
    if (placement == "clustered" && follow != 0)
      throw Error(given.path_of("follow"), std::to_string(follow),
                  "must be 0 where the faults are clustered");
    if (semantics && knowledge)
      throw Error(given.path_of("semantics"), *semantics,
                  "must be left out if knowledge is given, which replaces it");
    (void)rates(fault_units(unit, given.path_of("unit")), given);
  }

  [[nodiscard]] std::vector<ComponentRate> rates(FaultUnits units, const Description& given) const {
    const std::string rate_field = given.path_of("failure-rate"), repair_field = given.path_of("repair-time");
    const auto rate_of = by_unit(failure_rate, units, rate_field);
    const auto repair_of = by_unit(repair_time, units, repair_field);
    for (const std::string& item : repair_time) {
      const FaultUnits repaired = units_of(item, units, repair_field);
      if (std::ranges::none_of(rate_of, [&](const auto& rate) { return repaired.contains(rate.first); }))
        throw Error(repair_field, item, "needs a failure-rate");
    }
    std::vector<ComponentRate> result;
    for (const auto& [what, rate] : rate_of) {
      const auto repair = repair_of.find(what);
      result.push_back(
          {what, rate, repair == repair_of.end() ? std::nullopt : std::optional(repair->second)});
    }
    return result;
  }

  [[nodiscard]] ResilienceMethod method(const Description& given) const {
    std::vector<std::string_view> asked;
    if (exhaustive) asked.emplace_back("exhaustive");
    if (exact) asked.emplace_back("exact");
    if (rare) asked.emplace_back("rare");
    if (asked.size() > 1)
      throw Error(given.path, fmt::format("{}", fmt::join(asked, ", ")), "exclude each other; give only one");
    if (exhaustive) return ResilienceMethod::exhaustive;
    if (exact) return ResilienceMethod::exact;
    return rare ? ResilienceMethod::rare : ResilienceMethod::automatic;
  }

  [[nodiscard]] Knowledge knowledge_of(const RoutingKind& routing, const Description& options) const {
    if (!semantics) return knowledge_asked(routing, options);
    return *semantics == "guaranteed" ? Knowledge::neighbours() : Knowledge::all();
  }

  [[nodiscard]] WorkEstimate estimate(const CaseContext& context) const {
    const RoutingKind& kind = context.routing.kind();
    const FaultComponents among = components(context.topology, context.options);
    const RelationSize size = relation_size(context);
    const double drawn = sets_to_evaluate(context, kind, among);
    const bool plans = is_computed_anew(kind.survival, knowledge_of(kind, context.options),
                                        source_asked(kind, context.options)) &&
                       kind.survival == Survival::plans;
    double followed = 0;
    for (const std::uint32_t count : faults)
      followed += fault_sets_of(among.count(), count, static_cast<double>(follow));
    WorkEstimate work = plans ? plan_evaluation(size, drawn) : compilation(size, drawn);
    if (followed > 0) work = work + enumeration_with_faults(size, followed);
    return relation_out ? work + writing(size) : work;
  }

  [[nodiscard]] Answer run(const CaseContext& context) const {
    const RoutingKind& kind = context.routing.kind();
    const RelationPtr relation = build_healthy_relation(context.topology, context.routing);
    const FaultComponents among = components(context.topology, context.options);
    Answer answer =
        to_json(resilience(relation, kind.survival, among,
                           {.fractions = points(context),
                            .reliability = {.rates = rates(among.units(), context.options),
                                            .method = method(context.options),
                                            .samples = std::min(sample_count, budget.value_or(sample_count)),
                                            .histories = histories()},
                            .cuts = cuts,
                            .failing_set = failing_set,
                            .adversary = adversary,
                            .conditions = {.knowledge = knowledge_of(kind, context.options),
                                           .source = source_asked(kind, context.options),
                                           .seed = seed,
                                           .threads = context.threads,
                                           .stop = context.stop}},
                           context.progress));
    answer.json["routing"] = to_compact(context.routing);
    if (follow > 0) add_journeys(context, kind, among, answer.json);
    report_relation(*relation, kind, relation_out, context.options.path_of("relation-out"), answer);
    if (is_computed_anew(kind.survival, knowledge_of(kind, context.options),
                         source_asked(kind, context.options)))
      remark_on_virtual_channels(*relation, answer);
    remark_on_sending_again(*relation, answer);
    return answer;
  }

  static std::string text(const Case& one, const nlohmann::ordered_json& result) {
    return resilience_text(one, result);
  }

 private:
  /// Of the questions about numbers of faults, none is asked. A method is also one for reliability.
  void check_needs_no_faults(const Description& given) const {
    const auto refuse_if = [&](bool asked, const char* option, const std::string& value = "true") {
      if (asked)
        throw Error(given.path_of(option), value, "must be used with faults, the numbers to evaluate: 1..3");
    };
    if (failure_rate.empty()) {
      refuse_if(exhaustive, "exhaustive");
      refuse_if(exact, "exact");
      refuse_if(rare, "rare");
      refuse_if(budget.has_value(), "budget", std::to_string(budget.value_or(0)));
    }
    refuse_if(interval_width.has_value(), "interval-width", fmt::format("{}", interval_width.value_or(0)));
    refuse_if(lost, "lost");
    refuse_if(adversary, "adversary");
    refuse_if(placement == "clustered", "placement", placement);
    refuse_if(follow > 0, "follow", std::to_string(follow));
  }

  void check_reliability(const Description& given) const {
    if (failure_rate.empty()) return;
    if (exact)
      throw Error(given.path_of("exact"), "true",
                  "must be left out with failure-rate: reliability must be exhaustive, rare or sampled");
    if (rare && repair_time.empty())
      throw Error(given.path_of("rare"), "true",
                  "must be used with repair-time: reliability without repair must be exhaustive or sampled");
  }

  /// Reliability draws sets too, also with the other methods; the search for a failing set takes a seed.
  void check_sampling(const Description& given) const {
    if (!failure_rate.empty()) return;
    const ResilienceVerb none;
    const std::string needed = "must be used with faults, the numbers to evaluate, or with failure-rate";
    if (sample_count != none.sample_count && (faults.empty() || exhaustive))
      refuse_unused(given, "samples", std::to_string(sample_count),
                    faults.empty() ? needed : "must be left out with exhaustive, which evaluates every set");
    if (sample_count != none.sample_count && interval_width)
      refuse_unused(given, "samples", std::to_string(sample_count),
                    "must be left out with interval-width, which draws as many sets as the interval needs; "
                    "budget is the maximum");
    if (seed != none.seed && faults.empty() && !failing_set)
      refuse_unused(given, "seed", std::to_string(seed), needed + " or failing-set");
  }

  /// As many as are asked for, or fewer than fault sets by default: each takes several of these.
  [[nodiscard]] std::uint64_t histories() const {
    const bool asked = sample_count != ResilienceVerb().sample_count;
    const std::uint64_t count = asked ? sample_count : ReliabilitySpec().histories;
    return std::min(count, budget.value_or(count));
  }

  [[nodiscard]] bool counts_lost(const CaseContext& context) const {
    return lost || context.topology_kind.judged_by_lost_terminals;
  }

  [[nodiscard]] FractionsSpec points(const CaseContext& context) const {
    return {.fault_counts = faults,
            .method = method(context.options),
            .samples = sample_count,
            .interval_width = interval_width,
            .budget = budget,
            .placement = {placement == "clustered" ? std::optional(radius) : std::nullopt},
            .lost_terminals = counts_lost(context)};
  }

  /// None of a point of which classes of symmetric sets are evaluated: their number is not known yet.
  [[nodiscard]] double sets_to_evaluate(const CaseContext& context, const RoutingKind& kind,
                                        const FaultComponents& among) const {
    const FractionsSpec spec = points(context);
    const Knowledge known = knowledge_of(kind, context.options);
    const bool anew = is_computed_anew(kind.survival, known, source_asked(kind, context.options));
    double sets = 0;
    for (const std::uint32_t count : faults)
      if (!known.is_all() ||
          !evaluates_symmetry_classes(spec, among, count, anew ? kind.survival : Survival::fixed_paths))
        sets += static_cast<double>(expected_sets(spec, among, count));
    return sets;
  }

  void add_journeys(const CaseContext& context, const RoutingKind& kind, const FaultComponents& among,
                    nlohmann::ordered_json& json) const {
    json["followed"] = nlohmann::ordered_json::array();
    for (const Journeys& point : follow_packets(context.topology, among, faults,
                                                {.routing = context.routing,
                                                .knowledge = knowledge_of(kind, context.options),
                                                .source = source_asked(kind, context.options),
                                                .sets = follow,
                                                .seed = seed,
                                                .threads = context.threads,
                                                .stop = context.stop},
                                                context.progress))
      json["followed"].push_back(to_json(point));
  }
};

}  // namespace

extern constinit const VerbKind resilience = verb_kind<ResilienceVerb>(
    "resilience", "which faults a network survives, how often, and which components matter most");

}  // namespace faultline::verbs
