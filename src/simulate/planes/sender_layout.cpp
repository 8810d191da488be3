// SPDX-License-Identifier: Apache-2.0
#include "simulate/planes/sender_layout.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace faultline::wormhole::planes {
namespace {

struct End {
  std::uint32_t number;  // of the injection channel
  std::uint32_t port, lane;
};

/// A run for consecutive ports, some of whose lanes have an end.
void add_runs(std::span<const End> ends, SenderRun run, std::uint32_t ports, std::uint32_t lanes,
              std::vector<SenderRun>& runs, std::vector<std::uint32_t>& sender_of) {
  const std::size_t first_byte = std::size_t{run.group} * ports * lanes;
  while (!ends.empty()) {
    const std::uint32_t first_port = ends.front().port;
    std::uint32_t last_port = first_port;
    std::size_t count = 0;
    for (; count < ends.size() && ends[count].port <= last_port + 1; ++count) {
      last_port = ends[count].port;
      sender_of[ends[count].number] = run.first + (last_port - first_port) * lanes + ends[count].lane;
    }
    run.count = (last_port - first_port + 1) * lanes;
    run.log_offset = first_byte + std::size_t{first_port} * lanes;
    runs.push_back(run);
    run.first = end_of(run);
    ends = ends.subspan(count);
  }
}

}  // namespace

SenderLayout::SenderLayout(const Topology& topology, const Wiring& wiring, const Timing& timing,
                           std::uint32_t lanes, const Partition& partition)
    : regions(partition.regions()), sender_of(topology.injection_channel_count()) {
  constexpr std::uint32_t register_bytes = 64;
  for (std::uint32_t region = 0; region < regions.size(); ++region) {
    std::map<std::tuple<std::uint32_t, Time, Time>, std::vector<End>> together;
    for (const TerminalId terminal : partition.terminals[region])
      for (const ChannelId channel : topology.injection(terminal)) {
        const std::uint32_t at = topology.target(channel).value();
        const Time flit = timing.flit_delay(topology, channel),
                   credit = timing.credit_delay(topology, channel);
        longest = std::max(longest, flit + credit);
        together[{at / lanes, flit, credit}].push_back(
            {static_cast<std::uint32_t>(channel.index() - topology.network_channel_count()),
             wiring.input_port[channel.index()], at % lanes});
      }
    Region& own = regions[region];
    own.first = senders;
    for (auto& [key, ends] : together) {
      const auto& [group, flit, credit] = key;
      std::ranges::sort(ends, {}, &End::port);
      add_runs(ends, {.first = senders, .group = group, .flit_delay = flit, .credit_delay = credit},
               wiring.ports, lanes, own.runs, sender_of);
      senders = end_of(own.runs.back());
    }
    own.end = senders;
    senders = (senders + 2 * register_bytes - 1) / register_bytes * register_bytes;
  }
}

}  // namespace faultline::wormhole::planes
