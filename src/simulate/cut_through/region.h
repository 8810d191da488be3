// SPDX-License-Identifier: Apache-2.0
// The work of one region in a window of cycles: its switches and terminals, and the messages they received.
#pragma once

#include <algorithm>
#include <vector>

#include "simulate/cut_through/conservation.h"
#include "simulate/cut_through/prefetch.h"
#include "simulate/cut_through/prefetch_trials.h"
#include "simulate/cut_through/switches.h"
#include "simulate/cut_through/terminals.h"
#include "simulate/cut_through/windows.h"
#include "simulate/measurement/timeline.h"

namespace faultline::cut_through {

/// Data of a region besides its switches and terminals.
template <class Set>
struct RegionParts {
  RegionParts(const RoutingRelation& relation, const SimulationSpec& spec, const InjectionProcess& injection,
              const Timeline& timeline, const Windows& windows, NetworkState<Set>& network,
              const Partition& partition, bool logs)
      : measurement(timeline, relation.topology().terminal_count(), spec, injection.is_trace(),
                    logs ? &log : nullptr),
        chooser(relation, spec, network),
        source_chooser(relation, spec, network),
        wheel(network.switch_count, windows.length, timeline.limit),
        pool(network.packets),
        outbox(network, partition) {}

  std::vector<Delivery> log;
  Measurement measurement;
  Chooser<Set> chooser;            ///< of switches
  TerminalChooser source_chooser;  ///< of terminals, which are ahead of them
  EventWheel wheel;
  PacketPool pool;
  Outbox outbox;
};

template <std::uint32_t Ports, Shape shape>
class Region : private RegionParts<PortSet<Ports>>, private Switches<Ports, shape> {
  using Set = PortSet<Ports>;
  using Parts = RegionParts<Set>;
  using Base = Switches<Ports, shape>;

 public:
  Region(const RoutingRelation& relation, const SimulationSpec& spec, const InjectionProcess& injection,
         const Timeline& timeline, const Windows& windows, NetworkState<Set>& network,
         const Partition& partition, std::uint32_t number, bool logs, AgentsOfRun& agents)
      : Parts(relation, spec, injection, timeline, windows, network, partition, logs),
        Base(NetworkView<Ports, shape>(network, injection, spec), chooser, measurement, wheel, pool, outbox),
        number_(number),
        window_cycles_(windows.length),
        prefetches_(network.bytes()),
        changes_(changes_of(network, partition, number)),
        partition_(partition),
        terminals_(relation.topology(), injection, network, source_chooser, measurement, windows,
                   timeline.limit, pool, outbox, partition, number, agents) {}

  using Parts::log;
  using Parts::measurement;

  void start() { terminals_.start(); }

  /// To the window's end or to `edge`, at which measurements so far are evaluated. Returns that cycle.
  Time run_window(Time edge) {
    prefetches_.starts();
    if (now_ == window_end_) {
      window_end_ += window_cycles_;
      wheel.take(items_);
      terminals_.open_window();
    }
    now_ = std::min(window_end_, edge);
    if (next_change() < now_) [[unlikely]]
      apply_changes();
    run_switches();
    terminals_.run_window(now_, prefetches_.in_force() != Prefetching::none);
    prefetches_.stops();
    return now_;
  }

  /// Reads what all regions have sent to this one. Every region does, before any runs on.
  template <class Regions>
  void read_mail(const Regions& regions) {
    const unsigned full = outbox.filling();
    prefetches_.starts();
    outbox.turn();
    for (const auto& from : regions) pass_all(from->outbox.sent_to(number_, full).credits);
    for (const auto& from : regions) pass_all(from->outbox.sent_to(number_, full).forwards);
    if (network_.traffic.any())
      for (const auto& from : regions) deliver(from->outbox.sent_to(number_, full).letters);
    prefetches_.stops();
    prefetches_.ran(packet_hops_);
  }

  /// What it has sent and nobody has read, between windows.
  void add_to(Conservation& conservation) const {
    for (std::uint32_t region = 0; region < outbox.regions(); ++region)
      conservation.add(outbox.sent_to(region, outbox.filling()));
    conservation.add_packets(terminals_.senders() + terminals_.posted());
  }
  [[nodiscard]] std::size_t spare_packets() const { return pool.spare(); }

  [[nodiscard]] std::size_t senders() const { return terminals_.senders(); }
  /// The counts of its switches and terminals.
  [[nodiscard]] ControlCounts control() const {
    ControlCounts sum = Base::control().counts;
    sum.absorb(terminals_.control());
    return sum;
  }
  [[nodiscard]] std::uint64_t packet_hops() const { return packet_hops_; }
  [[nodiscard]] std::uint64_t flit_hops() const { return flit_hops_; }

  /// Packets that are in no buffer of the network: before their injection, and on their way to terminals.
  [[nodiscard]] std::uint64_t drain(Time end) { return landing_.size() + terminals_.drain(end); }
  void forget_landed(Time before) {
    std::erase_if(landing_, [&](Time tail) { return tail < before; });
  }

 private:
  using Base::network_, Base::landing_, Base::packet_hops_, Base::flit_hops_;
  using Parts::chooser, Parts::outbox, Parts::pool, Parts::source_chooser, Parts::wheel;

  static std::vector<ChannelChange> changes_of(const BufferState& network, const Partition& partition,
                                               std::uint32_t region) {
    std::vector<ChannelChange> found;
    for (const ChannelChange& change : network.outages.of_switches())
      if (partition.of_switch(change.owner) == region) found.push_back(change);
    found.push_back({.at = never, .owner = 0, .position = 0});
    return found;
  }

  [[nodiscard]] Time next_rerouting() const {
    return next_relation_ < network_.relations.size() ? network_.relations[next_relation_].at : never;
  }
  [[nodiscard]] Time next_change() const { return std::min(changes_[next_change_].at, next_rerouting()); }

  /// Channels that go down or come up in this window, and changes of the relation.
  [[gnu::noinline]] void apply_changes() {
    for (Time at = next_change(); at < now_; at = next_change())
      if (next_rerouting() == at)
        reroute(network_.relations[next_relation_++]);
      else
        change_channels(changes_[next_change_].owner, at);
  }

  /// Those of a switch that go down or come up in cycle `now`.
  void change_channels(std::uint32_t at, Time now) {
    run_to_change(at, now);
    for (; changes_[next_change_].at == now && changes_[next_change_].owner == at; ++next_change_) {
      const Set ports = network_.ports_of_channel(changes_[next_change_].position);
      network_.failing[at].down ^= ports;
      if (!changes_[next_change_].is_permanent) continue;
      network_.failing[at].down_for_good |= ports;
      if constexpr (!Base::starts_at_once)
        for (const std::uint32_t port : ports_of(ports)) Base::drop_waiting(at, port);
    }
    Base::choose_anew(at, now);
  }

  void reroute(const RelationFrom& next) {
    for (std::uint32_t at = 0; at < network_.switch_count; ++at)
      if (partition_.of_switch(at) == number_) run_to_change(at, next.at);
    chooser.ask(*next.relation);
    chooser.set_last_relation(next_relation_ == network_.relations.size());
    const Rings rings(*next.relation, network_.vcs);
    for (std::uint32_t at = 0; at < network_.switch_count; ++at) {
      if (partition_.of_switch(at) != number_) continue;
      if (network_.has_rings) network_.find_ring_entries(next.relation->topology(), at, rings);
      Base::choose_anew(at, next.at);
    }
  }

  /// Runs the switch up to a change in this window, and schedules it up to the window's end.
  void run_to_change(std::uint32_t at, Time change) {
    Switch<Set>& entry = network_.switches[at];
    while (entry.next < change) Base::visit(at, entry, entry.next);
    items_.push_back(at);
  }

  void run_switch(std::uint32_t at) {
    Switch<Set>& entry = network_.switches[at];
    while (entry.next < now_) Base::visit(at, entry, entry.next);
    if (entry.next != never) wheel.keep(at, entry.next);
  }

  void run_switches() {
    switch (prefetches_.in_force()) {
      case Prefetching::none:
        for (const std::uint32_t item : items_) run_switch(item);
        return;
      case Prefetching::certain:
        return run_with_ports_prefetched();
      case Prefetching::likely:
        return run_with_grants_prefetched();
    }
  }

  void deliver(const Post<Letter>& letters) {
    for (std::size_t i = 0; i < letters.size(); ++i) terminals_.deliver(letters[i]);
  }
  template <class Entry>
  void pass_all(const Post<Entry>& entries) {
    if (prefetches_.in_force() != Prefetching::none) return pass_with_prefetches(entries);
    for (std::size_t i = 0; i < entries.size(); ++i) pass(entries[i]);
  }
  [[gnu::flatten]] void pass(const Credit& credit) {
    if (credit.to.is_injector())
      terminals_.credit(credit.to.index(), credit.free);
    else
      Base::credit_output(credit.to.index(), credit.free);
  }
  [[gnu::flatten]] void pass(const Forward& forward) { Base::arrive(forward); }

  // ---- for large networks: lines are prefetched before they are read

  /// Also the head that the switch will probably grant.
  void run_with_ports_prefetched() {
    run_in_steps(
        items_.size(), [this](std::size_t i) { prefetch(&network_.switches[items_[i]]); },
        [this](std::size_t i) { prefetch_input(network_, expected_at(items_[i])); },
        [this](std::size_t i) {
          prefetch_switch(items_[i]);
          prefetch_packet(Base::packet_at(expected_at(items_[i])));
        },
        [this](std::size_t i) { run_switch(items_[i]); });
  }
  void prefetch_switch(std::uint32_t at) {
    prefetch_ports<Ports>(network_, at, Base::slots_per_output(), Base::starts_at_once);
  }
  [[nodiscard]] std::uint32_t expected_at(std::uint32_t at) const {
    return at * Ports + network_.switches[at].expected;
  }
  void prefetch_packet(PacketId packet) {
    prefetch(&network_.packets[packet]);
    if constexpr (Ports > 64) prefetch(&network_.wanted_by[packet]);
  }
  void run_with_grants_prefetched() {
    run_in_steps(
        items_.size(), [this](std::size_t i) { prefetch_switch(items_[i]); },
        [this](std::size_t i) { preview(i); }, [this](std::size_t i) { prefetch_grants(i); },
        [this](std::size_t i) { run_switch(items_[i]); });
  }

  /// Heads that could be granted at the window's end, which are mostly those that will be, and available
  /// outputs. With several virtual channels the outputs are not examined: finding those that will be taken
  /// costs more than to wait for them.
  struct Preview {
    Set heads = 0, available = 0;
  };

  void preview(std::size_t i) {
    const std::uint32_t at = items_[i];
    Preview& found = previews_[i % (2 * far_ahead)];
    if (Base::has_vcs()) {
      found = {Base::Scans::template due<Ports>(&network_.eligible[at * Ports], now_ - 1), 0};
    } else {
      const auto result = Base::look(at, now_ - 1);
      found = {result.meeting, result.available};
    }
    for (const std::uint32_t head : ports_of(found.heads)) {
      prefetch_input(network_, at * Ports + head);
    }
  }

  void prefetch_grants(std::size_t i) {
    const std::uint32_t at = items_[i];
    const Preview& found = previews_[i % (2 * far_ahead)];
    for (const std::uint32_t head : ports_of(found.heads)) {
      const std::uint32_t index = at * Ports + head;
      Input& input = network_.inputs[index];
      const Slot* const ring = Base::slots(index, input);
      prefetch_packet(ring[input.head].packet);
      if (input.count > 1)
        prefetch(&network_.packets[ring[next_in_ring(input.head, Base::slots_per_input())].packet]);
      if (found.available == 0) continue;
      const Set possible = network_.candidates_of(index) & found.available;
      if (possible != 0)
        prefetch_output(network_, at * Ports + Base::output_port(at, index, possible, now_ - 1));
    }
  }

  template <class Entry>
  void pass_with_prefetches(const Post<Entry>& entries) {
    run_in_steps(
        entries.size(), [&](std::size_t i) { prefetch_first(entries[i]); },
        [&](std::size_t i) { prefetch_second(entries[i]); },
        [&](std::size_t i) { prefetch_third(entries[i]); }, [&](std::size_t i) { pass(entries[i]); });
  }

  void prefetch_first(const Credit& credit) {
    if (credit.to.is_injector())
      prefetch_injector(network_, credit.to.index());
    else if constexpr (Base::starts_at_once)
      prefetch_free<Ports>(network_, credit.to.index(), Base::slots_per_output());
    else
      prefetch_output(network_, credit.to.index());
  }
  void prefetch_second(const Credit& credit) {
    const std::uint32_t index = credit.to.index();
    if (credit.to.is_injector())
      terminals_.prefetch_source(index);
    else if constexpr (!Base::starts_at_once) {
      if (network_.outputs[index].waiting != 0 || Base::free_when_credited())
        prefetch_free<Ports>(network_, index, Base::slots_per_output());
    }
  }
  void prefetch_third(const Credit& credit) {
    if (credit.to.is_injector()) terminals_.prefetch_packet(credit.to.index());
  }

  void prefetch_first(const Forward& forward) {
    prefetch_input(network_, forward.input);
    prefetch_packet(forward.packet);
  }
  void prefetch_second(const Forward& forward) {
    if (network_.inputs[forward.input].count != 0) return;
    prefetch_head<Ports>(network_, forward.input);
    chooser.prefetch_output(forward.input / Ports, network_.packets[forward.packet]);
  }
  void prefetch_third(const Forward&) {}

  std::uint32_t number_;
  Time window_cycles_;
  PrefetchTrials prefetches_;
  Time now_ = 0, window_end_ = 0;
  std::vector<std::uint32_t> items_;
  Preview previews_[2 * far_ahead];
  std::vector<ChannelChange> changes_;  ///< of its switches, in the order of time; `never` comes last
  std::size_t next_change_ = 0;
  std::size_t next_relation_ = 1;
  const Partition& partition_;
  Terminals terminals_;
};

}  // namespace faultline::cut_through
