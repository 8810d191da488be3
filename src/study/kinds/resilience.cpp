// SPDX-License-Identifier: Apache-2.0
#include "faultline/resilience/resilience.h"

#include <nlohmann/json.hpp>

#include "faultline/results/json.h"
#include "faultline/study/case.h"

namespace faultline::verbs {
namespace {

struct ResilienceVerb {
  std::string unit = "channel";
  std::string scope = "network";
  std::vector<std::uint32_t> faults;
  std::uint64_t sample_count = 100'000;
  bool exhaustive = false;
  bool exact = false;
  bool rare = false;
  std::optional<double> interval_width;
  std::optional<std::uint64_t> budget;
  bool lost = false;
  std::string semantics = "possible";
  bool adversary = false;
  std::uint64_t cuts = 0;
  std::uint64_t seed = 1;

  static void fields(auto& field) {
    field("unit", &ResilienceVerb::unit, sum_of({"channel", "link", "switch", "terminal"}),
          "what fails as one piece");
    field("scope", &ResilienceVerb::scope, one_of({"network", "terminal", "all"}),
          "which may fail: between switches, injection and ejection, or both");
    field("faults", &ResilienceVerb::faults, at_least(0),
          "numbers of simultaneous faults to evaluate: 3, 1..6 or 0..400:50");
    field("samples", &ResilienceVerb::sample_count, at_least(1),
          "fault sets drawn for each number, unless there are fewer in all");
    field("interval-width", &ResilienceVerb::interval_width, between(0, 1),
          "draw, instead of samples, until the 95 % interval of the intolerable fraction is narrower than "
          "this, "
          "absolute: 0.01 is one percentage point");
    field("budget", &ResilienceVerb::budget, at_least(1),
          "the most fault sets for each number; 10000000 where an interval width is asked");
    field(
        "lost", &ResilienceVerb::lost, {},
        "count the terminals outside the largest set of which every two are connected both ways; always for "
        "topologies that are judged by it");
    field("exhaustive", &ResilienceVerb::exhaustive, {}, "evaluate every fault set");
    field("exact", &ResilienceVerb::exact, {}, "count the intolerable fault sets exactly");
    field("rare", &ResilienceVerb::rare, {}, "estimate fractions too small for sampling");
    field("semantics", &ResilienceVerb::semantics, one_of({"possible", "guaranteed"}),
          "a pair survives while some path is whole, or while every choice arrives");
    field("adversary", &ResilienceVerb::adversary, {},
          "look for the most harmful faults of each number: proved, or the worst found and a bound");
    field("cuts", &ResilienceVerb::cuts, at_least(0),
          "count the minimum cuts (the sets of the fewest faults that disconnect a pair) and list so many");
    field("seed", &ResilienceVerb::seed, at_least(0), "of the random fault sets");
  }
  static std::vector<ResilienceVerb> samples() { return {{}}; }
  static constexpr bool heeds_stop = true;
  static constexpr std::string_view work_unit = "sets";

  [[nodiscard]] ResilienceMethod method() const {
    if (int{exhaustive} + int{exact} + int{rare} > 1)
      throw Error("resilience", "exhaustive, exact, rare", "are different methods; ask for one of them");
    if (exhaustive) return ResilienceMethod::exhaustive;
    if (exact) return ResilienceMethod::exact;
    return rare ? ResilienceMethod::rare : ResilienceMethod::automatic;
  }

  [[nodiscard]] nlohmann::ordered_json run(const CaseContext& context) const {
    Description routing = context.routing;
    const RoutingKind& kind = find_routing(*context.topology, routing);
    const RelationPtr relation = build_relation(context.topology, FaultSet(*context.topology), routing);
    const FaultComponents components(context.topology, fault_units(unit, "resilience.unit"),
                                     fault_scope(scope, "resilience.scope"));
    return to_json(
        resilience(relation, kind.survival, components,
                   {.fault_counts = faults,
                    .method = method(),
                    .samples = sample_count,
                    .interval_width = interval_width,
                    .budget = budget,
                    .semantics = semantics == "guaranteed" ? Semantics::guaranteed : Semantics::possible,
                    .seed = seed,
                    .adversary = adversary,
                    .cuts = cuts,
                    .lost_terminals = lost || context.topology_kind.judged_by_lost_terminals,
                    .threads = context.threads,
                    .stop = context.stop},
                   context.progress));
  }
};

}  // namespace

extern constinit const VerbKind resilience = verb_kind<ResilienceVerb>(
    "resilience", "which faults a network survives, how often, and which components matter most");

}  // namespace faultline::verbs
