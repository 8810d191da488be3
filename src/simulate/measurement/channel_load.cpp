// SPDX-License-Identifier: Apache-2.0
#include "faultline/simulate/channel_load.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "faultline/simulate/ideal.h"

namespace faultline {

ChannelLoad channel_load(const SimulationResult& result, const RoutingRelation& relation,
                         const TrafficPattern& pattern, double offered_load, std::size_t max_names) {
  const std::vector<std::uint64_t>& flits = result.channel_flits;
  ChannelLoad load;
  if (flits.empty() || result.cycles == 0) return load;
  const auto cycles = static_cast<double>(result.cycles);
  std::vector<ChannelId> order(relation.topology().channels().begin(), relation.topology().channels().end());
  max_names = std::min(max_names, order.size());
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(max_names), {},
                            [&](ChannelId channel) { return std::pair(~flits[channel.index()], channel); });
  for (const ChannelId channel : std::span(order).first(max_names))
    load.busiest.push_back(
        {relation.topology().name(channel), static_cast<double>(flits[channel.index()]) / cycles});
  load.max = static_cast<double>(std::ranges::max(flits)) / cycles;
  load.mean = static_cast<double>(std::accumulate(flits.begin(), flits.end(), std::uint64_t{0})) /
              (cycles * static_cast<double>(flits.size()));
  if (const std::optional<double> busiest = even_split_busiest_load(relation, pattern);
      busiest && std::isfinite(*busiest))
    load.even_split_max = offered_load * *busiest;
  return load;
}

}  // namespace faultline
