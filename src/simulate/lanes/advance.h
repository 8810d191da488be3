// SPDX-License-Identifier: Apache-2.0
// The vector part of a cycle: arrivals, credits, switch allocation and what it moves. Written with plain
// operators that hold for a word (one lane) as for a vector of words; included by each kernel, compiled for
// its processor.
#pragma once

#include <cstring>

#include "simulate/lanes/fabric.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace faultline::wormhole::lanes {

template <class Word, std::uint32_t Lanes>
struct VectorOf {
  typedef Word type __attribute__((vector_size(sizeof(Word) * Lanes)));
};
template <class Word>
struct VectorOf<Word, 1> {
  using type = Word;
};

/// `Ports` and `Planes` are known, so that all rows of a cycle stay in registers where they can.
template <class Word, std::uint32_t Lanes, std::uint32_t Ports, std::uint32_t Planes>
class Cycle {
  using Vector = typename VectorOf<Word, Lanes>::type;
  static constexpr Rows rows{Planes, Ports};
  static constexpr std::uint32_t word_bits = sizeof(Word) * 8;
  static constexpr Word every(Word nibble) { return nibble * (static_cast<Word>(~Word{0}) / 15); }
  static constexpr Word lowest = every(1);  ///< VC 0 of each port
#ifdef __AVX512F__
  // For the maskz forms of intrinsics: of the plain ones GCC 12 warns that they use an uninitialised value.
  static constexpr auto all_lanes = static_cast<__mmask16>(~0);
#endif

 public:
  [[gnu::flatten]] static LaneSets advance(const Fabric<Word>& fabric, std::uint32_t group, Time now) {
    return Cycle(fabric, group, now).run();
  }

 private:
  Cycle(const Fabric<Word>& fabric, std::uint32_t group, Time now)
      : fabric_(fabric),
        group_(group),
        now_(now),
        state_(fabric.rows + std::size_t{group} * rows.count() * Lanes) {}

  LaneSets run() {
    Vector arrived = taken_from(fabric_.sent_at(now_)), returned{};
    if constexpr (Lanes == 1) {
      arrived |= taken_from(fabric_.pushed_at(now_));
      returned = taken_from(fabric_.pushed_at(now_) + fabric_.switches);
    } else {
      pull_from_neighbours(arrived, returned);
    }
    add(rows.flits(0), flits_, arrived);
    add(rows.credits(0), credits_, returned);
    const Vector occupied = any_plane(flits_);
    LaneSets sets;
    if (lanes_of(occupied) == 0) {
      store_planes(rows.credits(0), credits_);
      log(Vector{}, Vector{});
      return sets;
    }
    const Vector idle = load(rows.idle()), waiting = load(rows.waiting());
    const Vector routed = idle & occupied;
    sets.allocate = lanes_of(waiting & -load(rows.retry()));
    sets.routed = lanes_of(routed);
    load_outputs();
    const Vector requests = occupied & with_credit(~(idle | waiting));
    Vector tails{};
    if (lanes_of(requests) != 0)
      tails = allocate_switch(requests);
    else
      log(Vector{}, Vector{});
    store_planes(rows.flits(0), flits_);
    store_planes(rows.credits(0), credits_);
    store_crowded();
    if (sets.routed != 0) start(routed, waiting);
    sets.tails = lanes_of(tails);
    if (sets.tails != 0) finish(tails);
    if ((sets.routed | sets.tails) != 0) store(rows.idle(), (idle & ~routed) | tails);
    store(rows.routed(), routed);
    return sets;
  }

  Vector taken_from(Word* words) const {
    Word* const here = words + std::size_t{group_} * Lanes;
    const Vector taken = load_from(here);
    store_to(here, Vector{});
    return taken;
  }

  void pull_from_neighbours(Vector& arrived, Vector& returned) {
#pragma GCC unroll 16
    for (std::uint32_t port = 0; port < Ports; ++port) {
      arrived |= pull(2 * port);
      returned |= pull(2 * port + 1);
    }
  }

  [[nodiscard]] Vector pull(std::uint32_t which) const {
    const std::size_t number = std::size_t{group_} * 2 * Ports + which;
    const Pull& from = fabric_.pulls[number];
    if (from.mode == Pull::Mode::none) return Vector{};
    const std::uint8_t* const lanes = fabric_.pull_lanes + number * pull_bytes * Lanes;
    const Vector open = widened(lanes + std::size_t{pull_open} * Lanes) << (which / 2 * port_bits);
    return rotate(find(from, lanes), widened(lanes + std::size_t{pull_rotate} * Lanes)) & open;
  }

  [[nodiscard]] Vector find(const Pull& from, const std::uint8_t* lanes) const {
    if (from.mode == Pull::Mode::permute) {
      return __builtin_shuffle(load_from(fabric_.log_of(now_ - from.first_delay) + from.first),
                               load_from(fabric_.log_of(now_ - from.second_delay) + from.second),
                               widened(lanes + std::size_t{pull_index} * Lanes));
    } else {
      Word found[Lanes];
      const Gathered* const gathered = fabric_.gathered + std::size_t{from.gathered} * Lanes;
#pragma GCC unroll 1
      for (std::uint32_t lane = 0; lane < Lanes; ++lane)
        found[lane] = fabric_.log_of(now_ - gathered[lane].delay)[gathered[lane].offset];
      return load_from(found);
    }
  }

  void load_outputs() {
#pragma GCC unroll 4
    for (std::uint32_t vc = 0; vc < port_bits; ++vc) to_vc_[vc] = load(rows.to_vc(vc));
#pragma GCC unroll 16
    for (std::uint32_t port = 0; port < Ports; ++port) to_port_[port] = load(rows.to_port(port));
  }

  /// Input VCs whose packet has an output VC with credit; `active` are those with an output VC. One switch
  /// alone takes away what waits for the few output VCs without credit.
  [[nodiscard]] Vector with_credit(Vector active) const {
    const Vector credit = any_plane(credits_);
    if constexpr (Lanes == 1) {
      for (Word blocked = load(rows.allocated()) & ~credit; blocked != 0;) {
        const std::uint32_t output = next_index(blocked);
        active &= ~(to_port_[output / port_bits] & to_vc_[output % port_bits]);
      }
      return active;
    } else {
      Vector found{};
#pragma GCC unroll 16
      for (std::uint32_t port = 0; port < Ports; ++port)
#pragma GCC unroll 4
        for (std::uint32_t vc = 0; vc < port_bits; ++vc)
          add_where(found, credit, Vector{} + bit_of(port, vc), to_port_[port] & to_vc_[vc]);
      return found;
    }
  }

  /// One iteration of iSLIP over the ports, the VC of each match, and what it moves. Returns the VCs whose
  /// tails left.
  Vector allocate_switch(Vector requests) {
    Vector granted[Ports], accepted[Ports];
    grant(requests, granted);
    const Vector taken = accept(granted, accepted);
    const Vector winners = serve(requests, accepted, taken);
    const Vector outputs = outputs_of(winners);
    subtract(flits_, winners);
    subtract(credits_, outputs);
    log(outputs, winners);
    Vector left[Planes];
#pragma GCC unroll 8
    for (std::uint32_t plane = 0; plane < Planes; ++plane) left[plane] = load(rows.left(plane));
    subtract(left, winners);
    store_planes(rows.left(0), left);
    return winners & ~any_plane(left);
  }

  /// Each output grants to the first input from its pointer.
  void grant(Vector requests, Vector (&granted)[Ports]) const {
#pragma GCC unroll 16
    for (std::uint32_t port = 0; port < Ports; ++port) {
      const Vector inputs = any_of_port(requests & to_port_[port]);
      const Vector preferred = inputs & load(rows.grant_from(port));
      const Vector chosen = preferred != 0 ? preferred : inputs;
      granted[port] = chosen & -chosen;
    }
  }

  /// Each input accepts the first output from its pointer. Returns the inputs that accepted (their lowest
  /// bits).
  Vector accept(const Vector (&granted)[Ports], Vector (&accepted)[Ports]) {
    Vector taken{}, from[Ports];
#pragma GCC unroll 16
    for (std::uint32_t port = 0; port < Ports; ++port) {
      from[port] = load(rows.accept_from(port));
      accepted[port] = granted[port] & from[port] & ~taken;
      taken |= accepted[port];
    }
#pragma GCC unroll 16
    for (std::uint32_t port = 0; port < Ports; ++port) {
      const Vector wrapped = granted[port] & ~(from[port] | taken);
      taken |= wrapped;
      accepted[port] |= wrapped;
    }
    Vector before{};  // inputs that accepted an output below `port`
#pragma GCC unroll 16
    for (std::uint32_t port = 0; port < Ports; ++port) {
      store(rows.accept_from(port), (from[port] & ~taken) | before);
      before |= accepted[port];
      const Vector pointer = load(rows.grant_from(port));
      store(rows.grant_from(port), accepted[port] != 0 ? -(accepted[port] << port_bits) : pointer);
    }
    return taken;
  }

  /// Of each input that accepted, the first VC from its pointer that wants that output.
  Vector serve(Vector requests, const Vector (&accepted)[Ports], Vector taken) {
    Vector candidates{};
#pragma GCC unroll 16
    for (std::uint32_t port = 0; port < Ports; ++port)
      candidates |= whole_port(accepted[port]) & requests & to_port_[port];
    const Vector pointer = load(rows.serve_from());
    const Vector preferred = candidates & pointer;
    const Vector chosen = preferred | (candidates & ~whole_port(any_of_port(preferred)));
    Vector from_chosen = chosen | ((chosen << 1) & every(14));  // and every VC above it in its port
    from_chosen |= (from_chosen << 2) & every(12);
    const Vector above = (from_chosen << 1) & every(14);
    store(rows.serve_from(), (pointer & ~whole_port(taken)) | above);
    return from_chosen & ~above;
  }

  /// The output VCs that packets of these input VCs have.
  [[nodiscard]] Vector outputs_of(Vector inputs) const {
    Vector outputs{};
#pragma GCC unroll 16
    for (std::uint32_t port = 0; port < Ports; ++port) {
      const Vector here = inputs & to_port_[port];
#pragma GCC unroll 4
      for (std::uint32_t vc = 0; vc < port_bits; ++vc)
        add_where(outputs, here, to_vc_[vc], Vector{} + bit_of(port, vc));
    }
    return outputs;
  }

  void start(Vector routed, Vector waiting) {
    store(rows.waiting(), waiting | routed);
#pragma GCC unroll 8
    for (std::uint32_t plane = 0; plane < Planes; ++plane) {
      const Vector left = load(rows.left(plane));
      store(rows.left(plane), (fabric_.packet_flits >> plane & 1) != 0 ? left | routed : left & ~routed);
    }
  }

  void finish(Vector tails) {
    store(rows.freed(), outputs_of(tails));
#pragma GCC unroll 16
    for (std::uint32_t port = 0; port < Ports; ++port) store(rows.to_port(port), to_port_[port] & ~tails);
#pragma GCC unroll 4
    for (std::uint32_t vc = 0; vc < port_bits; ++vc) store(rows.to_vc(vc), to_vc_[vc] & ~tails);
  }

  void store_crowded() {
    Vector crowded{};
#pragma GCC unroll 8
    for (std::uint32_t plane = 0; plane < Planes; ++plane)
      if (plane >= fabric_.crowded_plane) crowded |= flits_[plane];
    store(rows.crowded(), crowded);
  }

  /// What was granted: vectors of switches leave it to be pulled, one switch alone pushes it.
  void log(Vector outputs, Vector inputs) {
    Word* const here = fabric_.log_of(now_) + std::size_t{group_} * Lanes;
    store_to(here + fabric_.switches, inputs);
    if constexpr (Lanes > 1) {
      store_to(here, outputs);
    } else {
      const Push* const pushes = fabric_.pushes + std::size_t{group_} * 2 * Ports;
      while (outputs != 0) {  // as many as inputs
        push(pushes, next_index(outputs));
        push(pushes + Ports, next_index(inputs));
      }
    }
  }

  void push(const Push* pushes, std::uint32_t bit) const {
    const Push& to = pushes[bit / port_bits];
    fabric_.pushed_at(now_ + to.delay)[to.offset] |= Word{1} << (to.first_bit + bit % port_bits);
  }

  void add(std::uint32_t row, Vector (&planes)[Planes], Vector carry) const {
#pragma GCC unroll 8
    for (std::uint32_t plane = 0; plane < Planes; ++plane) {
      const Vector before = load(row + plane);
      planes[plane] = before ^ carry;
      carry &= before;
    }
  }
  static void subtract(Vector (&planes)[Planes], Vector borrow) {
#pragma GCC unroll 8
    for (std::uint32_t plane = 0; plane < Planes; ++plane) {
      const Vector before = planes[plane];
      planes[plane] = before ^ borrow;
      borrow &= ~before;
    }
  }
  static Vector any_plane(const Vector (&planes)[Planes]) {
    Vector any = planes[0];
#pragma GCC unroll 8
    for (std::uint32_t plane = 1; plane < Planes; ++plane) any |= planes[plane];
    return any;
  }
  void store_planes(std::uint32_t row, const Vector (&planes)[Planes]) {
#pragma GCC unroll 8
    for (std::uint32_t plane = 0; plane < Planes; ++plane) store(row + plane, planes[plane]);
  }

  /// The lowest bit of each port of which any bit is set; and back: all bits of each port whose lowest bit is
  /// set.
  static Vector any_of_port(Vector vcs) {
    const Vector pairs = vcs | (vcs >> 1);
    return (pairs | (pairs >> 2)) & lowest;
  }
  static Vector whole_port(Vector inputs) { return (inputs << port_bits) - inputs; }
  static constexpr Word bit_of(std::uint32_t port, std::uint32_t vc) {
    return Word{1} << (port * port_bits + vc);
  }

  /// sum |= value where a and b have a bit in common.
  static void add_where(Vector& sum, Vector a, Vector b, Vector value) {
#ifdef __AVX512F__
    if constexpr (Lanes > 1 && sizeof(Word) == 4) {
      sum = (Vector)_mm512_mask_or_epi32((__m512i)sum, _mm512_test_epi32_mask((__m512i)a, (__m512i)b),
                                         (__m512i)sum, (__m512i)value);
      return;
    } else if constexpr (Lanes > 1) {
      sum = (Vector)_mm512_mask_or_epi64((__m512i)sum, _mm512_test_epi64_mask((__m512i)a, (__m512i)b),
                                         (__m512i)sum, (__m512i)value);
      return;
    }
#endif
    sum |= (a & b) != 0 ? value : Vector{};
  }

  static Vector rotate(Vector words, Vector by) {
#ifdef __AVX512F__
    if constexpr (Lanes > 1 && sizeof(Word) == 4)
      return (Vector)_mm512_maskz_rolv_epi32(all_lanes, (__m512i)words, (__m512i)by);
    else if constexpr (Lanes > 1)
      return (Vector)_mm512_maskz_rolv_epi64(static_cast<__mmask8>(all_lanes), (__m512i)words, (__m512i)by);
#endif
    return (words << by) | (words >> (-by & (word_bits - 1)));
  }

  static std::uint32_t lanes_of(Vector words) {
    if constexpr (Lanes == 1) {
      return words != 0 ? 1 : 0;
    } else {
#ifdef __AVX512F__
      const auto bits = (__m512i)words;
      if constexpr (sizeof(Word) == 4)
        return _mm512_test_epi32_mask(bits, bits);
      else
        return _mm512_test_epi64_mask(bits, bits);
#else
      std::uint32_t lanes = 0;
      for (std::uint32_t lane = 0; lane < Lanes; ++lane) lanes |= (words[lane] != 0 ? 1U : 0U) << lane;
      return lanes;
#endif
    }
  }

  /// One byte a lane. (GCC 12 converts such vectors element by element.)
  static Vector widened(const std::uint8_t* bytes) {
    if constexpr (Lanes == 1) {
      return *bytes;
    } else {
#ifdef __AVX512F__
      if constexpr (sizeof(Word) == 4)
        return (Vector)_mm512_maskz_cvtepu8_epi32(all_lanes, _mm_loadu_si128((const __m128i*)bytes));
      else
        return (Vector)_mm512_maskz_cvtepu8_epi64(static_cast<__mmask8>(all_lanes),
                                                  _mm_loadl_epi64((const __m128i*)bytes));
#elif defined(__AVX2__)
      if constexpr (sizeof(Word) == 4)
        return (Vector)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)bytes));
      else
        return (Vector)_mm256_cvtepu8_epi64(_mm_loadu_si32(bytes));
#else
      static_assert(Lanes == 1);
#endif
    }
  }
  static Vector load_from(const Word* words) {
    Vector vector;
    std::memcpy(&vector, words, sizeof vector);
    return vector;
  }
  static void store_to(Word* words, Vector vector) { std::memcpy(words, &vector, sizeof vector); }
  [[nodiscard]] Vector load(std::uint32_t row) const { return load_from(state_ + std::size_t{row} * Lanes); }
  void store(std::uint32_t row, Vector vector) { store_to(state_ + std::size_t{row} * Lanes, vector); }

  const Fabric<Word> fabric_;  // a copy: nothing that is stored can change it
  std::uint32_t group_;
  Time now_;
  Word* state_;
  Vector flits_[Planes], credits_[Planes];
  Vector to_port_[Ports], to_vc_[port_bits];
};

}  // namespace faultline::wormhole::lanes
