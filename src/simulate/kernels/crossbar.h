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
  static constexpr std::uint32_t max_ports = sizeof(Word) * 8;

  /// An output chooses the first input from its pointer.
  static Vector first_input(Vector inputs, const Word* grant_from) {
    return Simd::lowest_bit(Simd::nonzero_or(inputs & Simd::load(grant_from), inputs));
  }

  /// An input chooses the first from its pointer among the outputs that offer themselves, one after the
  /// other in the order of their ports. `accept_from`: inputs whose pointer is not past the output.
  class FirstOutputs {
   public:
    /// The inputs for which it is the first offer, or the first from their pointer.
    Vector offer(Vector inputs, Vector accept_from) {
      const Vector first = Simd::and_and_not(inputs, accept_from, preferred_) |
                           Simd::and_not_not(inputs, accept_from, wrapped_);
      preferred_ = Simd::or_and(preferred_, inputs, accept_from);
      wrapped_ = Simd::or_and_not(wrapped_, inputs, accept_from);
      return first;
    }
    /// After all offers: of what offer() returned, the inputs that choose the output.
    [[nodiscard]] Vector chosen(Vector first, Vector accept_from) const {
      return Simd::and_not_of_and_not(first, preferred_, accept_from);
    }
    /// Inputs with an offer.
    [[nodiscard]] Vector all() const { return preferred_ | wrapped_; }

   private:
    Vector preferred_ = Simd::zero();  // inputs with an offer from their pointer on
    Vector wrapped_ = Simd::zero();    // and with one before it
  };

  // Both are given in `matched` the inputs that request each output, and leave there the one that it is
  // matched with. They return the inputs that are matched.

  /// One iteration of iSLIP.
  static Vector match_once(Vector (&matched)[max_ports], Word* grant_from, Word* accept_from,
                           std::uint32_t ports) {
    FirstOutputs outputs;
    for (std::uint32_t port = 0; port < ports; ++port)
      matched[port] = outputs.offer(first_input(matched[port], grant_from + port * lanes),
                                    Simd::load(accept_from + port * lanes));
    const Vector taken = outputs.all();
    Vector before = Simd::zero();  // inputs matched with an output below `port`
    for (std::uint32_t port = 0; port < ports; ++port) {
      const Vector from = Simd::load(accept_from + port * lanes);
      matched[port] = outputs.chosen(matched[port], from);
      move_pointers(matched[port], taken, before, from, grant_from + port * lanes,
                    accept_from + port * lanes);
    }
    return taken;
  }

  /// Several iterations, or inputs choose before outputs do. Pointers are updated by the first iteration
  /// only.
  [[gnu::noinline]] static Vector match_often(Vector (&matched)[max_ports], Word* grant_from,
                                              Word* accept_from, std::uint32_t ports,
                                              std::uint32_t iterations, bool inputs_first) {
    Vector all = Simd::zero(), wanted[max_ports], offers[max_ports], found[max_ports];
    for (std::uint32_t port = 0; port < ports; ++port) {
      wanted[port] = matched[port];
      matched[port] = Simd::zero();
    }
    for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
      for (std::uint32_t port = 0; port < ports; ++port)
        offers[port] =
            Simd::and_not(Simd::and_not(wanted[port], Simd::spread(matched[port], matched[port])), all);
      if (inputs_first) {
        first_outputs(offers, found, accept_from, ports);
        for (std::uint32_t port = 0; port < ports; ++port)
          found[port] = first_input(found[port], grant_from + port * lanes);
      } else {
        for (std::uint32_t port = 0; port < ports; ++port)
          offers[port] = first_input(offers[port], grant_from + port * lanes);
        first_outputs(offers, found, accept_from, ports);
      }
      Vector taken = Simd::zero();
      for (std::uint32_t port = 0; port < ports; ++port) {
        matched[port] |= found[port];
        taken |= found[port];
      }
      if (!Simd::any(taken)) break;
      if (iteration == 0) {
        Vector before = Simd::zero();
        for (std::uint32_t port = 0; port < ports; ++port)
          move_pointers(found[port], taken, before, Simd::load(accept_from + port * lanes),
                        grant_from + port * lanes, accept_from + port * lanes);
      }
      all |= taken;
    }
    return all;
  }

 private:
  static void first_outputs(const Vector (&offers)[max_ports], Vector (&chosen)[max_ports],
                            const Word* accept_from, std::uint32_t ports) {
    FirstOutputs outputs;
    for (std::uint32_t port = 0; port < ports; ++port)
      chosen[port] = outputs.offer(offers[port], Simd::load(accept_from + port * lanes));
    for (std::uint32_t port = 0; port < ports; ++port)
      chosen[port] = outputs.chosen(chosen[port], Simd::load(accept_from + port * lanes));
  }
  /// Past the inputs that an output is matched with; `taken`: inputs that are matched with any, `before`:
  /// with one below, which is updated.
  static void move_pointers(Vector matched, Vector taken, Vector& before, Vector from, Word* grant_from,
                            Word* accept_from) {
    Simd::store(accept_from, Simd::or_and_not(before, from, taken));
    before |= matched;
    Simd::store(grant_from, Simd::bits_above_or(matched, Simd::load(grant_from)));
  }
};

}  // namespace faultline::wormhole::planes
