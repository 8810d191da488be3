// SPDX-License-Identifier: Apache-2.0
// The vector part of the wormhole model, compiled for several processors. All give the same results.
#pragma once

#include <cstdint>
#include <span>

#include "simulate/kernels/request_rows.h"
#include "simulate/kernels/senders.h"
#include "simulate/kernels/vector_state.h"

namespace faultline::wormhole::planes {

/// Counts have this many bits if they are in registers, else as many as the run needs.
inline constexpr std::uint32_t few_planes = 5, max_planes = 15;
inline constexpr std::uint32_t few_vcs = 4, max_vcs_by_planes = 8;

/// With sanitizers the engine for one width of words takes 15 s to compile: there the widest word also serves
/// for the two widths below it.
#ifdef FAULTLINE_CHECKS
template <class Word>
inline constexpr bool has_engine = sizeof(Word) == 1 || sizeof(Word) == 8;
#else
template <class Word>
inline constexpr bool has_engine = true;
#endif

/// For each group in a cycle.
template <class Word>
struct GroupSteps {
  Advance<Word> advance;
  VcSteps<Word> of_vcs, of_alike_vcs;  ///< VectorState::alike; counts have few_planes
};

struct Kernel {
  const char* name;
  bool (*available)();
  std::uint32_t vector_bytes;
  bool permutes;  ///< pulls by permutation; else bytes are moved one by one
  /// By the word's width: the instance for that many VCs (few_vcs or max_vcs_by_planes) and planes
  /// (few_planes, or 0 if VectorState gives the number).
  GroupSteps<Byte> (*narrow)(std::uint32_t vcs, std::uint32_t planes);
  GroupSteps<std::uint16_t> (*wide)(std::uint32_t vcs, std::uint32_t planes);
  GroupSteps<std::uint32_t> (*wider)(std::uint32_t vcs, std::uint32_t planes);
  GroupSteps<std::uint64_t> (*widest)(std::uint32_t vcs, std::uint32_t planes);
  SenderSteps (*senders)(std::uint32_t vcs);
  /// VCs are allocated by vectors in groups where this many heads ask in a cycle, for each input VC of a
  /// switch: then both ways take equally long.
  double many_asks = 1;
  /// With packets of more flits, few heads ask for each flit: then it never pays.
  std::uint32_t max_flits_by_vectors = 1;

  template <class Word>
  [[nodiscard]] GroupSteps<Word> steps(std::uint32_t vcs, std::uint32_t planes) const {
    if constexpr (sizeof(Word) == 1)
      return narrow(vcs, planes);
    else if constexpr (sizeof(Word) == 2)
      return wide(vcs, planes);
    else if constexpr (sizeof(Word) == 4)
      return wider(vcs, planes);
    else
      return widest(vcs, planes);
  }
};

/// Those that this processor runs, the fastest first; never empty.
[[nodiscard]] std::span<const Kernel* const> kernels();

/// The fastest one, or the one that FAULTLINE_WORMHOLE_KERNEL names in the environment; throws Error if that
/// one does not run here.
[[nodiscard]] const Kernel& chosen_kernel();

}  // namespace faultline::wormhole::planes
