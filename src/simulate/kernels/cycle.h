// SPDX-License-Identifier: Apache-2.0
// The vector part of a cycle: arrivals, credits, crossbar allocation and traversal. Included by each kernel
// and compiled for its instruction set; `Simd` are its vectors.
#pragma once

#include "simulate/kernels/crossbar.h"
#include "simulate/kernels/listing.h"
#include "simulate/kernels/output_ports.h"
#include "simulate/kernels/plane_counts.h"
#include "simulate/kernels/vc_codes.h"
#include "simulate/kernels/vector_state.h"

namespace faultline::wormhole::planes {

/// `Planes` is 0 if it is known only at run time.
template <class Simd, std::uint32_t Vcs, std::uint32_t Planes>
class Cycle {
  using Word = typename Simd::Word;
  using Vector = typename Simd::Vector;
  using Coded = typename Simd::Coded;
  static constexpr std::uint32_t lanes = Simd::lanes;
  static constexpr std::uint32_t most_ports = sizeof(Word) * 8;
  using Codes = VcCodes<Simd, Vcs>;
  using Counts = PlaneCounts<Simd, Planes>;
  using Count = typename Counts::Count;

 public:
  [[gnu::flatten]] static Work advance(const VectorState<Word>& vectors, std::uint32_t group, Time now) {
    return Cycle(vectors, group, now).run();
  }

 private:
  Cycle(const VectorState<Word>& vectors, std::uint32_t group, Time now)
      : vectors_(vectors),
        ports_(vectors.ports),
        counts_(vectors.planes),
        rows_(Planes != 0 ? Planes : vectors.planes, ports_),
        group_(group),
        now_(now),
        words_(vectors.rows + std::size_t{group} * rows_.count() * lanes),
        output_ports_(words_, rows_, ports_) {}

  Work run() {
    Work work;
    receive();
    const Vector fresh = find_fresh();
    wake_parked(work);
    list_asking(work);
    clear_grants();
    unblock();
    if (work.holds) {
      find_requests();
      Vector any = requests_[0];
#pragma GCC unroll 8
      for (std::uint32_t v = 1; v < Vcs; ++v) any |= requests_[v];
      if (Simd::any(any)) {
        work.sent = true;
        allocate(work);
      }
    }
    if (!work.sent) clear_log();
    store_counts();
    if (Simd::any(fresh)) start(work, fresh);
    return work;
  }

  // Arrivals

  void receive() {
    Vector arrivals[code_bits], credits[code_bits];
    for (std::uint32_t c = 0; c < code_bits; ++c) arrivals[c] = credits[c] = Simd::zero();
    const PortPulls* const pulls = vectors_.pulls + std::size_t{group_} * ports_;
    for (std::uint32_t port = 0; port < ports_; ++port) {
      const PortPulls& from = pulls[port];
      const Vector bit = port_bit(port);
      if (from.flits.mode != Pull::Mode::none) {
        const Coded bytes = pull(from.flits, port, 0);
#pragma GCC unroll 4
        for (std::uint32_t c = 0; c < code_bits; ++c)
          arrivals[c] = Simd::add_where(arrivals[c], bytes, 1U << c, bit);
        if (!from.apart) {
#pragma GCC unroll 4
          for (std::uint32_t c = 0; c < code_bits; ++c)
            credits[c] = Simd::add_where(credits[c], bytes, 16U << c, bit);
        }
      }
      if (from.credits.mode != Pull::Mode::none) {
        const Coded bytes = pull(from.credits, port, 1);
#pragma GCC unroll 4
        for (std::uint32_t c = 0; c < code_bits; ++c)
          credits[c] = Simd::add_where(credits[c], bytes, 16U << c, bit);
      }
      if (from.ejections.mode != Pull::Mode::none) {
        const Coded bytes = pull(from.ejections, port, 2);
#pragma GCC unroll 4
        for (std::uint32_t c = 0; c < code_bits; ++c)
          credits[c] = Simd::add_where(credits[c], bytes, 1U << c, bit);
      }
    }
    Vector arrived[Vcs];
    Codes::decode(arrivals, arrived);
    Codes::decode(credits, credited_);
    if (vectors_.returns[group_] != 0) take_returned();
#pragma GCC unroll 8
    for (std::uint32_t v = 0; v < Vcs; ++v) {
      counts_.load_and_add(row(rows_.flits(v)), flits_[v], arrived[v]);
      counts_.load_and_add(row(rows_.credits(v)), credits_[v], credited_[v]);
      filled_[v] = counts_.not_zero(flits_[v]);
    }
  }

  [[nodiscard]] Coded pull(const Pull& from, std::uint32_t port, std::uint32_t which) const {
    if constexpr (Simd::permutes)
      if (from.mode == Pull::Mode::permute)
        return Simd::permute(
            vectors_.log_of(now_ - from.first_delay) + from.first,
            vectors_.log_of(now_ - from.second_delay) + from.second,
            vectors_.pull_indices + ((std::size_t{group_} * ports_ + port) * 3 + which) * index_bytes(lanes),
            from.open);
    alignas(64) std::uint8_t found[index_bytes(lanes)];
    if (from.mode == Pull::Mode::gather) {
      const std::uint8_t* const log = vectors_.log_of(now_ - from.first_delay);
      const std::uint32_t* const offsets = vectors_.gather_offsets + from.lane_0;
      if constexpr (requires { Simd::gather(log, offsets, from.open); })
        return Simd::gather(log, offsets, from.open);
      for (std::uint32_t lane = 0; lane < lanes; ++lane) found[lane] = log[offsets[lane]];
      return Simd::gathered(found, from.open);
    }
    const Gathered* const gathered = vectors_.gathered + from.lane_0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      found[lane] = vectors_.log_of(now_ - gathered[lane].delay)[gathered[lane].offset];
    return Simd::gathered(found, from.open);
  }

  void take_returned() {
    vectors_.returns[group_] = 0;
    for (std::uint32_t w = 0; w < Vcs; ++w) {
      credited_[w] |= load(rows_.returned(w));
      store(rows_.returned(w), Simd::zero());
    }
  }

  [[nodiscard]] Vector find_fresh() {
    Vector any = Simd::zero(), holds = Simd::zero();
#pragma GCC unroll 8
    for (std::uint32_t v = 0; v < Vcs; ++v) {
      fresh_[v] = load(rows_.idle(v)) & filled_[v];
      any |= fresh_[v];
      holds |= filled_[v];
    }
    holds_ = Simd::any(holds);
    return any;
  }

  // Heads

  /// Output VCs that are free, and heads that were parked until one is.
  void wake_parked(Work& work) {
    work.holds = holds_;
    Vector came_free[Vcs], any = Simd::zero();
#pragma GCC unroll 8
    for (std::uint32_t w = 0; w < Vcs; ++w) {
      const Vector taken = load(rows_.allocated(w));
      if (vectors_.atomic) {
        const Vector empty = counts_.equal_to(credits_[w], vectors_.buffer_flits);
        store(rows_.free(w), Simd::and_not(empty, taken));
        came_free[w] = empty & credited_[w];
      } else {
        store(rows_.free(w), ~taken);
        came_free[w] = load(rows_.freed(w));
      }
      any |= came_free[w];
    }
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
#pragma GCC unroll 8
      for (std::uint32_t v = 0; v < Vcs; ++v) {
        const Vector heads = load(rows_.parked(port, v));
        hit[v] = Simd::or_and(hit[v], heads, there);
        parked |= heads;
      }
      parked_under = Simd::and_not(parked_under, Simd::and_not(port_bit(port), Simd::spread(parked, parked)));
    }
    store(rows_.parked_under(), parked_under);
    for (std::uint32_t v = 0; v < Vcs; ++v)
      store(rows_.asking(v), Simd::or_and(load(rows_.asking(v)), hit[v], load(rows_.waiting(v))));
  }

  void list_asking(Work& work) const {
    Vector any = load(rows_.asking(0));
    for (std::uint32_t v = 1; v < Vcs; ++v) any |= load(rows_.asking(v));
    if (Simd::any(any))
      Listing<Simd, Vcs>(vectors_.lists.asking, work.asking).append(row(rows_.asking(0)), any);
  }

  // The crossbar

  void clear_grants() {
#pragma GCC unroll 8
    for (std::uint32_t v = 0; v < Vcs; ++v) served_[v] = granted_[v] = Simd::zero();
  }

  /// Credit has come to output VCs that had none.
  void unblock() {
    Vector gained[Vcs], any = Simd::zero();
#pragma GCC unroll 8
    for (std::uint32_t w = 0; w < Vcs; ++w) {
      const Vector before = load(rows_.has_credit(w));
      gained[w] = Simd::and_not(credited_[w], before);
      has_credit_[w] = before | credited_[w];
      blocked_[w] = load(rows_.blocked(w));
      any |= gained[w];
    }
    if (!Simd::any(any)) return;
    for_each_holder(gained, [this](std::uint32_t v, Vector holders) {
      blocked_[v] = Simd::and_not(blocked_[v], holders);
    });
  }

  /// Input VCs that have a flit, an output VC and credit for it.
  void find_requests() {
#pragma GCC unroll 8
    for (std::uint32_t v = 0; v < Vcs; ++v)
      requests_[v] =
          Simd::and_not(filled_[v], Simd::or3(load(rows_.idle(v)), load(rows_.waiting(v)), blocked_[v]));
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
#pragma GCC unroll 8
    for (std::uint32_t v = 0; v < Vcs; ++v) none[v] = load(rows_.idle(v)) | load(rows_.waiting(v));
    for (std::uint32_t w = 0; w < Vcs; ++w) {
      if (!Simd::any(which[w])) continue;
      for (Word ports = Simd::or_of_lanes(which[w]); ports != 0; ports &= static_cast<Word>(ports - 1)) {
        const auto port = static_cast<std::uint32_t>(__builtin_ctzll(ports));
        const Vector there = Simd::spread(which[w], port_bit(port));
#pragma GCC unroll 8
        for (std::uint32_t v = 0; v < Vcs; ++v)
          visit(v, Simd::and_not(Simd::and3(output_ports_.inputs_to(port, v), inputs_with_code(w, v), there),
                                 none[v]));
      }
    }
  }

  /// Matches inputs with outputs, and moves a flit of each match.
  void allocate(Work& work) {
    Vector wanted[most_ports], accepted[most_ports], taken;
    output_ports_.find_wanted(requests_, wanted);
    if (vectors_.iterations == 1 && !vectors_.inputs_first) {
      for (std::uint32_t port = 0; port < ports_; ++port)
        wanted[port] = Crossbar<Simd>::first_input(wanted[port], row(rows_.grant_from(port)));
      taken = Crossbar<Simd>::first_outputs(wanted, accepted, row(rows_.accept_from(0)), ports_);
      Crossbar<Simd>::move_pointers(accepted, taken, row(rows_.grant_from(0)), row(rows_.accept_from(0)),
                                    ports_);
    } else {
      taken =
          Crossbar<Simd>::match_often(wanted, accepted, row(rows_.grant_from(0)), row(rows_.accept_from(0)),
                                      ports_, vectors_.iterations, vectors_.inputs_first);
    }
    serve(accepted, taken);
    log(accepted);
    if (const Vector tails = move(); Simd::any(tails)) {
      release(accepted, tails);
      list_tails(work);
    }
  }

  /// Of each input that accepted, the first VC from its pointer that wants that output.
  void serve(const Vector (&accepted)[most_ports], Vector taken) {
    Vector candidates[Vcs], preferred[Vcs], any = Simd::zero();
    output_ports_.find_candidates(requests_, accepted, taken, candidates);
#pragma GCC unroll 8
    for (std::uint32_t v = 0; v < Vcs; ++v) {
      preferred[v] = candidates[v] & load(rows_.serve_from(v));
      any |= preferred[v];
    }
    Vector seen = Simd::zero();
#pragma GCC unroll 8
    for (std::uint32_t v = 0; v < Vcs; ++v) {
      const Vector chosen = preferred[v] | Simd::and_not(candidates[v], any);
      store(rows_.serve_from(v), Simd::and_not(load(rows_.serve_from(v)), taken) | (seen & taken));
      served_[v] = Simd::and_not(chosen, seen);
      seen |= chosen;
    }
  }

  /// Grants, which neighbouring switches will pull. Also by output VC.
  void log(const Vector (&accepted)[most_ports]) {
    Vector outputs[code_bits], inputs[code_bits], granted[code_bits];
#pragma GCC unroll 4
    for (std::uint32_t c = 0; c < code_bits; ++c) {
      outputs[c] = granted[c] = Simd::zero();
#pragma GCC unroll 8
      for (std::uint32_t v = 0; v < Vcs; ++v)
        outputs[c] = Simd::or_and(outputs[c], served_[v], load(rows_.output_code(c, v)));
    }
    Codes::encode(served_, inputs);
    std::uint8_t* const bytes = vectors_.log_of(now_) + vectors_.log_offset(group_, 0);
    for (std::uint32_t port = 0; port < ports_; ++port) {
      const Vector bit = port_bit(port);
      typename Simd::Codes codes{};
#pragma GCC unroll 4
      for (std::uint32_t c = 0; c < code_bits; ++c) {
        granted[c] = Simd::add_where_common(granted[c], accepted[port], outputs[c], bit);
        codes = Simd::mark(codes, accepted[port], outputs[c], 1U << c);
        codes = Simd::mark(codes, inputs[c], bit, 16U << c);
      }
      Simd::store_codes(bytes + std::size_t{port} * lanes, codes);
    }
    Codes::decode(granted, granted_);
  }

  void clear_log() const {
    std::uint8_t* const bytes = vectors_.log_of(now_) + vectors_.log_offset(group_, 0);
    __builtin_memset(bytes, 0, std::size_t{ports_} * lanes);
  }

  /// Returns the inputs whose tails left.
  Vector move() {
    Vector any = Simd::zero();
#pragma GCC unroll 8
    for (std::uint32_t v = 0; v < Vcs; ++v) {
      counts_.subtract(flits_[v], served_[v]);
      counts_.subtract(credits_[v], granted_[v]);
      Count left;
      counts_.load(row(rows_.left(v)), left);
      counts_.subtract(left, served_[v]);
      counts_.store(row(rows_.left(v)), left);
      tails_[v] = Simd::and_not(served_[v], counts_.not_zero(left));
      any |= tails_[v];
    }
    Vector lost[Vcs], any_lost = Simd::zero();
#pragma GCC unroll 8
    for (std::uint32_t w = 0; w < Vcs; ++w) {
      lost[w] = Simd::and_not(granted_[w], counts_.not_zero(credits_[w]));
      any_lost |= lost[w];
    }
    if (Simd::any(any_lost))
      for_each_holder(lost, [this](std::uint32_t v, Vector holders) { blocked_[v] |= holders; });
#pragma GCC unroll 8
    for (std::uint32_t v = 0; v < Vcs; ++v) {
      has_credit_[v] = Simd::and_not(has_credit_[v], lost[v]);
      blocked_[v] = Simd::and_not(blocked_[v], tails_[v]);
    }
    return any;
  }

  /// The VCs of tails: the input's holds no packet, the output's is free.
  void release(const Vector (&accepted)[most_ports], Vector tails) {
    Vector outputs = Simd::zero();
    for (std::uint32_t port = 0; port < ports_; ++port)
      outputs = Simd::add_where_common(outputs, accepted[port], tails, port_bit(port));
#pragma GCC unroll 8
    for (std::uint32_t w = 0; w < Vcs; ++w) {
      const Vector freed = granted_[w] & outputs;
      store(rows_.allocated(w), Simd::and_not(load(rows_.allocated(w)), freed));
      if (!vectors_.atomic) store(rows_.freed(w), freed);
    }
#pragma GCC unroll 8
    for (std::uint32_t v = 0; v < Vcs; ++v) store(rows_.idle(v), load(rows_.idle(v)) | tails_[v]);
  }

  /// Of the tails that left, those that concern the scalar part.
  void list_tails(Work& work) const {
    Vector any = Simd::zero();
#pragma GCC unroll 8
    for (std::uint32_t v = 0; v < Vcs; ++v) {
      const Vector listed = vectors_.lists_all_tails ? tails_[v] : tails_[v] & load(rows_.ejects(v));
      store(rows_.tails(v), listed);
      any |= listed;
    }
    if (Simd::any(any)) Listing<Simd, Vcs>(vectors_.lists.tails, work.tails).append(row(rows_.tails(0)), any);
  }

  // The end of the cycle. After the scalar part has begun, nothing of a group is stored.

  void store_counts() {
#pragma GCC unroll 8
    for (std::uint32_t v = 0; v < Vcs; ++v) {
      counts_.store(row(rows_.flits(v)), flits_[v]);
      counts_.store(row(rows_.credits(v)), credits_[v]);
      store(rows_.served(v), served_[v]);
      store(rows_.granted(v), granted_[v]);
      store(rows_.has_credit(v), has_credit_[v]);
      store(rows_.blocked(v), blocked_[v]);
    }
  }

  /// Packets that have come to the front: the scalar part determines their requests.
  void start(Work& work, Vector any) const {
#pragma GCC unroll 8
    for (std::uint32_t v = 0; v < Vcs; ++v) {
      const Vector fresh = fresh_[v];
      store(rows_.fresh(v), fresh);
      store(rows_.idle(v), Simd::and_not(load(rows_.idle(v)), fresh));
      store(rows_.waiting(v), load(rows_.waiting(v)) | fresh);
      if (vectors_.asks_unrouted) store(rows_.asking(v), load(rows_.asking(v)) | fresh);
      counts_.set(row(rows_.left(v)), fresh, vectors_.first_flits);
    }
    if (!vectors_.asks_unrouted)
      Listing<Simd, Vcs>(vectors_.lists.fresh, work.fresh).append(row(rows_.fresh(0)), any);
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
  const Rows<Word, Vcs> rows_;
  const std::uint32_t group_;
  const Time now_;
  Word* const words_;
  const OutputPorts<Simd, Vcs> output_ports_;
  bool holds_ = false;
  Count flits_[Vcs], credits_[Vcs];
  Vector credited_[Vcs], filled_[Vcs], fresh_[Vcs], requests_[Vcs], served_[Vcs], granted_[Vcs], tails_[Vcs];
  Vector has_credit_[Vcs], blocked_[Vcs];
};

}  // namespace faultline::wormhole::planes
