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
template <class First, class Second, class Third, class Run>
inline void run_in_steps(std::size_t count, First first, Second second, Third third, Run run) {
  for (std::size_t i = 0; i < count + 3 * far_ahead; ++i) {
    if (i < count) first(i);
    if (i >= far_ahead && i - far_ahead < count) second(i - far_ahead);
    if (i >= 2 * far_ahead && i - 2 * far_ahead < count) third(i - 2 * far_ahead);
    if (i >= 3 * far_ahead) run(i - 3 * far_ahead);
  }
}

using faultline::prefetch;

template <class T>
inline void prefetch(const T* values, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 64 / sizeof(T)) prefetch(values + i);
}

/// What a switch reads before anything else: the times and candidates of its ports. Above 64 ports the loops
/// end with those that are in use: the others would cost more than a length known at compile time saves.
template <std::uint32_t Ports>
inline void prefetch_ports(NetworkState<PortSet<Ports>>& network, std::uint32_t at, bool at_once) {
  const std::uint32_t first = at * Ports, ports = Ports <= 64 ? Ports : network.used_ports;
  prefetch(&network.switches[at]);
  prefetch(&network.eligible[first], ports);
  if (network.vcs > near_vcs) prefetch(&network.input_read[at * network.channels], network.channels);
  if constexpr (Ports <= 64)
    prefetch(&network.candidates[network.first_candidates(first)], std::size_t{Ports} * rows_a_switch<Ports>);
  if (network.has_rings) prefetch(&network.into_rings[first], ports);
  for (std::uint32_t level = 0; level < network.slots_per_output; ++level)
    prefetch(network.free_from(at, level), ports);
  if (at_once) {
    prefetch(&network.output_channels[at * network.channels], network.channels);
    prefetch(&network.unknown[first], ports);
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

/// What changes when a slot of an output becomes known to be free.
template <std::uint32_t Ports>
inline void prefetch_free(NetworkState<PortSet<Ports>>& network, std::uint32_t output) {
  prefetch(&network.switches[output / Ports]);
  prefetch(&network.unknown[output]);
  for (std::uint32_t level = 0; level < network.slots_per_output; ++level)
    prefetch(network.free_from(output / Ports, level) + output % Ports);
}

inline void prefetch_injector(BufferState& network, std::uint32_t injector) {
  prefetch(&network.injectors[injector]);
  prefetch(network.free_of_injector(injector));
}

}  // namespace faultline::cut_through
