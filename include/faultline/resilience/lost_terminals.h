// SPDX-License-Identifier: Apache-2.0
// Lost terminals, those outside the largest set of terminals of which every two are connected (paper 4,
// section 2: terminals never forward), over all sets of a number of faults. Two terminals are connected if
// they are attached to the same connected component of the switch network, whatever the path.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "faultline/base/stop.h"
#include "faultline/fault/components.h"

#pragma GCC visibility push(default)
namespace faultline {

struct EveryFaultSet {
  __extension__ using Wide = unsigned __int128;

  std::uint64_t sets = 0;              ///< fault sets that the figures cover; all of them unless stopped
  std::uint64_t classes = 0;           ///< evaluated, one from each class of symmetric sets
  std::uint64_t symmetries = 1;        ///< of the network, checked; 1: the identity alone
  std::uint64_t intolerable = 0;       ///< sets that disconnect at least one pair
  Wide connected_pairs = 0;            ///< ordered pairs, added up over the sets
  Wide live_pairs = 0;                 ///< pairs whose own switches are alive
  std::vector<std::uint64_t> by_lost;  ///< sets that lose 0, 1, 2 … terminals; the last entry is the worst
  std::vector<std::uint32_t> worst_set;  ///< components, ascending: the lexicographically first of the sets
                                         ///< that lose most
  std::vector<TerminalId> worst_terminals;  ///< that it loses
  bool exact = true;     ///< otherwise upper bounds: larger connected sets were not ruled out
  bool complete = true;  ///< false if stopped
  double seconds = 0;    ///< CPU time

  [[nodiscard]] std::uint32_t worst() const {
    return by_lost.empty() ? 0 : static_cast<std::uint32_t>(by_lost.size() - 1);
  }
  [[nodiscard]] double mean() const;
};

struct EveryFaultSetSpec {
  std::uint32_t faults = 0;
  bool use_symmetry = true;  ///< rotations and reflections of switch-ring, switch-clique and switch-torus
  std::uint32_t threads = 1;
  StopFlag stop = nullptr;
};

/// True if every_fault_set() can answer: all links are two-way, no faults leave more than 64 connected
/// components, and there are fewer than 2^63 sets.
[[nodiscard]] bool can_list_fault_sets(const FaultComponents& components, std::uint32_t faults);

/// Evaluates all sets of `faults` components, one from each class. Checks that the classes add up to all sets
/// (std::logic_error). `evaluated` is called, from any thread, with numbers of finished sets. Throws
/// Error("resilience.faults") for more faults than components, or if it cannot answer.
[[nodiscard]] EveryFaultSet every_fault_set(const FaultComponents& components, const EveryFaultSetSpec& spec,
                                            const std::function<void(std::uint64_t)>& evaluated = {});

/// The terminals that one fault set loses.
[[nodiscard]] std::vector<TerminalId> lost_terminals(const FaultComponents& components,
                                                     const std::vector<std::uint32_t>& set);

}  // namespace faultline
#pragma GCC visibility pop
