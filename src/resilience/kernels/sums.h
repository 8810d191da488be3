// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "resilience/kernels/on_device.h"

namespace faultline::survival {

/// Sums over fault sets: whole numbers, so that the order of adding does not matter.
struct Sums {
  __extension__ using Wide = unsigned __int128;

  std::uint64_t sets = 0, intolerable = 0;
  Wide lost = 0, lost_squared = 0, live = 0;

  FAULTLINE_ON_DEVICE void add(std::uint64_t lost_pairs, std::uint64_t live_pairs) {
    ++sets;
    if (lost_pairs != 0) ++intolerable;
    lost += lost_pairs;
    lost_squared += Wide{lost_pairs} * lost_pairs;
    live += live_pairs;
  }
  void add(const Sums& other) {
    sets += other.sets;
    intolerable += other.intolerable;
    lost += other.lost;
    lost_squared += other.lost_squared;
    live += other.live;
  }
};

}  // namespace faultline::survival
