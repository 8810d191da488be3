// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

namespace faultline {

using BigInteger = boost::multiprecision::cpp_int;

/// n choose k, exactly.
[[nodiscard]] BigInteger binomial(std::uint64_t n, std::uint64_t k);

}  // namespace faultline
