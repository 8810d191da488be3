// SPDX-License-Identifier: Apache-2.0
// One event a packet and switch: "the head at an input may be granted". When a channel starts, a tail leaves
// and a place becomes free follows by arithmetic, as soon as the last grant that it depends on is known:
//   start of packet k = max(grant_k + crossbar, start_{k-1} + packet, place of packet k at the receiver is
//   free).
// "Asks in every cycle" is one wake-up at the first cycle in which an output that a blocked head wants can be
// had. A switch acts on others no earlier than `lookahead` cycles later. So windows of so many cycles are run
// switch by switch, and what they do to each other is collected and applied between the windows. Terminals
// run `ahead` cycles before the switches, because what they inject takes no crossbar and arrives sooner.
#include <algorithm>
#include <stdexcept>

#include "simulate/cut_through/chooser.h"
#include "simulate/cut_through/event_wheel.h"
#include "simulate/cut_through/fabric.h"
#include "simulate/cut_through/model.h"
#include "simulate/cut_through/prefetch.h"
#include "simulate/cut_through/scan.h"
#include "simulate/cut_through/terminals.h"
#include "simulate/cut_through/windows.h"
#include "simulate/timeline.h"

namespace faultline::cut_through {
namespace {

class EventDriven {
 public:
  EventDriven(const RoutingRelation& relation, const TrafficPattern& pattern, const SimulationSpec& spec,
              std::vector<Delivery>* log)
      : topology_(relation.topology()),
        seed_(spec.seed),
        timing_(relation, spec),
        arrivals_(pattern, spec),
        timeline_(Timeline::of(spec)),
        measurement_(timeline_, topology_.terminal_count(), spec, log),
        fabric_(relation, timing_),
        chooser_(relation, spec, fabric_),
        windows_(fabric_.lookahead(topology_)),
        prefetches_(fabric_.bytes() > cache_bytes),
        wheel_(topology_.switch_count(), windows_.length, timeline_.limit),
        terminals_(topology_, arrivals_, fabric_, chooser_, measurement_, windows_, timeline_.limit,
                   forwards_),
        longest_packet_(spec.packet_flits) {
    counts_flits_ = spec.channel_load || !spec.packet_mix.empty();
    if (spec.channel_load) output_flits_.resize(fabric_.outputs.size());
  }

  Outcome run(const Progress& progress) {
    terminals_.start();
    exchange();
    for (std::size_t bin = 0; bin < timeline_.bin_count() && deadlock_.channels.empty(); ++bin) {
      const Time edge = timeline_.end_of(bin);
      while (now_ < edge) run_window(edge);
      std::erase_if(landing_, [&](Time tail) { return tail < edge; });
      if (progress) progress(static_cast<std::uint64_t>(edge), static_cast<std::uint64_t>(timeline_.limit));
      if (measurement_.may_stop(edge, terminals_.senders())) break;
      deadlock_ = find_deadlock(topology_, fabric_.vcs, fabric_.blocked_heads(topology_, edge));
    }
    return outcome();
  }

 private:
  struct Credit {
    Sender to;
    Time free;
  };

  // ---- windows

  /// To the window's end or to `edge`, where what has happened so far is looked at.
  void run_window(Time edge) {
    if (now_ == window_end_) {
      window_end_ += windows_.length;
      wheel_.take(items_);
      terminals_.open_window();
    }
    now_ = std::min(window_end_, edge);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (prefetches_) look_ahead(i, now_);
      run_switch(items_[i], now_);
    }
    terminals_.run_window(now_);
    exchange();
  }

  void look_ahead(std::size_t i, Time end) {
    if (i + 3 * far_ahead < items_.size()) prefetch_ports(fabric_, topology_, items_[i + 3 * far_ahead]);
    if (i + 2 * far_ahead < items_.size()) prefetch_packets(fabric_, items_[i + 2 * far_ahead], end);
    if (i + far_ahead < items_.size()) route_heads(items_[i + far_ahead], end);
  }

  void exchange() {
    for (std::size_t i = 0; i < credits_.size(); ++i) {
      if (prefetches_ && i + far_ahead < credits_.size()) {
        prefetch_sender(fabric_, credits_[i + far_ahead].to);
        const Sender nearer = credits_[i + far_ahead / 2].to;
        if (nearer.is_injector()) terminals_.prefetch_source(nearer.index());
      }
      const Credit& credit = credits_[i];
      if (credit.to.is_injector())
        terminals_.credit(credit.to.index(), credit.free);
      else
        credit_output(credit.to.index(), credit.free);
    }
    credits_.clear();
    for (std::size_t i = 0; i < forwards_.size(); ++i) {
      if (prefetches_ && i + far_ahead < forwards_.size())
        prefetch_input(fabric_, forwards_[i + far_ahead].input);
      arrive(forwards_[i].input, forwards_[i].packet);
    }
    forwards_.clear();
  }

  // ---- what a large network needs: lines on their way to the cache before they are looked at

  static constexpr std::size_t far_ahead = 8;
  /// A smaller fabric stays in the second level.
  static constexpr std::size_t cache_bytes = 1'000'000;

  /// Heads are routed when their packets have come to the cache: the options do not depend on the cycle. The
  /// output that one would be granted at the window's end is most often the one that it will be granted.
  void route_heads(std::uint32_t item, Time end) {
    const Switch& at = fabric_.switches[item];
    const std::uint64_t available = due(fabric_.free_from(at, 0), at.padded_outputs, end - 1);
    std::uint64_t ready = due(&fabric_.eligible[at.first_input], at.padded_inputs, end - 1);
    for (; ready != 0; ready &= ready - 1) {
      const std::uint32_t input = at.first_input + static_cast<std::uint32_t>(std::countr_zero(ready));
      if (fabric_.candidates[input] == 0) route_head(input);
      const std::uint64_t possible = fabric_.candidates[input] & available;
      if (possible != 0)
        prefetch(&fabric_.outputs[at.first_output + output_port(at, input, possible, end - 1)]);
    }
  }

  // ---- switches

  void run_switch(std::uint32_t index, Time end) {
    Switch& at = fabric_.switches[index];
    while (at.next < end) visit(index, at, at.next);
    if (at.next != never) wheel_.keep(index, at.next);
  }

  /// All that a switch does in one cycle.
  void visit(std::uint32_t index, Switch& at, Time now) {
    const std::uint64_t ready = due(&fabric_.eligible[at.first_input], at.padded_inputs, now);
    std::uint64_t available = due(fabric_.free_from(at, 0), at.padded_outputs, now);
    std::uint64_t second = 0, first = ready;
    if ((ready & (ready - 1)) != 0) {
      second = ready & (bit(rotation(seed_, index, now, at.inputs)) - 1);
      first = ready ^ second;
    }
    at.wanted = at.entered = 0;
    for (; (first | second) != 0; first &= first - 1) {
      if (first == 0) std::swap(first, second);
      const auto asks = static_cast<unsigned>(std::countr_zero(first));
      const std::uint32_t input = at.first_input + asks;
      if (fabric_.candidates[input] == 0) route_head(input);
      const std::uint64_t candidates = fabric_.candidates[input];
      std::uint64_t possible = candidates & available;
      if (fabric_.rings.any()) possible &= ~without_bubble(at, input, now);
      if (possible == 0 && candidates != 0) {
        await(at, input);
        continue;
      }
      if (candidates == 0)
        discard(input, now);
      else {
        const unsigned port = output_port(at, input, possible, now);
        available &= ~fabric_.siblings(port);
        grant(at, input, port, now);
      }
      if (fabric_.vcs > 1) {
        first &= ~fabric_.siblings(asks) | bit(asks);
        second &= ~fabric_.siblings(asks);
      }
    }
    at.next = std::min(earliest_after(&fabric_.eligible[at.first_input], at.padded_inputs, now), awaited(at));
  }

  /// The outputs with which the head of `input` would take the last free place of a ring.
  std::uint64_t without_bubble(const Switch& at, std::uint32_t input, Time now) {
    const std::uint64_t entered = fabric_.entered[input];
    return entered == 0 ? 0 : entered & ~due(fabric_.free_from(at, 1), at.padded_outputs, now);
  }

  void await(Switch& at, std::uint32_t input) {
    const std::uint64_t candidates = fabric_.candidates[input];
    const std::uint64_t entered = fabric_.rings.any() ? fabric_.entered[input] : 0;
    at.wanted |= candidates & ~entered;
    at.entered |= entered;
  }

  /// The first cycle in which an output that a blocked head wants can be had.
  Time awaited(const Switch& at) {
    Time least = never;
    const Time* const free = fabric_.free_from(at, 0);
    for (std::uint64_t ports = at.wanted; ports != 0; ports &= ports - 1)
      least = std::min(least, free[std::countr_zero(ports)]);
    for (std::uint64_t ports = at.entered; ports != 0; ports &= ports - 1)
      least = std::min(least, two_free(at, static_cast<std::size_t>(std::countr_zero(ports))));
    return least;
  }

  Time two_free(const Switch& at, std::size_t port) {
    return std::max(fabric_.free_from(at, 0)[port], fabric_.free_from(at, 1)[port]);
  }

  unsigned output_port(const Switch& at, std::uint32_t input, std::uint64_t possible, Time now) {
    if (chooser_.by_free_buffer())
      for (std::uint32_t level = fabric_.places - 1; level > 0 && (possible & (possible - 1)) != 0; --level) {
        const std::uint64_t freest = possible & due(fabric_.free_from(at, level), at.padded_outputs, now);
        if (freest == 0) continue;
        possible = freest;
        break;
      }
    if (is_single(possible)) return static_cast<unsigned>(std::countr_zero(possible));
    const Packet& packet = fabric_.packets_of_input(input)[fabric_.inputs[input].head];
    return chooser_.break_tie(possible, packet, Decision::tie, fabric_.inputs[input].at);
  }

  void grant(const Switch& at, std::uint32_t index, unsigned port, Time now) {
    const Input& input = fabric_.inputs[index];
    Packet packet = fabric_.packets_of_input(index)[input.head];
    packet.tag = input.tags_differ ? chooser_.output_tag(input, packet, port) : input.next_tag;
    ++packet.hops;
    const Time flits = flits_of(packet);
    ++packet_hops_;
    leave(index, now, flits);
    fabric_.take_place(at, port, now + flits);
    const std::uint32_t out = at.first_output + port;
    if (counts_flits_) count_flits(out, flits);
    Output& output = fabric_.outputs[out];
    packet.ready = now + timing_.crossbar;
    if (output.target == Output::ejects)
      eject(output, packet, flits);
    else if (output.waiting == 0 && output.credits != 0) {
      const Time place = fabric_.credits_of_output(out)[output.credits_head];
      output.credits_head = next_in_ring(output.credits_head, fabric_.input_places);
      --output.credits;
      start_channel(output, packet, place);
    } else {
      const std::uint32_t last =
          in_ring(output.waiting_head + std::uint32_t{output.waiting++}, fabric_.places);
      fabric_.packets_of_output(out)[last] = packet;
    }
  }

  /// The head of an input starts to leave it.
  void leave(std::uint32_t index, Time now, Time flits) {
    Input& input = fabric_.inputs[index];
    input.read = now + flits;
    input.head = next_in_ring(input.head, fabric_.input_places) & 127U;
    --input.count;
    fabric_.candidates[index] = 0;
    credits_.push_back({input.sender, now + std::max<Time>(1, flits - input.credit_lead)});
    if (input.count != 0)
      set_head(index);
    else
      fabric_.eligible[index] = never;
    if (fabric_.vcs > 1) delay_siblings(index);
  }

  /// The other virtual channels of an input take turns with it.
  void delay_siblings(std::uint32_t index) {
    const Time read = fabric_.inputs[index].read;
    const std::uint32_t first = index - fabric_.inputs[index].vc;
    for (std::uint32_t sibling = first; sibling < first + fabric_.vcs; ++sibling) {
      fabric_.inputs[sibling].read = read;
      if (fabric_.inputs[sibling].count != 0) set_head(sibling);
    }
  }

  /// The relation offers the head nothing: it leaves, and goes nowhere.
  void discard(std::uint32_t input, Time now) {
    measurement_.dropped(now, Drop::stuck);
    leave(input, now, flits_of(fabric_.packets_of_input(input)[fabric_.inputs[input].head]));
  }

  void eject(Output& output, const Packet& packet, Time flits) {
    const Time start = std::max(packet.ready, output.sent);
    output.sent = start + flits;
    if (fabric_.placement.ejection_has_places) fabric_.free_place(output, output.sent);
    const Time tail = start + output.fly + flits;
    landing_.push_back(tail);
    measurement_.delivered({.source = packet.source,
                            .sequence = packet.sequence,
                            .destination = packet.destination,
                            .generated = packet.generated,
                            .injected = packet.injected,
                            .delivered = tail,
                            .hops = packet.hops,
                            .flits = static_cast<std::uint32_t>(flits)});
  }

  /// `place` is free at the receiver from then on. Returns true when the output's only free place became
  /// known.
  bool start_channel(Output& output, Packet packet, Time place) {
    const Time start = std::max({packet.ready, output.sent, place});
    output.sent = start + flits_of(packet);
    packet.ready = start + output.fly + timing_.routing;
    forwards_.push_back({output.target, packet});
    return !fabric_.placement.free_when_credited && fabric_.free_place(output, output.sent);
  }

  void credit_output(std::uint32_t index, Time place) {
    Output& output = fabric_.outputs[index];
    bool opened = fabric_.placement.free_when_credited && fabric_.free_place(output, place);
    if (output.waiting != 0) {
      const Packet packet = fabric_.packets_of_output(index)[output.waiting_head];
      output.waiting_head = next_in_ring(output.waiting_head, fabric_.places);
      --output.waiting;
      opened |= start_channel(output, packet, place);
    } else {
      const std::uint32_t last =
          in_ring(output.credits_head + std::uint32_t{output.credits++}, fabric_.input_places);
      fabric_.credits_of_output(index)[last] = place;
    }
    if (opened) wake(output);
  }

  void wake(const Output& output) {
    Switch& at = fabric_.switches[output.at];
    if (((at.wanted | at.entered) & bit(output.port)) == 0) return;
    const Time free = (at.wanted & bit(output.port)) != 0 ? fabric_.free_from(at, 0)[output.port]
                                                          : two_free(at, output.port);
    if (free >= at.next) return;
    at.next = free;
    wheel_.schedule(output.at, free);
  }

  void arrive(std::uint32_t index, const Packet& packet) {
    Input& input = fabric_.inputs[index];
    if (input.count == fabric_.input_places)
      throw std::logic_error("cut-through: an input holds more than it has places");
    const std::uint32_t last = in_ring(std::uint32_t{input.head} + input.count, fabric_.input_places);
    fabric_.packets_of_input(index)[last] = packet;
    if (++input.count != 1) return;
    set_head(index);
    Switch& at = fabric_.switches[input.at];
    if (fabric_.eligible[index] >= at.next) return;
    at.next = fabric_.eligible[index];
    wheel_.schedule(input.at, at.next);
  }

  void set_head(std::uint32_t index) {
    const Input& input = fabric_.inputs[index];
    fabric_.eligible[index] = std::max(fabric_.packets_of_input(index)[input.head].ready, input.read);
  }

  void route_head(std::uint32_t index) {
    Input& input = fabric_.inputs[index];
    const Packet& packet = fabric_.packets_of_input(index)[input.head];
    const Choice choice = chooser_.output(input, packet);
    fabric_.candidates[index] = choice.ports;
    input.next_tag = choice.tag;
    input.tags_differ = choice.tags_differ ? 1 : 0;
    if (fabric_.rings.any()) fabric_.entered[index] = choice.entered;
  }

  void count_flits(std::uint32_t output, Time flits) {
    flit_hops_ += static_cast<std::uint64_t>(flits);
    if (!output_flits_.empty()) output_flits_[output] += static_cast<std::uint64_t>(flits);
  }

  /// Cycles in which it passes a point.
  [[nodiscard]] Time flits_of(const Packet& packet) const {
    return static_cast<Time>(arrivals_.flits(TerminalId(packet.source), packet.sequence));
  }

  // ---- the end

  /// Terminals are ahead: what they have sent from now on is not counted.
  void take_back_injections() {
    for (std::uint32_t index = 0; index < fabric_.inputs.size(); ++index) {
      const Input& input = fabric_.inputs[index];
      if (!input.sender.is_injector()) continue;
      for (std::uint32_t i = 0; i < input.count; ++i) {
        const Packet& packet = fabric_.packets_of_input(index)[in_ring(input.head + i, fabric_.input_places)];
        if (packet.injected >= now_)
          fabric_.injectors[input.sender.index()].flits -= static_cast<std::uint64_t>(flits_of(packet));
      }
    }
  }

  Outcome outcome() {
    const std::uint64_t in_flight =
        landing_.size() + fabric_.packets_generated_before(now_) + terminals_.drain(now_);
    Outcome outcome{measurement_.result(now_, in_flight), measurement_.checksum(now_)};
    SimulationResult& result = outcome.result;
    result.packet_hops = packet_hops_;
    result.flit_hops = counts_flits_ ? flit_hops_ : packet_hops_ * longest_packet_;
    if (!output_flits_.empty()) {
      take_back_injections();
      result.channel_flits = fabric_.flits_by_channel(topology_, output_flits_);
    }
    deadlock_.report(result);
    return outcome;
  }

  const Topology& topology_;
  std::uint64_t seed_;
  Timing timing_;
  Arrivals arrivals_;
  Timeline timeline_;
  Measurement measurement_;
  Fabric fabric_;
  Chooser chooser_;
  Windows windows_;
  bool prefetches_;
  EventWheel wheel_;
  Time now_ = 0, window_end_ = 0;
  Deadlock deadlock_;
  std::uint64_t packet_hops_ = 0, flit_hops_ = 0;
  bool counts_flits_ = false;  ///< else every packet is the longest, and nobody asks for channels
  std::vector<std::uint64_t> output_flits_;  ///< granted, where asked for
  std::vector<Time> landing_;  ///< tails on their way to terminals, and those that arrived since the last bin
  std::vector<std::uint32_t> items_;
  std::vector<Forward> forwards_;
  std::vector<Credit> credits_;
  Terminals terminals_;
  std::uint64_t longest_packet_;
};

}  // namespace

Outcome run_event_driven(const RoutingRelation& relation, const TrafficPattern& pattern,
                         const SimulationSpec& spec, const Progress& progress, std::vector<Delivery>* log) {
  return EventDriven(relation, pattern, spec, log).run(progress);
}

}  // namespace faultline::cut_through
