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

#include "simulate/arrivals.h"
#include "simulate/cut_through/chooser.h"
#include "simulate/cut_through/event_wheel.h"
#include "simulate/cut_through/fabric.h"
#include "simulate/cut_through/model.h"
#include "simulate/cut_through/prefetch.h"
#include "simulate/cut_through/scan.h"
#include "simulate/cut_through/windows.h"
#include "simulate/timeline.h"

namespace faultline::cut_through {
namespace {

/// Those that need events; where each has one injection channel, none does.
std::size_t terminals_with_a_choice(const Topology& topology) {
  return std::ranges::any_of(topology.terminals(),
                             [&](TerminalId terminal) { return topology.injection(terminal).size() > 1; })
             ? topology.terminal_count()
             : 0;
}

struct Source {
  Packet next{};
  Choice choice;
  Time earliest = 0;  ///< no injection before this: generation, and the packet before it has gone
  bool exhausted = true;
};

class EventDriven {
 public:
  EventDriven(const RoutingRelation& relation, const TrafficPattern& pattern, const SimulationSpec& spec,
              std::vector<Delivery>* log)
      : topology_(relation.topology()),
        seed_(spec.seed),
        timing_(spec),
        arrivals_(pattern, spec),
        timeline_(Timeline::of(spec)),
        measurement_(timeline_, topology_.terminal_count(), spec, log),
        fabric_(topology_, timing_),
        chooser_(relation, spec, fabric_),
        windows_(fabric_.lookahead(topology_)),
        prefetches_(fabric_.bytes() > cache_bytes),
        wheel_(topology_.switch_count() + terminals_with_a_choice(topology_), windows_.length,
               timeline_.limit),
        sources_(topology_.terminal_count()) {}

  Outcome run(const Progress& progress) {
    for (const TerminalId terminal : topology_.terminals()) start(terminal);
    for (const TerminalId terminal : topology_.terminals()) run_source(terminal.value(), windows_.ahead);
    exchange();
    Time now = 0;
    for (std::size_t bin = 0; bin < timeline_.bin_count(); ++bin) {
      const Time edge = timeline_.end_of(bin);
      while (now < edge) {
        const Time end = std::min(now + windows_.length, timeline_.limit);
        run_window(end);
        now = end;
      }
      std::erase_if(landing_, [&](Time tail) { return tail < edge; });
      if (progress) progress(static_cast<std::uint64_t>(edge), static_cast<std::uint64_t>(timeline_.limit));
      if (edge > 0 && measurement_.all_served(edge, senders_)) return outcome(edge);
    }
    return outcome(timeline_.limit);
  }

 private:
  struct Forward {
    std::uint32_t input;
    Packet packet;
  };
  struct Credit {
    Sender to;
    Time free;
  };

  // ---- windows

  void run_window(Time end) {
    wheel_.take(items_);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (prefetches_) look_ahead(i, end);
      const std::uint32_t item = items_[i];
      if (item < fabric_.switches.size())
        run_switch(item, end);
      else
        run_source(item - static_cast<std::uint32_t>(fabric_.switches.size()), end + windows_.ahead);
    }
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
        prefetch_source(credits_[i + far_ahead / 2].to);
      }
      const Credit& credit = credits_[i];
      if (credit.to.is_injector())
        credit_injector(credit.to.index(), credit.free);
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
    if (item >= fabric_.switches.size()) return;
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

  [[gnu::always_inline]] void prefetch_source(Sender sender) const {
    if (sender.is_injector()) prefetch(&sources_[fabric_.injectors[sender.index()].terminal]);
  }

  // ---- terminals

  void start(TerminalId terminal) {
    if (arrivals_.silent(terminal)) return;
    ++senders_;
    Source& source = sources_[terminal.index()];
    source.next.source = terminal.value() & (max_sources - 1);
    source.next.sequence = ~std::uint32_t{0};
    source.next.generated = -1;
    source.exhausted = false;
    generate(terminal);
    advance(terminal);
  }

  /// Makes the next packet that has somewhere to go, if one is generated within the run.
  void generate(TerminalId terminal) {
    Source& source = sources_[terminal.index()];
    Packet& packet = source.next;
    do {
      packet.generated = arrivals_.time_of(terminal, ++packet.sequence, packet.generated);
      source.exhausted = packet.generated >= timeline_.limit;
      if (source.exhausted) return;
      packet.destination = arrivals_.destination(terminal, packet.sequence).value();
      measurement_.generated(packet.generated);
      source.choice = chooser_.injection(packet);
      if (source.choice.ports == 0) measurement_.dropped(packet.generated, Drop::unreachable);
    } while (source.choice.ports == 0);
    source.earliest = std::max(source.earliest, packet.generated);
  }

  /// Injects ahead of time what has one channel to take, because nothing can change its turn; the rest has
  /// its event.
  void advance(TerminalId terminal) {
    Source& source = sources_[terminal.index()];
    while (!source.exhausted && is_single(source.choice.ports)) {
      const auto port = static_cast<unsigned>(std::countr_zero(source.choice.ports));
      const Time time = injection_time(terminal, port);
      if (time == never) return;
      inject(terminal, port, time);
    }
    const Time time = source.exhausted ? never : next_injection(terminal);
    if (time != never)
      wheel_.schedule(static_cast<std::uint32_t>(fabric_.switches.size()) + terminal.value(),
                      std::max<Time>(0, time - windows_.ahead));
  }

  void run_source(std::uint32_t index, Time end) {
    const TerminalId terminal(index);
    Source& source = sources_[index];
    while (!source.exhausted) {
      const Time now = next_injection(terminal);
      if (now >= end) break;
      inject(terminal, injection_port(terminal, now), now);
    }
    advance(terminal);
  }

  Time injection_time(TerminalId terminal, unsigned port) {
    const std::uint32_t index = fabric_.first_injector[terminal.index()] + port;
    const Time free = *fabric_.free_from(index);
    return free == never
               ? never
               : std::max({free, fabric_.injectors[index].sent, sources_[terminal.index()].earliest});
  }

  Time next_injection(TerminalId terminal) {
    Time least = never;
    for (std::uint64_t ports = sources_[terminal.index()].choice.ports; ports != 0; ports &= ports - 1)
      least = std::min(least, injection_time(terminal, static_cast<unsigned>(std::countr_zero(ports))));
    return least;
  }

  unsigned injection_port(TerminalId terminal, Time now) {
    const Source& source = sources_[terminal.index()];
    std::uint64_t free = 0, freest = 0;
    std::uint32_t most = 0;
    for (std::uint64_t ports = source.choice.ports; ports != 0; ports &= ports - 1) {
      const auto port = static_cast<unsigned>(std::countr_zero(ports));
      if (injection_time(terminal, port) > now) continue;
      free |= bit(port);
      const Time* const levels = fabric_.free_from(fabric_.first_injector[terminal.index()] + port);
      const auto places =
          static_cast<std::uint32_t>(std::upper_bound(levels, levels + fabric_.input_places, now) - levels);
      if (places > most) freest = 0;
      most = std::max(most, places);
      if (places == most) freest |= bit(port);
    }
    return chooser_.break_tie(chooser_.by_free_buffer() ? freest : free, source.next, Decision::injection_tie,
                              terminal.value());
  }

  void inject(TerminalId terminal, unsigned port, Time now) {
    Source& source = sources_[terminal.index()];
    const std::uint32_t index = fabric_.first_injector[terminal.index()] + port;
    Injector& injector = fabric_.injectors[index];
    Packet packet = source.next;
    packet.injected = now;
    packet.tag = source.choice.tags_differ ? chooser_.injection_tag(packet, port) : source.choice.tag;
    packet.ready = now + injector.fly + timing_.routing;
    measurement_.injected(now);
    injector.sent = now + timing_.packet;
    Time* const levels = fabric_.free_from(index);
    std::copy(levels + 1, levels + fabric_.input_places, levels);
    levels[fabric_.input_places - 1] = never;
    ++injector.unknown;
    forwards_.push_back({injector.target, packet});
    source.earliest = now;
    generate(terminal);
  }

  void credit_injector(std::uint32_t index, Time free) {
    Injector& injector = fabric_.injectors[index];
    fabric_.free_from(index)[fabric_.input_places - injector.unknown--] = free;
    advance(TerminalId(injector.terminal));
  }

  // ---- switches

  void run_switch(std::uint32_t index, Time end) {
    Switch& at = fabric_.switches[index];
    while (at.next < end) visit(index, at, at.next);
    if (at.next != never) wheel_.schedule(index, at.next);
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
    std::uint64_t wanted = 0;
    for (; (first | second) != 0; first &= first - 1) {
      if (first == 0) std::swap(first, second);
      const std::uint32_t input = at.first_input + static_cast<std::uint32_t>(std::countr_zero(first));
      if (fabric_.candidates[input] == 0) route_head(input);
      const std::uint64_t candidates = fabric_.candidates[input];
      const std::uint64_t possible = candidates & available;
      if (candidates == 0)
        discard(input, now);
      else if (possible == 0)
        wanted |= candidates;
      else {
        const unsigned port = output_port(at, input, possible, now);
        available &= ~bit(port);
        grant(at, input, port, now);
      }
    }
    at.wanted = wanted;
    at.next = earliest_after(&fabric_.eligible[at.first_input], at.padded_inputs, now);
    const Time* const free = fabric_.free_from(at, 0);
    for (; wanted != 0; wanted &= wanted - 1) at.next = std::min(at.next, free[std::countr_zero(wanted)]);
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
    ++packet_hops_;
    leave(index, now);
    fabric_.take_place(at, port, now);
    const std::uint32_t out = at.first_output + port;
    Output& output = fabric_.outputs[out];
    packet.ready = now + timing_.crossbar;
    if (output.target == Output::ejects)
      eject(output, packet);
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
  void leave(std::uint32_t index, Time now) {
    Input& input = fabric_.inputs[index];
    input.read = now + timing_.packet;
    input.head = next_in_ring(input.head, fabric_.input_places) & 127U;
    --input.count;
    fabric_.candidates[index] = 0;
    credits_.push_back({input.sender, now + input.credit_delay});
    if (input.count != 0)
      set_head(index);
    else
      fabric_.eligible[index] = never;
  }

  /// The relation offers the head nothing: it leaves, and goes nowhere.
  void discard(std::uint32_t input, Time now) {
    measurement_.dropped(now, Drop::stuck);
    leave(input, now);
  }

  void eject(Output& output, const Packet& packet) {
    const Time start = std::max(packet.ready, output.sent);
    output.sent = start + timing_.packet;
    if (fabric_.placement.ejection_has_places) fabric_.free_place(output, output.sent);
    const Time tail = start + output.fly + timing_.packet;
    landing_.push_back(tail);
    measurement_.delivered({.source = packet.source,
                            .sequence = packet.sequence,
                            .destination = packet.destination,
                            .generated = packet.generated,
                            .injected = packet.injected,
                            .delivered = tail,
                            .hops = packet.hops});
  }

  /// `place` is free at the receiver from then on. Returns true when the output's only free place became
  /// known.
  bool start_channel(Output& output, Packet packet, Time place) {
    const Time start = std::max({packet.ready, output.sent, place});
    output.sent = start + timing_.packet;
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
    if ((at.wanted & bit(output.port)) == 0) return;
    const Time free = fabric_.free_from(at, 0)[output.port];
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
  }

  // ---- the end

  /// Generates what is left of each source's run, and counts the packets that lie somewhere at `end`.
  std::uint64_t packets_in_flight(Time end) {
    std::uint64_t found = landing_.size() + fabric_.packets_generated_before(end);
    for (const TerminalId terminal : topology_.terminals())
      for (Source& source = sources_[terminal.index()]; !source.exhausted && source.next.generated < end;
           generate(terminal))
        ++found;
    return found;
  }

  Outcome outcome(Time end) {
    const std::uint64_t in_flight = packets_in_flight(end);
    Outcome outcome{measurement_.result(end, in_flight), measurement_.checksum(end)};
    SimulationResult& result = outcome.result;
    result.packet_hops = packet_hops_;
    result.flit_hops = packet_hops_ * static_cast<std::uint64_t>(timing_.packet);
    for (const ChannelId channel : find_deadlock(fabric_.blocked_heads(topology_, end)))
      result.deadlock_cycle.push_back(topology_.name(channel));
    result.deadlock = !result.deadlock_cycle.empty();
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
  std::vector<Source> sources_;
  std::size_t senders_ = 0;
  std::uint64_t packet_hops_ = 0;
  std::vector<Time> landing_;  ///< tails on their way to terminals, and those that arrived since the last bin
  std::vector<std::uint32_t> items_;
  std::vector<Forward> forwards_;
  std::vector<Credit> credits_;
};

}  // namespace

Outcome run_event_driven(const RoutingRelation& relation, const TrafficPattern& pattern,
                         const SimulationSpec& spec, const Progress& progress, std::vector<Delivery>* log) {
  return EventDriven(relation, pattern, spec, log).run(progress);
}

}  // namespace faultline::cut_through
