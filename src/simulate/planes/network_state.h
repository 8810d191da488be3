// SPDX-License-Identifier: Apache-2.0
// The data that all regions of the fast engine share: the vectors, packets and the wiring. A region changes
// what belongs to its switches and terminals, and reads of others what they logged in earlier cycles.
#pragma once

#include <algorithm>
#include <vector>

#include "simulate/kernels/planes_kernel.h"
#include "simulate/planes/packet_store.h"
#include "simulate/planes/partition.h"
#include "simulate/planes/pulls.h"
#include "simulate/planes/sender_layout.h"
#include "simulate/planes/state.h"
#include "simulate/planes/summed_vcs.h"
#include "simulate/planes/vector_allocation.h"
#include "simulate/planes/wiring.h"
#include "simulate/switches/huge_pages.h"
#include "simulate/wormhole/model.h"

namespace faultline::wormhole::planes {

/// What a region tells the others in a cycle; they read it in the next one.
struct alignas(64) RegionMail {
  struct Wake {
    std::uint32_t group;
    Time until;
  };
  std::vector<Wake> wakes[2];  ///< by cycle % 2: groups of other regions at which something arrives
  std::vector<std::vector<VcIndex>> returns_at;  ///< by cycle: credits of dropped packets, as they arrive
};

/// What terminals send.
template <std::uint32_t Vcs>
struct Injectors {
  Injectors(const SenderLayout& layout, std::uint32_t vcs, const WormholeSwitches& wormhole)
      : senders(layout.senders), injected_flits(layout.senders), numbers((3 + Vcs) * senders.size()) {
    rows.senders = layout.senders;
    rows.left = numbers.data();
    rows.code = rows.left + layout.senders;
    rows.waits = rows.code + layout.senders;
    rows.credits = rows.waits + layout.senders;
    rows.buffer_flits = static_cast<std::uint16_t>(wormhole.buffer_flits);
    rows.atomic = wormhole.atomic_vcs;
    for (const std::uint32_t sender : layout.sender_of)
      for (std::uint32_t v = 0; v < vcs; ++v)
        rows.credits[std::size_t{v} * layout.senders + sender] = rows.buffer_flits;
  }
  [[nodiscard]] std::size_t bytes() const {
    return senders.size() * sizeof(senders[0]) + numbers.size() * sizeof(numbers[0]);
  }

  HugeVector<Sender<Vcs>> senders;
  std::vector<std::uint64_t> injected_flits;  ///< by sender, where asked for
  HugeVector<std::uint16_t> numbers;          ///< of the rows
  SenderRows rows;
};

template <class Word, std::uint32_t Vcs>
struct NetworkState {
  NetworkState(const Kernel& kernel, const RoutingRelation& relation, const SimulationSpec& spec)
      : topology(relation.topology()),
        wiring(topology),
        lanes(kernel.vector_bytes / static_cast<std::uint32_t>(sizeof(Word))),
        groups(static_cast<std::uint32_t>((topology.switch_count() + lanes - 1) / lanes)),
        planes(
            std::max(few_planes, static_cast<std::uint32_t>(std::bit_width(spec.wormhole().buffer_flits)))),
        rows(planes, wiring.ports),
        max_counted((1U << planes) - 1),
        timing(spec.wormhole()),
        partition(topology, lanes, spec.threads),
        sender_layout(topology, wiring, timing, lanes, partition),
        steps(kernel.steps<Word>(vc_count(relation, spec), planes == few_planes ? planes : 0)),
        many_asks(kernel.many_asks),
        sender_steps(kernel.senders(vc_count(relation, spec))),
        pulls(topology, wiring, timing, lanes, kernel.permutes, sender_layout),
        heads(topology.switch_count() * wiring.ports * Vcs),
        output_ports(topology.switch_count() * wiring.ports),
        rest(spec.injection.packet_flits > max_counted ? heads.size() : 0),
        asks_from(timing.head > 1 ? heads.size() : 0),
        tags(relation.tag_count() > 1 || !spec.faults.reroutings.empty() ? heads.size() : 0),
        given_at(spec.faults.on_failure == OnFailure::drop && !spec.faults.outages.empty() ? heads.size()
                                                                                           : 0),
        given_flits_by_output(spec.measurement.channel_load ? topology.channel_count() : 0),
        packets(max_packets_made()),
        queues(heads.size(), max_in_queue(spec)),
        injectors(sender_layout, vc_count(relation, spec), spec.wormhole()),
        returns(groups),
        mail(partition.regions()) {
    make_vectors(spec);
    vectors.summed_vcs = summed_vcs(relation, spec.selection, vc_count(relation, spec));
    make_requests(kernel, relation, spec);
    for (std::uint32_t at = 0; at < topology.switch_count(); ++at)
      reset(at, spec.wormhole().buffer_flits, vc_count(relation, spec));
  }
  NetworkState(const NetworkState&) = delete;  // parts refer to each other, so it cannot be copied
  NetworkState& operator=(const NetworkState&) = delete;
  ~NetworkState() = default;

  [[nodiscard]] Lane<Word> lane(std::uint32_t at) {
    const std::uint32_t bits = lane_bits();
    return {words.data() + (std::size_t{at >> bits} * rows.count() << bits) + (at & (lanes - 1)), bits};
  }
  [[nodiscard]] std::uint32_t lane_bits() const {
    return static_cast<std::uint32_t>(std::countr_zero(lanes));
  }

  [[nodiscard]] std::size_t bytes() const {
    const auto of = [](const auto& values) { return values.size() * sizeof(values[0]); };
    return of(words) + of(request_words) + of(draw_keys) + of(log) + of(pulls.pulls) +
           of(pulls.terminal_pulls) + of(pulls.indices) + of(pulls.moves) + of(heads) + of(rest) +
           of(asks_from) + of(tags) + of(given_at) + of(output_ports) + packets.bytes() + queues.bytes() +
           injectors.bytes();
  }

  const Topology& topology;
  Wiring wiring;
  std::uint32_t lanes, groups, planes;
  Rows<Word, Vcs> rows;
  std::uint32_t max_counted;  ///< flits that the planes count
  Timing timing;
  Partition partition;
  SenderLayout sender_layout;
  GroupSteps<Word> steps;
  double many_asks;  ///< Kernel::many_asks
  SenderSteps sender_steps;
  Pulls pulls;
  HugeVector<Head<Word, Vcs>> heads;         ///< by input VC
  HugeVector<OutputPort<Vcs>> output_ports;  ///< by switch * ports + port
  std::vector<std::uint32_t> rest;  ///< by input VC, where needed: flits beyond those that the planes count
  std::vector<Time> asks_from;      ///< the same: the first cycle in which a waiting head asks
  std::vector<Tag> tags;            ///< the same: that the packet will have
  std::vector<Time> given_at;  ///< by output VC, where needed: when it was given to the packet that has it
  std::vector<std::uint64_t> given_flits_by_output;  ///< by channel, where asked for
  PacketStore packets;
  PacketQueues queues;  ///< by input VC
  Injectors<Vcs> injectors;
  std::vector<std::uint8_t> returns;  ///< by group
  std::vector<RegionMail> mail;       ///< by region
  VectorState<Word> vectors;
  HugeVector<Word> words, request_words;
  HugeVector<std::uint64_t> draw_keys;  ///< [group][input VC][lane], where needed
  HugeVector<std::uint8_t> log;

 private:
  /// Atomic VCs hold one packet at a time: with packets of one flit, a hypercube of 1024 switches takes a
  /// fifth less time than with queues for a full buffer, which leave the second-level cache.
  [[nodiscard]] static std::uint32_t max_in_queue(const SimulationSpec& spec) {
    return spec.wormhole().atomic_vcs ? 1
                                      : max_queued(spec.wormhole().buffer_flits, least_flits(spec.injection));
  }

  /// A packet a sender, and one that cannot be sent.
  [[nodiscard]] std::vector<std::size_t> max_packets_made() const {
    std::vector<std::size_t> most;
    for (const SenderLayout::Region& region : sender_layout.regions)
      most.push_back(region.end - region.first + 1U);
    return most;
  }

  void make_vectors(const SimulationSpec& spec) {
    words.resize(std::size_t{groups} * rows.count() * lanes);
    vectors.groups = groups;
    vectors.lanes = lanes;
    vectors.ports = wiring.ports;
    vectors.planes = planes;
    vectors.rows = words.data();
    vectors.pulls = pulls.pulls.data();
    vectors.terminal_pulls = pulls.terminal_pulls.data();
    vectors.first_terminal_pull = pulls.first_terminal_pull.data();
    vectors.pull_indices = pulls.indices.data();
    vectors.moves = pulls.moves.data();
    vectors.move_runs = pulls.move_runs.data();
    vectors.first_move_run = pulls.first_move_run.data();
    const Time longest = std::max(pulls.longest, sender_layout.longest);
    vectors.slots = std::bit_ceil(static_cast<std::uint32_t>(longest) + 1);
    constexpr std::size_t line = 64;
    const std::size_t used = vectors.log_offset(groups, 0) + sender_layout.senders;
    vectors.slot_bytes = (used + line - 1) / line * line;
    log.resize(vectors.slots * vectors.slot_bytes + 2 * line);
    vectors.log =
        log.data() + line;  // kernels may read up to a line before the first byte and after the last
    vectors.buffer_flits = spec.wormhole().buffer_flits;
    vectors.first_flits = std::min(spec.injection.packet_flits, max_counted);
    vectors.iterations = spec.wormhole().allocation_iterations;
    vectors.inputs_first = spec.wormhole().allocation == Allocation::separable;
    vectors.atomic = spec.wormhole().atomic_vcs;
    vectors.lists_all_tails = !rest.empty() || !given_at.empty();
    vectors.returns = returns.data();
    // A head that asks in the cycle after it came is routed then, which saves a visit. Not where another
    // relation may be used by then: whether a packet is stuck depends on the one in the cycle in which it
    // came.
    vectors.asks_unrouted =
        timing.head == 1 && !spec.selection.reads_queues && spec.faults.reroutings.empty();
  }

  void make_requests(const Kernel& kernel, const RoutingRelation& relation, const SimulationSpec& spec) {
    const std::uint32_t inputs = wiring.ports * Vcs;
    const VectorAllocation by = vector_allocation(kernel, relation, spec, vc_count(relation, spec), inputs);
    if (!by.possible) return;
    vectors.alike = by.alike;
    request_words.resize(std::size_t{groups} * RequestRows<Vcs>(wiring.ports, by.alike).count() * lanes);
    vectors.request_rows = request_words.data();
    draw_keys.resize(std::size_t{groups} * inputs * lanes);
  }

  void reset(std::uint32_t at, std::uint32_t buffer_flits, std::uint32_t vcs) {
    constexpr auto all = static_cast<Word>(~Word{0});
    const Lane<Word> here = lane(at);
    for (std::uint32_t v = 0; v < Vcs; ++v) {
      for (std::uint32_t plane = 0; plane < planes; ++plane)
        here[rows.credits(v) + plane] = (buffer_flits >> plane & 1) != 0 ? all : Word{0};
      here[rows.serve_from(v)] = here[rows.idle(v)] = here[rows.has_credit(v)] = all;
    }
    for (std::uint32_t v = vcs; v < Vcs; ++v) here[rows.allocated(v)] = all;  // there is none
    const std::uint32_t sum = buffer_flits * static_cast<std::uint32_t>(std::popcount(vectors.summed_vcs));
    for (std::uint32_t plane = 0; plane < rows.credit_sum_planes(); ++plane)
      here[rows.credit_sum() + plane] = (sum >> plane & 1) != 0 ? all : Word{0};
    for (std::uint32_t port = 0; port < wiring.ports; ++port) {
      here[rows.grant_from(port)] = here[rows.accept_from(port)] = all;
      const std::size_t index = std::size_t{at} * wiring.ports + port;
      const ChannelId output = wiring.output[index];
      if (!output.valid()) continue;
      output_ports[index].flit_delay = timing.flit_delay(topology, output);
      if (topology.role(output) == ChannelRole::ejection)
        output_ports[index].terminal = topology.terminal(output);
      else
        output_ports[index].next =
            (topology.target(output).value() * wiring.ports + wiring.input_port[output.index()]) * Vcs;
    }
  }
};

}  // namespace faultline::wormhole::planes
