// SPDX-License-Identifier: Apache-2.0
// The terminals of the event-driven engine: when each of them injects which packet on which virtual channel.
#pragma once

#include <algorithm>
#include <vector>

#include "simulate/arrivals.h"
#include "simulate/cut_through/chooser.h"
#include "simulate/cut_through/event_wheel.h"
#include "simulate/cut_through/fabric.h"
#include "simulate/cut_through/outbox.h"
#include "simulate/cut_through/prefetch.h"
#include "simulate/cut_through/windows.h"

namespace faultline::cut_through {

class Terminals {
 public:
  Terminals(const Topology& topology, const Arrivals& arrivals, Fabric& fabric, Chooser& chooser,
            Measurement& measurement, const Windows& windows, Time limit, PacketPool& pool, Outbox& outbox,
            const Territories& territories, std::uint32_t region)
      : topology_(topology),
        arrivals_(arrivals),
        fabric_(fabric),
        chooser_(chooser),
        measurement_(measurement),
        limit_(limit),
        ahead_(windows.ahead),
        wheel_(with_a_choice(topology, fabric), windows.length, limit),
        pool_(pool),
        outbox_(outbox),
        territories_(territories),
        region_(region),
        sources_(topology.terminal_count()),
        offers_(offers_change(fabric) ? sources_.size() : 0) {
    auto change = fabric.outages.of_terminals().begin();
    for (std::uint32_t terminal = 0; terminal < offers_.size(); ++terminal) {
      while (change != fabric.outages.of_terminals().end() && change->owner < terminal) ++change;
      offers_[terminal].next = change;
      find_next_change(terminal);
    }
  }

  /// Each has a packet to send next.
  [[nodiscard]] std::size_t senders() const { return senders_; }

  /// All that happens before the first window.
  void start() {
    for_each([&](TerminalId terminal) { start(terminal); });
    for_each([&](TerminalId terminal) { run(terminal, ahead_); });
  }

  void open_window() { wheel_.take(items_); }
  void run_window(Time end) {
    for (const std::uint32_t item : items_) run(TerminalId(item), end + ahead_);
  }

  /// A place of an injector's receiver is free from then on.
  void credit(std::uint32_t index, Time free) {
    Injector& injector = fabric_.injectors[index];
    fabric_.free_of_injector(index)[fabric_.input_places - injector.unknown--] = free;
    advance(TerminalId(injector.terminal));
  }

  void prefetch_source(std::uint32_t injector) const {
    prefetch(&sources_[fabric_.injectors[injector].terminal]);
  }
  void prefetch_packet(std::uint32_t injector) const {
    prefetch(&fabric_.packets[sources_[fabric_.injectors[injector].terminal].next]);
  }

  /// Generates what is left of each source's run, and counts the packets that wait at `end`.
  [[nodiscard]] std::uint64_t drain(Time end) {
    std::uint64_t found = 0;
    for_each([&](TerminalId terminal) {
      for (Source& source = sources_[terminal.index()];
           !source.exhausted && fabric_.packets[source.next].generated < end; generate(terminal)) {
        if (!source.drained) measurement_.waits(terminal, source.earliest);
        source.drained = true;
        ++found;
      }
    });
    return found + static_cast<std::uint64_t>(std::ranges::count_if(dropped_, [&](const Dropped& packet) {
             return packet.generated < end && packet.at >= end;
           }));
  }

 private:
  struct Source {
    PacketId next = 0;
    Time changes = never;  ///< when a channel of the terminal next goes down or comes up
    Choice choice;
    Time earliest = 0;  ///< no injection before this: generation, and the packet before it has gone
    bool exhausted = true;
    bool drained = false;  ///< at the end: its first packet has been reported
  };

  static bool offers_change(const Fabric& fabric) {
    return !fabric.outages.of_terminals().empty() || fabric.relations.size() > 1;
  }

  /// Those that need events; where each has one way to inject, which is always there, none does.
  static std::size_t with_a_choice(const Topology& topology, const Fabric& fabric) {
    const auto has_several = [&](TerminalId terminal) {
      return topology.injection(terminal).size() * fabric.vcs > 1;
    };
    return offers_change(fabric) || std::ranges::any_of(topology.terminals(), has_several)
               ? topology.terminal_count()
               : 0;
  }

  /// What a terminal is offered as far as it has been run.
  struct Offers {
    std::uint64_t down = 0;  ///< its ports
    std::span<const DownPorts>::iterator next;
    std::uint32_t relation = 0;  ///< of Fabric::relations
  };

  [[nodiscard]] std::uint64_t down_at(TerminalId terminal) const {
    return offers_.empty() ? 0 : offers_[terminal.index()].down;
  }
  /// Asks the relation that is in force for the terminal: others may be further.
  Chooser& chooser_of(TerminalId terminal) {
    if (!offers_.empty()) chooser_.ask(*fabric_.relations[offers_[terminal.index()].relation].relation);
    return chooser_;
  }

  [[nodiscard]] Time next_outage(std::uint32_t terminal) const {
    const auto next = offers_[terminal].next;
    return next == fabric_.outages.of_terminals().end() || next->owner != terminal ? never : next->at;
  }
  [[nodiscard]] Time next_rerouting(std::uint32_t terminal) const {
    const std::uint32_t next = offers_[terminal].relation + 1;
    return next == fabric_.relations.size() ? never : fabric_.relations[next].at;
  }
  void find_next_change(std::uint32_t terminal) {
    sources_[terminal].changes = std::min(next_outage(terminal), next_rerouting(terminal));
  }

  /// Channels of the terminal go down or come up, or the relation changes: its packet chooses anew, and
  /// starts on none of them before.
  [[gnu::noinline]] void change(TerminalId terminal) {
    Source& source = sources_[terminal.index()];
    Offers& offers = offers_[terminal.index()];
    const Time now = source.changes;
    for (std::uint32_t injector = fabric_.first_injector[terminal.index()];
         injector < fabric_.first_injector[terminal.index() + 1]; ++injector)
      fabric_.injectors[injector].sent = std::max(fabric_.injectors[injector].sent, now);
    const bool reroutes = next_rerouting(terminal.value()) == now;
    if (next_outage(terminal.value()) == now) offers.down = (offers.next++)->ports;
    if (reroutes) ++offers.relation;
    find_next_change(terminal.value());
    const Packet& packet = fabric_.packets[source.next];
    source.choice = chooser_of(terminal).injection(packet, offers.down);
    if (source.choice.ports != 0 || !reroutes || packet.generated >= now || !chooser_.offers_nothing(packet))
      return;
    drop_queued(packet, now);
    measurement_.gave_up({terminal.value(), now, source.earliest});
    generate(terminal);
  }

  /// A packet is unreachable from cycle `now` on, in which it waits at its source.
  void drop_queued(const Packet& packet, Time now) {
    measurement_.dropped(now, Drop::unreachable);
    dropped_.push_back({packet.generated, now});
  }

  /// A packet that is generated has nowhere to go, then or after a change of the relation that the terminal
  /// has come to since.
  [[gnu::noinline]] bool drop_unreachable(TerminalId terminal, const Packet& packet) {
    if (fabric_.relations.size() == 1) {
      if (!chooser_.offers_nothing(packet)) return false;
      measurement_.dropped(packet.generated, Drop::unreachable);
      return true;
    }
    const auto& relations = fabric_.relations;
    const auto after = std::ranges::upper_bound(relations, packet.generated, {}, &RelationFrom::at);
    auto in_force = after - 1;
    const auto last = std::max(in_force, relations.begin() + offers_[terminal.index()].relation);
    while (!Chooser::offers_nothing(*in_force->relation, packet))
      if (in_force++ == last) return false;
    if (in_force == after - 1)
      measurement_.dropped(packet.generated, Drop::unreachable);
    else
      drop_queued(packet, in_force->at);
    return true;
  }

  template <class Visit>
  void for_each(Visit visit) {
    for (const TerminalId terminal : topology_.terminals())
      if (territories_.of_terminal(terminal) == region_) visit(terminal);
  }

  void start(TerminalId terminal) {
    if (arrivals_.silent(terminal)) return;
    ++senders_;
    Source& source = sources_[terminal.index()];
    source.next = pool_.take();
    fabric_.packets[source.next] = {
        .source = terminal.value(), .sequence = ~std::uint32_t{0}, .generated = -1};
    source.exhausted = false;
    generate(terminal);
  }

  /// Makes the next packet that has somewhere to go, if one is generated within the run.
  void generate(TerminalId terminal) {
    Source& source = sources_[terminal.index()];
    Packet& packet = fabric_.packets[source.next];
    do {
      packet.generated = arrivals_.time_of(terminal, ++packet.sequence, packet.generated);
      source.exhausted = packet.generated >= limit_;
      if (source.exhausted) return;
      packet.destination = arrivals_.destination(terminal, packet.sequence).value();
      measurement_.generated(packet.generated, arrivals_.flits(terminal, packet.sequence));
      source.choice = chooser_of(terminal).injection(packet, down_at(terminal));
    } while ((source.choice.ports == 0 || fabric_.relations.size() > 1) &&
             drop_unreachable(terminal, packet));
    source.earliest = std::max(source.earliest, packet.generated);
  }

  /// Injects ahead of time what has one port to take, because nothing can change its turn; the rest has its
  /// event.
  void advance(TerminalId terminal) {
    Source& source = sources_[terminal.index()];
    while (!source.exhausted && is_single(source.choice.ports)) {
      const auto port = static_cast<unsigned>(std::countr_zero(source.choice.ports));
      const Time time = injection_time(terminal, port);
      if (time >= source.changes) break;
      inject(terminal, taken(terminal, source.choice.ports, time), time);
    }
    const Time time = source.exhausted ? never : std::min(next_injection(terminal), source.changes);
    if (time != never) wheel_.keep(terminal.value(), std::max<Time>(0, time - ahead_));
  }

  void run(TerminalId terminal, Time end) {
    for (const Source& source = sources_[terminal.index()]; !source.exhausted;) {
      const Time now = next_injection(terminal);
      if (std::min(now, source.changes) >= end) break;
      if (source.changes <= now)
        change(terminal);
      else
        inject(terminal, injection_port(terminal, now), now);
    }
    advance(terminal);
  }

  Time injection_time(TerminalId terminal, unsigned port) {
    const std::uint32_t index = fabric_.first_injector[terminal.index()] + port;
    const Time free = *fabric_.free_of_injector(index);
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

  Taken injection_port(TerminalId terminal, Time now) {
    const Source& source = sources_[terminal.index()];
    std::uint64_t free = 0, freest = 0;
    std::uint32_t most = 0;
    for (std::uint64_t ports = source.choice.ports; ports != 0; ports &= ports - 1) {
      const auto port = static_cast<unsigned>(std::countr_zero(ports));
      if (injection_time(terminal, port) > now) continue;
      free |= bit(port);
      const std::uint32_t places = free_places(terminal, port, now);
      if (places > most) freest = 0;
      most = std::max(most, places);
      if (places == most) freest |= bit(port);
    }
    return taken(terminal, chooser_.by_free_places() ? freest : free, now);
  }

  std::uint32_t free_places(TerminalId terminal, unsigned port, Time now) {
    const Time* const levels = fabric_.free_of_injector(fabric_.first_injector[terminal.index()] + port);
    return static_cast<std::uint32_t>(std::upper_bound(levels, levels + fabric_.input_places, now) - levels);
  }

  /// One of `ports`, with its option.
  Taken taken(TerminalId terminal, std::uint64_t ports, Time now) {
    const Source& source = sources_[terminal.index()];
    const Packet& packet = fabric_.packets[source.next];
    if (source.choice.by_option) [[unlikely]]
      return chooser_of(terminal).take_injection(
          packet, ports, down_at(terminal), [&](unsigned port) { return free_places(terminal, port, now); });
    return {chooser_.break_tie(ports, packet, Decision::injection_tie, terminal.value()), source.choice.tag};
  }

  void inject(TerminalId terminal, Taken way, Time now) {
    Source& source = sources_[terminal.index()];
    const std::uint32_t first = fabric_.first_injector[terminal.index()];
    const std::uint32_t index = first + way.port;
    Injector& injector = fabric_.injectors[index];
    Packet& packet = fabric_.packets[source.next];
    packet.injected = now;
    packet.tag = way.tag;
    const std::uint32_t flits = arrivals_.flits(terminal, packet.sequence);
    measurement_.injected({terminal.value(), now, source.earliest});
    injector.flits += flits;
    for (std::uint64_t ports = fabric_.siblings(way.port); ports != 0; ports &= ports - 1)
      fabric_.injectors[first + static_cast<std::uint32_t>(std::countr_zero(ports))].sent =
          now + static_cast<Time>(flits);
    Time* const levels = fabric_.free_of_injector(index);
    std::copy(levels + 1, levels + fabric_.input_places, levels);
    levels[fabric_.input_places - 1] = never;
    ++injector.unknown;
    if (!offers_.empty() && is_lost(terminal, way.port, now, static_cast<Time>(flits))) packet.lose();
    outbox_.send(Forward{injector.target, source.next, now});
    source.next = pool_.take();
    fabric_.packets[source.next] = {
        .source = packet.source, .sequence = packet.sequence, .generated = packet.generated};
    source.earliest = now;
    generate(terminal);
  }

  /// Without buffers at the inputs the next switch says so, which takes the packet off the channel.
  [[nodiscard]] bool is_lost(TerminalId terminal, unsigned port, Time now, Time flits) const {
    const ChannelId channel = topology_.injection(terminal)[port / fabric_.vcs];
    const auto fly = static_cast<Time>(topology_.fly_cycles(channel));
    return fabric_.timing.buffers != BufferPlace::output &&
           fabric_.outages.loses(channel, now, now + fly + flits);
  }

  const Topology& topology_;
  const Arrivals& arrivals_;
  Fabric& fabric_;
  Chooser& chooser_;
  Measurement& measurement_;
  Time limit_;
  Time ahead_;  ///< cycles by which the terminals run before the switches
  EventWheel wheel_;
  PacketPool& pool_;
  Outbox& outbox_;
  const Territories& territories_;
  std::uint32_t region_;
  std::vector<Source> sources_;
  std::vector<Offers> offers_;  ///< by terminal; empty where they never change
  struct Dropped {
    Time generated, at;
  };
  std::vector<Dropped> dropped_;  ///< from queues of sources
  std::size_t senders_ = 0;
  std::vector<std::uint32_t> items_;
};

}  // namespace faultline::cut_through
