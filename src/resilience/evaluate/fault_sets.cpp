// SPDX-License-Identifier: Apache-2.0
#include "resilience/evaluate/fault_sets.h"

#include <algorithm>
#include <array>

#include "base/combinations.h"
#include "faultline/base/random.h"
#include "resilience/kernels/drawn_sets.h"
#include "resilience/kernels/kernel.h"

namespace faultline::survival {
void list_fault_sets(FaultBlock& block, std::uint32_t components, std::uint64_t first) {
  block.members.resize(std::size_t{block.faults} * block.lanes);
  if (block.faults == 0 || block.lanes == 0) return;
  std::span set(block.members.data(), block.faults);
  find_combination(set, components, first);
  for (std::uint32_t lane = 1; lane < block.lanes; ++lane) {
    const std::span next(set.data() + block.faults, block.faults);
    std::ranges::copy(set, next.begin());
    next_combination(next, components);
    set = next;
  }
}

void FaultSetSampler::draw(FaultBlock& block, std::uint64_t first) {
  block.members.resize(std::size_t{block.faults} * block.lanes);
  const std::uint32_t count = std::min(block.faults, components_ - block.faults);
  const std::uint32_t counters = (count + 3) / 4;
  words_.resize(std::size_t{counters} * 4 * batch);
  PhiloxOf16Streams* const philox_words = fastest_kernel().philox;
  const std::uint64_t stream = stream_of_set(block.faults, first);
  for (std::uint32_t lane = 0; lane < block.lanes; ++lane) {
    if (lane % batch == 0)
      for (std::uint32_t index = 0; index < counters; ++index)
        philox_words(seed_, stream + lane, index, words_.data() + std::size_t{index} * 4 * batch);
    draw_set(block.members.data() + std::size_t{lane} * block.faults, block.faults, stream + lane,
             words_.data() + lane % batch);
  }
}

void FaultSetSampler::draw(FaultBlock& block, std::uint64_t first, const Clusters& clusters) {
  block.members.resize(std::size_t{block.faults} * block.lanes);
  std::vector<std::uint32_t> candidates;
  for (std::uint32_t lane = 0; lane < block.lanes; ++lane) {
    RandomStream random(seed_, stream_of_set(block.faults, first + lane));
    const auto around = clusters.around(random.next_below(clusters.centres()));
    candidates.assign(around.begin(), around.end());
    std::uint32_t* const set = block.members.data() + std::size_t{lane} * block.faults;
    for (std::uint32_t i = 0; i < block.faults; ++i) {
      const auto left = static_cast<std::uint32_t>(candidates.size()) - i;
      std::swap(candidates[i], candidates[i + random.next_below(left)]);
      set[i] = candidates[i];
    }
  }
}

void FaultSetSampler::draw_set(std::uint32_t* members, std::uint32_t faults, std::uint64_t stream,
                               const std::uint32_t* words) {
  if (++draw_ == 0) {
    std::ranges::fill(drawn_in_, 0);
    draw_ = 1;
  }
  const bool draw_spared = draws_spared(faults, components_);
  const std::uint32_t count = draw_spared ? components_ - faults : faults;
  if (draw_spared) spared_.resize(count);
  std::uint32_t* const drawn = draw_spared ? spared_.data() : members;
  const std::uint32_t made = (count + 3) / 4 * 4;
  std::array<std::uint32_t, 4> further{};
  const auto word = [&](std::uint32_t i) {
    if (i < made) return words[std::size_t{i} * batch];
    if (i % 4 == 0) further = philox(seed_, stream, i / 4);
    return further[i % 4];
  };
  std::uint32_t taken = 0;
  draw_distinct(count, components_, word, [&](std::uint32_t component) {
    if (drawn_in_[component] == draw_) return false;
    drawn_in_[component] = draw_;
    drawn[taken++] = component;
    return true;
  });
  if (!draw_spared) return;
  for (std::uint32_t component = 0; component < components_; ++component)
    if (drawn_in_[component] != draw_) *members++ = component;
}

}  // namespace faultline::survival
