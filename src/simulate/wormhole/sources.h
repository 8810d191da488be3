// SPDX-License-Identifier: Apache-2.0
// What terminals have to send. A source queue needs no memory: only the time at which its first packet was
// generated is known; the next one's time is drawn when that one leaves.
#pragma once

#include <algorithm>
#include <vector>

#include "simulate/injection/injection_process.h"
#include "simulate/measurement/measurement.h"
#include "simulate/switches/prefetch.h"
#include "simulate/wormhole/choices.h"
#include "simulate/wormhole/packets.h"

namespace faultline::wormhole {

class Sources {
 public:
  /// Those of `senders` among `terminals` terminals.
  Sources(const InjectionProcess& injection, Chooser& chooser, Measurement& measurement,
          std::size_t terminals, const std::vector<TerminalId>& senders, Time limit)
      : injection_(injection),
        chooser_(chooser),
        measurement_(measurement),
        limit_(limit),
        first_(terminals) {
    for (const TerminalId terminal : senders) {
      if (injection.silent(terminal)) continue;
      ++senders_;
      draw(terminal, -1);
    }
  }

  /// Terminals that send at all.
  [[nodiscard]] std::size_t senders() const { return senders_; }

  /// When the first packet of the queue was or will be generated.
  [[nodiscard]] Time first_generated(TerminalId terminal) const { return first_[terminal.index()].generated; }

  /// The first packet of a queue that has one, with its choices (none if all are down); packets that cannot
  /// be sent are dropped on the way. False if the queue has run out.
  [[nodiscard]] bool first(TerminalId terminal, Time now, Packet& packet, std::vector<Choice>& choices) {
    while (first_generated(terminal) <= now) {
      write_first(terminal, packet);
      chooser_.inject(packet, choices);
      if (!choices.empty() || !chooser_.stuck()) return true;
      measurement_.dropped(packet.generated, Drop::unreachable);
      draw(terminal, packet.generated);
    }
    return false;
  }
  /// The same of a queue that has one, where every packet can be sent.
  void write_first(TerminalId terminal, Packet& packet) const {
    const First& first = first_[terminal.index()];
    packet = {.source = terminal,
              .destination = injection_.destination(terminal, first.sequence),
              .sequence = first.sequence,
              .generated = first.generated};
  }
  void prefetch(TerminalId terminal) const { faultline::prefetch(&first_[terminal.index()]); }
  /// What the choice of the first packet reads.
  void prefetch_injection(TerminalId terminal) const {
    chooser_.prefetch_injection(terminal,
                                injection_.destination(terminal, first_[terminal.index()].sequence));
  }

  /// The first packet leaves the queue.
  void inject(TerminalId terminal, Time now) {
    measurement_.injected({terminal.value(), now, first_since(terminal), first_generated(terminal)});
    first_[terminal.index()].before_left = now;
    advance(terminal);
  }

  /// Empties all queues at the end of a run: the number of packets that were waiting.
  [[nodiscard]] std::uint64_t drain(Time end) {
    std::uint64_t waiting = 0;
    Packet packet;
    std::vector<Choice> choices;
    for (std::size_t i = 0; i < first_.size(); ++i) {
      const TerminalId terminal(i);
      const bool sends_all = chooser_.sends_all(terminal);  // then their options need not be queried
      const auto waits = [&] {
        return sends_all ? first_generated(terminal) < end : first(terminal, end - 1, packet, choices);
      };
      if (waits()) measurement_.waits(terminal, first_since(terminal), first_generated(terminal));
      for (; waits(); advance(terminal)) ++waiting;
    }
    return waiting;
  }

  [[nodiscard]] std::size_t bytes() const { return first_.size() * sizeof(First); }

 private:
  struct First {
    Time generated = never;
    std::uint32_t sequence = ~std::uint32_t{0};
    Time before_left = 0;  ///< when the packet before it left the queue
  };

  void advance(TerminalId terminal) { draw(terminal, first_generated(terminal)); }

  [[nodiscard]] Time first_since(TerminalId terminal) const {
    const First& first = first_[terminal.index()];
    return std::max(first.generated, first.before_left);
  }

  void draw(TerminalId terminal, Time before) {
    First& first = first_[terminal.index()];
    first.generated = injection_.time_of(terminal, ++first.sequence, before);
    if (first.generated < limit_)
      measurement_.generated(first.generated, injection_.flits(terminal, first.sequence));
    else
      first.generated = never;
  }

  const InjectionProcess& injection_;
  Chooser& chooser_;
  Measurement& measurement_;
  Time limit_;
  std::vector<First> first_;
  std::size_t senders_ = 0;
};

}  // namespace faultline::wormhole
