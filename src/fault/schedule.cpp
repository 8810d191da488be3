// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/csv.h"
#include "base/utf8.h"
#include "faultline/fault/component_names.h"
#include "faultline/fault/components.h"

namespace faultline {
namespace {

struct Line {
  std::uint64_t cycle = 0;
  bool up = false;
  std::string name;
  Location location;
};

/// Names may hold commas.
Line parsed(std::string_view text, const Location& location, const std::string& field) {
  const std::size_t first = text.find(','), second = text.find(',', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos)
    throw Error(field, std::string(utf8_prefix(text, 60)), "must be: cycle,down|up,name", location);
  const auto cycle = number_of<std::uint64_t>(trimmed(text.substr(0, first)));
  if (!cycle || *cycle == Outage::forever)
    throw Error(field, std::string(trimmed(text.substr(0, first))),
                "must be a cycle: a whole number below 2^64 - 1", location);
  const std::string_view what = trimmed(text.substr(first + 1, second - first - 1));
  if (what != "down" && what != "up") throw Error(field, std::string(what), "must be down or up", location);
  return {*cycle, what == "up", std::string(text.substr(second + 1)), location};
}

std::vector<Line> lines_of(const InputFile& file, const std::string& field) {
  std::vector<Line> lines;
  for_each_whole_line(file, [&](std::string_view line, const Location& location) {
    if (const std::string_view text = trimmed(line); !text.empty() && text.front() != '#')
      lines.push_back(parsed(line, location, field));
  });
  std::ranges::stable_sort(lines, {}, &Line::cycle);
  return lines;
}

}  // namespace

FaultSchedule fault_schedule(const Topology& topology, const std::vector<FaultEvent>& events) {
  std::vector<std::vector<Outage>> outages(topology.channel_count());
  std::vector<std::uint32_t> down(topology.channel_count());  // components that are
  for (const FaultEvent& event : events)
    for (const ChannelId channel : event.channels) {
      if (channel.index() >= outages.size())
        throw Error("schedule", fmt::format("channel {}", channel.value()),
                    fmt::format("must be one of {} channels of {}", outages.size(), topology.name()));
      std::vector<Outage>& past = outages[channel.index()];
      std::uint32_t& count = down[channel.index()];
      if (event.up) {
        if (count == 0) throw Error("schedule", topology.name(channel), "comes up, but is not down");
        if (--count == 0) past.back().until = event.cycle;
      } else if (count++ == 0) {
        if (!past.empty() && past.back().until == event.cycle)
          past.back().until = Outage::forever;
        else
          past.push_back({channel, event.cycle, Outage::forever});
      }
    }
  FaultSchedule schedule;
  for (const std::vector<Outage>& of_channel : outages)
    for (const Outage& outage : of_channel)
      if (outage.from != outage.until) schedule.push_back(outage);
  return schedule;
}

std::vector<ChannelId> channels_down_in(const FaultSchedule& schedule, std::uint64_t cycle) {
  std::vector<ChannelId> down;
  for (const Outage& outage : schedule)
    if (outage.covers(cycle)) down.push_back(outage.channel);
  return down;
}

FaultSchedule read_fault_schedule(const TopologyPtr& topology, const InputFile& file,
                                  const std::string& field) {
  const FaultComponents components(topology, every_fault_unit(), FaultScope::all);
  const auto by_name = components_by_name(components);
  std::unordered_set<std::string> down;
  std::vector<FaultEvent> events;
  for (Line& line : lines_of(file, field)) {
    line.name = name_among(by_name, line.name);
    const auto named = by_name.find(line.name);
    if (named == by_name.end())
      throw Error(Error::Parts{field, line.name,
                               "is not a channel, link, switch or terminal of " + topology->name() +
                                   "; write names as 'resilience' prints them",
                               nearest_component(line.name, components), line.location});
    const std::uint32_t component = only_component(components, named->second, field, line.location);
    if (line.up ? down.erase(line.name) == 0 : !down.insert(line.name).second)
      throw Error(field, line.name, line.up ? "comes up, but is not down" : "goes down, but is down already",
                  line.location);
    const auto channels = components.channels(component);
    events.push_back({line.cycle, line.up, {channels.begin(), channels.end()}});
  }
  return fault_schedule(*topology, events);
}

}  // namespace faultline
