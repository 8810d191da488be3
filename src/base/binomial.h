// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

#include "faultline/base/interval.h"

namespace faultline {

using BigInteger = boost::multiprecision::cpp_int;

/// n choose k, exactly.
[[nodiscard]] BigInteger binomial(std::uint64_t n, std::uint64_t k);

/// Clopper–Pearson interval of a probability of which `hits` of `trials` were seen: missed on either side
/// with a probability of at most `tail`.
[[nodiscard]] Interval clopper_pearson(std::uint64_t hits, std::uint64_t trials, double tail = 0.025);

}  // namespace faultline
