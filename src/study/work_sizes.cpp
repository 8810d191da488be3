// SPDX-License-Identifier: Apache-2.0
#include "study/work_sizes.h"

#include <algorithm>

#include "base/binomial.h"
#include "faultline/routing/alike.h"
#include "faultline/routing/destination_orbits.h"
#include "faultline/routing/ejection_classes.h"
#include "faultline/routing/kind.h"
#include "faultline/routing/states.h"

namespace faultline {
namespace {

// Measured on one core at 2 to 3 GHz, on networks that do not fit its cache.
constexpr double moves_enumerated_a_second = 6e6;   // hypercube n=14: 5e6; fat-tree k=8 n=5: 12e6
constexpr double states_compared_a_second = 1.8e8;  // fat-tree k=8 n=5
constexpr double moves_compiled_a_second = 3e5;     // hypercube n=11: 2e5; fat-tree k=8 n=4: 5e5
constexpr double bytes_a_compiled_state = 350;      // hypercube n=11: 300; fat-tree k=8 n=4: 490
constexpr double bytes_a_written_move = 30;         // certificates and relation files
constexpr double bytes_a_simulated_channel = 400;   // fat-tree k=16 n=3: 440; torus 128x128: 150
constexpr double bytes_a_move = 2 * sizeof(DestinationStates::Move);
constexpr double states_evaluated_a_second = 5e10;  // times fault sets; torus 8x8x8: 9e10
constexpr double plans_evaluated_a_second = 1.5e9;  // pairs times fault sets; torus 8x8x8
constexpr double channels_searched_a_second = 1e8;
constexpr double hops_simulated_a_second = 1.4e6;       // virtual cut-through, event-driven
constexpr double flit_hops_simulated_a_second = 5.5e7;  // wormhole, vector lanes

double classes_of_destinations(const Topology& topology) {
  return static_cast<double>(EjectionClasses(topology, FaultSet(topology)).switches.size());
}

}  // namespace

void require_room_for_tables(const CaseContext& context) {
  const Topology& topology = *context.topology;
  const RoutingKind& kind = context.routing.kind();
  if (kind.table_bytes == 0) return;
  const double columns = kind.table_by_terminal ? static_cast<double>(topology.terminal_count())
                                                : classes_of_destinations(topology);
  require_within(context.limits,
                 {.destinations = static_cast<double>(topology.terminal_count()),
                  .bytes = kind.table_bytes * columns * static_cast<double>(topology.switch_count()),
                  .cpu_seconds = columns * static_cast<double>(topology.network_channel_count()) /
                                 channels_searched_a_second},
                 context.options.kind, topology);
}

RelationSize relation_size(const CaseContext& context) {
  require_room_for_tables(context);
  const Topology& topology = *context.topology;
  RelationSize size{.destinations = static_cast<double>(topology.terminal_count()),
                    .classes = classes_of_destinations(topology),
                    .states = static_cast<double>(topology.switch_count()),
                    .moves = static_cast<double>(topology.network_channel_count()),
                    .representatives = static_cast<double>(topology.terminal_count())};
  constexpr double small = 1 << 26;
  const RelationPtr relation = build_healthy_relation(context.topology, context.routing);
  const bool one_state_a_switch = !relation->reads_held_channel() && relation->tag_count() == 1;
  if (one_state_a_switch && size.destinations * size.states < small) return size;
  const DestinationStates one = enumerate_states(*relation, TerminalId(0));
  size.states = static_cast<double>(one.count());
  size.moves = static_cast<double>(one.moves.size());
  if (compares_by_output_bits(*relation))
    size.representatives /= static_cast<double>(DestinationOrbits(topology).words());
  return size;
}

double hops_from_one_terminal(const Topology& topology) {
  constexpr std::uint32_t unreached = ~std::uint32_t{0};
  std::vector<std::uint32_t> hops(topology.switch_count(), unreached);
  std::vector<SwitchId> queue;
  const auto reach = [&](SwitchId at, std::uint32_t distance) {
    if (!at.valid() || hops[at.index()] != unreached) return;
    hops[at.index()] = distance;
    queue.push_back(at);
  };
  for (const ChannelId channel : topology.injection(TerminalId(0))) reach(topology.target(channel), 1);
  double sum = 0, ends = 0;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const std::uint32_t here = hops[queue[next].index()];
    for (const ChannelId channel : topology.outputs(queue[next]))
      if (topology.role(channel) == ChannelRole::ejection) {
        sum += here + 1;
        ++ends;
      } else {
        reach(topology.target(channel), here + 1);
      }
  }
  return ends > 0 ? sum / ends : 0;
}

double fault_sets_of(std::size_t components, std::uint32_t faults, double most) {
  return std::min(most, binomial(components, faults).convert_to<double>());
}

WorkEstimate enumeration(const RelationSize& size, int written_copies) {
  const double states = size.destinations * size.states, moves = size.representatives * size.moves;
  const double compared = size.representatives < size.destinations ? states : 0;
  return {.destinations = size.destinations,
          .states = states,
          .bytes = size.moves * bytes_a_move + moves * bytes_a_written_move * written_copies,
          .cpu_seconds = (1 + written_copies) *
                         (moves / moves_enumerated_a_second + compared / states_compared_a_second)};
}

WorkEstimate enumeration_with_faults(const RelationSize& size, double fault_sets) {
  const double moves = size.destinations * size.moves;
  return {.destinations = size.destinations,
          .states = size.destinations * size.states,
          .fault_sets = fault_sets,
          .bytes = size.moves * bytes_a_move,
          .cpu_seconds = fault_sets * moves / moves_enumerated_a_second};
}

WorkEstimate writing(const RelationSize& size) {
  WorkEstimate work = enumeration_with_faults(size, 1);
  work.bytes += size.destinations * size.moves * bytes_a_written_move;
  return work;
}

WorkEstimate compilation(const RelationSize& size, double fault_sets) {
  const double states = size.classes * size.states;
  return {.destinations = size.destinations,
          .states = states,
          .fault_sets = fault_sets,
          .bytes = states * bytes_a_compiled_state,
          .cpu_seconds = size.classes * size.moves / moves_compiled_a_second +
                         fault_sets * states / states_evaluated_a_second};
}

WorkEstimate plan_evaluation(const RelationSize& size, double fault_sets) {
  return {.destinations = size.destinations,
          .fault_sets = fault_sets,
          .cpu_seconds = fault_sets * size.destinations * size.destinations / plans_evaluated_a_second};
}

WorkEstimate simulation(const Topology& topology, double packet_hops, double flits, bool is_wormhole) {
  return {.packet_hops = packet_hops,
          .bytes = bytes_a_simulated_channel * static_cast<double>(topology.channel_count()),
          .cpu_seconds = is_wormhole ? packet_hops * flits / flit_hops_simulated_a_second
                                     : packet_hops / hops_simulated_a_second};
}

WorkEstimate operator+(const WorkEstimate& first, const WorkEstimate& then) {
  return {.destinations = std::max(first.destinations, then.destinations),
          .states = std::max(first.states, then.states),
          .fault_sets = std::max(first.fault_sets, then.fault_sets),
          .packet_hops = first.packet_hops + then.packet_hops,
          .bytes = std::max(first.bytes, then.bytes),
          .cpu_seconds = first.cpu_seconds + then.cpu_seconds};
}

}  // namespace faultline
