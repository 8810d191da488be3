// SPDX-License-Identifier: Apache-2.0
// The vector part of a cycle: arrivals, credits, crossbar allocation and traversal. Included by each kernel
// and compiled for its instruction set; `Simd` are its vectors.
#pragma once

#include <bit>

#include "simulate/kernels/crossbar.h"
#include "simulate/kernels/listing.h"
#include "simulate/kernels/log_reader.h"
#include "simulate/kernels/output_ports.h"
#include "simulate/kernels/plane_counts.h"
#include "simulate/kernels/planes_kernel.h"
#include "simulate/kernels/vc_codes.h"
#include "simulate/kernels/vector_state.h"

namespace faultline::wormhole::planes {

/// `Planes` is 0 if it is known only at run time.
template <class Simd, std::uint32_t Vcs, std::uint32_t Planes>
class Cycle {
  using Word = typename Simd::Word;
  using Vector = typename Simd::Vector;
  static constexpr std::uint32_t lanes = Simd::lanes;
  static constexpr std::uint32_t max_ports = sizeof(Word) * 8;
  static constexpr Word each_byte = static_cast<Word>(0x0101010101010101);
  using Codes = VcCodes<Simd, Vcs>;
  using Counts = PlaneCounts<Simd, Planes>;
  using Sums = PlaneCounts<Simd, Planes != 0 ? Planes + more_planes<Vcs> : 0>;

 public:
  [[gnu::flatten]] static Work advance(const VectorState<Word>& vectors, std::uint32_t group, Time now) {
    return Cycle(vectors, group, now).run();
  }

 private:
  Cycle(const VectorState<Word>& vectors, std::uint32_t group, Time now)
      : vectors_(vectors),
        ports_(vectors.ports),
        counts_(vectors.planes),
        sums_(vectors.planes + more_planes<Vcs>),
        rows_(Planes != 0 ? Planes : vectors.planes, ports_),
        group_(group),
        now_(now),
        words_(vectors.rows + std::size_t{group} * rows_.count() * lanes),
        output_ports_(words_, rows_, ports_) {}

  Work run() {
    Work work;
    receive();
    const bool starts = find_fresh(work);
    wake_parked();
    list_asking(work);
    unblock();
    if (work.holds && find_requests()) {
      work.sent = true;
      allocate();
    } else {
      send_nothing();
    }
    change_counts();
    if (work.sent || starts) change_left();
    if (work.sent) end_packets(work);
    if (starts) start(work);
    return work;
  }

  // Arrivals

  void receive() {
    Vector arrivals[code_bits], credits[code_bits];
    LogReader<Simd>(vectors_, group_, now_).read(arrivals, credits);
    Codes::decode(arrivals, arrived_);
    Codes::decode(credits, credited_);
    if (vectors_.summed_vcs != 0) sum_credits();
    if (vectors_.returns[group_] != 0) take_returned();
  }

  /// At most one comes to an output in a cycle, and one was used in the last.
  void sum_credits() {
    Vector credited = Simd::zero(), took = Simd::zero();
    for_each_vc([&](std::uint32_t w) {
      if (!is_summed(w)) return;
      credited |= credited_[w];
      took |= load(rows_.granted(w));
    });
    sums_.change(row(rows_.credit_sum()), credited, took);
  }
  [[nodiscard]] bool is_summed(std::uint32_t w) const { return (vectors_.summed_vcs >> w & 1) != 0; }
  /// Of flits that were thrown away: several may come to an output.
  void take_returned() {
    vectors_.returns[group_] = 0;
    for (std::uint32_t w = 0; w < Vcs; ++w) {
      credited_[w] |= load(rows_.returned(w));
      if (is_summed(w)) sums_.change(row(rows_.credit_sum()), load(rows_.returned(w)), Simd::zero());
      store(rows_.returned(w), Simd::zero());
    }
  }

  /// Packets that have come to the front: whether there are any. Also input VCs that have a flit and an
  /// output VC.
  bool find_fresh(Work& work) {
    Vector any = Simd::zero(), holds = Simd::zero();
    for_each_vc([&](std::uint32_t v) {
      const Vector filled = load(rows_.filled(v)) | arrived_[v], idle = load(rows_.idle(v));
      fresh_[v] = filled & idle;
      requests_[v] = Simd::and_not_not(filled, idle, load(rows_.waiting(v)));
      any |= fresh_[v];
      holds |= filled;
    });
    work.holds = Simd::any(holds);
    return Simd::any(any);
  }

  // Heads

  /// Output VCs that are free, and heads that were parked until one is.
  void wake_parked() {
    Vector came_free[Vcs], any = Simd::zero(), any_free = Simd::zero();
    for_each_vc([&](std::uint32_t w) {
      const Vector taken = load(rows_.allocated(w));
      Vector free = ~taken;
      if (vectors_.atomic) {
        const Vector empty = counts_.is_with(row(rows_.credits(w)), credited_[w], vectors_.buffer_flits);
        free &= empty;
        came_free[w] = empty & credited_[w];
      } else {
        came_free[w] = load(rows_.freed(w));
      }
      store(rows_.free(w), free);
      any_free |= free;
      any |= came_free[w];
    });
    store(rows_.any_free(), any_free);
    if (!Simd::any(any)) return;
    if (!vectors_.atomic)
      for (std::uint32_t w = 0; w < Vcs; ++w) store(rows_.freed(w), Simd::zero());
    Vector parked_under = load(rows_.parked_under());
    any &= parked_under;
    if (!Simd::any(any)) return;
    Vector hit[Vcs];
    for (std::uint32_t v = 0; v < Vcs; ++v) hit[v] = Simd::zero();
    for (Word ports = Simd::or_of_lanes(any); ports != 0; ports &= static_cast<Word>(ports - 1)) {
      const auto port = static_cast<std::uint32_t>(__builtin_ctzll(ports));
      const Vector there = Simd::spread(any, port_bit(port));
      Vector parked = Simd::zero();
      for_each_vc([&](std::uint32_t v) {
        const Vector heads = load(rows_.parked(port, v));
        hit[v] = Simd::or_and(hit[v], heads, there);
        parked |= heads;
      });
      parked_under = Simd::and_not(parked_under, Simd::and_not(port_bit(port), Simd::spread(parked, parked)));
    }
    store(rows_.parked_under(), parked_under);
    for (std::uint32_t v = 0; v < Vcs; ++v)
      store(rows_.asking(v), Simd::or_and(load(rows_.asking(v)), hit[v], load(rows_.waiting(v))));
  }

  void list_asking(Work& work) const {
    Vector any = load(rows_.asking(0));
    for (std::uint32_t v = 1; v < Vcs; ++v) any |= load(rows_.asking(v));
    if (!Simd::any(any)) return;
    if (vectors_.allocates)
      work.asks = true;
    else
      Listing<Simd, Vcs>(vectors_.lists.asking, work.asking).append(row(rows_.asking(0)), any);
  }

  // The crossbar

  /// Credit has come to output VCs that had none.
  void unblock() {
    Vector gained[Vcs], any = Simd::zero();
    for_each_vc([&](std::uint32_t w) {
      gained[w] = Simd::and_not(credited_[w], load(rows_.has_credit(w)));
      any |= gained[w];
    });
    if (!Simd::any(any)) return;
    for_each_holder(gained, [this](std::uint32_t v, Vector holders) {
      store(rows_.blocked(v), Simd::and_not(load(rows_.blocked(v)), holders));
    });
  }

  /// Input VCs that have a flit, an output VC and credit for it: whether there are any.
  bool find_requests() {
    Vector any = Simd::zero();
    for_each_vc([&](std::uint32_t v) {
      requests_[v] = Simd::and_not(requests_[v], load(rows_.blocked(v)));
      any |= requests_[v];
    });
    return Simd::any(any);
  }

  /// Inputs whose VC v has VC w of its output.
  [[nodiscard]] Vector inputs_with_code(std::uint32_t w, std::uint32_t v) const {
    if constexpr (Vcs <= code_bits) return load(rows_.output_code(w, v));
    Vector codes[code_bits];
    for (std::uint32_t c = 0; c < code_bits; ++c) codes[c] = load(rows_.output_code(c, v));
    return Codes::with_code(codes, w);
  }

  /// visit(v, input VCs v that have one of the output VCs in `which`).
  template <class Visit>
  void for_each_holder(const Vector (&which)[Vcs], Visit visit) const {
    Vector none[Vcs];  // those that have no output VC
    for_each_vc([&](std::uint32_t v) { none[v] = load(rows_.idle(v)) | load(rows_.waiting(v)); });
    for (std::uint32_t w = 0; w < Vcs; ++w) {
      if (!Simd::any(which[w])) continue;
      for (Word ports = Simd::or_of_lanes(which[w]); ports != 0; ports &= static_cast<Word>(ports - 1)) {
        const auto port = static_cast<std::uint32_t>(__builtin_ctzll(ports));
        const Vector there = Simd::spread(which[w], port_bit(port));
        for_each_vc([&](std::uint32_t v) {
          visit(v, Simd::and_not(Simd::and3(output_ports_.inputs_to(port, v), inputs_with_code(w, v), there),
                                 none[v]));
        });
      }
    }
  }

  /// Matches inputs with outputs, and moves a flit of each match.
  void allocate() {
    output_ports_.find_wanted(requests_, accepted_);
    Word *const grant_from = row(rows_.grant_from(0)), *const accept_from = row(rows_.accept_from(0));
    const Vector taken = vectors_.iterations == 1 && !vectors_.inputs_first
                             ? Crossbar<Simd>::match_once(accepted_, grant_from, accept_from, ports_)
                             : Crossbar<Simd>::match_often(accepted_, grant_from, accept_from, ports_,
                                                           vectors_.iterations, vectors_.inputs_first);
    serve(taken);
    log();
  }

  /// Of each input that accepted, the first VC from its pointer that wants that output.
  void serve(Vector taken) {
    Vector candidates[Vcs], preferred[Vcs], any = Simd::zero();
    output_ports_.find_candidates(requests_, accepted_, taken, candidates, number_);
    for_each_vc([&](std::uint32_t v) {
      preferred[v] = candidates[v] & load(rows_.serve_from(v));
      any |= preferred[v];
    });
    Vector seen = Simd::zero();
    for_each_vc([&](std::uint32_t v) {
      const Vector chosen = preferred[v] | Simd::and_not(candidates[v], any);
      store(rows_.serve_from(v), Simd::and_not(load(rows_.serve_from(v)), taken) | (seen & taken));
      store(rows_.served(v), Simd::and_not(chosen, seen));
      seen |= chosen;
    });
  }

  /// Grants, which neighbouring switches will pull. Also by output VC.
  void log() {
    Vector served[Vcs], outputs[code_bits], inputs[code_bits], codes_granted[code_bits], granted[Vcs];
#pragma GCC unroll 4
    for (std::uint32_t c = 0; c < code_bits; ++c) outputs[c] = Simd::zero();
    for_each_vc([&](std::uint32_t v) {
      served[v] = load(rows_.served(v));
#pragma GCC unroll 4
      for (std::uint32_t c = 0; c < code_bits; ++c)
        outputs[c] = Simd::or_and(outputs[c], served[v], load(rows_.output_code(c, v)));
    });
    Codes::encode(served, inputs);
    std::uint8_t* const bytes = vectors_.log_of(now_) + vectors_.log_offset(group_, 0);
    if constexpr (Simd::looks_up) {
      look_up(outputs, inputs, bytes, codes_granted);
    } else if constexpr (Simd::transposes) {
      find_granted(outputs, codes_granted);
      to_bytes(codes_granted, inputs, bytes, ports_ * lanes);
    } else {
#pragma GCC unroll 4
      for (Vector& of_code : codes_granted) of_code = Simd::zero();
      for (std::uint32_t port = 0; port < ports_; ++port) {
        const Vector bit = port_bit(port);
        typename Simd::Codes codes{};
#pragma GCC unroll 4
        for (std::uint32_t c = 0; c < code_bits; ++c) {
          codes_granted[c] = Simd::add_where_common(codes_granted[c], accepted_[port], outputs[c], bit);
          codes = Simd::mark(codes, accepted_[port], outputs[c], 1U << c);
          codes = Simd::mark(codes, inputs[c], bit, 16U << c);
        }
        Simd::store_codes(bytes + std::size_t{port} * lanes, codes);
      }
    }
    Codes::decode(codes_granted, granted);
    for_each_vc([&](std::uint32_t w) { store(rows_.granted(w), granted[w]); });
  }

  /// From codes, bit by bit, to a byte for each port and lane.
  static void to_bytes(const Vector (&low)[code_bits], const Vector (&high)[code_bits], std::uint8_t* bytes,
                       std::uint32_t count) {
    Vector rows[2 * code_bits];
#pragma GCC unroll 4
    for (std::uint32_t c = 0; c < code_bits; ++c) {
      rows[c] = low[c];
      rows[code_bits + c] = high[c];
    }
    Simd::to_bytes(rows, bytes, count);
  }

  /// By output, the codes of the output VCs that were granted; `outputs`: the same by input.
  void find_granted(const Vector (&outputs)[code_bits], Vector (&granted)[code_bits]) const {
#pragma GCC unroll 4
    for (Vector& of_code : granted) of_code = Simd::zero();
    for (std::uint32_t port = 0; port < ports_; ++port)
#pragma GCC unroll 4
      for (std::uint32_t c = 0; c < code_bits; ++c)
        granted[c] = Simd::add_where_common(granted[c], accepted_[port], outputs[c], port_bit(port));
  }
  /// The same with the bytes of the log, word by word: an output takes what the log has of the input that it
  /// is matched with. `inputs`: the codes of the VCs that left an input.
  void look_up(const Vector (&outputs)[code_bits], const Vector (&inputs)[code_bits], std::uint8_t* log,
               Vector (&granted)[code_bits]) const {
    constexpr std::uint32_t count = max_ports * lanes, unmatched = std::countr_zero(Word{0});
    std::uint8_t by_input[count + lanes], by_output[count] = {};
    to_bytes(outputs, inputs, by_input, count);
    __builtin_memset(by_input + unmatched * lanes, 0, lanes);
    const auto* const matched = reinterpret_cast<const Word*>(accepted_);
#pragma GCC unroll 4
    for (std::uint32_t i = 0; i < ports_ * lanes; i += lanes)
#pragma GCC unroll 2
      for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const auto input = static_cast<std::size_t>(std::countr_zero(matched[i + lane]));
        by_output[i + lane] = by_input[input * lanes + lane];
      }
    Vector rows[2 * code_bits], bytes[2 * code_bits];
    __builtin_memcpy(rows, by_output, count);
    __builtin_memcpy(bytes, by_input, count);
#pragma GCC unroll 8
    for (std::uint32_t i = 0; i < 2 * code_bits; ++i)
      bytes[i] =
          (bytes[i] & Simd::set1(each_byte * high_half)) | (rows[i] & Simd::set1(each_byte * low_half));
    __builtin_memcpy(log, bytes, ports_ * lanes);
    Simd::to_rows(rows);
#pragma GCC unroll 4
    for (std::uint32_t c = 0; c < code_bits; ++c) granted[c] = rows[c];
  }

  void send_nothing() const {
    for_each_vc([&](std::uint32_t v) {
      store(rows_.served(v), Simd::zero());
      store(rows_.granted(v), Simd::zero());
    });
    std::uint8_t* const bytes = vectors_.log_of(now_) + vectors_.log_offset(group_, 0);
    __builtin_memset(bytes, 0, std::size_t{ports_} * lanes);
  }

  // Flits and packets that have come or gone

  void change_counts() {
    for_each_vc([&](std::uint32_t v) {
      store(rows_.filled(v), counts_.change(row(rows_.flits(v)), arrived_[v], load(rows_.served(v))));
      const Vector granted = load(rows_.granted(v)),
                   has_credit = counts_.change(row(rows_.credits(v)), credited_[v], granted);
      lost_credit_[v] = Simd::and_not(granted, has_credit);
      store(rows_.has_credit(v), has_credit);
    });
  }
  void change_left() {
    for_each_vc([&](std::uint32_t v) {
      const Vector served = load(rows_.served(v)),
                   left =
                       counts_.change_or_restart(row(rows_.left(v)), served, fresh_[v], vectors_.first_flits);
      tails_[v] = Simd::and_not(served, left);
    });
  }

  /// After flits have been sent.
  void end_packets(Work& work) {
    Vector tails = Simd::zero(), lost = Simd::zero();
    for_each_vc([&](std::uint32_t v) {
      tails |= tails_[v];
      lost |= lost_credit_[v];
    });
    if (Simd::any(lost))
      for_each_holder(lost_credit_, [this](std::uint32_t v, Vector holders) {
        store(rows_.blocked(v), load(rows_.blocked(v)) | holders);
      });
    if (!Simd::any(tails)) return;
    release(tails);
    list_tails(work);
  }

  /// The VCs of tails: the input's holds no packet, the output's is free.
  void release(Vector tails) {
    const Vector outputs = outputs_of(tails);
    for_each_vc([&](std::uint32_t w) {
      const Vector freed = load(rows_.granted(w)) & outputs;
      store(rows_.allocated(w), Simd::and_not(load(rows_.allocated(w)), freed));
      if (!vectors_.atomic) store(rows_.freed(w), freed);
    });
    for_each_vc([&](std::uint32_t v) {
      store(rows_.idle(v), load(rows_.idle(v)) | tails_[v]);
      store(rows_.blocked(v), Simd::and_not(load(rows_.blocked(v)), tails_[v]));
    });
  }

  /// The outputs by which tails left.
  [[nodiscard]] Vector outputs_of(Vector tails) const {
    if constexpr (Simd::looks_up && Vcs > few_vcs) return outputs_one_by_one(tails);
    Vector outputs = Simd::zero();
    for (std::uint32_t port = 0; port < ports_; ++port)
      outputs = Simd::add_where_common(outputs, accepted_[port], tails, port_bit(port));
    return outputs;
  }
  /// The same for few tails in few lanes: 2 % of a run with 8 VCs and 36 ports.
  [[nodiscard]] Vector outputs_one_by_one(Vector tails) const {
    Word inputs[lanes], outputs[lanes] = {};
    Simd::store(inputs, tails);
    const auto* const number = reinterpret_cast<const Word*>(number_);
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      for (Word rest = inputs[lane]; rest != 0; rest &= rest - 1) {
        const int input = std::countr_zero(rest);
        Word port = 0;
#pragma GCC unroll 6
        for (std::uint32_t bit = 0; bit < port_bits<Word>; ++bit)
          port |= (number[bit * lanes + lane] >> input & 1) << bit;
        outputs[lane] |= Word{1} << port;
      }
    return Simd::load(outputs);
  }

  /// Of the tails that left, those that concern the scalar part.
  void list_tails(Work& work) const {
    Vector any = Simd::zero();
    for_each_vc([&](std::uint32_t v) {
      const Vector listed = vectors_.lists_all_tails ? tails_[v] : tails_[v] & load(rows_.ejects(v));
      store(rows_.tails(v), listed);
      any |= listed;
    });
    if (Simd::any(any)) Listing<Simd, Vcs>(vectors_.lists.tails, work.tails).append(row(rows_.tails(0)), any);
  }

  // The end of the cycle. After the scalar part has begun, nothing of a group is stored.

  /// Packets that have come to the front: the scalar part determines their requests.
  void start(Work& work) const {
    Vector any = Simd::zero();
    for_each_vc([&](std::uint32_t v) {
      const Vector fresh = fresh_[v];
      any |= fresh;
      store(rows_.fresh(v), fresh);
      store(rows_.idle(v), Simd::and_not(load(rows_.idle(v)), fresh));
      store(rows_.waiting(v), load(rows_.waiting(v)) | fresh);
      if (vectors_.asks_unrouted) store(rows_.asking(v), load(rows_.asking(v)) | fresh);
    });
    if (!vectors_.asks_unrouted)
      Listing<Simd, Vcs>(vectors_.lists.fresh, work.fresh).append(row(rows_.fresh(0)), any);
  }

  /// visit(VC). Up to 4 without a loop, so that their rows are in registers; for more the code would be
  /// larger than what a processor decodes from its first-level cache.
  template <class Visit>
  static void for_each_vc(Visit visit) {
    if constexpr (Vcs <= few_vcs) {
#pragma GCC unroll 4
      for (std::uint32_t v = 0; v < Vcs; ++v) visit(v);
    } else {
#pragma GCC unroll 1
      for (std::uint32_t v = 0; v < Vcs; ++v) visit(v);
    }
  }
  [[nodiscard]] static Vector port_bit(std::uint32_t port) {
    return Simd::set1(static_cast<Word>(Word{1} << port));
  }
  [[nodiscard]] Word* row(std::uint32_t number) const { return words_ + std::size_t{number} * lanes; }
  [[nodiscard]] Vector load(std::uint32_t number) const { return Simd::load(row(number)); }
  void store(std::uint32_t number, Vector vector) const { Simd::store(row(number), vector); }

  const VectorState<Word> vectors_;  // a copy: nothing that is stored can change it
  const std::uint32_t ports_;
  const Counts counts_;
  const Sums sums_;
  const Rows<Word, Vcs> rows_;
  const std::uint32_t group_;
  const Time now_;
  Word* const words_;
  const OutputPorts<Simd, Vcs> output_ports_;
  Vector arrived_[Vcs], credited_[Vcs], fresh_[Vcs], requests_[Vcs], lost_credit_[Vcs], tails_[Vcs];
  Vector number_[port_bits<Word>];  ///< by input: of the output that it is matched with, bit by bit
  Vector
      accepted_[max_ports];  ///< by output: the inputs that request it, then the one that it is matched with
};

}  // namespace faultline::wormhole::planes
