// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "fault/strikes.h"
#include "faultline/base/random.h"

namespace faultline::fault_processes {
namespace {

/// Which components are up, cycle by cycle.
class Components {
 public:
  explicit Components(std::uint32_t count) : up_(count), position_(count) {
    std::iota(up_.begin(), up_.end(), 0U);
    position_ = up_;
  }

  /// Those whose repairs have ended before `cycle` are up again.
  void advance(std::uint64_t cycle) {
    for (; !repairs_.empty() && repairs_.top().first < cycle; repairs_.pop()) {
      position_[repairs_.top().second] = static_cast<std::uint32_t>(up_.size());
      up_.push_back(repairs_.top().second);
    }
  }
  [[nodiscard]] bool is_up(std::uint32_t component) const { return position_[component] != down; }
  [[nodiscard]] const std::vector<std::uint32_t>& up() const { return up_; }

  /// A component that is up goes down; it may fail again after the cycle `until`, in which it comes up.
  void fail(std::uint32_t component, std::uint64_t until) {
    const std::uint32_t last = up_.back();
    up_[position_[component]] = last;
    position_[last] = position_[component];
    position_[component] = down;
    up_.pop_back();
    repairs_.emplace(until, component);
  }

 private:
  using Repair = std::pair<std::uint64_t, std::uint32_t>;  // cycle, component
  static constexpr std::uint32_t down = ~std::uint32_t{0};
  std::vector<std::uint32_t> up_;        // in no order
  std::vector<std::uint32_t> position_;  // by component: in up_, or down
  std::priority_queue<Repair, std::vector<Repair>, std::greater<>> repairs_;
};

struct Transient : StrikeParams {
  double repair = 1000;
  std::string repair_times = "exponential";

  static void fields(auto& field) {
    strike_fields<Transient>(field);
    field(
        "repair", &Transient::repair, between(1, 1e12),
        "mean cycles until a component is up again (each repair takes whole cycles, at least one: below 10, "
        "the actual mean is higher)");
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
  /// have anyway. Of a number of failures, each is one: another component fails instead, if one is up.
  [[nodiscard]] FaultHistory draw(const FaultProcessContext& context) const {
    FaultHistory history{components(context), {}};
    RandomStream random(context.seed, stream);
    Components state(static_cast<std::uint32_t>(history.components.count()));
    std::uint64_t failures = 0;
    for (const auto& [cycle, struck] : strikes(history.components, context, false)) {
      state.advance(cycle);
      for (std::uint32_t component : struck) {
        const double drawn = random.next_unit();
        if (!state.is_up(component)) {
          if (faults == 0 || together > 1 || state.up().empty()) continue;
          component = state.up()[random.next_below(static_cast<std::uint32_t>(state.up().size()))];
        }
        const std::uint64_t up =
            cycle + (repair_times == "constant" ? static_cast<std::uint64_t>(std::llround(repair))
                                                : exponential_cycles(repair, drawn));
        state.fail(component, up);
        ++failures;
        history.events.push_back({cycle, false, component});
        history.events.push_back({up, true, component});
      }
    }
    if (faults != 0 && together == 1 && failures < faults)
      throw Error(context.description.path_of("faults"), std::to_string(faults),
                  fmt::format("must be at most {}: for the others, no component is up that could fail; let "
                              "repairs take less time, or more components fail",
                              failures),
                  context.description.location);
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
