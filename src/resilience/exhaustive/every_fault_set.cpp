// SPDX-License-Identifier: Apache-2.0
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/arena.h"
#include "base/binomial.h"
#include "base/cpu_time.h"
#include "faultline/resilience/loss.h"
#include "faultline/resilience/lost_terminals.h"
#include "faultline/topology/switched.h"
#include "resilience/exhaustive/orbits.h"

namespace faultline {
namespace {

using namespace survival;
using Set = std::vector<std::uint32_t>;

/// The tables of larger groups would not fit a processor's cache.
constexpr std::uint32_t max_symmetric_switches = 512;

std::vector<Permutation> symmetries(const FaultComponents& components, const SwitchGraph& network) {
  const auto* labelling = components.topology().find_labelling<SwitchedLabelling>();
  if (labelling == nullptr || network.switches > max_symmetric_switches ||
      components.count() > std::numeric_limits<std::uint16_t>::max())
    return {};
  return component_symmetries(components, network, labelling->network.symmetries());
}

struct Worker {
  LossCounter counter;
  EveryFaultSet sum;
};

void add(EveryFaultSet& sum, std::span<const std::uint32_t> set, std::uint64_t times, const Loss& loss,
         std::uint64_t all_pairs) {
  sum.sets += times;
  ++sum.classes;
  if (loss.connected_pairs < all_pairs) sum.intolerable += times;
  sum.connected_pairs += EveryFaultSet::Wide{loss.connected_pairs} * times;
  sum.live_pairs += EveryFaultSet::Wide{loss.live_pairs} * times;
  sum.exact = sum.exact && loss.exact;
  if (sum.by_lost.size() <= loss.terminals) {
    sum.by_lost.resize(std::size_t{loss.terminals} + 1);
    sum.worst_set.assign(set.begin(), set.end());
  }
  sum.by_lost[loss.terminals] += times;
}

/// Sets come to a worker in rising order within a task, but tasks in any order.
void merge(EveryFaultSet& sum, const EveryFaultSet& part) {
  sum.sets += part.sets;
  sum.classes += part.classes;
  sum.intolerable += part.intolerable;
  sum.connected_pairs += part.connected_pairs;
  sum.live_pairs += part.live_pairs;
  sum.exact = sum.exact && part.exact;
  sum.seconds += part.seconds;
  if (part.by_lost.empty()) return;
  if (part.by_lost.size() > sum.by_lost.size() ||
      (part.by_lost.size() == sum.by_lost.size() && part.worst_set < sum.worst_set))
    sum.worst_set = part.worst_set;
  sum.by_lost.resize(std::max(sum.by_lost.size(), part.by_lost.size()));
  for (std::size_t lost = 0; lost < part.by_lost.size(); ++lost) sum.by_lost[lost] += part.by_lost[lost];
}

/// The beginnings of sets, one task each.
std::vector<Set> beginnings(const Orbits& orbits, std::uint32_t faults) {
  std::vector<Set> all;
  Set none;
  orbits.for_each(
      none, std::min(2U, faults == 0 ? 0 : faults - 1),
      [&](std::span<const std::uint32_t> set, std::uint64_t) { all.emplace_back(set.begin(), set.end()); });
  return all;
}

std::uint64_t ordered_pairs(const SwitchGraph& network) {
  const std::uint64_t terminals = network.terminals.size();
  return terminals == 0 ? 0 : terminals * (terminals - 1);
}

}  // namespace

double EveryFaultSet::mean() const {
  double lost = 0;
  for (std::size_t i = 0; i < by_lost.size(); ++i)
    lost += static_cast<double>(i) * static_cast<double>(by_lost[i]);
  return sets == 0 ? 0 : lost / static_cast<double>(sets);
}

bool can_list_fault_sets(const FaultComponents& components, std::uint32_t faults) {
  const auto network = switch_graph(components.topology());
  return network && faults <= components.count() &&
         binomial(components.count(), faults) < BigInteger(std::numeric_limits<std::int64_t>::max()) &&
         LossCounter(*network, {}).fits(faults);
}

EveryFaultSet every_fault_set(const FaultComponents& components, const EveryFaultSetSpec& spec,
                              const std::function<void(std::uint64_t)>& evaluated) {
  if (!can_list_fault_sets(components, spec.faults))
    throw Error("resilience.faults", std::to_string(spec.faults),
                "must be fewer faults, of a network of two-way links: there are too many sets of that size, "
                "or too few components");
  const SwitchGraph network = *switch_graph(components.topology());
  const auto group = spec.use_symmetry ? symmetries(components, network) : std::vector<Permutation>{};
  const Orbits orbits(static_cast<std::uint32_t>(components.count()), group);
  const LossCounter counter(network, failed_parts(components));
  const std::uint64_t all_pairs = ordered_pairs(network);
  tbb::enumerable_thread_specific<Worker> workers([&] { return Worker{counter, {}}; });
  std::vector<Set> tasks = beginnings(orbits, spec.faults);
  tbb::task_arena arena(arena_threads(spec.threads));
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, tasks.size(), [&](std::size_t task) {
      if (is_set(spec.stop)) return;
      Worker& worker = workers.local();
      const double start = thread_cpu_seconds();
      EveryFaultSet part;
      orbits.for_each(tasks[task], spec.faults, [&](std::span<const std::uint32_t> set, std::uint64_t times) {
        add(part, set, times, worker.counter.loss(set), all_pairs);
      });
      part.seconds = thread_cpu_seconds() - start;
      if (evaluated) evaluated(part.sets);
      merge(worker.sum, part);
    });
  });
  EveryFaultSet result;
  for (const Worker& worker : workers) merge(result, worker.sum);
  result.symmetries = std::max<std::size_t>(group.size(), 1);
  result.complete = binomial(components.count(), spec.faults) == result.sets;
  if (!result.complete && !is_set(spec.stop))
    throw std::logic_error("the classes of fault sets do not add up to all sets");
  if (result.sets != 0) result.worst_terminals = lost_terminals(components, result.worst_set);
  return result;
}

std::vector<TerminalId> lost_terminals(const FaultComponents& components,
                                       const std::vector<std::uint32_t>& set) {
  const auto network = switch_graph(components.topology());
  if (!network) throw Error("resilience.lost", components.topology().name(), "must have two-way links only");
  for (const std::uint32_t component : set) components.require(component, "resilience.lost");
  std::vector<TerminalId> lost;
  for (const std::uint32_t terminal : LossCounter(*network, failed_parts(components)).lost(set))
    lost.emplace_back(terminal);
  return lost;
}

}  // namespace faultline
