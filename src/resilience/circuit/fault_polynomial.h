// SPDX-License-Identifier: Apache-2.0
// Numbers of sets by number of faults.
#pragma once

#include <vector>

#include "base/binomial.h"

namespace faultline::survival {

/// Coefficient i: sets of i faults.
using Polynomial = std::vector<BigInteger>;

/// `terms` of it.
[[nodiscard]] Polynomial product(const Polynomial& a, const Polynomial& b, std::size_t terms);
/// Of 64 bits, in all coefficients: a product takes time in proportion to those of both factors.
[[nodiscard]] std::size_t words(const Polynomial& of);
[[nodiscard]] Polynomial sum(Polynomial a, const Polynomial& b);
/// `b` has no more terms, and none of its coefficients is larger.
[[nodiscard]] Polynomial difference(Polynomial a, const Polynomial& b);
/// (1 + z)^n, `terms` of it.
[[nodiscard]] Polynomial all_sets(std::uint64_t n, std::size_t terms);

}  // namespace faultline::survival
