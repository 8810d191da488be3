// SPDX-License-Identifier: Apache-2.0
// The allocation of VCs by vectors (kernels/vc_matching.h), in groups of switches where in nearly every cycle
// many heads ask, as with short packets in a saturated network: what remains to be done for each head.
#pragma once

#include <bit>
#include <type_traits>
#include <vector>

#include "simulate/planes/vc_allocation.h"

namespace faultline::wormhole::planes {

template <class Word, std::uint32_t Vcs>
class GroupAllocation : protected VcAllocation<Word, Vcs> {
  using Base = VcAllocation<Word, Vcs>;

 protected:
  using State = typename Base::State;

  GroupAllocation(const Run& run, State& state, std::uint32_t region, std::vector<Delivery>* log)
      : Base(run, state, region, log),
        steps_(vectors_.alike ? state.steps.of_alike_vcs : state.steps.of_vcs) {
    if (vectors_.request_rows == nullptr) return;
    this->by_vectors_.resize(state.groups);
    scores_.resize(state.groups);
    const std::size_t inputs = std::size_t{wiring_.ports} * Vcs;
    many_asks_ = static_cast<std::uint32_t>(state.many_asks * static_cast<double>(inputs));
    requested_.resize(inputs * lanes_);
    listed_.resize(inputs * lanes_);
    won_.resize(inputs * lanes_);
    numbers_.resize(inputs * lanes_);
    winners_.resize(inputs * lanes_);
    requests_.requested = requested_.data();
    requests_.won = won_.data();
    requests_.events = listed_.data();
    requests_.by_credits = this->by_free_slots_;
  }

  using Base::chooser_, Base::head_requests_, Base::heads_, Base::lanes_, Base::now_, Base::number_of,
      Base::output_port, Base::packets_, Base::queues_, Base::routes_, Base::rows_, Base::timing_,
      Base::topology_, Base::vectors_, Base::wiring_;
  using typename Base::HeadOf;
  using typename Base::VcPosition;

  /// Before the vector part of a group's cycle.
  void choose_way(std::uint32_t group) {
    if (this->by_vectors_.empty()) return;
    vectors_.allocates = this->by_vectors_[group] != 0;
    vectors_.asks_unrouted = this->asks_unrouted_ && !vectors_.allocates;
  }
  void work_off(std::uint32_t group, const Lists& lists, const Work& work) {
    if (!this->by_vectors_.empty() && this->by_vectors_[group] != 0)
      return work_off_by_vectors(group, lists, work);
    Base::work_off(group, lists, work);
    if (!this->by_vectors_.empty() && work.holds && is_worth(group, work.asking)) begin_by_vectors(group);
  }

 private:
  /// So many heads of the group ask that vectors are faster than one head after the other. Changes cost as
  /// much as some cycles: they are made when the heads beyond the usual number add up to those of 32 cycles,
  /// and undone when all of these are used up, at half the usual number a cycle.
  [[nodiscard]] bool is_worth(std::uint32_t group, std::uint32_t asks) {
    const std::uint32_t most = 32 * many_asks_ + 32;
    std::uint32_t& score = scores_[group];
    const bool is_so = this->by_vectors_[group] != 0;
    const std::uint32_t usual = is_so ? many_asks_ / 2 : many_asks_;
    score = std::min(score + asks, most + usual);
    score -= std::min(score, usual);
    return score == most || (is_so && score != 0);
  }
  /// Between two cycles.
  [[gnu::noinline]] void begin_by_vectors(std::uint32_t group) {
    this->by_vectors_[group] = 1;
    const auto requests = head_requests_.of(group, this->lane_bits_);
    requests.clear();
    const std::uint32_t first = group << this->lane_bits_;
    const auto end = std::min(first + lanes_, static_cast<std::uint32_t>(topology_.switch_count()));
    for (std::uint32_t at = first; at < end; ++at)
      for (std::uint32_t port = 0; port < wiring_.ports; ++port)
        for (std::uint32_t v = 0; v < Vcs; ++v) {
          requests.put_pointer(at - first, port, v, output_port(at, port).vcs[v].next_input);
          const VcPosition position{this->lane(at), at, port, v};
          if (position.here.has(rows_.waiting(v), port)) this->put_head(position);
        }
  }
  [[gnu::noinline]] void work_off_by_vectors(std::uint32_t group, const Lists& lists, Work work) {
    this->begin_group(group);
    // As a constant, the usual width saves a sixth of an allocation's instructions.
    constexpr auto widest = std::integral_constant<std::uint32_t, std::countr_zero(64 / sizeof(Word))>();
    if (this->lane_bits_ == widest)
      take_steps(group, lists, work, widest);
    else
      take_steps(group, lists, work, this->lane_bits_);
    for (std::uint32_t i = 0; i < work.tails; ++i) this->finish(this->position_of(group, lists.tails[i]));
    if (work.holds) this->by_vectors_[group] = is_worth(group, work.asks ? requests_.asks : 0) ? 1 : 0;
  }
  template <class LaneBits>
  void take_steps(std::uint32_t group, const Lists& lists, Work& work, LaneBits lane_bits) {
    if (work.fresh != 0 && timing_.head == 0) {
      this->route(group, lists, work);
      work.asks = true;
    }
    if (work.asks) allocate(group, lane_bits);
    if (work.fresh == 0) return;
    if (timing_.head == 1) route_fresh(group, lists.fresh, work.fresh, lane_bits);
    if (timing_.head > 1) this->route(group, lists, work);
  }
  /// Heads::route(), where options are bits or sets, and heads ask in the next cycle. Step by step, so that
  /// what one reads has been fetched by the one before.
  template <class LaneBits>
  [[gnu::noinline]] void route_fresh(std::uint32_t group, const Event* fresh, std::uint32_t count,
                                     LaneBits lane_bits) {
    const std::uint32_t first = group << lane_bits;
    const auto heads = heads_;  // copies, which no store in the loops can change
    const auto queues = queues_;
    VcIndex* const numbers = numbers_.data();
    for (std::uint32_t i = 0; i < count; ++i) {
      numbers[i] = number_of(first + fresh[i].lane, fresh[i].port, fresh[i].vc);
      queues.prefetch(numbers[i], heads[numbers[i]].popped);
    }
    for (std::uint32_t i = 0; i < count; ++i) this->take_front(numbers[i]);
    if (routes_.are_far())
      for (std::uint32_t i = 0; i < count; ++i)
        routes_.prefetch(first + fresh[i].lane, packets_[heads[numbers[i]].packet].destination);
    ask_fresh(lane_bits);
    const auto requests = head_requests_.of(group, lane_bits);
    for (std::uint32_t i = 0; i < count; ++i) {
      const Event event = fresh[i];
      const std::uint32_t at = first + event.lane;
      HeadOf& head = heads[numbers[i]];
      Packet& packet = packets_[head.packet];
      ++packet.hops;
      const auto offer = this->set_options(at, packet, head);
      requests.put(event.lane, event.port * Vcs + event.vc, head, chooser_.draw_key(packet, at));
      if (!this->tags_.empty()) this->tags_[numbers[i]] = offer.tag;
      if (head.ports == 0 && !this->may_come_up(at, offer.ports)) [[unlikely]]
        discard_fresh(this->position_of(group, event, lane_bits), head);
    }
  }
  /// All of them ask from the next cycle on.
  template <class LaneBits>
  void ask_fresh(LaneBits lane_bits) const {
    const Lane<Word> group{this->group_words_, lane_bits};
    Word *const asking = &group[rows_.asking(0)], *const fresh = &group[rows_.fresh(0)];
    for (std::uint32_t i = 0; i < Vcs << lane_bits; ++i) asking[i] = static_cast<Word>(asking[i] | fresh[i]);
  }
  [[gnu::noinline]] void discard_fresh(const VcPosition& position, HeadOf& head) {
    position.here.clear(rows_.asking(position.vc), position.port);
    this->begin_discard(position, head, now_ + 1);
  }

  template <class LaneBits>
  [[gnu::noinline]] void allocate(std::uint32_t group, LaneBits lane_bits) {
    const std::uint32_t lanes = 1U << lane_bits;
    requests_.summed = this->all_summed_;
    const auto requests = head_requests_.of(group, lane_bits);
    const std::uint32_t ties = steps_.choose(vectors_, group, requests_);
    if (this->exceeds_cache_)
      for (std::uint32_t i = 0; i < ties; ++i)
        requests.prefetch_draw_key(listed_[i].lane, listed_[i].port * Vcs + listed_[i].vc);
    for (std::uint32_t i = 0; i < ties; ++i) {
      const Event event = listed_[i];
      const std::uint32_t input = event.port * Vcs + event.vc;
      Word& requested = requests_.requested[input * lanes + event.lane];
      requested = drawn(requests.draw_key(event.lane, input), requested);
    }
    const std::uint32_t winners = steps_.match(vectors_, group, requests_);
    find_winners(group << lane_bits, winners, lane_bits);
    for (std::uint32_t i = 0; i < winners; ++i) {
      const VcPosition position = this->position_of(group, listed_[i], lane_bits);
      const Winner& winner = winners_[i];
      OutputPort<Vcs>& output = this->output_ports_[winner.output];
      requests.move_pointer(listed_[i].lane, winner.port, winner.vc, output.vcs[winner.vc].next_input,
                            position.port * Vcs + position.vc);
      this->give_waiting(position, heads_[winner.number], output, winner.port, winner.vc, true);
    }
  }
  /// A head that some VCs of the output that it requests have chosen: the output, and the VC that it takes.
  struct Winner {
    VcIndex number;
    std::uint32_t output;  ///< switch * ports + port
    std::uint32_t port, vc;
  };
  /// Of each head that a VC has chosen. Prefetches what will be read and written.
  template <class LaneBits>
  void find_winners(std::uint32_t first, std::uint32_t winners, LaneBits lane_bits) {
    const std::uint32_t lanes = 1U << lane_bits;
    for (std::uint32_t i = 0; i < winners; ++i) {
      const Event event = listed_[i];
      const std::uint32_t at = first + event.lane;
      Winner& winner = winners_[i];
      winner.number = number_of(at, event.port, event.vc);
      winner.port = lowest(requests_.requested[(event.port * Vcs + event.vc) * lanes + event.lane]);
      prefetch(&heads_[winner.number]);
      winner.output = at * wiring_.ports + winner.port;
      prefetch(&this->output_ports_[winner.output]);
    }
    for (std::uint32_t i = 0; i < winners; ++i) {
      Winner& winner = winners_[i];
      winner.vc = this->first_from(won_[i], heads_[winner.number].next_output, winner.port);
      const OutputPort<Vcs>& output = this->output_ports_[winner.output];
      if (output.next != no_vc) queues_.prefetch(output.next + winner.vc, output.vcs[winner.vc].pushed);
    }
  }
  /// As VcAllocation::drawn().
  [[nodiscard]] Word drawn(std::uint64_t key, Word ports) const {
    Word chosen = lowest_of(ports);
    ports = static_cast<Word>(ports ^ chosen);
    for (std::uint32_t ties = 2; ports != 0; ++ties) {
      const Word port = lowest_of(ports);
      ports = static_cast<Word>(ports ^ port);
      chosen = chooser_.replaces(key, now_, ties) ? port : chosen;
    }
    return chosen;
  }
  [[nodiscard]] static Word lowest_of(Word ports) { return static_cast<Word>(ports & -ports); }

  VcSteps<Word> steps_;
  std::uint32_t many_asks_ = 0;        ///< of a group in a cycle
  std::vector<std::uint32_t> scores_;  ///< by group: heads that asked, less what is usual (is_worth())
  // What the steps tell each other.
  VcRequests<Word> requests_;
  HugeVector<Word> requested_;
  std::vector<Event> listed_;
  std::vector<std::uint8_t> won_;
  std::vector<VcIndex> numbers_;  ///< of fresh heads
  std::vector<Winner> winners_;
};

}  // namespace faultline::wormhole::planes
