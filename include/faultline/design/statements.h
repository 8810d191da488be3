// SPDX-License-Identifier: Apache-2.0
// What paper 4 (LeMahieu, Bohossian and Bruck, Fault-Tolerant Switched Local Area Networks) says about lost
// terminals, checked on one network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faultline/base/progress.h"
#include "faultline/base/stop.h"
#include "faultline/fault/components.h"

#pragma GCC visibility push(default)
namespace faultline {

/// "Any N faults lose at most M terminals."
struct LossLimit {
  std::uint32_t faults = 0;
  std::uint64_t max_lost = 0;
};

struct Statement {
  enum class About : std::uint8_t {
    components,  ///< faults of the given `units` and `scope`
    rings,       ///< failures of whole rows or columns of a torus
    proof,       ///< the fault set of the optimality proof loses at least M terminals
  };
  std::string name;    ///< "claim-1.3"
  std::string source;  ///< "Claim 1, item 3"
  std::string text;
  About about = About::components;
  FaultUnits units = FaultUnit::switch_;
  FaultScope scope = FaultScope::all;
  bool rows = false, columns = false;  ///< about rings: which may fail
  std::vector<LossLimit> limits;       ///< all of them must hold; about a proof: the least that is lost
};

/// The statements that apply to this network; none unless it is a ring, clique or torus of switches. The
/// constants are those for as many terminals as switches, times the terminals per position (section 3.2).
[[nodiscard]] std::vector<Statement> statements_about(const Topology& topology);

struct CheckedStatement {
  Statement statement;
  enum class Method : std::uint8_t {
    exhaustive,  ///< every fault set, one from each class of symmetric ones
    dominance,   ///< a link loses no more than one of its switches, a terminal no more than itself
    proof,       ///< the fault set of the proof, from every link on
    unchecked,   ///< more classes of sets than were allowed
  };
  Method method = Method::unchecked;
  std::uint64_t sets = 0;     ///< that the answer refers to
  std::uint64_t classes = 0;  ///< evaluated
  /// For each limit, the worst-case loss (by dominance: at most that); by fewer faults than stated where
  /// fewer components exist.
  std::vector<LossLimit> worst;
  std::optional<std::size_t> broken;  ///< the first limit that is violated
  std::vector<std::string> faults;    ///< that violate it
  std::vector<std::string> lost;      ///< the terminals that they lose

  [[nodiscard]] bool checked() const { return method != Method::unchecked; }
  [[nodiscard]] bool holds() const { return checked() && !broken; }
};

[[nodiscard]] std::string_view to_string(CheckedStatement::Method method);

struct StatementSpec {
  std::uint64_t max_classes = 30'000'000;  ///< fault sets to evaluate for a limit
  std::uint32_t threads = 1;
  StopFlag stop = nullptr;
};

/// Progress counts fault sets of the limit at hand.
[[nodiscard]] CheckedStatement check_statement(const TopologyPtr& topology, const Statement& statement,
                                               const StatementSpec& spec, const Progress& progress = {});

/// Fault sets that check_statement() evaluates at most.
[[nodiscard]] double classes_to_check(const TopologyPtr& topology, const Statement& statement,
                                      const StatementSpec& spec);

/// The links of a ring of switches that fail in the proof of optimality (section 3.4): four, from the link
/// behind switch `first` - 1 on, so that each of the four segments has a quarter of the terminal links, as
/// nearly as whole switches allow. Throws Error unless the topology is a switch-ring with at least four
/// switches.
[[nodiscard]] std::vector<LinkId> optimality_faults(const Topology& topology, std::uint32_t first = 0);

}  // namespace faultline
#pragma GCC visibility pop
