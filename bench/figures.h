// SPDX-License-Identifier: Apache-2.0
// What the benchmark program measures: each engine has a file here that returns its figures.
#pragma once

#include <string>
#include <vector>

namespace faultline::bench {

struct Figure {
  std::string engine;
  std::string case_name;
  std::string figure;
  double value = 0;
  std::string unit;
};

}  // namespace faultline::bench
