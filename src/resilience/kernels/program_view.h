// SPDX-License-Identifier: Apache-2.0
// The data that every kernel reads and writes. Plain declarations only: kernels for other processors include
// this.
#pragma once

#include "resilience/kernels/on_device.h"
#include "resilience/kernels/operations.h"

namespace faultline::survival {

/// Program (see program.h) as plain pointers, because a kernel's translation unit is compiled for a newer
/// processor and must not emit inline functions that others share.
struct ProgramView {
  const std::uint32_t* code;
  const std::uint32_t* tails;
  const Code::Section* sections;
  std::size_t section_count;
  const std::uint64_t* pairs;
};

/// What a run reads and writes beside the program.
struct KernelData {
  static constexpr std::uint32_t counter_planes = 64;

  std::uint64_t* values;  ///< slots * words, with the first rows filled in (see operations.h)
  std::uint64_t* intact;  ///< words; bits are cleared where an output fails (outputs by pattern: not)
  /// Null where only `intact` is wanted (a run may end once no lane is), or counter_planes * words: the pairs
  /// lost so far in binary, one plane a digit. What fails is added.
  std::uint64_t* lost;
  // For outputs by pattern: terminals [row][lane], and pairs lost by lane, to which what fails is added.
  std::uint32_t first_row_slot;
  const std::uint32_t* counts;
  const std::uint32_t* self_counts;
  std::uint64_t* lost_by_lane;
};

}  // namespace faultline::survival
