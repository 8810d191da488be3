// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/process.h"

#include <fmt/format.h>

namespace faultline {

FaultHistory draw_faults(TopologyPtr topology, std::uint64_t end, std::uint64_t seed,
                         const Description& description) {
  return find_kind(fault_process_kinds(), description).draw(std::move(topology), end, seed, description);
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
  for (const auto& [cycle, up, component] : history.events)
    text += fmt::format("{},{},{}\n", cycle, up ? "up" : "down", history.components.name(component));
  return text;
}

}  // namespace faultline
