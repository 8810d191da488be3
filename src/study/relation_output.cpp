// SPDX-License-Identifier: Apache-2.0
#include "study/relation_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "faultline/base/counted.h"
#include "faultline/fault/living_network.h"
#include "faultline/routing/relation_text.h"
#include "faultline/routing/states.h"
#include "faultline/topology/labellings.h"

namespace faultline {
namespace {

/// Looked for in what the first terminal and the first switches of its paths offer.
bool offers_costs(const RoutingRelation& relation) {
  const Topology& topology = relation.topology();
  RouteOptions injections, options;
  for (const TerminalId destination : topology.terminals()) {
    if (destination.index() == 0) continue;
    injections.clear();
    relation.inject(TerminalId(0), destination, injections);
    options = injections;
    for (const RouteOption& taken : injections)
      for_each_vc(taken.vcs, [&](std::uint8_t vc) {
        relation.route({topology.target(taken.channel), destination, taken.channel, vc, taken.tag}, options);
      });
    if (std::ranges::any_of(options, [](const RouteOption& option) { return option.cost != 0; })) return true;
  }
  return false;
}

/// What routing `kind` is run with unless another value is asked for, where routing `relation` differs.
std::string other_defaults(const RoutingKind& kind) {
  const auto read = std::ranges::find_if(
      routing_kinds(), [](const RoutingKind* other) { return other->info.name == "relation"; });
  std::string options;
  const auto add = [&](std::string_view option, std::string_view own, std::string_view other) {
    if (own != other) options += fmt::format(" --{} {}", option, own);
  };
  add("selection", kind.selection, (*read)->selection);
  add("agent", kind.agent, (*read)->agent);
  add("knowledge", to_string(kind.knowledge), to_string((*read)->knowledge));
  add("source", to_string(kind.source), to_string((*read)->source));
  return options;
}

std::vector<std::string> what_the_file_lacks(const RoutingRelation& offered, const RoutingKind& routing) {
  std::vector<std::string> lacks;
  if (const std::string options = other_defaults(routing); !options.empty())
    lacks.push_back(
        fmt::format("the relation file does not hold the defaults of routing {}: add{} where it is "
                    "run and the option applies",
                    routing.info.name, options));
  if (offers_costs(offered))
    lacks.push_back(
        "the relation file does not hold the lengths of paths, which selection ugal needs: with it, all "
        "options "
        "count as shortest ones");
  if (routing.survival == Survival::plans)
    lacks.push_back(
        "the relation file holds the plans of sources for the faults that are given here: under other faults "
        "they are not made anew");
  if (offered.sends_again())
    lacks.push_back(
        "the relation file does not say that switches hand packets without a living option to a terminal "
        "that "
        "sends them again: such packets wait");
  return lacks;
}

}  // namespace

std::vector<std::string> remarks_on(const Topology& topology) {
  const auto* const read = topology.find_labelling<FabricLabelling>();
  if (read == nullptr) return {};
  std::vector<std::string> remarks = read->fabric.remarks;
  const FaultSet none(topology);
  if (const std::uint64_t pairs = LivingNetwork(topology, none).separate_pairs(); pairs != 0) {
    const std::uint64_t all = std::uint64_t{topology.terminal_count()} * (topology.terminal_count() - 1);
    remarks.push_back(fmt::format(
        "the fabric is in parts that no cable joins: {} of {} pairs of adapter ports have no path", pairs,
        all));
  }
  return remarks;
}

void report_relation(const RoutingRelation& offered, const RoutingKind& routing,
                     const std::optional<std::string>& path, std::string field, Answer& answer) {
  std::vector<std::string> remarks = remarks_on(offered.topology());
  std::ranges::move(offered.remarks(), std::back_inserter(remarks));
  if (path) {
    answer.files.push_back({std::move(field), *path, relation_text(offered)});
    answer.json["relation"] = *path;
    for (std::string& lack : what_the_file_lacks(offered, routing)) remarks.push_back(std::move(lack));
  }
  if (!remarks.empty()) answer.json["remarks"] = remarks;
}

void remark_on_virtual_channels(const RoutingRelation& healthy, Answer& answer) {
  const std::optional<std::uint32_t> most = healthy.most_virtual_channels();
  if (!most) return;
  answer.json["most_virtual_channels"] = *most;
  answer.json["remarks"].push_back(
      fmt::format("the routing may use {}: pairs count as connected where any path is left, "
                  "and whether that many suffice under these faults is not examined; verify with "
                  "--all-faults-up-to does",
                  counted(*most, "virtual channel")));
}

void remark_on_sending_again(const RoutingRelation& offered, Answer& answer) {
  if (offered.sends_again())
    answer.json["remarks"].push_back(
        "switches hand packets without a living option to a terminal, which sends them again: only simulate "
        "follows these, here they count as not arriving");
}

}  // namespace faultline
