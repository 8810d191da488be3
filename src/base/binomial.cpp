// SPDX-License-Identifier: Apache-2.0
#include "base/binomial.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>

namespace faultline {

BigInteger binomial(std::uint64_t n, std::uint64_t k) {
  if (k > n) return 0;
  BigInteger result = 1;
  for (std::uint64_t i = 1; i <= std::min(k, n - k); ++i) result = result * (n - i + 1) / i;
  return result;
}

Interval clopper_pearson(std::uint64_t hits, std::uint64_t trials, double tail) {
  using Distribution = boost::math::binomial_distribution<>;
  const auto n = static_cast<double>(trials), k = static_cast<double>(hits);
  return {hits == 0
              ? 0.0
              : Distribution::find_lower_bound_on_p(n, k, tail, Distribution::clopper_pearson_exact_interval),
          hits == trials ? 1.0
                         : Distribution::find_upper_bound_on_p(n, k, tail,
                                                               Distribution::clopper_pearson_exact_interval)};
}

}  // namespace faultline
