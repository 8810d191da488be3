// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "bench/figures.h"

namespace faultline::bench {

/// One engine's benchmarks.
struct Suite {
  std::string_view engine;
  std::vector<Figure> (*run)();
};

/// Every NAME_bench.cpp of this folder.
[[nodiscard]] std::vector<Suite> suites();

}  // namespace faultline::bench
