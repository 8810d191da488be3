// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "fault/strikes.h"
#include "faultline/base/random.h"

namespace faultline::fault_processes {
namespace {

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

  /// A component that fails while it is down stays down as long as it would have anyway.
  [[nodiscard]] FaultHistory draw(const FaultProcessContext& context) const {
    FaultHistory history{components(context), {}};
    RandomStream random(context.seed, stream);
    std::unordered_map<std::uint32_t, std::uint64_t> up_from;
    for (const auto& [cycle, struck] : strikes(history.components, context, false))
      for (const std::uint32_t component : struck) {
        const double drawn = random.next_unit();
        std::uint64_t& up = up_from[component];
        if (up != 0 && cycle <= up) continue;
        up = cycle + (repair_times == "constant" ? static_cast<std::uint64_t>(std::llround(repair))
                                                 : exponential_cycles(repair, drawn));
        history.events.push_back({cycle, false, component});
        if (up < context.end) history.events.push_back({up, true, component});
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
