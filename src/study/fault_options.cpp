// SPDX-License-Identifier: Apache-2.0
#include "study/fault_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/csv.h"
#include "faultline/base/counted.h"
#include "faultline/fault/component_names.h"
#include "faultline/fault/sampler.h"
#include "faultline/routing/pair_classes.h"
#include "study/unused_options.h"

namespace faultline {
namespace {

constexpr std::uint64_t max_draws = 10'000;

ChosenFaults named(const FaultComponents& components, const std::vector<std::uint32_t>& chosen) {
  ChosenFaults faults{components.fault_set(chosen), {}};
  for (const std::uint32_t component : chosen) faults.names.push_back(components.name(component));
  return faults;
}

/// Of a component that `asked` leaves out, or of nothing.
[[noreturn]] void refuse_name(std::string_view line, const TopologyPtr& topology,
                              const FaultComponents& components, const StaticFaultOptions& asked,
                              const std::string& field, const Location& location) {
  const FaultComponents every(topology, every_fault_unit(), FaultScope::all);
  const auto numbers = components_by_name(every);
  const auto found = numbers.find(std::string(line));
  if (found == numbers.end()) {
    const std::string meant = nearest_component(line, components);
    throw Error(Error::Parts{field, std::string(line),
                             "is not a " + asked.unit + " of " + topology->name() +
                                 "; write names as 'resilience' prints them, one a line",
                             meant.empty() ? nearest_component(line, every) : meant, location});
  }
  const FaultUnit unit = every.unit(found->second.component);
  const FaultUnits units = fault_units(asked.unit, field);
  throw Error(field, std::string(line),
              units.contains(unit) ? fmt::format("is a {} that scope {} leaves out; give scope all",
                                                 to_string(unit), asked.scope)
                                   : fmt::format("is a {}, not a {}; give unit {}", to_string(unit),
                                                 to_string(units), to_string(units | unit)),
              location);
}

std::vector<std::uint32_t> listed_components(const TopologyPtr& topology, const FaultComponents& components,
                                             const StaticFaultOptions& asked, const Description& options) {
  const auto numbers = components_by_name(components);
  std::vector<std::uint32_t> chosen;
  std::vector<bool> is_chosen(components.count());
  const std::string field = options.path_of("faults");
  for_each_whole_line(
      read_input(options.files, asked.faults, field), [&](std::string_view line, const Location& location) {
        const std::string name = name_among(numbers, line);
        const auto found = numbers.find(name);
        if (found == numbers.end()) {
          if (name.empty() || name.front() == '#') return;
          refuse_name(name, topology, components, asked, field, location);
        }
        const std::uint32_t component = only_component(components, found->second, field, location);
        if (is_chosen[component]) throw Error(field, name, "must be named once", location);
        is_chosen[component] = true;
        chosen.push_back(component);
      });
  return chosen;
}

/// Whether every pair is served, or likely to be.
bool tolerates(const TopologyPtr& topology, const RoutingRelation& healthy,
               const Resolved<RoutingKind>& routing, const Damage& damage, Switching switching) {
  const RelationPtr relation = build_relation(topology, damage, routing, switching);
  if (damage.knowledge.is_all() || is_computed_anew(routing.kind().survival, damage.knowledge, damage.source))
    return all_pairs_connected(*relation, healthy, damage.dead);
  return std::ranges::all_of(topology->terminals(), [&](TerminalId destination) {
    const DestinationStates plays = enumerate_plays(*relation, destination, damage.dead);
    const std::vector<PairClass> classes = classes_of_states(plays);
    return std::ranges::all_of(topology->terminals(), [&](TerminalId source) {
      return source == destination ||
             class_of_pair(plays, classes, source, damage.source) <= PairClass::likely;
    });
  });
}

/// Of the option `name`, where no static faults are asked for. `beside`: what else would use it.
void check_what_fails(const Description& options, const std::string& name, const std::string& value,
                      bool in_time, std::string_view beside = "") {
  if (options.find(name) == nullptr) return;
  if (in_time)
    throw Error(options.path_of(name), value,
                "must be left out without static faults (option faults): a schedule names what fails, and a "
                "fault-process has its own unit and scope, as in transient:unit=switch");
  refuse_unused(options, name, value,
                std::string("must be used with faults, which draws or names static faults").append(beside));
}

}  // namespace

void FaultOptions::check_faults(const Description& options) const {
  if (knowledge) (void)parse_knowledge(*knowledge, options.path_of("knowledge"));
  if (source) (void)parse_source_role(*source, options.path_of("source"));
}

void StaticFaultOptions::check_faults(const Description& options, const Further& further) const {
  FaultOptions::check_faults(options);
  if (tolerated_only && !is_count(faults))
    refuse_unused(options, "tolerated-only", "true", "must be left out where a file names the faults");
  if (options.find("faults") != nullptr) return;
  if (further.in_time && knowledge && !further.rerouted)
    throw Error(
        options.path_of("knowledge"), *knowledge,
        "must be left out without static faults (option faults): of channels that go down during a run, "
        "switches see their own outputs, unless reroute-after tells them all");
  if (!further.sets.value_or(false)) {
    const std::string_view beside = further.sets ? ", or with all-faults-up-to" : "";
    check_what_fails(options, "unit", unit, further.in_time, beside);
    check_what_fails(options, "scope", scope, further.in_time, beside);
  }
  check_what_fails(options, "tolerated-only", "true", further.in_time);
}

Knowledge known_of_dead(const FaultSet& dead, Knowledge known, bool others_fail) {
  return dead.empty() && others_fail ? Knowledge::neighbours() : known;
}

FaultComponents FaultOptions::components(const TopologyPtr& topology, const Description& options) const {
  return {topology, fault_units(unit, options.path_of("unit")), fault_scope(scope, options.path_of("scope"))};
}

Knowledge FaultOptions::knowledge_asked(const RoutingKind& routing, const Description& options) const {
  return knowledge ? parse_knowledge(*knowledge, options.path_of("knowledge")) : routing.knowledge;
}

SourceRole FaultOptions::source_asked(const RoutingKind& routing, const Description& options) const {
  return source ? parse_source_role(*source, options.path_of("source")) : routing.source;
}

std::optional<std::string> StaticFaultOptions::remark_on(const ChosenFaults& chosen) const {
  if (is_count(faults) || !chosen.names.empty()) return std::nullopt;
  return faults + " names no " + unit + ": nothing has failed";
}

ChosenFaults StaticFaultOptions::choose(const TopologyPtr& topology, const Resolved<RoutingKind>& routing,
                                        Switching switching, std::uint64_t seed, const Description& options,
                                        StopFlag stop) const {
  const FaultComponents among = components(topology, options);
  if (!is_count(faults)) return named(among, listed_components(topology, among, *this, options));
  const auto count = number_of<std::uint64_t>(faults);
  if (!count || *count > among.count())
    throw Error(options.path_of("faults"), faults,
                "must be at most the number of components, " + std::to_string(among.count()) + " (unit " +
                    unit + ", scope " + scope + ")");
  const FaultSampler sampler(among.count(), seed);
  if (!tolerated_only) return named(among, sampler.draw(static_cast<std::uint32_t>(*count), 0));
  const Resolved<RoutingKind> found = routing_or_default(routing, *topology);
  const RelationPtr healthy = build_healthy_relation(topology, found, switching);
  const Knowledge known = knowledge_asked(found.kind(), options);
  const SourceRole role = source_asked(found.kind(), options);
  if (!tolerates(topology, *healthy, found, {FaultSet(*topology), known, role}, switching))
    throw Error(options.path_of("tolerated-only"), "true",
                "must be left out: even without faults some pair is not served, whatever switches choose");
  std::set<std::vector<std::uint32_t>> refused;  // few faults in a small network: the same sets would repeat
  for (std::uint64_t draw = 0; draw < max_draws; ++draw) {
    const std::vector<std::uint32_t> set = sampler.draw(static_cast<std::uint32_t>(*count), draw);
    if (!refused.insert(set).second) continue;
    end_if_set(stop);
    ChosenFaults chosen = named(among, set);
    if (tolerates(topology, *healthy, found, {chosen.set, known, role}, switching)) return chosen;
  }
  throw Error(
      options.path_of("tolerated-only"), "true",
      fmt::format("none of the {} sets of {} that were drawn ({} draws) leaves every pair served, whatever "
                  "switches choose; ask for fewer faults, or leave tolerated-only out",
                  refused.size(), counted(*count, "fault"), max_draws));
}

FaultSet add_from_the_start(const Topology& topology, const FaultSet& dead, FaultSchedule& outages) {
  std::erase_if(outages, [&](const Outage& outage) { return dead.failed(outage.channel); });
  FaultSet seen(topology);
  for (const ChannelId channel : topology.channels()) {
    if (!dead.failed(channel)) continue;
    outages.push_back({channel});
    if (topology.role(channel) == ChannelRole::injection) seen.fail(channel);
  }
  std::ranges::stable_sort(outages, {}, &Outage::channel);
  return seen;
}

}  // namespace faultline
