// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/process.h"

#include <fmt/format.h>

#include <unordered_map>

#include "faultline/base/error.h"

namespace faultline {
namespace {

/// How the first event that breaks the rules of FaultHistory does so; empty if none does.
std::string defect_of(const FaultHistory& history, const Topology& topology, std::uint64_t end) {
  if (&history.components.topology() != &topology) return "must draw components of " + topology.name();
  std::vector<bool> down(history.components.count());
  std::uint64_t last = 0;
  for (const auto& [cycle, up, component] : history.events) {
    if (component >= down.size())
      return fmt::format("must draw components below {}; it draws {}", down.size(), component);
    if (!up && cycle >= end)
      return fmt::format("must draw failures before cycle {}; it draws one in cycle {}", end, cycle);
    if (cycle < last)
      return fmt::format("must draw events in time order; it draws cycle {} after {}", cycle, last);
    if (down[component] != up)
      return fmt::format("must let components fail and come up in turn; {} {} in cycle {}",
                         history.components.name(component),
                         up ? "comes up while it is up" : "fails while it is down", cycle);
    down[component] = !up;
    last = cycle;
  }
  return {};
}

/// A schedule has an entry for each channel of each event, which takes some 30 bytes.
void require_room(const FaultHistory& history, const Resolved<FaultProcessKind>& process) {
  constexpr std::size_t most = 50'000'000;
  std::size_t changes = 0;
  for (const ComponentEvent& event : history.events)
    changes += history.components.channels(event.component).size();
  if (changes > most)
    throw Error(process.description().path, std::string(process.kind().info.name),
                fmt::format("must draw fewer failures: channels would go down and come up {} times, at most "
                            "{} times are possible",
                            changes, most));
}

}  // namespace

FaultHistory draw_faults(TopologyPtr topology, std::uint64_t end, std::uint64_t seed,
                         const Resolved<FaultProcessKind>& process) {
  FaultHistory history =
      process.kind().draw({topology, end, seed, process.description()}, process.parameters());
  if (const std::string defect = defect_of(history, *topology, end); !defect.empty())
    throw Error(process.description().path, std::string(process.kind().info.name), defect);
  require_room(history, process);
  return history;
}

FaultSchedule fault_schedule(const FaultHistory& history) {
  std::vector<FaultEvent> events;
  events.reserve(history.events.size());
  for (const auto& [cycle, up, component] : history.events) {
    history.components.require(component, "history.events");
    const auto channels = history.components.channels(component);
    events.push_back({cycle, up, {channels.begin(), channels.end()}});
  }
  return fault_schedule(history.components.topology(), events);
}

std::string fault_schedule_text(const FaultHistory& history, std::string_view comment) {
  std::string text = fmt::format("# {}\n", comment);
  std::unordered_map<std::string, int> down;  // a link of one channel has its name, and fails the same
  for (const auto& [cycle, up, component] : history.events) {
    history.components.require(component, "history.events");
    const std::string name = history.components.name(component);
    if (up ? --down[name] == 0 : down[name]++ == 0)
      text += fmt::format("{},{},{}\n", cycle, up ? "up" : "down", name);
  }
  return text;
}

}  // namespace faultline
