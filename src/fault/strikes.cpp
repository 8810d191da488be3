// SPDX-License-Identifier: Apache-2.0
#include "fault/strikes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "faultline/base/random.h"
#include "faultline/fault/clusters.h"

namespace faultline {
namespace {

constexpr std::uint64_t stream = 0x737472696b65;  // "strike"
constexpr double most_failures = 1e6;

/// Draws the components that fail.
class Targets {
 public:
  Targets(const FaultComponents& components, std::uint32_t together, std::uint32_t radius)
      : count_(static_cast<std::uint32_t>(components.count())), together_(together) {
    if (together > 1) clusters_.emplace(components, radius, together);
  }

  /// Components that can be drawn at all.
  [[nodiscard]] std::size_t count() const {
    if (!clusters_) return count_;
    std::vector<bool> can_be_drawn(count_);
    for (std::uint32_t centre = 0; centre < clusters_->centres(); ++centre)
      for (const std::uint32_t component : clusters_->around(centre)) can_be_drawn[component] = true;
    return static_cast<std::size_t>(std::ranges::count(can_be_drawn, true));
  }

  [[nodiscard]] std::vector<std::uint32_t> draw(RandomStream& random) const {
    if (!clusters_) return {random.next_below(count_)};
    const auto around = clusters_->around(random.next_below(clusters_->centres()));
    std::vector<std::uint32_t> near(around.begin(), around.end());
    for (std::uint32_t i = 0; i < together_; ++i)
      std::swap(near[i], near[i + random.next_below(static_cast<std::uint32_t>(near.size()) - i)]);
    near.resize(together_);
    return near;
  }

 private:
  std::uint32_t count_, together_;
  std::optional<Clusters> clusters_;
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
  if (failures_a_cycle * length > most_failures)
    throw Error(given.path_of("rate"), fmt::format("{}", rate),
                fmt::format("must be lower: about {:.3g} failures would be drawn, at most a million are",
                            failures_a_cycle * length));
  const Targets targets(components, together, radius);
  if (const std::size_t most = targets.count(); distinct && faults > most)
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
