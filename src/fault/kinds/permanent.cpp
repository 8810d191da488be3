// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "fault/strikes.h"

namespace faultline::fault_processes {
namespace {

struct Permanent : StrikeParams {
  static void fields(auto& field) { strike_fields<Permanent>(field); }
  static std::vector<Permanent> samples() {
    Permanent by_rate, counted, clustered;
    by_rate.rate = 1e-4;
    counted.faults = 3;
    clustered.faults = clustered.together = 2;
    clustered.from = 100;
    return {by_rate, counted, clustered};
  }

  [[nodiscard]] FaultHistory draw(const FaultProcessContext& context) const {
    FaultHistory history{components(context), {}};
    std::set<std::uint32_t> down;
    for (const auto& [cycle, struck] : strikes(history.components, context, true))
      for (const std::uint32_t component : struck)
        if (down.insert(component).second) history.events.push_back({cycle, false, component});
    return history;
  }
};

}  // namespace

extern constinit const FaultProcessKind permanent =
    fault_process_kind<Permanent>("permanent", "a failed component stays down", "paper 2, section 2");

}  // namespace faultline::fault_processes
