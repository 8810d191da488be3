// SPDX-License-Identifier: Apache-2.0
#include "study/random_faults.h"

#include <algorithm>
#include <set>

#include "base/csv.h"
#include "faultline/fault/component_names.h"
#include "faultline/fault/sampler.h"
#include "faultline/routing/pair_classes.h"

namespace faultline {
namespace {

constexpr std::uint64_t most_draws = 10'000;

ChosenFaults named(const FaultComponents& components, const std::vector<std::uint32_t>& chosen) {
  ChosenFaults faults{components.fault_set(chosen), {}};
  for (const std::uint32_t component : chosen) faults.names.push_back(components.name(component));
  return faults;
}

std::vector<std::uint32_t> listed_components(const FaultComponents& components, const FaultRequest& request) {
  const auto numbers = components_by_name(components);
  std::vector<std::uint32_t> chosen;
  const std::string field = request.field + ".faults";
  for_each_line(read_input(request.files, request.faults, field),
                [&](std::string_view line, const Place& place) {
                  const auto found = numbers.find(std::string(line));
                  if (found == numbers.end())
                    throw Error(field, std::string(line),
                                "is not a " + request.unit + " of " + components.topology().name() +
                                    "; write names as 'resilience' prints them, one a line",
                                place);
                  chosen.push_back(found->second);
                });
  return chosen;
}

/// Whether every pair is served, or likely to be.
bool tolerates(const TopologyPtr& topology, const RoutingRelation& healthy, const Description& routing,
               const FaultRequest& request, const FaultSet& dead) {
  const RelationPtr relation =
      build_relation(topology, Damage{dead, request.knowledge, request.source}, routing);
  Description named = routing;
  const Survival survival = find_routing(*topology, named).survival;
  if (request.knowledge.is_all() || is_computed_anew(survival, request.knowledge, request.source))
    return all_pairs_connected(*relation, healthy, dead);
  return std::ranges::all_of(topology->terminals(), [&](TerminalId destination) {
    const DestinationStates plays = enumerate_plays(*relation, destination, dead);
    const std::vector<PairClass> classes = classes_of_states(plays);
    return std::ranges::all_of(topology->terminals(), [&](TerminalId source) {
      return source == destination ||
             class_of_pair(plays, classes, source, request.source) <= PairClass::likely;
    });
  });
}

}  // namespace

ChosenFaults choose_faults(const TopologyPtr& topology, const Description& routing,
                           const FaultRequest& request) {
  const FaultComponents components(topology, fault_units(request.unit, request.field + ".unit"),
                                   fault_scope(request.scope, request.field + ".scope"));
  if (!is_count(request.faults)) return named(components, listed_components(components, request));
  const auto count = number_of<std::uint64_t>(request.faults);
  if (!count || *count > components.count())
    throw Error(request.field + ".faults", request.faults,
                "must be at most the number of components, " + std::to_string(components.count()) +
                    " (unit " + request.unit + ", scope " + request.scope + ")");
  const FaultSampler sampler(components.count(), request.seed);
  if (!request.tolerated_only) return named(components, sampler.draw(static_cast<std::uint32_t>(*count), 0));
  const RelationPtr healthy = build_healthy_relation(topology, routing);
  std::set<std::vector<std::uint32_t>> refused;  // few faults in a small network: the same sets come again
  for (std::uint64_t draw = 0; draw < most_draws; ++draw) {
    const std::vector<std::uint32_t> set = sampler.draw(static_cast<std::uint32_t>(*count), draw);
    if (!refused.insert(set).second) continue;
    ChosenFaults faults = named(components, set);
    if (tolerates(topology, *healthy, routing, request, faults.set)) return faults;
  }
  throw Error(request.field + ".tolerated-only", request.faults,
              "no set of that many faults left every pair connected in " + std::to_string(most_draws) +
                  " draws; ask for fewer faults");
}

void add_from_the_start(const Topology& topology, const FaultSet& dead, FaultSchedule& outages) {
  std::erase_if(outages, [&](const Outage& outage) { return dead.failed(outage.channel); });
  for (const ChannelId channel : topology.channels())
    if (dead.failed(channel)) outages.push_back({channel});
  std::ranges::stable_sort(outages, {}, &Outage::channel);
}

}  // namespace faultline
