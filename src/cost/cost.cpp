// SPDX-License-Identifier: Apache-2.0
#include "faultline/cost/cost.h"

#include <algorithm>
#include <iterator>

#include "cost/bisection.h"
#include "cost/switch_distances.h"
#include "faultline/topology/grid.h"
#include "faultline/topology/labellings.h"
#include "faultline/topology/terminals_by_switches.h"

namespace faultline {
namespace {

constexpr std::size_t max_channels_for_bisection = std::size_t{1} << 18;

std::size_t common_members(const std::vector<TerminalId>& a, const std::vector<TerminalId>& b) {
  std::vector<TerminalId> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both.size();
}

/// There are a sender and another receiver.
std::pair<TerminalId, TerminalId> first_pair(const std::vector<TerminalId>& senders,
                                             const std::vector<TerminalId>& receivers) {
  const TerminalId to = senders == std::vector{receivers.front()} ? receivers.back() : receivers.front();
  return {*std::ranges::find_if(senders, [&](TerminalId one) { return one != to; }), to};
}

/// Every terminal sees the same distances to the others.
bool is_alike_from_everywhere(const Topology& topology) {
  if (topology.find_labelling<TreeLabelling>() != nullptr) return true;
  const auto* grid = topology.find_labelling<CartesianLabelling>();
  if (grid == nullptr || grid->wraps()) return grid != nullptr;
  for (std::uint32_t dimension = 0; dimension < grid->dimensions(); ++dimension)
    if (grid->radix(dimension) != 2) return false;
  return true;
}

void measure_distances(const Topology& topology, const FiguresSpec& spec, TopologyFigures& figures) {
  constexpr std::uint32_t terminal_links = 2;
  figures.distance_steps = distance_steps(topology);
  if (figures.distance_steps > spec.max_distance_steps) return;
  const auto sources = terminals_by_switches(topology, ChannelRole::injection);
  const auto destinations = terminals_by_switches(topology, ChannelRole::ejection);
  const bool one_will_do = is_alike_from_everywhere(topology);
  const std::size_t searches = one_will_do ? 1 : sources.size();
  std::uint64_t sum = 0;
  std::size_t done = 0;
  for (const auto& [starts, senders] : sources) {
    if (done == searches) break;
    end_if_set(spec.stop);
    if (spec.progress) spec.progress("searches", done, searches);
    ++done;
    const std::vector<std::uint32_t> distance = switch_distances(topology, starts);
    for (const auto& [ends, receivers] : destinations) {
      const std::uint64_t pairs =
          std::uint64_t{senders.size()} * receivers.size() - common_members(senders, receivers);
      if (pairs == 0) continue;
      std::uint32_t hops = unreached;
      for (const SwitchId end : ends) hops = std::min(hops, distance[end.index()]);
      if (hops == unreached) {
        if (figures.unconnected_pairs == 0) figures.unconnected = first_pair(senders, receivers);
        figures.unconnected_pairs += pairs;
        continue;
      }
      figures.diameter = std::max(figures.diameter, hops + terminal_links);
      sum += pairs * (hops + terminal_links);
    }
  }
  if (figures.unconnected_pairs != 0 || topology.terminal_count() == 0) return;
  const auto terminals = static_cast<double>(topology.terminal_count());
  const auto seen_from = one_will_do ? static_cast<double>(sources.begin()->second.size()) : terminals;
  figures.average_distance = static_cast<double>(sum) / (terminals * seen_from);
  figures.has_distances = true;
}

}  // namespace

std::uint64_t distance_steps(const Topology& topology) {
  const std::size_t sources = terminals_by_switches(topology, ChannelRole::injection).size();
  const std::size_t destinations = terminals_by_switches(topology, ChannelRole::ejection).size();
  const std::size_t searches = is_alike_from_everywhere(topology) ? 1 : sources;
  return searches * (topology.channel_count() + destinations);
}

TopologyFigures topology_figures(const RoutingRelation& relation, const FiguresSpec& spec) {
  const Topology& topology = relation.topology();
  TopologyFigures figures;
  figures.terminals = topology.terminal_count();
  figures.switches = topology.switch_count();
  figures.channels = topology.channel_count();
  figures.links = topology.link_count();
  figures.network_channels = topology.network_channel_count();
  figures.injection_channels = topology.injection_channel_count();
  figures.ejection_channels = topology.ejection_channel_count();
  figures.min_switch_radix = topology.channel_count();
  for (const SwitchId at : topology.switches()) {
    const std::size_t radix = std::max(topology.inputs(at).size(), topology.outputs(at).size());
    figures.min_switch_radix = std::min(figures.min_switch_radix, radix);
    figures.max_switch_radix = std::max(figures.max_switch_radix, radix);
    figures.switching_elements += relation.switching_elements(at);
  }
  measure_distances(topology, spec, figures);
  if (topology.channel_count() <= max_channels_for_bisection)
    figures.bisection = bisection_channels(topology, spec.stop);
  figures.bisection_exact = figures.bisection && is_bisection_exact(topology);
  return figures;
}

}  // namespace faultline
