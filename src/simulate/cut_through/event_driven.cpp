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
#include "simulate/cut_through/event_wheel.h"
#include "simulate/cut_through/fabric.h"
#include "simulate/cut_through/model.h"
#include "simulate/cut_through/scan.h"
#include "simulate/timeline.h"

namespace faultline::cut_through {
namespace {

std::uint64_t bit(unsigned position) { return std::uint64_t{1} << position; }

constexpr std::uint64_t ones = 0x0101010101010101;

/// Byte i: the set bits of `mask` in its bytes 0 … i. Without the population count that old processors lack.
constexpr std::uint64_t running_counts(std::uint64_t mask) {
  mask -= mask >> 1 & 0x5555555555555555;
  mask = (mask & 0x3333333333333333) + (mask >> 2 & 0x3333333333333333);
  return ((mask + (mask >> 4)) & 0x0f0f0f0f0f0f0f0f) * ones;
}

constexpr unsigned count(std::uint64_t mask) { return static_cast<unsigned>(running_counts(mask) >> 56); }

/// The position of the `rank`-th (from 0, below 64) set bit of `mask`.
constexpr unsigned nth_bit(std::uint64_t mask, std::uint32_t rank) {
  constexpr std::uint64_t tops = ones << 7;
  const std::uint64_t counts = running_counts(mask);
  const std::uint64_t not_above = (((rank * ones) | tops) - counts) & tops;  // bytes whose running count is at most rank
  const unsigned byte = static_cast<unsigned>((not_above >> 7) * ones >> 56) * 8;
  std::uint64_t rest = mask >> byte & 0xff;
  for (auto skipped = rank - static_cast<std::uint32_t>(counts << 8 >> byte & 0xff); skipped != 0; --skipped) rest &= rest - 1;
  return byte + static_cast<unsigned>(std::countr_zero(rest));
}
static_assert(count(~std::uint64_t{0}) == 64 && nth_bit(~std::uint64_t{0}, 63) == 63 && nth_bit(0b1010'0000'0001'0000, 1) == 13);

struct Windows {
  Time length;
  Time ahead;

  /// The longest that divide the multiple of which a stop rule's edges are, and such that a terminal knows
  /// all credits of the cycles for which it decides.
  explicit Windows(const Lookahead& lookahead)
      : length(std::min(lookahead.grant, Timeline::edge_multiple)), ahead(0) {
    for (;; --length) {
      ahead = std::max<Time>(0, length - lookahead.injection);
      if (Timeline::edge_multiple % length == 0 && length + ahead <= lookahead.credit) return;
    }
  }
};

/// What a packet may take next, as bits of ports.
struct Choice {
  std::uint64_t ports = 0;
  Tag tag = 0;
  bool tags_differ = false;
};

/// Those that need events; where each has one injection channel, none does.
std::size_t terminals_with_a_choice(const Topology& topology) {
  return std::ranges::any_of(topology.terminals(), [&](TerminalId terminal) { return topology.injection(terminal).size() > 1; }) ? topology.terminal_count() : 0;
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
      : relation_(relation),
        topology_(relation.topology()),
        rule_(spec.selection),
        seed_(spec.seed),
        timing_(spec),
        placement_(timing_),
        arrivals_(pattern, spec),
        timeline_(Timeline::of(spec)),
        measurement_(timeline_, topology_.terminal_count(), spec, log),
        fabric_(topology_, timing_),
        windows_(fabric_.lookahead(topology_)),
        wheel_(topology_.switch_count() + terminals_with_a_choice(topology_), windows_.length, timeline_.limit),
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
      if (i + 3 * far_ahead < items_.size()) prefetch_ports(items_[i + 3 * far_ahead]);
      if (i + 2 * far_ahead < items_.size()) prefetch_packets(items_[i + 2 * far_ahead], end);
      if (i + far_ahead < items_.size()) route_heads(items_[i + far_ahead], end);
      const std::uint32_t item = items_[i];
      if (item < fabric_.switches.size())
        run_switch(item, end);
      else
        run_source(item - static_cast<std::uint32_t>(fabric_.switches.size()), end + windows_.ahead);
    }
    exchange();
  }

  void exchange() {
    for (std::size_t i = 0; i < credits_.size(); ++i) {
      if (i + far_ahead < credits_.size()) prefetch_sender(credits_[i + far_ahead].to);
      const Credit& credit = credits_[i];
      if (credit.to.is_injector())
        credit_injector(credit.to.index(), credit.free);
      else
        credit_output(credit.to.index(), credit.free);
    }
    credits_.clear();
    for (std::size_t i = 0; i < forwards_.size(); ++i) {
      if (i + far_ahead < forwards_.size()) prefetch_input(forwards_[i + far_ahead].input);
      arrive(forwards_[i].input, forwards_[i].packet);
    }
    forwards_.clear();
  }

  // ---- what a large network needs: lines on their way to the cache before they are looked at

  static constexpr std::size_t far_ahead = 6;

  // Always inlined: GCC takes a function that only prefetches for one without effect, and drops the call.
  [[gnu::always_inline]] static void prefetch(const void* address) { __builtin_prefetch(address, 1); }
  template <class T>
  [[gnu::always_inline]] static void prefetch(const T* values, std::size_t count) {
    for (std::size_t i = 0; i < count; i += 64 / sizeof(T)) prefetch(values + i);
  }

  [[gnu::always_inline]] void prefetch_ports(std::uint32_t item) {
    if (item >= fabric_.switches.size()) return;
    const Switch& at = fabric_.switches[item];
    prefetch(&fabric_.eligible[at.first_input], at.padded_inputs);
    prefetch(fabric_.free_from(at, 0), std::size_t{at.padded_outputs} * fabric_.places);
    const auto outputs = topology_.outputs(SwitchId(item));
    prefetch(outputs.data(), outputs.size());
  }

  [[gnu::always_inline]] void prefetch_packets(std::uint32_t item, Time end) {
    if (item >= fabric_.switches.size()) return;
    const Switch& at = fabric_.switches[item];
    std::uint64_t ready = due(&fabric_.eligible[at.first_input], at.padded_inputs, end - 1);
    for (; ready != 0; ready &= ready - 1) {
      const std::uint32_t input = at.first_input + static_cast<std::uint32_t>(std::countr_zero(ready));
      prefetch_input(input);
      prefetch(&fabric_.candidates[input]);
    }
  }

  /// Heads are routed when their packets have come to the cache: the options do not depend on the cycle.
  void route_heads(std::uint32_t item, Time end) {
    if (item >= fabric_.switches.size()) return;
    const Switch& at = fabric_.switches[item];
    std::uint64_t ready = due(&fabric_.eligible[at.first_input], at.padded_inputs, end - 1);
    for (; ready != 0; ready &= ready - 1) {
      const std::uint32_t input = at.first_input + static_cast<std::uint32_t>(std::countr_zero(ready));
      std::uint64_t& candidates = fabric_.candidates[input];
      if (candidates != 0) continue;
      route_head(input);
      if (std::has_single_bit(candidates)) prefetch(&fabric_.outputs[at.first_output + static_cast<unsigned>(std::countr_zero(candidates))]);
    }
  }

  [[gnu::always_inline]] void prefetch_input(std::uint32_t input) {
    prefetch(&fabric_.inputs[input]);
    prefetch(fabric_.packets_of_input(input), fabric_.input_places);
    prefetch(&fabric_.eligible[input]);
  }

  [[gnu::always_inline]] void prefetch_sender(Sender sender) {
    if (sender.is_injector()) {
      prefetch(&fabric_.injectors[sender.index()]);
      prefetch(fabric_.free_from(sender.index()));
      return;
    }
    const Output& output = fabric_.outputs[sender.index()];
    prefetch(&output);
    prefetch(fabric_.packets_of_output(sender.index()), fabric_.places);
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
      options_.clear();
      relation_.inject(terminal, TerminalId(packet.destination), options_);
      source.choice = choose(packet, Decision::injection_route, terminal.value());
      if (source.choice.ports == 0) measurement_.dropped(packet.generated, Drop::unreachable);
    } while (source.choice.ports == 0);
    source.earliest = std::max(source.earliest, packet.generated);
  }

  /// Injects ahead of time what has one channel to take, because nothing can change its turn; the rest has
  /// its event.
  void advance(TerminalId terminal) {
    Source& source = sources_[terminal.index()];
    while (!source.exhausted && std::has_single_bit(source.choice.ports)) {
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
    return break_tie(rule_.by_free_buffer ? freest : free, source.next, Decision::injection_tie,
                     terminal.value());
  }

  void inject(TerminalId terminal, unsigned port, Time now) {
    Source& source = sources_[terminal.index()];
    const std::uint32_t index = fabric_.first_injector[terminal.index()] + port;
    Injector& injector = fabric_.injectors[index];
    Packet packet = source.next;
    packet.injected = now;
    packet.tag = source.choice.tags_differ ? injection_tag(packet, port) : source.choice.tag;
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
    if (rule_.by_free_buffer)
      for (std::uint32_t level = fabric_.places - 1; level > 0 && (possible & (possible - 1)) != 0; --level) {
        const std::uint64_t freest = possible & due(fabric_.free_from(at, level), at.padded_outputs, now);
        if (freest == 0) continue;
        possible = freest;
        break;
      }
    if (std::has_single_bit(possible)) return static_cast<unsigned>(std::countr_zero(possible));
    const Packet& packet = fabric_.packets_of_input(input)[fabric_.inputs[input].head];
    return break_tie(possible, packet, Decision::tie, fabric_.inputs[input].at);
  }

  void grant(const Switch& at, std::uint32_t index, unsigned port, Time now) {
    const Input& input = fabric_.inputs[index];
    Packet packet = fabric_.packets_of_input(index)[input.head];
    packet.tag = input.tags_differ ? output_tag(index, packet, port) : input.next_tag;
    ++packet.hops;
    ++packet_hops_;
    leave(index, now);
    take_place(at, port, now);
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
      const std::uint32_t last = in_ring(output.waiting_head + std::uint32_t{output.waiting++}, fabric_.places);
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

  void take_place(const Switch& at, unsigned port, Time now) {
    Output& output = fabric_.outputs[at.first_output + port];
    output.written = now + timing_.packet;
    if (output.target == Output::ejects && !placement_.ejection_has_places) {
      fabric_.free_from(at, 0)[port] = output.written;
      return;
    }
    for (std::uint32_t level = 0; level + 1 < fabric_.places; ++level)
      fabric_.free_from(at, level)[port] = fabric_.free_from(at, level + 1)[port];
    fabric_.free_from(at, fabric_.places - 1)[port] = never;
    ++output.unknown;
    fabric_.free_from(at, 0)[port] = std::max(fabric_.free_from(at, 0)[port], output.written);
  }

  /// It becomes known from when on the oldest place of which it was not known is free. Returns true when it
  /// is the only free one then.
  bool free_place(Output& output, Time free) {
    const Switch& at = fabric_.switches[output.at];
    const std::uint32_t level = fabric_.places - output.unknown--;
    fabric_.free_from(at, level)[output.port] = level == 0 ? std::max(free, output.written) : free;
    return level == 0;
  }

  void eject(Output& output, const Packet& packet) {
    const Time start = std::max(packet.ready, output.sent);
    output.sent = start + timing_.packet;
    if (placement_.ejection_has_places) free_place(output, output.sent);
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
    return !placement_.free_when_credited && free_place(output, output.sent);
  }

  void credit_output(std::uint32_t index, Time place) {
    Output& output = fabric_.outputs[index];
    bool opened = placement_.free_when_credited && free_place(output, place);
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
    options_.clear();
    route(input, packet);
    const Choice choice = choose(packet, Decision::route, input.at);
    fabric_.candidates[index] = choice.ports;
    input.next_tag = choice.tag;
    input.tags_differ = choice.tags_differ ? 1 : 0;
  }

  // ---- choices

  void route(const Input& input, const Packet& packet) {
    relation_.route({.at = SwitchId(input.at),
                     .destination = TerminalId(packet.destination),
                     .held = input.channel,
                     .vc = 0,
                     .tag = packet.tag},
                    options_);
  }

  /// What the rule makes of options_: those of the lowest tier, of options with the same channel the first.
  Choice choose(const Packet& packet, Decision decision, std::uint32_t place) const {
    Choice choice;
    if (options_.empty()) return choice;
    const RouteOption* first = &options_.front();
    for (const RouteOption& option : options_)
      if (option.tier < first->tier) first = &option;
    choice.tag = first->tag;
    for (const RouteOption& option : options_) {
      if (option.tier != first->tier) continue;
      choice.ports |= bit(fabric_.port_of_channel[option.channel.index()]);
      choice.tags_differ |= option.tag != choice.tag;
    }
    if (rule_.candidates == SelectionRule::Candidates::first)
      return {bit(fabric_.port_of_channel[first->channel.index()]), choice.tag, false};
    if (rule_.candidates == SelectionRule::Candidates::one_drawn)
      choice.ports =
          bit(nth_bit(choice.ports, below(draw(seed_, decision, packet.source, packet.sequence, place),
                                          count(choice.ports))));
    return choice;
  }

  unsigned break_tie(std::uint64_t ports, const Packet& packet, Decision decision,
                     std::uint32_t place) const {
    if (std::has_single_bit(ports)) return static_cast<unsigned>(std::countr_zero(ports));
    return nth_bit(ports, below(draw(seed_, decision, packet.source, packet.sequence, place), count(ports)));
  }

  /// The tag of the first option of the lowest tier that takes `port`.
  Tag tag_of_port(unsigned port) const {
    const std::uint8_t tier = std::ranges::min(options_, {}, &RouteOption::tier).tier;
    return std::ranges::find_if(options_,
                                [&](const RouteOption& option) {
                                  return option.tier == tier &&
                                         fabric_.port_of_channel[option.channel.index()] == port;
                                })
        ->tag;
  }
  Tag output_tag(std::uint32_t input, const Packet& packet, unsigned port) {
    options_.clear();
    route(fabric_.inputs[input], packet);
    return tag_of_port(port);
  }
  Tag injection_tag(const Packet& packet, unsigned port) {
    options_.clear();
    relation_.inject(TerminalId(packet.source), TerminalId(packet.destination), options_);
    return tag_of_port(port);
  }

  static std::uint16_t next_in_ring(std::uint16_t position, std::uint32_t size) {
    return position + 1U == size ? std::uint16_t{0} : static_cast<std::uint16_t>(position + 1);
  }
  /// `place` < 2 * size, folded back into the ring.
  static std::uint32_t in_ring(std::uint32_t place, std::uint32_t size) { return place < size ? place : place - size; }

  // ---- the end

  /// Generates what is left of each source's run, and counts the packets that lie somewhere at `end`.
  std::uint64_t packets_in_flight(Time end) {
    std::uint64_t found = landing_.size();
    const auto count_one = [&](const Packet& packet) { found += packet.generated < end ? 1 : 0; };
    for (std::uint32_t index = 0; index < fabric_.inputs.size(); ++index)
      for (std::uint32_t i = 0; i < fabric_.inputs[index].count; ++i)
        count_one(fabric_.packets_of_input(index)[(fabric_.inputs[index].head + i) % fabric_.input_places]);
    for (std::uint32_t index = 0; index < fabric_.outputs.size(); ++index)
      for (std::uint32_t i = 0; i < fabric_.outputs[index].waiting; ++i)
        count_one(
            fabric_.packets_of_output(index)[(fabric_.outputs[index].waiting_head + i) % fabric_.places]);
    for (const TerminalId terminal : topology_.terminals())
      for (Source& source = sources_[terminal.index()]; !source.exhausted && source.next.generated < end;
           generate(terminal))
        count_one(source.next);
    return found;
  }

  std::vector<Blocked> blocked_heads(Time end) {
    std::vector<Blocked> blocked;
    for (std::uint32_t index = 0; index < fabric_.inputs.size(); ++index) {
      const Input& input = fabric_.inputs[index];
      if (fabric_.eligible[index] >= end || fabric_.candidates[index] == 0) continue;
      const Switch& at = fabric_.switches[input.at];
      const auto outputs = topology_.outputs(SwitchId(input.at));
      Blocked entry{input.channel, {}};
      bool shut = true;
      for (std::uint64_t ports = fabric_.candidates[index]; ports != 0; ports &= ports - 1) {
        shut &= fabric_.free_from(at, 0)[std::countr_zero(ports)] == never;
        entry.wants.push_back(outputs[static_cast<std::size_t>(std::countr_zero(ports))]);
      }
      if (shut) blocked.push_back(std::move(entry));
    }
    return blocked;
  }

  Outcome outcome(Time end) {
    const std::uint64_t in_flight = packets_in_flight(end);
    Outcome outcome{measurement_.result(end, in_flight), measurement_.checksum(end)};
    SimulationResult& result = outcome.result;
    result.packet_hops = packet_hops_;
    result.flit_hops = packet_hops_ * static_cast<std::uint64_t>(timing_.packet);
    for (const ChannelId channel : find_deadlock(blocked_heads(end)))
      result.deadlock_cycle.push_back(topology_.name(channel));
    result.deadlock = !result.deadlock_cycle.empty();
    return outcome;
  }

  const RoutingRelation& relation_;
  const Topology& topology_;
  SelectionRule rule_;
  std::uint64_t seed_;
  Timing timing_;
  Placement placement_;
  Arrivals arrivals_;
  Timeline timeline_;
  Measurement measurement_;
  Fabric fabric_;
  Windows windows_;
  EventWheel wheel_;
  std::vector<Source> sources_;
  std::size_t senders_ = 0;
  std::uint64_t packet_hops_ = 0;
  std::vector<Time> landing_;  ///< tails on their way to terminals, and those that arrived since the last bin
  std::vector<std::uint32_t> items_;
  std::vector<Forward> forwards_;
  std::vector<Credit> credits_;
  RouteOptions options_;  ///< reused
};

}  // namespace

Outcome run_event_driven(const RoutingRelation& relation, const TrafficPattern& pattern,
                         const SimulationSpec& spec, const Progress& progress, std::vector<Delivery>* log) {
  return EventDriven(relation, pattern, spec, log).run(progress);
}

}  // namespace faultline::cut_through
