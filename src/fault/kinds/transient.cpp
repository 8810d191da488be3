// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "fault/strikes.h"
#include "faultline/base/random.h"

namespace faultline::fault_processes {
namespace {

/// By component that has failed: the cycle in which it is up again.
using UpFrom = std::unordered_map<std::uint32_t, std::uint64_t>;

bool is_down(const UpFrom& up_from, std::uint32_t component, std::uint64_t cycle) {
  const auto found = up_from.find(component);
  return found != up_from.end() && cycle <= found->second;
}

/// Any of `count` components that are up; absent if none is.
std::optional<std::uint32_t> draw_up(const UpFrom& up_from, std::uint32_t count, std::uint64_t cycle,
                                     RandomStream& random) {
  std::vector<std::uint32_t> up;
  for (std::uint32_t component = 0; component < count; ++component)
    if (!is_down(up_from, component, cycle)) up.push_back(component);
  if (up.empty()) return std::nullopt;
  return up[random.next_below(static_cast<std::uint32_t>(up.size()))];
}

struct Transient : StrikeParams {
  double repair = 1000;
  std::string repair_times = "exponential";

  static void fields(auto& field) {
    strike_fields<Transient>(field);
    field("repair", &Transient::repair, between(1, 1e12), "mean cycles until a component is up again");
    field("repair_times", &Transient::repair_times, one_of({"exponential", "constant"}),
          "how long repairs take");
  }
  static std::vector<Transient> samples() {
    Transient by_rate, counted, clustered;
    by_rate.rate = 1e-4;
    counted.faults = 5;
    counted.repair_times = "constant";
    clustered.rate = 1e-4;
    clustered.together = 2;
    return {by_rate, counted, clustered};
  }

  /// At a rate, or several together, a component that fails while it is down stays down as long as it would
  /// have anyway. Of a number of failures, each is one: another component fails instead.
  [[nodiscard]] FaultHistory draw(const FaultProcessContext& context) const {
    FaultHistory history{components(context), {}};
    RandomStream random(context.seed, stream);
    UpFrom up_from;
    const auto count = static_cast<std::uint32_t>(history.components.count());
    for (const auto& [cycle, struck] : strikes(history.components, context, false))
      for (std::uint32_t component : struck) {
        const double drawn = random.next_unit();
        if (is_down(up_from, component, cycle)) {
          if (faults == 0 || together > 1) continue;
          const auto other = draw_up(up_from, count, cycle, random);
          if (!other) continue;
          component = *other;
        }
        const std::uint64_t up =
            cycle + (repair_times == "constant" ? static_cast<std::uint64_t>(std::llround(repair))
                                                : exponential_cycles(repair, drawn));
        up_from[component] = up;
        history.events.push_back({cycle, false, component});
        history.events.push_back({up, true, component});
      }
    std::ranges::stable_sort(history.events, {}, &ComponentEvent::cycle);
    return history;
  }

 private:
  static constexpr std::uint64_t stream = 0x726570616972;  // "repair"
};

}  // namespace

extern constinit const FaultProcessKind transient = fault_process_kind<Transient>(
    "transient", "a failed component is repaired after a while, and may fail again", "paper 2, section 2");

}  // namespace faultline::fault_processes
