// SPDX-License-Identifier: Apache-2.0
// How to run a program: one interface, several vector widths.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "resilience/kernels/program_view.h"

namespace faultline::survival {

/// Philox words at counter `index` of 16 neighbouring streams: words[16 * w + i] is word w of stream `first +
/// i`.
using PhiloxOf16Streams = void(std::uint64_t seed, std::uint64_t first, std::uint64_t index,
                               std::uint32_t* words);

struct Kernel {
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
