// SPDX-License-Identifier: Apache-2.0
// The work of a switch in a cycle: which heads request which outputs, and which requests are granted.
#pragma once

#include <algorithm>
#include <bit>

#include "simulate/cut_through/buffers.h"
#include "simulate/cut_through/wide_scan.h"

namespace faultline::cut_through {

/// Those of one region.
template <std::uint32_t Ports, Shape shape>
class Switches : protected Buffers<Ports, shape> {
  using Base = Buffers<Ports, shape>;

 public:
  using Base::Base;

 protected:
  using Set = PortSet<Ports>;
  using Scans = ScanOf<Ports, FastestScan>;
  using Result = ScanResult<Set>;
  using Base::candidates_at;
  using Base::chooser_;
  using Base::discard;
  using Base::down_at;
  using Base::find_whether_stuck;
  using Base::first_sibling;
  using Base::free_from;
  using Base::grant;
  using Base::has_headers;
  using Base::has_rings;
  using Base::has_vcs;
  using Base::is_common;
  using Base::learns;
  using Base::mark_head;
  using Base::network_;
  using Base::notify;
  using Base::option_tags_;
  using Base::packet_at;
  using Base::siblings;
  using Base::slots_per_output;
  using Base::two_free;

  /// All that a switch does in one cycle. Heads whose outputs are all taken are skipped.
  void visit(std::uint32_t at, Switch<Set>& entry, Time now) {
    if constexpr (is_common) {
      if (has_avx512_) return visit_avx512(at, entry, now);
      if (has_avx2_) return visit_avx2(at, entry, now);
    }
    visit_any(at, entry, now);
  }
  // With the scans inlined, which only code for the same processor can have: 3 to 10 % of a run.
  FAULTLINE_AVX512 [[gnu::flatten]] void visit_avx512(std::uint32_t at, Switch<Set>& entry, Time now) {
    visit_with<ScanOf<Ports, Avx512Scan>>(at, entry, now);
  }
  FAULTLINE_AVX2 [[gnu::flatten]] void visit_avx2(std::uint32_t at, Switch<Set>& entry, Time now) {
    visit_with<ScanOf<Ports, Avx2Scan>>(at, entry, now);
  }
  [[gnu::flatten]] void visit_any(std::uint32_t at, Switch<Set>& entry, Time now) {
    visit_with<Scans>(at, entry, now);
  }
  template <class Scan>
  void visit_with(std::uint32_t at, Switch<Set>& entry, Time now) {
    const Result result = look<Scan>(at, now);
    Meeting left(result);
    if ((result.ready & entry.special) != 0) [[unlikely]]
      left = serve_special(at, entry, result, now);
    if (is_single(left.asking))
      serve_only<Scan>(at, left, now);
    else if (left.asking != 0)
      match<Scan>(at, left, now);
    wait<Scan>(at, entry, left.blocked, now);
  }

  /// What remains of a cycle: inputs whose heads are blocked, those of them that make a request, outputs that
  /// are free.
  struct Meeting {
    explicit Meeting(const Result& result)
        : blocked(result.ready), asking(result.meeting), available(result.available) {}
    Set blocked, asking, available;
  };

  /// The heads that do more than request an output, first.
  [[gnu::noinline]] Meeting serve_special(std::uint32_t at, Switch<Set>& entry, Result result, Time now) {
    const SpecialHeads<Set>& special = network_.special[at];
    if (!is_common) pick_options(at, result, now);
    if (learns() && (special.meets_dead & result.ready) != 0) {
      notify(at, special.meets_dead & result.ready, now);
      result = look(at, now);
      pick_options(at, result, now);
    }
    Meeting left(result);
    discard_stuck(at, left.blocked & special.stuck, left, now);
    if (learns() && (left.asking & special.control) != 0) serve_control(at, left, now);
    entry.special = special.to_serve();
    return left;
  }

  /// For heads that have been routed by now, all based on the queues before any grant.
  void pick_options(std::uint32_t at, Result& result, Time now) {
    SpecialHeads<Set>& special = network_.special[at];
    const Set heads = result.ready & special.open;
    if (heads == 0) return;
    special.open &= ~heads;
    const Set waiting = look(at, now - 1).ready;
    for (const std::uint32_t head : ports_of(heads)) {
      const std::uint32_t index = at * Ports + head;
      Packet& packet = network_.packets[packet_at(index)];
      Choice<Set> choice = chooser_.pick_output(
          at, index, packet, down_at(at), [&](const Set& ports) { return queued(at, ports, waiting, now); });
      if (has_headers()) mark_head(at, index, packet_at(index), choice);
      network_.set_candidates(index, choice.ports);
      packet.tag = choice.tag;
      if (choice.ports == 0) find_whether_stuck(at, index, packet);
    }
    result = look(at, now);
  }

  /// Occupied slots in the buffers of the ports, and heads that have waited for these since before now.
  /// While a channel is being written to, one slot of each of its buffers counts as occupied.
  std::uint32_t queued(std::uint32_t at, const Set& ports, const Set& waiting, Time now) {
    std::uint32_t packets = 0;
    for (const std::uint32_t head : ports_of(waiting))
      packets += cut_through::count(network_.candidates_of(at * Ports + head) & ports);
    for (const std::uint32_t port : ports_of(ports))
      for (std::uint32_t level = 0; level < slots_per_output(); ++level)
        packets += free_from(at, level)[port] > now ? 1U : 0U;
    return packets;
  }

  template <class Scan = Scans>
  Result look(std::uint32_t at, Time now) {
    return Scan::template look<Ports>(&network_.eligible[at * Ports], free_from(at, 0), candidates_at(at),
                                      now);
  }

  /// Control packets have priority.
  [[gnu::noinline]] void serve_control(std::uint32_t at, Meeting& left, Time now) {
    const Set data = left.asking & ~network_.special[at].control;
    left.asking &= network_.special[at].control;
    match<Scans>(at, left, now);
    left.asking = data & left.blocked;
  }

  /// Heads that are offered nothing are dropped; at most one per input.
  void discard_stuck(std::uint32_t at, Set stuck, Meeting& left, Time now) {
    while (stuck != 0) {
      const std::uint32_t head = lowest(stuck);
      discard(at, at * Ports + head, now);
      take_input(head, left);
      stuck &= ~siblings(head);
    }
  }

  void take_input(std::uint32_t head, Meeting& left) {
    left.blocked &= ~siblings(head);
    left.asking &= ~siblings(head);
  }

  template <class Scan>
  void serve_only(std::uint32_t at, Meeting& left, Time now) {
    const std::uint32_t head = lowest(left.asking);
    const Set possible = possible_outputs<Scan>(at, head, left.available, now);
    if (possible == 0) return;
    serve<true>(at, head, output_port<Scan>(at, at * Ports + head, possible, now), left, now);
  }

  /// Rounds of requests, grants and acceptances (model.h).
  template <class Scan>
  void match(std::uint32_t at, Meeting& left, Time now) {
    match_once<Scan, true>(at, left, now);
    if (left.asking != 0) match_losers(at, left, now);
  }
  [[gnu::noinline]] void match_losers(std::uint32_t at, Meeting& left, Time now) {
    while (left.asking != 0) match_once<Scans, false>(at, left, now);
  }

  /// Keeps the requests that can still be granted. With one virtual channel a grant is always accepted.
  template <class Scan, bool First>
  void match_once(std::uint32_t at, Meeting& left, Time now) {
    Requests requests;
    Set asked = request<Scan>(at, left, requests, now);
    if (has_vcs()) asked = accept(at, asked, requests, now);
    for (const std::uint32_t channel : ports_of(asked)) {
      const std::uint32_t head = requests.head[channel];
      serve<First>(at, head, requests.port[head], left, now);
    }
  }

  struct Requests {
    std::uint8_t head[Ports];  ///< by the first port of an output channel: the input that it grants
    std::uint8_t port[Ports];  ///< by input: what its head requests
  };

  /// Heads make requests, and output channels grant. Returns the first ports of the requested channels; heads
  /// without an available output make no further request.
  template <class Scan>
  Set request(std::uint32_t at, Meeting& left, Requests& requests, Time now) {
    Set asked = 0;
    for (const std::uint32_t head : ports_of(left.asking)) {
      const Set possible = possible_outputs<Scan>(at, head, left.available, now);
      if (possible == 0) {
        left.asking &= ~only<Set>(head);
        continue;
      }
      const std::uint32_t port = output_port<Scan>(at, at * Ports + head, possible, now);
      const std::uint32_t channel = first_sibling(port);
      requests.port[head] = static_cast<std::uint8_t>(port);
      std::uint32_t first = head;
      if (contains(asked, channel)) [[unlikely]]
        first = first_of(at, channel, requests.head[channel], head, now);
      requests.head[channel] = static_cast<std::uint8_t>(first);
      asked |= only<Set>(channel);
    }
    return asked;
  }

  /// The one of two heads that has priority.
  [[gnu::noinline]] std::uint32_t first_of(std::uint32_t at, std::uint32_t channel, std::uint32_t a,
                                           std::uint32_t b, Time now) {
    const auto rank = [&](std::uint32_t head) {
      return network_.output_arbiters.rank(at * Ports + channel, head, network_.packets,
                                           packet_at(at * Ports + head), now);
    };
    return rank(a) < rank(b) ? a : b;
  }

  /// Of several virtual channels of an input that were granted an output, one accepts. Returns the output
  /// channels whose grants are accepted.
  Set accept(std::uint32_t at, const Set& granting, const Requests& requests, Time now) {
    Set accepted = 0, inputs = 0;
    std::uint8_t chosen[Ports];  // by the first virtual channel of an input: the output channel
    for (const std::uint32_t channel : ports_of(granting)) {
      const std::uint32_t head = requests.head[channel], input = first_sibling(head);
      const auto rank = [&](std::uint32_t granted) {
        return network_.input_arbiters.rank(at * Ports + input, granted - input, network_.packets,
                                            packet_at(at * Ports + granted), now);
      };
      if (contains(inputs, input)) {
        if (rank(requests.head[chosen[input]]) < rank(head)) continue;
        accepted &= ~only<Set>(chosen[input]);
      }
      chosen[input] = static_cast<std::uint8_t>(channel);
      inputs |= only<Set>(input);
      accepted |= only<Set>(channel);
    }
    return accepted;
  }

  template <class Scan>
  Set possible_outputs(std::uint32_t at, std::uint32_t head, const Set& available, Time now) {
    const std::uint32_t input = at * Ports + head;
    Set possible = network_.candidates_of(input) & available;
    if (has_rings()) possible &= ~without_bubble<Scan>(at, input, now);
    return possible;
  }

  template <bool Learns>
  void serve(std::uint32_t at, std::uint32_t head, std::uint32_t port, Meeting& left, Time now) {
    grant(at, at * Ports + head, port, now);
    take_input(head, left);
    left.available &= ~siblings(port);
    if (!Learns) return;
    network_.output_arbiters.served(at * Ports + first_sibling(port), head, now);
    if (!has_vcs()) return;
    const std::uint32_t input = at * Ports + first_sibling(head);
    network_.input_arbiters.served(input, at * Ports + head - input, now);
  }

  /// Waits until a head becomes eligible, or an output that a blocked head wants is free.
  template <class Scan>
  void wait(std::uint32_t at, Switch<Set>& entry, const Set& blocked, Time now) {
    entry.wanted = entry.entered = 0;
    entry.expects_next = false;
    if (blocked != 0) {
      if (has_rings())
        find_wanted(at, entry, blocked);
      else
        entry.wanted = Scan::template wanted<Ports>(candidates_at(at), blocked);
    }
    entry.next =
        Scan::template next<Ports>(&network_.eligible[at * Ports], now, free_from(at, 0), entry.wanted);
    for (const std::uint32_t port : ports_of(entry.entered))
      entry.next = std::min(entry.next, two_free(at, port));
  }

  void find_wanted(std::uint32_t at, Switch<Set>& entry, const Set& blocked) {
    for (const std::uint32_t head : ports_of(blocked)) {
      const std::uint32_t input = at * Ports + head;
      const Set wanted = network_.candidates_of(input), entered = network_.into_rings[input];
      entry.wanted |= wanted & ~entered;
      entry.entered |= wanted & entered;
    }
  }

  /// The outputs with which the head of `input` would take the last free slot of a ring.
  template <class Scan>
  Set without_bubble(std::uint32_t at, std::uint32_t input, Time now) {
    const Set entered = network_.candidates_of(input) & network_.into_rings[input];
    return entered & ~Scan::template due<Ports>(free_from(at, 1), now);
  }

  template <class Scan = Scans>
  std::uint32_t output_port(std::uint32_t at, std::uint32_t input, Set possible, Time now) {
    if (chooser_.by_free_slots())
      for (std::uint32_t level = slots_per_output() - 1; level > 0 && !is_single(possible); --level) {
        const Set freest = possible & Scan::template due<Ports>(free_from(at, level), now);
        if (freest == 0) continue;
        possible = freest;
        break;
      }
    if (network_.inputs[input].by_option) return option_port(at, input, possible, now);
    if (is_single(possible)) return lowest(possible);
    return Scan::nth(possible, below(network_.inputs[input].tie, Scan::count(possible)));
  }

  /// The same if the port does not determine the option. The packet keeps its tag until it is granted.
  [[gnu::noinline]] std::uint32_t option_port(std::uint32_t at, std::uint32_t index, const Set& possible,
                                              Time now) {
    const Packet& packet = network_.packets[packet_at(index)];
    const Taken taken = chooser_.take_output(at, index, packet, possible, down_at(at), [&](unsigned port) {
      std::uint32_t free = 1;  // it is available
      for (std::uint32_t level = 1; level < slots_per_output(); ++level)
        free += free_from(at, level)[port] <= now ? 1U : 0U;
      return free;
    });
    option_tags_[index % Ports] = taken.tag;
    return taken.port;
  }

 private:
  bool has_avx512_ = Avx512Scan::available(), has_avx2_ = Avx2Scan::available();
};

}  // namespace faultline::cut_through
