// SPDX-License-Identifier: Apache-2.0
#include "simulate/faults/lasting_paths.h"

#include <algorithm>

#include "faultline/fault/living_network.h"

namespace faultline {

LastingPaths::LastingPaths(const Topology& topology, const FaultsInTime& faults)
    : topology_(topology), dead_(faults.dead.value_or(FaultSet(topology))) {
  std::ranges::copy_if(faults.outages, std::back_inserter(permanent_), &Outage::is_permanent);
  std::ranges::sort(permanent_, {}, &Outage::from);
}

bool LastingPaths::lead(TerminalId from, TerminalId to, Time at) {
  const auto after = std::ranges::upper_bound(permanent_, static_cast<std::uint64_t>(at), {}, &Outage::from);
  const auto failed = static_cast<std::size_t>(after - permanent_.begin());
  if (failed == 0 && dead_.empty()) return true;
  if (failed != failed_) reaching_.clear();
  failed_ = failed;
  const auto [known, is_new] = reaching_.try_emplace(to.value());
  if (is_new) {
    FaultSet dead = dead_;
    for (const Outage& outage : std::span(permanent_).first(failed)) dead.fail(outage.channel);
    known->second = LivingNetwork(topology_, dead).reaching(to);
  }
  return known->second[from.index()];
}

}  // namespace faultline
