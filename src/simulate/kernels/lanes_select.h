// SPDX-License-Identifier: Apache-2.0
// Included by each kernel: its instances of the vector part, by shape.
#pragma once

#include "simulate/kernels/lanes_kernel.h"
#include "simulate/lanes/advance.h"

namespace faultline::wormhole::lanes {

template <class Word, std::uint32_t Lanes, std::uint32_t Which = 0>
Advance<Word> select(Shape shape) {
  if constexpr (Which == std::size(shapes)) {
    return nullptr;
  } else {
    constexpr Shape here = shapes[Which];
    if constexpr (here.wide() == (sizeof(Word) == 8))
      if (shape.ports == here.ports && shape.planes == here.planes)
        return &Cycle<Word, Lanes, here.ports, here.planes>::advance;
    return select<Word, Lanes, Which + 1>(shape);
  }
}

}  // namespace faultline::wormhole::lanes
