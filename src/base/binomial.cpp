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

double quotient(const BigInteger& part, const BigInteger& whole) {
  constexpr std::size_t max_bits = 16'000;  // within the range of long double
  const std::size_t bits = msb(whole), beyond = bits > max_bits ? bits - max_bits : 0;
  const BigInteger a = part >> beyond, b = whole >> beyond;
  return static_cast<double>(a.convert_to<long double>() / b.convert_to<long double>());
}

}  // namespace faultline
