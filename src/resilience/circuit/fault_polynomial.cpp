// SPDX-License-Identifier: Apache-2.0
#include "resilience/circuit/fault_polynomial.h"

#include <algorithm>

namespace faultline::survival {

Polynomial product(const Polynomial& a, const Polynomial& b, std::size_t terms) {
  Polynomial result(std::min(terms, a.size() + b.size() - 1));
  for (std::size_t i = 0; i < std::min(a.size(), terms); ++i)
    for (std::size_t j = 0; j < b.size() && i + j < terms; ++j) result[i + j] += a[i] * b[j];
  return result;
}

std::size_t words(const Polynomial& of) {
  std::size_t total = 0;
  for (const BigInteger& coefficient : of) total += coefficient.is_zero() ? 1 : msb(coefficient) / 64 + 1;
  return total;
}

Polynomial sum(Polynomial a, const Polynomial& b) {
  a.resize(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < b.size(); ++i) a[i] += b[i];
  return a;
}

Polynomial difference(Polynomial a, const Polynomial& b) {
  for (std::size_t i = 0; i < b.size(); ++i) a[i] -= b[i];
  return a;
}

Polynomial all_sets(std::uint64_t n, std::size_t terms) {
  Polynomial result;
  BigInteger sets = 1;
  for (std::size_t i = 0; i < std::min<std::size_t>(terms, n + 1); ++i) {
    result.push_back(sets);
    sets = sets * (n - i) / (i + 1);
  }
  return result;
}

}  // namespace faultline::survival
