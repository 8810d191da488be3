// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faultline/base/file.h"

namespace faultline {

/// The positive entries of a matrix, row by row.
struct WeightMatrix {
  struct Entry {
    std::uint32_t column = 0;
    double weight = 0;
  };
  std::vector<std::vector<Entry>> rows;
};

/// Reads `size` lines of `size` numbers, separated by commas; empty lines and lines that begin with # are
/// skipped. Throws Error("traffic.file") with file and line for anything else, or a weight below 0 or above
/// 1e100.
[[nodiscard]] WeightMatrix read_weight_matrix(const InputFile& file, std::size_t size);

}  // namespace faultline
