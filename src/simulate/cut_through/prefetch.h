// SPDX-License-Identifier: Apache-2.0
// What a network needs that does not fit the cache: lines on their way to it before they are looked at.
#pragma once

#include <bit>

#include "simulate/cut_through/fabric.h"
#include "simulate/cut_through/scan.h"

namespace faultline::cut_through {

// All inlined: GCC takes a function that only prefetches for one without effect, and drops the call.
#define FAULTLINE_PREFETCHER [[gnu::always_inline]] inline

FAULTLINE_PREFETCHER void prefetch(const void* address) { __builtin_prefetch(address, 1); }

template <class T>
FAULTLINE_PREFETCHER void prefetch(const T* values, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 64 / sizeof(T)) prefetch(values + i);
}

/// First what the next step looks at: the times of a switch's ports.
FAULTLINE_PREFETCHER void prefetch_ports(Fabric& fabric, const Topology& topology, std::uint32_t item) {
  const Switch& at = fabric.switches[item];
  prefetch(&fabric.eligible[at.first_input], at.padded_inputs);
  prefetch(fabric.free_from(at, 0), std::size_t{at.padded_outputs} * fabric.places);
  const auto outputs = topology.outputs(SwitchId(item));
  prefetch(outputs.data(), outputs.size());
}

FAULTLINE_PREFETCHER void prefetch_input(Fabric& fabric, std::uint32_t input) {
  prefetch(&fabric.inputs[input]);
  prefetch(fabric.packets_of_input(input), fabric.input_places);
  prefetch(&fabric.eligible[input]);
}

/// Then the heads that may be granted before `end`.
FAULTLINE_PREFETCHER void prefetch_packets(Fabric& fabric, std::uint32_t item, Time end) {
  const Switch& at = fabric.switches[item];
  std::uint64_t ready = due(&fabric.eligible[at.first_input], at.padded_inputs, end - 1);
  for (; ready != 0; ready &= ready - 1) {
    const std::uint32_t input = at.first_input + static_cast<std::uint32_t>(std::countr_zero(ready));
    prefetch_input(fabric, input);
    prefetch(&fabric.candidates[input]);
  }
}

FAULTLINE_PREFETCHER void prefetch_sender(Fabric& fabric, Sender sender) {
  const std::uint32_t index = sender.index();
  if (sender.is_injector()) {
    prefetch(&fabric.injectors[index]);
    prefetch(fabric.free_from(index));
  } else {
    prefetch(&fabric.outputs[index]);
    prefetch(fabric.packets_of_output(index), fabric.places);
  }
}

#undef FAULTLINE_PREFETCHER

}  // namespace faultline::cut_through
