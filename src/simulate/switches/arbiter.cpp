// SPDX-License-Identifier: Apache-2.0
#include "simulate/switches/arbiter.h"

namespace faultline {

Arbiter::Arbiter(Arbitration rule, std::uint32_t contenders, ArbiterKey key)
    : rule_(rule), key_(key), count_(contenders) {
  if (rule != Arbitration::matrix) return;
  wins_.resize(std::size_t{count_} * count_);
  for (std::uint32_t a = 0; a < count_; ++a)
    for (std::uint32_t b = a + 1; b < count_; ++b) wins_[std::size_t{a} * count_ + b] = true;
}

bool Arbiter::before(const Contender& a, const Contender& b, Time now) const {
  switch (rule_) {
    case Arbitration::matrix:
      return wins_[std::size_t{a.number} * count_ + b.number];
    case Arbitration::oldest:
      if (a.age != b.age) return a.age < b.age;
      break;
    case Arbitration::random: {
      const std::uint32_t of_a = arbitration_draw(key_, now, a.number),
                          of_b = arbitration_draw(key_, now, b.number);
      return of_a != of_b ? of_a < of_b : a.number < b.number;
    }
    case Arbitration::round_robin:
      break;
  }
  return distance(a.number) < distance(b.number);
}

void Arbiter::served(std::uint32_t contender) {
  pointer_ = contender + 1 == count_ ? 0 : contender + 1;
  if (rule_ != Arbitration::matrix) return;
  for (std::uint32_t other = 0; other < count_; ++other) {
    if (other == contender) continue;
    wins_[std::size_t{contender} * count_ + other] = false;
    wins_[std::size_t{other} * count_ + contender] = true;
  }
}

}  // namespace faultline
