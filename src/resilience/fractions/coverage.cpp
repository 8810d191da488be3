// SPDX-License-Identifier: Apache-2.0
#include "resilience/fractions/coverage.h"

namespace faultline::survival {
namespace {

constexpr std::uint32_t picked_again = 8;

}  // namespace

Coverage::Coverage(const Circuit& requirements, std::uint32_t faults)
    : derivations_(requirements, faults + picked_again),
      distinct_(requirements, derivations_.largest() + 1) {}  // one size for all that are larger

DerivationChoices Coverage::choices(const std::function<double(std::uint32_t)>& bound) const {
  return {derivations_, [&](Node output, std::uint32_t size) {
            const std::uint32_t fewest = distinct_.fewest(output, size);
            return fewest == DistinctPicks::none ? 0.0 : bound(fewest);
          }};
}

}  // namespace faultline::survival
