// SPDX-License-Identifier: Apache-2.0
// The terminals of the event-driven engine: when each of them injects which packet on which virtual channel.
#pragma once

#include <algorithm>
#include <vector>

#include "simulate/cut_through/buffer_state.h"
#include "simulate/cut_through/chooser.h"
#include "simulate/cut_through/control_counts.h"
#include "simulate/cut_through/event_wheel.h"
#include "simulate/cut_through/injection_channels.h"
#include "simulate/cut_through/outbox.h"
#include "simulate/cut_through/postbox.h"
#include "simulate/cut_through/prefetch.h"
#include "simulate/cut_through/windows.h"
#include "simulate/injection/injection_process.h"
#include "simulate/switches/source_agents.h"

namespace faultline::cut_through {

using TerminalChooser = Chooser<TerminalPorts>;

class Terminals : InjectionChannels {
 public:
  Terminals(const Topology& topology, const InjectionProcess& injection, BufferState& network,
            TerminalChooser& chooser, Measurement& measurement, const Windows& windows, Time limit,
            PacketPool& pool, Outbox& outbox, const Partition& partition, std::uint32_t region,
            AgentsOfRun& agents)
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

  /// Each terminal has a packet to send next.
  [[nodiscard]] std::size_t senders() const { return senders_; }

  /// Everything that happens before the first window.
  void start();

  void open_window();
  void run_window(Time end, bool prefetches);

  /// A slot of an injector's receiver is free from then on.
  void credit(std::uint32_t index, Time free);

  /// A packet that a terminal is to send, or that ends there.
  void deliver(const Letter& letter);

  [[nodiscard]] const ControlCounts& control() const { return control_; }
  /// Waiting packets, except the terminals' own.
  [[nodiscard]] std::size_t posted() const;

  void prefetch_source(std::uint32_t injector) const {
    prefetch(&sources_[network_.injectors[injector].terminal]);
  }
  void prefetch_packet(std::uint32_t injector) const {
    prefetch(&network_.packets[sources_[network_.injectors[injector].terminal].next]);
  }

  /// Generates the rest of each source's run, and counts the packets that wait at `end`.
  [[nodiscard]] std::uint64_t drain(Time end);

 private:
  struct Source {
    PacketId next = 0;
    Time changes = never;  ///< when a channel of the terminal next goes down or comes up
    Choice<TerminalPorts> choice;
    Time earliest =
        0;  ///< no injection before this: generation time, and the departure of the packet before it
    Time due =
        never;  ///< of its event, if it has a choice: the earliest cycle in which its packet may be injected
    bool exhausted = true;
    bool drained = false;  ///< at the end: its first packet has been reported
  };

  /// Packets with priority over its own.
  struct Posts {
    Postbox answers, again;
    RouteOptions ways;  ///< of its next own packet, if an agent chooses among them
    Time changed = 0;   ///< when channels of the terminal, or the relation, last changed
  };

  static bool offers_change(const BufferState& network) {
    return !network.outages.of_terminals().empty() || network.relations.size() > 1;
  }

  /// Terminals that need events; none does if each has one injection option that is always available.
  static std::size_t with_a_choice(const Topology& topology, const BufferState& network);

  /// What a terminal is offered at the cycle up to which it has been run.
  struct Offers {
    TerminalPorts down = 0;  ///< its ports
    std::span<const ChannelChange>::iterator next;
    std::uint32_t relation = 0;  ///< of BufferState::relations
  };

  [[nodiscard]] TerminalPorts down_at(TerminalId terminal) const {
    return offers_.empty() ? 0 : offers_[terminal.index()].down;
  }
  /// Uses the relation in force for this terminal: others may be further ahead.
  TerminalChooser& chooser_of(TerminalId terminal) {
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

  /// From which cycle on a packet has no path, or its source nothing to wait for, as far as the terminal has
  /// been run; `never`: it may be sent yet.
  [[nodiscard]] Time unreachable_from(TerminalId terminal, const Packet& packet) const;
  /// Channels of the terminal go down or come up, or the relation changes: its packet is routed again, and
  /// starts on none of them before.
  [[gnu::noinline]] void change(TerminalId terminal);

  [[nodiscard]] Choice<TerminalPorts> own_choice(TerminalId terminal, const Packet& packet);
  [[gnu::noinline, nodiscard]] Choice<TerminalPorts> all_own_ways(TerminalId terminal, const Packet& packet);

  /// If a packet has no path, when it is generated or after a later change that the terminal has reached.
  [[gnu::noinline]] bool drop_unreachable(TerminalId terminal, const Packet& packet);

  template <class Visit>
  void for_each(Visit visit) {
    for (const TerminalId terminal : topology_.terminals())
      if (partition_.of_terminal(terminal) == region_) visit(terminal);
  }

  void start(TerminalId terminal);

  // Steps of prefetching, in this order:

  void prefetch_source_of(TerminalId terminal) const {
    prefetch(&sources_[terminal.index()]);
    prefetch(&network_.first_injector[terminal.index()]);
  }
  void prefetch_next_packet(TerminalId terminal) const {
    const std::uint32_t* const first = &network_.first_injector[terminal.index()];
    prefetch(&network_.packets[sources_[terminal.index()].next]);
    prefetch(network_.free_of_injector(first[0]),
             std::size_t{first[1] - first[0]} * network_.slots_per_input);
    prefetch(&network_.injectors[first[0]], first[1] - first[0]);
  }
  /// Of the packet after its next one.
  void prefetch_choice(TerminalId terminal) const {
    const Source& source = sources_[terminal.index()];
    if (source.exhausted) return;
    const std::uint32_t sequence = network_.packets[source.next].sequence + 1;
    if (injection_.has(terminal, sequence))
      chooser_.prefetch_injection(terminal, injection_.destination(terminal, sequence));
  }

  /// Creates the next packet with a path, if one is generated within the run.
  void generate(TerminalId terminal);

  void keep(TerminalId terminal, Time time) {
    if (time != never) wheel_.keep(terminal.value(), std::max<Time>(0, time - ahead_));
  }

  // ---- with packets that go before its own

  enum class Turn : std::uint8_t { change, answer, again, own };
  struct NextTurn {
    Time at;
    Turn turn;
  };

  /// Of those due in the same cycle the first of Turn goes first. Changes while nothing waits come later.
  [[gnu::noinline, nodiscard]] NextTurn next_turn(TerminalId terminal);

  [[gnu::noinline]] void run_in_turns(TerminalId terminal, Time end);

  /// For the first in the box; if the terminal's options change before it may be sent, that cycle or later.
  [[nodiscard]] Time sending_time(TerminalId terminal, Postbox& box);

  /// For a packet that the terminal answers with or re-injects, skipping a relay to which no path leads.
  [[nodiscard]] Choice<TerminalPorts> choice_of(TerminalId terminal, PacketId id);

  /// Of a packet without a choice, in the terminal's present cycle: the relation offers it nothing, or
  /// nothing that ever comes up again.
  [[nodiscard]] bool has_no_path(TerminalId terminal, const Packet& packet) const;

  void send(TerminalId terminal, Postbox& box, Time now);
  /// The first in the box has no path.
  void give_up(Postbox& box, Time now);

  /// For the terminal's own packet.
  [[nodiscard]] Taken own_way(TerminalId terminal, Time now);

  void learn(const Letter& letter);

  // ---- packets of its own

  /// Up to `end`, and further ahead for packets with only one port, because nothing can change their turn;
  /// the others have events.
  void run(TerminalId terminal, Time end);

  /// When the next packet may be injected.
  [[nodiscard]] Time next_opening(TerminalId terminal);
  [[nodiscard]] Taken injection_port(TerminalId terminal, Time now);

  /// One of the ports of its choice that are free, with its option; if the selection function reads free
  /// slots, one of those with most of them.
  Taken taken(TerminalId terminal, const Packet& packet, const Choice<TerminalPorts>& choice, Time now);
  Taken taken_by_option(TerminalId terminal, const Packet& packet, TerminalPorts ports, Time now);

  void inject(TerminalId terminal, Taken way, Time now);

  TerminalChooser& chooser_;
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
  std::vector<Posts> posts_;    ///< by terminal; empty if nothing has priority over own packets
  struct Dropped {
    Time generated, at;
  };
  std::vector<Dropped> dropped_;  ///< from queues of sources
  std::size_t senders_ = 0;
  std::vector<std::uint32_t> items_;
};

}  // namespace faultline::cut_through
