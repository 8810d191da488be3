// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/process.h"

#include <fmt/format.h>

#include <unordered_map>

namespace faultline {

FaultHistory draw_faults(TopologyPtr topology, std::uint64_t end, std::uint64_t seed,
                         const Resolved<FaultProcessKind>& process) {
  return process.kind().draw({std::move(topology), end, seed, process.description()}, process.parameters());
}

FaultSchedule fault_schedule(const FaultHistory& history) {
  std::vector<FaultEvent> events;
  events.reserve(history.events.size());
  for (const auto& [cycle, up, component] : history.events) {
    const auto channels = history.components.channels(component);
    events.push_back({cycle, up, {channels.begin(), channels.end()}});
  }
  return fault_schedule(history.components.topology(), events);
}

std::string fault_schedule_text(const FaultHistory& history, std::string_view comment) {
  std::string text = fmt::format("# {}\n", comment);
  std::unordered_map<std::string, int> down;  // a link of one channel has its name, and fails the same
  for (const auto& [cycle, up, component] : history.events) {
    const std::string name = history.components.name(component);
    if (up ? --down[name] == 0 : down[name]++ == 0)
      text += fmt::format("{},{},{}\n", cycle, up ? "up" : "down", name);
  }
  return text;
}

}  // namespace faultline
