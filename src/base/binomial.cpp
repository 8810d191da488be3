// SPDX-License-Identifier: Apache-2.0
#include "base/binomial.h"

#include <algorithm>

namespace faultline {

BigInteger binomial(std::uint64_t n, std::uint64_t k) {
  if (k > n) return 0;
  BigInteger result = 1;
  for (std::uint64_t i = 1; i <= std::min(k, n - k); ++i) result = result * (n - i + 1) / i;
  return result;
}

}  // namespace faultline
