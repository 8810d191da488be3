// SPDX-License-Identifier: Apache-2.0
#include "faultline/study/work_estimate.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

#include "base/machine_memory.h"
#include "faultline/base/error.h"

namespace faultline {
namespace {

constexpr double gib = 1024.0 * 1024 * 1024, hour = 3600;

/// The cause of the cost: "1.1e+12 states of packets to 1048576 destinations, 1e+03 fault sets".
std::string what_is_done(const WorkEstimate& estimate, const Topology& topology) {
  std::vector<std::string> parts;
  if (estimate.states > 0)
    parts.push_back(fmt::format("{:.2g} states of packets to {:.0f} destinations", estimate.states,
                                estimate.destinations));
  else if (estimate.destinations > 0)
    parts.push_back(fmt::format("{:.2g} pairs of terminals", estimate.destinations * estimate.destinations));
  if (estimate.fault_sets > 1) parts.push_back(fmt::format("{:.3g} fault sets", estimate.fault_sets));
  if (estimate.packet_hops > 0) parts.push_back(fmt::format("{:.2g} packet hops", estimate.packet_hops));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text.empty() ? fmt::format("a network of {} channels", topology.channel_count()) : text;
}

/// Of the program and of the network itself. Measured: torus 16x16 and 128x128, fat-tree k=16 n=3.
double bytes_of(const Topology& topology) {
  constexpr double program = 11.0 * 1024 * 1024, a_channel = 180;
  return program + a_channel * static_cast<double>(topology.channel_count());
}

/// The suggested limit, with a margin for a poor estimate.
std::string asked(double needed) { return fmt::format("{:.0f}", std::ceil(2 * needed)); }

/// "3.1 hours", "2 days". What takes less than a second is refused only by a limit that is shorter still.
std::string how_long(double hours) {
  constexpr double day = 24, year = 365 * day, microsecond = hour * 1e6;
  const auto in = [&](double unit, std::string_view name) {
    const double number = hours / unit;
    return number >= 10 ? fmt::format("{:.0f} {}", number, name) : fmt::format("{:.2g} {}", number, name);
  };
  if (hours * hour < 1) return in(1 / microsecond, "microseconds");
  if (hours >= 2 * year) return in(year, "years");
  return hours >= 2 * day ? in(day, "days") : in(1, "hours");
}

/// As the user gives it, but for one of less than a second.
std::string limit_text(double hours) {
  return hours * hour < 1 ? how_long(hours) : fmt::format("{:.4g} hours", hours);
}

}  // namespace

double machine_memory_gib() {
  const std::optional<std::uint64_t> bytes = machine_memory();
  return bytes ? static_cast<double>(*bytes) / gib : WorkLimits::none;
}

void require_within(const WorkLimits& limits, const WorkEstimate& estimate, const std::string& verb,
                    const Topology& topology) {
  const double hours = estimate.cpu_seconds / hour, memory = (bytes_of(topology) + estimate.bytes) / gib;
  std::string excess;
  if (hours > limits.cpu_hours)
    excess = fmt::format("{} of CPU time (--cpu-hours {} would allow it)", limit_text(limits.cpu_hours),
                         asked(hours));
  if (memory > limits.memory_gib)
    excess += fmt::format("{}{:.3g} GiB of memory (--memory-gib {} would allow it)",
                          excess.empty() ? "" : " and ", limits.memory_gib, asked(memory));
  if (excess.empty()) return;
  const std::string room =
      memory >= 1 || memory > limits.memory_gib ? fmt::format(" and {:.2g} GiB of memory", memory) : "";
  throw Error(verb, topology.name(),
              fmt::format("would take about {} of CPU time{} ({}); the limit is {}", how_long(hours), room,
                          what_is_done(estimate, topology), excess));
}

}  // namespace faultline
