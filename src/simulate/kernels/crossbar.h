// SPDX-License-Identifier: Apache-2.0
// Matches inputs of a crossbar with outputs, in all lanes at once: iSLIP (McKeown, 1999), or separable with
// inputs first (Dally & Towles, section 19.3), one iteration or several. One row per output, one bit per
// input.
#pragma once

#include <cstdint>

namespace faultline::wormhole::planes {

template <class Simd>
struct Crossbar {
  using Word = typename Simd::Word;
  using Vector = typename Simd::Vector;
  static constexpr std::uint32_t lanes = Simd::lanes;
  static constexpr std::uint32_t most_ports = sizeof(Word) * 8;

  /// An output chooses the first input from its pointer.
  static Vector first_input(Vector inputs, const Word* grant_from) {
    return Simd::lowest_bit(Simd::nonzero_or(inputs & Simd::load(grant_from), inputs));
  }

  /// Among the outputs whose row has an input, that input chooses the first from its pointer. Returns the
  /// inputs that are in some row.
  static Vector first_outputs(const Vector (&offers)[most_ports], Vector (&chosen)[most_ports],
                              const Word* accept_from, std::uint32_t ports) {
    Vector taken = Simd::zero();
    for (std::uint32_t port = 0; port < ports; ++port) {
      chosen[port] = Simd::and_and_not(offers[port], Simd::load(accept_from + port * lanes), taken);
      taken |= chosen[port];
    }
    for (std::uint32_t port = 0; port < ports; ++port) {
      const Vector wrapped = Simd::and_not_not(offers[port], Simd::load(accept_from + port * lanes), taken);
      taken |= wrapped;
      chosen[port] |= wrapped;
    }
    return taken;
  }

  /// Moves pointers past what was matched; `taken`: the matched inputs.
  static void move_pointers(const Vector (&matched)[most_ports], Vector taken, Word* grant_from,
                            Word* accept_from, std::uint32_t ports) {
    Vector before = Simd::zero();  // inputs matched with an output below `port`
    for (std::uint32_t port = 0; port < ports; ++port) {
      const Vector here = matched[port];
      Word* const accept = accept_from + port * lanes;
      Word* const grant = grant_from + port * lanes;
      Simd::store(accept, Simd::and_not(Simd::load(accept), taken) | before);
      before |= here;
      Simd::store(grant, Simd::where(here, Simd::bits_above(here), Simd::load(grant)));
    }
  }

  /// Several iterations, or inputs choose before outputs do. Pointers are updated by the first iteration
  /// only.
  [[gnu::noinline]] static Vector match_often(const Vector (&wanted)[most_ports],
                                              Vector (&accepted)[most_ports], Word* grant_from,
                                              Word* accept_from, std::uint32_t ports,
                                              std::uint32_t iterations, bool inputs_first) {
    Vector all = Simd::zero(), offers[most_ports], matched[most_ports];
    for (std::uint32_t port = 0; port < ports; ++port) accepted[port] = Simd::zero();
    for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
      for (std::uint32_t port = 0; port < ports; ++port)
        offers[port] =
            Simd::and_not(Simd::and_not(wanted[port], Simd::spread(accepted[port], accepted[port])), all);
      if (inputs_first) {
        first_outputs(offers, matched, accept_from, ports);
        for (std::uint32_t port = 0; port < ports; ++port)
          matched[port] = first_input(matched[port], grant_from + port * lanes);
      } else {
        for (std::uint32_t port = 0; port < ports; ++port)
          offers[port] = first_input(offers[port], grant_from + port * lanes);
        first_outputs(offers, matched, accept_from, ports);
      }
      Vector taken = Simd::zero();
      for (std::uint32_t port = 0; port < ports; ++port) {
        accepted[port] |= matched[port];
        taken |= matched[port];
      }
      if (!Simd::any(taken)) break;
      if (iteration == 0) move_pointers(matched, taken, grant_from, accept_from, ports);
      all |= taken;
    }
    return all;
  }
};

}  // namespace faultline::wormhole::planes
