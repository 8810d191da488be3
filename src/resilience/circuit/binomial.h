// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

#include "faultline/base/interval.h"

namespace faultline::survival {

using BigInteger = boost::multiprecision::cpp_int;

/// n choose k, exactly.
[[nodiscard]] BigInteger binomial(std::uint64_t n, std::uint64_t k);

/// Clopper–Pearson 95 % interval of a probability of which `hits` of `trials` were seen.
[[nodiscard]] Interval clopper_pearson(std::uint64_t hits, std::uint64_t trials);

}  // namespace faultline::survival
