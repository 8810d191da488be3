// SPDX-License-Identifier: Apache-2.0
// The terminals of the event-driven engine: when each of them injects which packet on which virtual channel.
#pragma once

#include <algorithm>
#include <vector>

#include "simulate/cut_through/chooser.h"
#include "simulate/cut_through/control_counts.h"
#include "simulate/cut_through/event_wheel.h"
#include "simulate/cut_through/injection_channels.h"
#include "simulate/cut_through/network_state.h"
#include "simulate/cut_through/outbox.h"
#include "simulate/cut_through/postbox.h"
#include "simulate/cut_through/prefetch.h"
#include "simulate/cut_through/windows.h"
#include "simulate/injection/injection_process.h"
#include "simulate/switches/source_agents.h"

namespace faultline::cut_through {

class Terminals : InjectionChannels {
 public:
  Terminals(const Topology& topology, const InjectionProcess& injection, NetworkState& network,
            Chooser& chooser, Measurement& measurement, const Windows& windows, Time limit, PacketPool& pool,
            Outbox& outbox, const Partition& partition, std::uint32_t region, AgentsOfRun& agents)
      : InjectionChannels(topology, injection, network, outbox),
        chooser_(chooser),
        measurement_(measurement),
        limit_(limit),
        ahead_(windows.ahead),
        wheel_(with_a_choice(topology, network), windows.length, limit),
        pool_(pool),
        partition_(partition),
        region_(region),
        agents_(agents),
        learns_(network.traffic.learns),
        sources_(topology.terminal_count()),
        offers_(offers_change(network) ? sources_.size() : 0),
        posts_(network.traffic.any() ? sources_.size() : 0) {
    auto change = network.outages.of_terminals().begin();
    for (std::uint32_t terminal = 0; terminal < offers_.size(); ++terminal) {
      while (change != network.outages.of_terminals().end() && change->owner < terminal) ++change;
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
    Injector& injector = network_.injectors[index];
    network_.free_of_injector(index)[network_.input_places - injector.unknown--] = free;
    advance(TerminalId(injector.terminal));
  }

  /// A packet that a terminal is to send, or that ends at it.
  void deliver(const Letter& letter) {
    if (letter.type == Letter::Type::news) return learn(letter);
    Posts& posts = posts_[letter.to.index()];
    Postbox& box = letter.type == Letter::Type::answer ? posts.answers : posts.again;
    box.put(letter.from, letter.packet, network_.packets[letter.packet]);
    keep(letter.to, std::max(letter.from, next_turn(letter.to).at));
  }

  [[nodiscard]] const ControlCounts& control() const { return control_; }
  /// Packets that wait to be sent, but for those of their own.
  [[nodiscard]] std::size_t posted() const {
    std::size_t found = 0;
    for (const Posts& posts : posts_) found += posts.answers.size() + posts.again.size();
    return found;
  }

  void prefetch_source(std::uint32_t injector) const {
    prefetch(&sources_[network_.injectors[injector].terminal]);
  }
  void prefetch_packet(std::uint32_t injector) const {
    prefetch(&network_.packets[sources_[network_.injectors[injector].terminal].next]);
  }

  /// Generates what is left of each source's run, and counts the packets that wait at `end`.
  [[nodiscard]] std::uint64_t drain(Time end) {
    std::uint64_t found = 0;
    for_each([&](TerminalId terminal) {
      for (Source& source = sources_[terminal.index()];
           !source.exhausted && network_.packets[source.next].generated < end; generate(terminal)) {
        if (!source.drained) measurement_.waits(terminal, source.earliest);
        source.drained = true;
        ++found;
      }
    });
    for (const Posts& posts : posts_)
      posts.again.for_each([&](PacketId id) { found += network_.packets[id].is_control() ? 0 : 1; });
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

  /// Those that go before packets of its own.
  struct Posts {
    Postbox answers, again;
    RouteOptions ways;  ///< of its own next packet, where an agent chooses among them
  };

  static bool offers_change(const NetworkState& network) {
    return !network.outages.of_terminals().empty() || network.relations.size() > 1;
  }

  /// Those that need events; where each has one way to inject, which is always there, none does.
  static std::size_t with_a_choice(const Topology& topology, const NetworkState& network) {
    const auto has_several = [&](TerminalId terminal) {
      return topology.injection(terminal).size() * network.vcs > 1;
    };
    return offers_change(network) || network.traffic.any() ||
                   std::ranges::any_of(topology.terminals(), has_several)
               ? topology.terminal_count()
               : 0;
  }

  /// What a terminal is offered as far as it has been run.
  struct Offers {
    std::uint64_t down = 0;  ///< its ports
    std::span<const DownPorts>::iterator next;
    std::uint32_t relation = 0;  ///< of NetworkState::relations
  };

  [[nodiscard]] std::uint64_t down_at(TerminalId terminal) const {
    return offers_.empty() ? 0 : offers_[terminal.index()].down;
  }
  /// Asks the relation that is in force for the terminal: others may be further.
  Chooser& chooser_of(TerminalId terminal) {
    if (!offers_.empty()) chooser_.ask(*network_.relations[offers_[terminal.index()].relation].relation);
    return chooser_;
  }

  [[nodiscard]] Time next_outage(std::uint32_t terminal) const {
    const auto next = offers_[terminal].next;
    return next == network_.outages.of_terminals().end() || next->owner != terminal ? never : next->at;
  }
  [[nodiscard]] Time next_rerouting(std::uint32_t terminal) const {
    const std::uint32_t next = offers_[terminal].relation + 1;
    return next == network_.relations.size() ? never : network_.relations[next].at;
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
    for (std::uint32_t injector = network_.first_injector[terminal.index()];
         injector < network_.first_injector[terminal.index() + 1]; ++injector)
      network_.injectors[injector].sent = std::max(network_.injectors[injector].sent, now);
    const bool reroutes = next_rerouting(terminal.value()) == now;
    if (next_outage(terminal.value()) == now) offers.down = (offers.next++)->ports;
    if (reroutes) ++offers.relation;
    find_next_change(terminal.value());
    if (!posts_.empty()) {
      posts_[terminal.index()].answers.choice.reset();
      posts_[terminal.index()].again.choice.reset();
    }
    if (source.exhausted) return;
    const Packet& packet = network_.packets[source.next];
    source.choice = own_choice(terminal, packet);
    if (source.choice.ports != 0 || !reroutes || packet.generated >= now ||
        !chooser_.offers_nothing(packet, terminal))
      return;
    drop_queued(packet, now);
    measurement_.gave_up({terminal.value(), now, source.earliest});
    generate(terminal);
  }

  [[nodiscard]] Choice own_choice(TerminalId terminal, const Packet& packet) {
    if (learns_) [[unlikely]]
      return all_own_ways(terminal, packet);
    return chooser_of(terminal).injection(packet, terminal, down_at(terminal));
  }
  [[gnu::noinline, nodiscard]] Choice all_own_ways(TerminalId terminal, const Packet& packet) {
    Chooser& chooser = chooser_of(terminal);
    const Choice choice = chooser.all_ways(packet, terminal, down_at(terminal));
    posts_[terminal.index()].ways = chooser.ways();
    return choice;
  }

  /// A packet is unreachable from cycle `now` on, in which it waits at its source.
  void drop_queued(const Packet& packet, Time now) {
    measurement_.dropped(now, Drop::unreachable);
    dropped_.push_back({packet.generated, now});
  }

  /// A packet that is generated has nowhere to go, then or after a change of the relation that the terminal
  /// has come to since.
  [[gnu::noinline]] bool drop_unreachable(TerminalId terminal, const Packet& packet) {
    if (network_.relations.size() == 1) {
      if (!chooser_.offers_nothing(packet, terminal)) return false;
      measurement_.dropped(packet.generated, Drop::unreachable);
      return true;
    }
    const auto& relations = network_.relations;
    const auto after = std::ranges::upper_bound(relations, packet.generated, {}, &RelationFrom::at);
    auto in_force = after - 1;
    const auto last = std::max(in_force, relations.begin() + offers_[terminal.index()].relation);
    while (!Chooser::offers_nothing(*in_force->relation, packet, terminal))
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
      if (partition_.of_terminal(terminal) == region_) visit(terminal);
  }

  void start(TerminalId terminal) {
    if (injection_.silent(terminal)) return;
    ++senders_;
    Source& source = sources_[terminal.index()];
    source.next = pool_.take();
    network_.packets[source.next] = {
        .source = terminal.value(), .sequence = ~std::uint32_t{0}, .generated = -1};
    source.exhausted = false;
    generate(terminal);
  }

  /// Makes the next packet that has somewhere to go, if one is generated within the run.
  [[gnu::flatten]] void generate(TerminalId terminal) {
    Source& source = sources_[terminal.index()];
    Packet& packet = network_.packets[source.next];
    do {
      packet.generated = injection_.time_of(terminal, ++packet.sequence, packet.generated);
      source.exhausted = packet.generated >= limit_;
      if (source.exhausted) return;
      packet.destination = injection_.destination(terminal, packet.sequence).value();
      measurement_.generated(packet.generated, injection_.flits(terminal, packet.sequence));
      source.choice = own_choice(terminal, packet);
    } while ((source.choice.ports == 0 || network_.relations.size() > 1) &&
             drop_unreachable(terminal, packet));
    source.earliest = std::max(source.earliest, packet.generated);
  }

  /// Injects ahead of time what has one port to take, because nothing can change its turn; the rest has its
  /// event.
  void advance(TerminalId terminal) {
    if (!posts_.empty()) [[unlikely]]
      return keep(terminal, next_turn(terminal).at);
    Source& source = sources_[terminal.index()];
    while (!source.exhausted && is_single(source.choice.ports)) {
      const auto port = static_cast<unsigned>(std::countr_zero(source.choice.ports));
      const Time time = injection_time(terminal, port);
      if (time >= source.changes) break;
      inject(terminal,
             taken(terminal, network_.packets[source.next], source.choice, source.choice.ports, time), time);
    }
    const Time time = source.exhausted ? never : std::min(next_injection(terminal), source.changes);
    keep(terminal, time);
  }
  void keep(TerminalId terminal, Time time) {
    if (time != never) wheel_.keep(terminal.value(), std::max<Time>(0, time - ahead_));
  }

  // ---- with packets that go before its own

  enum class Turn : std::uint8_t { change, answer, again, own };
  struct NextTurn {
    Time at;
    Turn turn;
  };

  /// Of those that have something to do in the same cycle the first of Turn goes first. Changes while nothing
  /// waits come later.
  [[gnu::noinline, nodiscard]] NextTurn next_turn(TerminalId terminal) {
    const Source& source = sources_[terminal.index()];
    Posts& posts = posts_[terminal.index()];
    const bool idle = source.exhausted && posts.answers.empty() && posts.again.empty();
    NextTurn next{idle ? never : source.changes, Turn::change};
    const auto consider = [&](Time at, Turn turn) {
      if (at < next.at) next = {at, turn};
    };
    if (!posts.answers.empty()) consider(sending_time(terminal, posts.answers), Turn::answer);
    if (!posts.again.empty()) consider(sending_time(terminal, posts.again), Turn::again);
    if (!source.exhausted) consider(next_injection(terminal), Turn::own);
    return next;
  }

  [[gnu::noinline]] void run_in_turns(TerminalId terminal, Time end) {
    for (;;) {
      const auto [at, turn] = next_turn(terminal);
      if (at >= end) return keep(terminal, at);
      if (turn == Turn::change)
        change(terminal);
      else if (turn == Turn::own)
        inject(terminal, own_way(terminal, at), at);
      else
        send(terminal,
             turn == Turn::answer ? posts_[terminal.index()].answers : posts_[terminal.index()].again, at);
    }
  }

  /// Of the first in the box; when the terminal's offers change before it may be sent, that cycle or later.
  [[nodiscard]] Time sending_time(TerminalId terminal, Postbox& box) {
    if (box.ready() >= sources_[terminal.index()].changes) return box.ready();
    if (!box.choice) box.choice = choice_of(terminal, box.front());
    Time least = never;
    for (std::uint64_t ports = box.choice->ports; ports != 0; ports &= ports - 1)
      least = std::min(least, port_time(terminal, static_cast<unsigned>(std::countr_zero(ports))));
    return least == never ? never : std::max(least, box.ready());
  }

  /// Of a packet that the terminal answers with or sends again, past a relay where nothing leads there.
  [[nodiscard]] Choice choice_of(TerminalId terminal, PacketId id) {
    Packet& packet = network_.packets[id];
    const std::uint32_t final = network_.packets.header(id).final;
    Chooser& chooser = chooser_of(terminal);
    const Choice choice = chooser.injection(packet, terminal, down_at(terminal));
    if (choice.ports != 0 || packet.destination == final || !chooser.offers_nothing(packet, terminal))
      return choice;
    packet.destination = final;
    return chooser.injection(packet, terminal, down_at(terminal));
  }

  void send(TerminalId terminal, Postbox& box, Time now) {
    const PacketId id = box.front();
    Packet& packet = network_.packets[id];
    const Taken way = taken(terminal, packet, *box.choice, freest(terminal, box.choice->ports, now), now);
    packet.tag = way.tag;
    const bool is_answer = packet.is_control() && !network_.packets.header(id).out;
    if (is_answer) control_.sends(false);
    enter(terminal, way.port, id, now);
    box.pop(now);
  }

  /// Of the terminal's own packet.
  [[nodiscard]] Taken own_way(TerminalId terminal, Time now) {
    if (!learns_) return injection_port(terminal, now);
    const Source& source = sources_[terminal.index()];
    const Packet& packet = network_.packets[source.next];
    const TerminalId destination(packet.destination);
    return chooser_.take_way(
        packet, posts_[terminal.index()].ways, free_ports(terminal, source.choice.ports, now),
        [&](std::span<const RouteOption> ways, std::uint64_t random) {
          return agents_.choose(terminal, destination, now, ways, random);
        },
        [&](unsigned port) { return free_places(terminal, port, now); });
  }

  void learn(const Letter& letter) {
    const Packet& packet = network_.packets[letter.packet];
    const PacketHeader& header = network_.packets.header(letter.packet);
    agents_.arrives(letter.to, letter.from, packet.sequence,
                    {.is_fault = header.is_fault,
                     .way = header.way,
                     .destination = TerminalId(header.answers),
                     .value = header.value});
    pool_.release(letter.packet);
  }

  // ---- packets of its own

  void run(TerminalId terminal, Time end) {
    if (!posts_.empty()) [[unlikely]]
      return run_in_turns(terminal, end);
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
    return std::max(port_time(terminal, port), sources_[terminal.index()].earliest);
  }

  Time next_injection(TerminalId terminal) {
    Time least = never;
    for (std::uint64_t ports = sources_[terminal.index()].choice.ports; ports != 0; ports &= ports - 1)
      least = std::min(least, injection_time(terminal, static_cast<unsigned>(std::countr_zero(ports))));
    return least;
  }

  Taken injection_port(TerminalId terminal, Time now) {
    const Source& source = sources_[terminal.index()];
    return taken(terminal, network_.packets[source.next], source.choice,
                 freest(terminal, source.choice.ports, now), now);
  }

  /// Those of `among` that are free; where the rule asks for free places, those with the most.
  std::uint64_t freest(TerminalId terminal, std::uint64_t among, Time now) {
    const std::uint64_t free = free_ports(terminal, among, now);
    if (!chooser_.by_free_places()) return free;
    std::uint64_t freest = 0;
    std::uint32_t most = 0;
    for (std::uint64_t ports = free; ports != 0; ports &= ports - 1) {
      const auto port = static_cast<unsigned>(std::countr_zero(ports));
      const std::uint32_t places = free_places(terminal, port, now);
      if (places > most) freest = 0;
      most = std::max(most, places);
      if (places == most) freest |= bit(port);
    }
    return freest;
  }

  /// One of `ports`, of those of the packet's choice, with its option.
  Taken taken(TerminalId terminal, const Packet& packet, const Choice& choice, std::uint64_t ports,
              Time now) {
    if (choice.by_option) [[unlikely]]
      return chooser_of(terminal).take_injection(
          packet, terminal, ports, down_at(terminal),
          [&](unsigned port) { return free_places(terminal, port, now); });
    return {chooser_.break_tie(ports, packet, Decision::injection_tie, terminal.value()), choice.tag};
  }

  [[gnu::flatten]] void inject(TerminalId terminal, Taken way, Time now) {
    Source& source = sources_[terminal.index()];
    Packet& packet = network_.packets[source.next];
    packet.injected = now;
    packet.tag = way.tag;
    measurement_.injected({terminal.value(), now, source.earliest});
    if (!posts_.empty())
      network_.packets.header(source.next) = {.way = way.tag,
                                              .entered = now,
                                              .final = packet.destination,
                                              .value = 0,
                                              .answers = 0,
                                              .is_fault = false,
                                              .met_dead = false,
                                              .out = false};
    enter(terminal, way.port, source.next, now);
    source.next = pool_.take();
    network_.packets[source.next] = {
        .source = packet.source, .sequence = packet.sequence, .generated = packet.generated};
    source.earliest = now;
    generate(terminal);
  }

  Chooser& chooser_;
  Measurement& measurement_;
  Time limit_;
  Time ahead_;  ///< cycles by which the terminals run before the switches
  EventWheel wheel_;
  PacketPool& pool_;
  const Partition& partition_;
  std::uint32_t region_;
  AgentsOfRun& agents_;
  bool learns_;
  ControlCounts control_;
  std::vector<Source> sources_;
  std::vector<Offers> offers_;  ///< by terminal; empty where they never change
  std::vector<Posts> posts_;    ///< by terminal; empty where nothing goes before packets of its own
  struct Dropped {
    Time generated, at;
  };
  std::vector<Dropped> dropped_;  ///< from queues of sources
  std::size_t senders_ = 0;
  std::vector<std::uint32_t> items_;
};

}  // namespace faultline::cut_through
