// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "fault/strikes.h"

namespace faultline::fault_processes {
namespace {

struct Intermittent : StrikeParams {
  std::uint64_t period = 1000;
  double duty = 0.5;

  static void fields(auto& field) {
    strike_fields<Intermittent>(field);
    field("period", &Intermittent::period, between(2, 1e12), "cycles from one failure to the next");
    field("duty", &Intermittent::duty, between(0, 1),
          "fraction of the period for which it is down; at least one cycle down and one up");
  }
  static std::vector<Intermittent> samples() {
    Intermittent by_rate, counted;
    by_rate.rate = 1e-5;
    by_rate.duty = 0.1;
    counted.faults = 2;
    return {by_rate, counted};
  }

  [[nodiscard]] FaultHistory draw(const FaultProcessContext& context) const {
    FaultHistory history{components(context), {}};
    const std::uint64_t end = context.end;
    const std::uint64_t down_for = std::clamp<std::uint64_t>(
        static_cast<std::uint64_t>(std::llround(duty * static_cast<double>(period))), 1, period - 1);
    std::set<std::uint32_t> failing;
    for (const auto& [cycle, struck] : strikes(history.components, context, true))
      for (const std::uint32_t component : struck) {
        if (!failing.insert(component).second) continue;
        require_room(history.events.size() + 2 * (end - cycle) / period, context.description);
        for (std::uint64_t down = cycle; down < end; down += period) {
          history.events.push_back({down, false, component});
          history.events.push_back({down + down_for, true, component});
        }
      }
    std::ranges::stable_sort(history.events, {}, &ComponentEvent::cycle);
    return history;
  }

 private:
  void require_room(std::uint64_t events, const Description& given) const {
    constexpr std::uint64_t most = 1'000'000;
    if (events > most)
      throw Error(given.path_of("period"), std::to_string(period),
                  "must be longer: more than a million failures and repairs would be drawn");
  }
};

}  // namespace

extern constinit const FaultProcessKind intermittent = fault_process_kind<Intermittent>(
    "intermittent", "a failed component goes down periodically, for a fraction of each period",
    "paper 2, section 2");

}  // namespace faultline::fault_processes
