// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/admissible.h"

#include <algorithm>

namespace faultline {

void keep_lowest_tier(RouteOptions& options) {
  if (options.empty()) return;
  const auto [lowest, highest] = std::ranges::minmax(options, {}, &RouteOption::tier);
  if (lowest.tier == highest.tier) return;
  std::erase_if(options, [tier = lowest.tier](const RouteOption& option) { return option.tier > tier; });
}

void keep_living(RouteOptions& options, const FaultSet& dead) {
  std::erase_if(options, [&](const RouteOption& option) { return dead.failed(option.channel); });
  keep_lowest_tier(options);
}

}  // namespace faultline
