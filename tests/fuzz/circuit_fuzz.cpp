// SPDX-License-Identifier: Apache-2.0
// Random circuits on random faults: every kernel counts what a plain evaluation of the expressions counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "resilience/circuit/lower.h"
#include "resilience/evaluate/fault_block.h"
#include "resilience/kernels/kernel.h"
#include "resilience/kernels/program.h"
#include "support/effort.h"
#include "support/random_circuits.h"

namespace faultline::survival {
namespace {

constexpr std::uint32_t lanes = 512;

/// Pairs lost by lane; not counting: 1 where any is.
std::vector<std::uint64_t> run(const Kernel& kernel, const Program& program,
                               std::span<const std::vector<bool>> alive, bool counting) {
  Rows values(program.slots, kernel.words), intact(1, kernel.words),
      lost(KernelData::counter_planes, kernel.words);
  std::fill_n(values.data(), (std::size_t{program.components} + 1) * kernel.words,
              std::numeric_limits<std::uint64_t>::max());
  for (std::size_t lane = 0; lane < alive.size(); ++lane)
    for (std::uint32_t component = 0; component < program.components; ++component)
      if (!alive[lane][component]) values.row(component)[lane / 64] &= ~(std::uint64_t{1} << (lane % 64));
  std::fill_n(intact.data(), kernel.words, std::numeric_limits<std::uint64_t>::max());
  std::fill_n(lost.data(), std::size_t{KernelData::counter_planes} * kernel.words, 0);
  kernel.run({program.code.data(), program.tails.data(), program.sections.data(), program.sections.size(),
              program.pairs.data()},
             {.values = values.data(),
              .intact = intact.data(),
              .lost = counting ? lost.data() : nullptr,
              .first_row_slot = 0,
              .counts = nullptr,
              .self_counts = nullptr,
              .lost_by_lane = nullptr});
  std::vector<std::uint64_t> result(alive.size());
  for (std::size_t lane = 0; lane < alive.size(); ++lane) {
    const auto bit = [&](const std::uint64_t* row) { return row[lane / 64] >> (lane % 64) & 1; };
    if (!counting) result[lane] = bit(intact.row(0)) != 0 ? 0 : 1;
    for (std::uint32_t plane = 0; counting && plane < KernelData::counter_planes; ++plane)
      result[lane] += bit(lost.row(plane)) << plane;
    if (counting) result[lane] += program.pairs_never_alive;
  }
  return result;
}

TEST(RandomCircuits, EveryKernelCountsWhatTheExpressionsSay) {
  constexpr std::uint64_t seeds = effort(400U, 15U);
  std::size_t failing = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const RandomCircuit maker(seed);
    const Program program = lower(maker.circuit());
    const auto alive = random_faults(maker.expressions().components, lanes, seed);
    const std::vector<std::uint64_t> expected = lost_pairs(maker.expressions(), alive);
    failing += static_cast<std::size_t>(
        std::ranges::count_if(expected, [](std::uint64_t lost) { return lost != 0; }));
    for (const Kernel* kernel : kernels()) {
      if (!kernel->available()) continue;
      const std::size_t width = 64 * std::size_t{kernel->words};
      for (std::size_t first = 0; first < lanes; first += width) {
        const std::span block = std::span(alive).subspan(first, std::min<std::size_t>(width, lanes - first));
        const std::vector<std::uint64_t> here(
            expected.begin() + static_cast<std::ptrdiff_t>(first),
            expected.begin() + static_cast<std::ptrdiff_t>(first + block.size()));
        ASSERT_EQ(run(*kernel, program, block, true), here) << "seed " << seed << ", kernel " << kernel->name;
        std::vector<std::uint64_t> broken;
        for (const std::uint64_t lost : here) broken.push_back(lost > program.pairs_never_alive ? 1 : 0);
        ASSERT_EQ(run(*kernel, program, block, false), broken)
            << "seed " << seed << ", kernel " << kernel->name;
      }
    }
  }
  EXPECT_GT(failing, seeds * lanes / 4) << "too little fails for this to say anything";
}

}  // namespace
}  // namespace faultline::survival
