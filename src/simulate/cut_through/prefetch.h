// SPDX-License-Identifier: Apache-2.0
// What a network needs that does not fit the cache: lines on their way to it before they are looked at.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulate/cut_through/fabric.h"
#include "simulate/cut_through/scan.h"

namespace faultline::cut_through {

inline void prefetch(const void* address) {
  __builtin_prefetch(address, 1);
  asm volatile(
      "");  // else GCC takes a function that only prefetches for one without effect, and drops the call
}

template <class T>
inline void prefetch(const T* values, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 64 / sizeof(T)) prefetch(values + i);
}

/// What a switch looks at before anything else: the times and candidates of its ports.
template <std::uint32_t Ports>
inline void prefetch_ports(Fabric& fabric, std::uint32_t at) {
  const std::uint32_t first = at * Ports;
  prefetch(&fabric.switches[at]);
  prefetch(&fabric.eligible[first], Ports);
  prefetch(&fabric.candidates[fabric.first_candidates(first)], std::size_t{Ports} * words_a_set<Ports>);
  prefetch(fabric.free_from(at, 0), std::size_t{Ports} * fabric.places);
}

inline void prefetch_input(Fabric& fabric, std::uint32_t input) {
  prefetch(&fabric.inputs[input]);
  if (fabric.input_places > near_places) prefetch(fabric.slots_of_input(input), fabric.input_places);
}

/// What changes when an input gets a head.
template <std::uint32_t Ports>
inline void prefetch_head(Fabric& fabric, std::uint32_t input) {
  prefetch(&fabric.switches[input / Ports]);
  prefetch(&fabric.eligible[input]);
  prefetch(&fabric.candidates[fabric.first_candidates(input)]);
}

inline void prefetch_output(Fabric& fabric, std::uint32_t output) {
  prefetch(&fabric.outputs[output]);
  if (fabric.places > near_places) prefetch(fabric.slots_of_output(output), fabric.places);
}

/// What changes when a place of an output gets known to be free.
template <std::uint32_t Ports>
inline void prefetch_free(Fabric& fabric, std::uint32_t output) {
  prefetch(&fabric.switches[output / Ports]);
  for (std::uint32_t level = 0; level < fabric.places; ++level)
    prefetch(fabric.free_from(output / Ports, level) + output % Ports);
}

inline void prefetch_injector(Fabric& fabric, std::uint32_t injector) {
  prefetch(&fabric.injectors[injector]);
  prefetch(fabric.free_of_injector(injector));
}

}  // namespace faultline::cut_through
