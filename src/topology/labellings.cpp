// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/labellings.h"

namespace faultline {

StageDigits::StageDigits(std::uint32_t k, std::uint32_t n) : k_(k), n_(n), powers_{Divisor(1)} {
  for (std::uint32_t exponent = 0; exponent < n; ++exponent) powers_.emplace_back(powers_.back().value() * k);
}

}  // namespace faultline
