// SPDX-License-Identifier: Apache-2.0
#include "base/quantiles.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <cmath>

namespace faultline {

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

Interval student_interval(double mean, double squared_error, double count) {
  const double deviation = std::sqrt(squared_error / (count - 1));
  const double half = student_quantile(count - 1, 0.025) * deviation / std::sqrt(count);
  return {mean - half, mean + half};
}

double student_quantile(double degrees_of_freedom, double tail) {
  return boost::math::quantile(boost::math::complement(boost::math::students_t(degrees_of_freedom), tail));
}

}  // namespace faultline
