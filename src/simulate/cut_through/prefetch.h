// SPDX-License-Identifier: Apache-2.0
// Prefetching for networks that exceed the cache: lines are fetched before they are read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulate/cut_through/network_state.h"
#include "simulate/cut_through/scan.h"
#include "simulate/switches/prefetch.h"

namespace faultline::cut_through {

/// Prefetching works step by step: a line is prefetched, and when it has come, what it refers to. Between two
/// steps for a switch, terminal or message, this many others are visited.
inline constexpr std::size_t far_ahead = 8;

/// Does run(i) for each of `count` items in order, and before it the three steps that prefetch for it.
/// Between the first and the last items without conditions, which took 4 % of the instructions.
template <class First, class Second, class Third, class Run>
inline void run_in_steps(std::size_t count, First first, Second second, Third third, Run run) {
  constexpr std::size_t last = 3 * far_ahead;
  const auto step = [&](std::size_t i) {
    if (i < count) first(i);
    if (i >= far_ahead && i - far_ahead < count) second(i - far_ahead);
    if (i >= 2 * far_ahead && i - 2 * far_ahead < count) third(i - 2 * far_ahead);
    if (i >= last && i - last < count) run(i - last);
  };
  std::size_t i = 0;
  for (; i < last; ++i) step(i);
  for (; i < count; ++i) {
    first(i);
    second(i - far_ahead);
    third(i - 2 * far_ahead);
    run(i - last);
  }
  for (; i < count + last; ++i) step(i);
}

using faultline::prefetch;

template <class T>
inline void prefetch(const T* values, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 64 / sizeof(T)) prefetch(values + i);
}

/// What a switch reads before anything else: the times and candidates of its ports, and `levels` of free
/// slots.
template <std::uint32_t Ports>
inline void prefetch_ports(NetworkState<PortSet<Ports>>& network, std::uint32_t at, std::uint32_t levels,
                           bool at_once) {
  const std::uint32_t first = at * Ports;
  prefetch(&network.switches[at]);
  prefetch(&network.eligible[first], Ports);
  if (network.vcs > near_vcs) prefetch(&network.input_read[at * network.channels], network.channels);
  if constexpr (Ports <= 64)
    prefetch(&network.candidates[network.first_candidates(first)], std::size_t{Ports} * rows_a_switch<Ports>);
  if (network.has_rings) prefetch(&network.into_rings[first], Ports);
  const Time* const free = &network.output_free[std::size_t{first} * levels];
  for (std::uint32_t level = 0; level < levels; ++level) prefetch(free + level * Ports, Ports);
  if (at_once) {
    prefetch(&network.output_channels[at * network.channels], network.channels);
    prefetch(&network.unknown[first], Ports);
  }
}

inline void prefetch_input(BufferState& network, std::uint32_t input) {
  prefetch(&network.inputs[input]);
  if (network.slots_per_input > near_slots) prefetch(network.slots_of_input(input), network.slots_per_input);
}

/// What changes when an input gets a head.
template <std::uint32_t Ports>
inline void prefetch_head(NetworkState<PortSet<Ports>>& network, std::uint32_t input) {
  prefetch(&network.switches[input / Ports]);
  prefetch(&network.eligible[input]);
  if (network.vcs > near_vcs) prefetch(&network.read_from(input / Ports, input % Ports));
  if constexpr (Ports <= 64) prefetch(&network.candidates[network.first_candidates(input)]);
}

inline void prefetch_output(BufferState& network, std::uint32_t output) {
  prefetch(&network.outputs[output]);
  if (network.slots_per_output > near_slots)
    prefetch(network.slots_of_output(output), network.slots_per_output);
}

/// What changes when a slot of an output with `levels` becomes known to be free.
template <std::uint32_t Ports>
inline void prefetch_free(NetworkState<PortSet<Ports>>& network, std::uint32_t output, std::uint32_t levels) {
  const std::uint32_t at = output / Ports, port = output % Ports;
  prefetch(&network.switches[at]);
  prefetch(&network.unknown[output]);
  const Time* const free = &network.output_free[std::size_t{at} * levels * Ports + port];
  for (std::uint32_t level = 0; level < levels; ++level) prefetch(free + level * Ports);
}

inline void prefetch_injector(BufferState& network, std::uint32_t injector) {
  prefetch(&network.injectors[injector]);
  prefetch(network.free_of_injector(injector));
}

}  // namespace faultline::cut_through
