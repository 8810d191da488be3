// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

namespace faultline {

using BigInteger = boost::multiprecision::cpp_int;

/// n choose k, exactly.
[[nodiscard]] BigInteger binomial(std::uint64_t n, std::uint64_t k);

/// Of numbers of any size, not negative; `whole` is above 0.
[[nodiscard]] double quotient(const BigInteger& part, const BigInteger& whole);

}  // namespace faultline
