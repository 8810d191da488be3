// SPDX-License-Identifier: Apache-2.0
// How a program is run: one contract, several widths.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

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

/// Philox words at counter `index` of 16 neighbouring streams: words[16 * w + i] is word w of stream `first +
/// i`.
using PhiloxOf16Streams = void(std::uint64_t seed, std::uint64_t first, std::uint64_t index,
                               std::uint32_t* words);

struct Kernel {
  static constexpr std::uint32_t counter_planes = 64;

  std::string_view name;
  std::uint32_t words;  ///< 64-bit words a slot; lanes = 64 * words
  bool (*available)();  ///< on this processor
  void (*run)(const ProgramView& program, const KernelData& data);
  PhiloxOf16Streams* philox;
};

/// Fastest first; "word" is available everywhere. The reference, which runs no program, is not among them.
[[nodiscard]] std::span<const Kernel* const> kernels();
[[nodiscard]] const Kernel& fastest_kernel();

}  // namespace faultline::survival
