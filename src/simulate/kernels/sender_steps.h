// SPDX-License-Identifier: Apache-2.0
// Included by each kernel: several senders at a time, in vectors as the compiler knows them.
#pragma once

#include <cstring>

#include "simulate/kernels/planes_kernel.h"
#include "simulate/kernels/vector_state.h"

namespace faultline::wormhole::planes {

template <class Item, std::uint32_t VectorBytes>
struct VectorOf {
  typedef Item type __attribute__((vector_size(VectorBytes)));
};

/// `Simd` gives the width of the vectors, and tells the instances of different processors apart.
template <class Simd, std::uint32_t Vcs, std::uint32_t Width = Simd::lanes / 2>
class SenderKernel {
 public:
  static std::uint32_t take_credits(SenderRows rows, SenderRun run, const std::uint8_t* log,
                                    std::uint32_t* ready) {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < run.count; i += Width) {
      const std::uint32_t sender = run.first + i;
      const Numbers codes = __builtin_convertvector(load<Bytes>(log + run.log_offset + i), Numbers) >> 4;
      Numbers open{};
#pragma GCC unroll 8
      for (std::uint32_t v = 0; v < Vcs; ++v) {
        std::uint16_t* const of_vc = rows.credits + std::size_t{v} * rows.senders + sender;
        Numbers credits = load<Numbers>(of_vc);
        if constexpr (Vcs <= 4)
          credits += codes >> v & 1;
        else
          credits -= (Numbers)(codes == static_cast<std::uint16_t>(v + 1));
        store(of_vc, credits);
        open |= (Numbers)(rows.atomic ? credits == rows.buffer_flits : credits != 0);
      }
      open &= load<Numbers>(rows.waits + sender) & (Numbers)(load<Numbers>(rows.left + sender) == 0);
      if (any(open)) count = append(open, sender, ready, count);
    }
    return count;
  }

  static SenderSteps::Sent send(SenderRows rows, SenderRun run, std::uint8_t* arrivals,
                                std::uint32_t* ended) {
    SenderSteps::Sent sent;
    Numbers ever{};
    for (std::uint32_t i = 0; i < run.count; i += Width) {
      const std::uint32_t sender = run.first + i;
      Numbers left = load<Numbers>(rows.left + sender);
      const Numbers code = load<Numbers>(rows.code + sender), sending = (Numbers)(left != 0);
      Numbers sends{};
#pragma GCC unroll 8
      for (std::uint32_t v = 0; v < Vcs; ++v) {
        std::uint16_t* const of_vc = rows.credits + std::size_t{v} * rows.senders + sender;
        const Numbers credits = load<Numbers>(of_vc);
        const Numbers by_this =
            sending & (Numbers)(code == std::uint16_t{code_of(Vcs, v)}) & (Numbers)(credits != 0);
        store(of_vc, credits + by_this);
        sends |= by_this;
      }
      left += sends;
      store(rows.left + sender, left);
      store(arrivals + sender, __builtin_convertvector(code & sends, Bytes));
      ever |= sends;
      if (ended == nullptr) continue;
      if (const Numbers last = sends & (Numbers)(left == 0); any(last))
        sent.ended = append(last, sender, ended, sent.ended);
    }
    sent.any = any(ever);
    return sent;
  }

 private:
  static_assert(senders_at_once % Width == 0);
  using Numbers = typename VectorOf<std::uint16_t, Width * 2>::type;
  using Bytes = typename VectorOf<std::uint8_t, Width>::type;

  template <class Vector>
  static Vector load(const void* from) {
    Vector vector;
    std::memcpy(&vector, from, sizeof vector);
    return vector;
  }
  template <class Vector>
  static void store(void* to, Vector vector) {
    std::memcpy(to, &vector, sizeof vector);
  }
  static bool any(Numbers numbers) {
    const auto words = (typename VectorOf<std::uint64_t, Width * 2>::type) numbers;
    std::uint64_t bits = 0;
    for (std::uint32_t i = 0; i < Width / 4; ++i) bits |= words[i];
    return bits != 0;
  }
  static std::uint32_t append(Numbers which, std::uint32_t first, std::uint32_t* list, std::uint32_t count) {
    for (std::uint32_t i = 0; i < Width; ++i) {
      list[count] = first + i;
      count += which[i] != 0 ? 1U : 0U;
    }
    return count;
  }
};

template <class Simd>
SenderSteps sender_steps(std::uint32_t vcs) {
  if (vcs <= few_vcs) return {&SenderKernel<Simd, few_vcs>::take_credits, &SenderKernel<Simd, few_vcs>::send};
  return {&SenderKernel<Simd, max_vcs_by_planes>::take_credits, &SenderKernel<Simd, max_vcs_by_planes>::send};
}

}  // namespace faultline::wormhole::planes
