// SPDX-License-Identifier: Apache-2.0
// What the estimates of all verbs are computed from: sizes of relations, and how fast this library processes
// them.
#pragma once

#include <cstdint>

#include "faultline/routing/relation.h"
#include "faultline/study/case.h"
#include "faultline/study/work_estimate.h"

namespace faultline {

/// The states that packets to one destination reach, all of them or, in a large network, those of one
/// destination counted.
struct RelationSize {
  double destinations = 0;
  double classes = 0;  ///< of destinations on the same switches, which resilience compiles together
  double states = 0;   ///< of one destination
  double moves = 0;    ///< likewise
  /// Destinations that stand for all others in a network without faults (routing/destination_orbits.h).
  double representatives = 0;
};

/// Throws Error if the tables that the routing computes exceed the limit: they are built before any state can
/// be counted.
void require_room_for_tables(const CaseContext& context);

/// Throws as require_room_for_tables does.
[[nodiscard]] RelationSize relation_size(const CaseContext& context);

/// Channels on the shortest paths from one terminal to the others, on average.
[[nodiscard]] double hops_from_one_terminal(const Topology& topology);

/// How many sets of `faults` there are among `components` components; at most `most` of them.
[[nodiscard]] double fault_sets_of(std::size_t components, std::uint32_t faults, double most);

/// Every state of every destination visited once in the network without faults, where symmetric destinations
/// are compared; written as text that many times.
[[nodiscard]] WorkEstimate enumeration(const RelationSize& size, int written_copies);

/// Every state of every destination visited for each of `fault_sets` sets.
[[nodiscard]] WorkEstimate enumeration_with_faults(const RelationSize& size, double fault_sets);

/// Every state of every destination written to a relation file.
[[nodiscard]] WorkEstimate writing(const RelationSize& size);

/// Paths of all pairs compiled into a circuit, which is evaluated for `fault_sets` sets.
[[nodiscard]] WorkEstimate compilation(const RelationSize& size, double fault_sets);

/// `fault_sets` sets evaluated by a search over the plans of all pairs.
[[nodiscard]] WorkEstimate plan_evaluation(const RelationSize& size, double fault_sets);

/// Packets of `flits` flits, followed over `packet_hops` channels. Memory is that of buffers: queues at
/// sources that grow without bound, at about 3 bytes a packet, are left out.
[[nodiscard]] WorkEstimate simulation(const Topology& topology, double packet_hops, double flits,
                                      bool is_wormhole);

/// One after the other.
[[nodiscard]] WorkEstimate operator+(const WorkEstimate& first, const WorkEstimate& then);

}  // namespace faultline
