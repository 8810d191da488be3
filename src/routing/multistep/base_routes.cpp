// SPDX-License-Identifier: Apache-2.0
#include "routing/multistep/base_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "faultline/base/error.h"
#include "faultline/routing/contract.h"
#include "routing/output_positions.h"
#include "routing/path_trees.h"

namespace faultline {
namespace {

[[noreturn]] void refuse(const std::string& routing, const std::string& needed, const std::string& found) {
  throw Error("routing", routing, fmt::format("needs {}; {}", needed, found));
}

/// Of a base that cannot serve.
std::string what_it_has(const RoutingRelation& base) {
  const std::string_view has = base.virtual_channels() != 1 ? "several virtual channels"
                               : base.tag_count() != 1      ? "tags"
                                                            : "options that depend on the channel held";
  return fmt::format("on {} the given base has {}", base.topology().name(), has);
}

}  // namespace

BaseRoutes::BaseRoutes(const RoutingRelation& base, const std::string& routing)
    : topology_(&base.topology()) {
  const Topology& topology = *topology_;
  require_fitting_tables(topology);
  if (base.virtual_channels() != 1 || base.tag_count() != 1 || base.reads_held_channel())
    refuse(routing,
           "a base routing with one virtual channel and without tags, such as dimension-order or destro "
           "(on tori with virtual cut-through switching)",
           what_it_has(base));
  for (const TerminalId terminal : topology.terminals()) {
    const std::size_t in = topology.injection(terminal).size(), out = topology.ejection(terminal).size();
    if (in != 1 || out != 1)
      refuse(routing, "one injection and one ejection channel at each terminal",
             fmt::format("{} of {} has {} and {}", topology.name(terminal), topology.name(), in, out));
    homes_.push_back(topology.source(topology.ejection(terminal).front()));
    if (const SwitchId first = topology.target(topology.injection(terminal).front()); first != homes_.back())
      refuse(routing, "terminals that inject and eject at one switch",
             fmt::format("{} of {} injects at {} and ejects at {}", topology.name(terminal), topology.name(),
                         topology.name(first), topology.name(homes_.back())));
  }
  if (max_outputs(topology) > std::numeric_limits<std::uint16_t>::max())
    refuse(routing, fmt::format("switches of at most {} outputs", std::numeric_limits<std::uint16_t>::max()),
           fmt::format("a switch of {} has {}", topology.name(), max_outputs(topology)));
  entries_.resize(topology.switch_count() * homes_.size());
  RouteOptions options;
  const Contract contract(base);
  for (const SwitchId at : topology.switches())
    for (const TerminalId to : topology.terminals()) {
      options.clear();
      contract.route({.at = at, .destination = to, .held = topology.injection(to).front()}, options);
      if (options.empty())
        refuse(routing, "a base routing that leads from every switch to every terminal",
               fmt::format("on {} the given base does not lead from {} to {}", topology.name(),
                           topology.name(at), topology.name(to)));
      const auto outputs = topology.outputs(at);
      const auto output = std::ranges::find(outputs, options.front().channel) - outputs.begin();
      entries_[index(at, to)].output = static_cast<std::uint16_t>(output);
    }
  for (const TerminalId to : topology.terminals()) count_hops(to, routing);
}

/// Follows each path up to a switch whose hops are known.
void BaseRoutes::count_hops(TerminalId to, const std::string& routing) {
  std::vector<SwitchId> way;
  std::vector<bool> known(topology_->switch_count());
  known[home(to).index()] = true;
  for (const SwitchId start : topology_->switches()) {
    SwitchId at = start;
    for (; !known[at.index()]; at = topology_->target(next(at, to))) {
      if (topology_->role(next(at, to)) != ChannelRole::network)
        refuse(routing, "a base routing that ejects only at the switch of the terminal",
               fmt::format("on {} the given base leads from {} to {}", topology_->name(), topology_->name(at),
                           topology_->name(next(at, to))));
      way.push_back(at);
      if (way.size() > topology_->switch_count())
        refuse(routing, "a base routing without cycles",
               fmt::format("on {} the given base leads from {} to {} in a cycle", topology_->name(),
                           topology_->name(start), topology_->name(to)));
    }
    std::uint32_t hops = entry(at, to).hops;
    ChannelId last = entry(at, to).last;
    for (; !way.empty(); way.pop_back()) {
      hops = std::min<std::uint32_t>(hops + 1, std::numeric_limits<std::uint16_t>::max());
      if (hops == 1) last = next(way.back(), to);
      Entry& of_switch = entries_[index(way.back(), to)];
      of_switch.hops = static_cast<std::uint16_t>(hops);
      of_switch.last = last;
      known[way.back().index()] = true;
    }
  }
}

}  // namespace faultline
