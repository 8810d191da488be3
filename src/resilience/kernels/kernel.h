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
  const Code::Section* sections;
  std::size_t section_count;
  const std::uint64_t* pairs;
};

struct Kernel {
  static constexpr std::uint32_t counter_planes = 64;

  std::string_view name;
  std::uint32_t words;  ///< 64-bit words a slot; lanes = 64 * words
  bool (*available)();  ///< on this processor
  /// `values`: slots * words words, the first rows filled with the components that are alive, one row all
  /// ones. `intact`: `words` words, bits cleared where an output fails. `lost`: null, or counter_planes *
  /// words words that hold, in binary, one plane a digit, the pairs lost so far; what fails is added.
  void (*run)(const ProgramView& program, std::uint64_t* values, std::uint64_t* intact, std::uint64_t* lost);
};

/// Fastest first; "word" is available everywhere. The reference, which runs no program, is not among them.
[[nodiscard]] std::span<const Kernel* const> kernels();

}  // namespace faultline::survival
