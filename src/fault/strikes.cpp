// SPDX-License-Identifier: Apache-2.0
#include "fault/strikes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <vector>

#include "fault/surroundings.h"
#include "faultline/base/random.h"

namespace faultline {
namespace {

constexpr std::uint64_t stream = 0x737472696b65;  // "strike"
constexpr double max_failures = 1e6;
constexpr std::size_t max_kept_numbers = std::size_t{1} << 26;  // a quarter GiB

/// Draws the components that fail.
class Targets {
 public:
  Targets(const FaultComponents& components, std::uint32_t together, std::uint32_t radius)
      : components_(components), together_(together), radius_(radius) {
    if (together > 1) surroundings_.emplace(components);
  }

  /// Components that can be drawn at all; at least `enough` of them are as good as all.
  [[nodiscard]] std::size_t count(std::size_t enough) {
    const std::size_t all = components_.count();
    if (!surroundings_) return all;
    std::vector<bool> can_be_drawn(all);
    std::size_t found = 0;
    for (std::uint32_t centre = 0; centre < centres() && found < std::min(enough, all); ++centre)
      for (const std::uint32_t component : around(centre)) {
        found += can_be_drawn[component] ? 0 : 1;
        can_be_drawn[component] = true;
      }
    return found;
  }

  [[nodiscard]] std::vector<std::uint32_t> draw(RandomStream& random) {
    if (!surroundings_) return {random.next_below(static_cast<std::uint32_t>(components_.count()))};
    std::vector<std::uint32_t>& near = around(random.next_below(centres()));
    const auto count = static_cast<std::uint32_t>(near.size());
    std::vector<std::uint32_t> positions;  // of those drawn, which are swapped with the first ones
    for (std::uint32_t i = 0; i < together_; ++i) {
      positions.push_back(i + random.next_below(count - i));
      std::swap(near[i], near[positions[i]]);
    }
    std::vector<std::uint32_t> drawn(near.begin(), near.begin() + together_);
    for (std::uint32_t i = together_; i-- > 0;) std::swap(near[i], near[positions[i]]);
    return drawn;
  }

 private:
  [[nodiscard]] std::uint32_t centres() const {
    return static_cast<std::uint32_t>(components_.topology().switch_count());
  }

  /// Found when a centre is drawn for the first time: those of all centres are as many numbers as switches
  /// times components where the radius is wide. Valid until the next call.
  [[nodiscard]] std::vector<std::uint32_t>& around(std::uint32_t centre) {
    if (const auto known = kept_.find(centre); known != kept_.end()) return known->second;
    found_last_.clear();
    surroundings_->around(SwitchId(centre), radius_, std::min<std::size_t>(together_, components_.count()),
                          found_last_);
    if (kept_numbers_ + found_last_.size() > max_kept_numbers) return found_last_;
    kept_numbers_ += found_last_.size();
    return kept_.emplace(centre, found_last_).first->second;
  }

  const FaultComponents& components_;
  std::uint32_t together_, radius_;
  std::optional<Surroundings> surroundings_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> kept_;  // by centre
  std::size_t kept_numbers_ = 0;
  std::vector<std::uint32_t> found_last_;
};

}  // namespace

void StrikeParams::check(const Description& given) const {
  if ((rate > 0) == (faults > 0))
    throw Error(given.path_of("rate"), fmt::format("rate {}, faults {}", rate, faults),
                "exactly one of rate and faults must be above 0");
}

FaultComponents StrikeParams::components(const FaultProcessContext& context) const {
  const Description& given = context.description;
  FaultComponents all(context.topology, fault_units(unit, given.path_of("unit")),
                      fault_scope(scope, given.path_of("scope")));
  if (all.count() == 0)
    throw Error(given.path_of("unit"), unit,
                fmt::format("must be something that the network has: {} has no {} (scope {})",
                            context.topology->name(), unit, scope));
  if (all.count() < together)
    throw Error(given.path_of("together"), std::to_string(together),
                fmt::format("must be at most the number of components, {} (unit {}, scope {})", all.count(),
                            unit, scope));
  return all;
}

std::vector<Strike> StrikeParams::strikes(const FaultComponents& components,
                                          const FaultProcessContext& context, bool distinct) const {
  const auto& [topology, end, seed, given] = context;
  if (from >= end)
    throw Error(given.path_of("from"), std::to_string(from),
                fmt::format("must be below the length of the run, {} cycles", end));
  const auto length = static_cast<double>(end - from);
  const double failures_a_cycle = rate * static_cast<double>(components.count());
  if (failures_a_cycle * length > max_failures)
    throw Error(given.path_of("rate"), fmt::format("{}", rate),
                fmt::format("must be lower: about {:.3g} failures would be drawn, at most a million are",
                            failures_a_cycle * length));
  Targets targets(components, together, radius);
  if (const std::size_t most = distinct ? targets.count(faults) : faults; faults > most)
    throw Error(given.path_of("faults"), std::to_string(faults),
                fmt::format("must be at most the number of components{}, {} (unit {}, scope {})",
                            together > 1 ? " that lie close enough to a switch" : "", most, unit, scope));
  RandomStream random(seed, stream);
  std::vector<Strike> found;
  if (faults == 0) {
    const double strikes_a_cycle = failures_a_cycle / together;
    for (double at = 0;;) {
      at -= std::log(random.next_unit()) / strikes_a_cycle;
      if (at >= length) return found;
      found.push_back({from + static_cast<std::uint64_t>(at), targets.draw(random)});
    }
  }
  std::set<std::uint32_t> struck;
  for (std::uint32_t left = faults; left > 0;) {
    std::vector<std::uint32_t> hit = targets.draw(random);
    if (distinct) std::erase_if(hit, [&](std::uint32_t component) { return struck.contains(component); });
    hit.resize(std::min<std::size_t>(hit.size(), left));
    if (hit.empty()) continue;
    struck.insert(hit.begin(), hit.end());
    left -= static_cast<std::uint32_t>(hit.size());
    found.push_back({from + static_cast<std::uint64_t>(random.next_unit() * length), std::move(hit)});
  }
  std::ranges::stable_sort(found, {}, &Strike::cycle);
  return found;
}

std::uint64_t exponential_cycles(double mean, double unit) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(-mean * std::log(unit))));
}

}  // namespace faultline
