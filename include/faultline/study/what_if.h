// SPDX-License-Identifier: Apache-2.0
// What a real fabric loses with each component that may fail, before and after its forwarding tables change.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "faultline/base/progress.h"
#include "faultline/base/stop.h"
#include "faultline/fault/components.h"
#include "faultline/routing/kind.h"
#include "faultline/routing/table_use.h"

namespace faultline {

struct WhatIfSpec {
  Resolved<RoutingKind> engine;     ///< computes the new tables; `tables`: none are
  std::uint32_t failures = 1;       ///< components that fail together
  std::uint64_t max_sets = 10'000;  ///< if there are more sets of that size, this many are drawn
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;  ///< never changes the answer
  StopFlag stop = nullptr;    ///< once set, the sets examined by then are returned
};

/// Once new tables are loaded.
struct NewTables {
  bool made = true;  ///< else the engine needs more virtual channels than it may use, and there are none
  std::uint64_t unreachable_pairs = 0;        ///< as Verdict::unreachable_pairs
  std::uint64_t newly_unreachable_pairs = 0;  ///< of these, those that the engine connects without a failure
  bool deadlock_free = false;                 ///< proved on one virtual lane: tables hold no service levels
  std::uint32_t virtual_channels = 1;
  std::uint64_t changed_entries = 0;
  std::uint64_t max_link_load = 0;     ///< as TableUse::max_link_load
  bool acyclic_with_switches = false;  ///< as TableExport::acyclic_with_switches

  /// Connect all pairs that are connected without a failure and not cut off, free of deadlock.
  [[nodiscard]] bool hold() const { return made && newly_unreachable_pairs == 0 && deadlock_free; }
};

struct WhatIfFailed {
  std::vector<std::string> failed;
  std::uint64_t cut_off_pairs = 0;  ///< with a terminal that the failure takes down
  /// Of the others, those that no path is left for, whatever tables are loaded; they had one before. Counted
  /// where new tables are computed, and leave pairs unconnected.
  std::uint64_t separated_pairs = 0;
  TableUse before;  ///< of the tables in use
  std::optional<NewTables> after;

  /// All pairs that are connected without a failure and not cut off stay so, by new tables that are proved
  /// free of deadlock; where none are computed, by those in use.
  [[nodiscard]] bool holds() const { return after ? after->hold() : before.newly_lost_routes == 0; }
};

struct WhatIf {
  std::vector<std::string> remarks;  ///< on the fabric and its tables
  TableUse healthy;                  ///< of the tables in use, without a failure
  bool tables_are_given = false;     ///< else they are those of the engine
  bool deadlock_free = false;        ///< the tables in use, proved on one virtual lane
  /// Without a failure, by new tables of the engine; by those in use where none are computed.
  std::uint64_t unreachable_pairs = 0;
  bool unreachable_by_new_tables = false;
  std::uint64_t sets_total = 0;  ///< saturates
  bool exhaustive = false;       ///< all sets were to be examined, and none was drawn
  std::size_t unexamined = 0;    ///< once stopped: of the sets that were to be examined
  /// By how many routes still arrive until new tables are loaded, fewest first; of equals, those that break
  /// most entries first, then in the order of the components.
  std::vector<WhatIfFailed> sets;

  /// Tables are given, and not proved free of deadlock without a failure.
  [[nodiscard]] bool may_deadlock() const { return tables_are_given && !deadlock_free; }
  /// All sets that were to be examined were, each of them holds, and tables that are given are proved free of
  /// deadlock. Nothing is proved unless `exhaustive`.
  [[nodiscard]] bool holds() const;
};

/// The tables in use are the fabric's own or, if it has none, those of the engine for the network without
/// faults. Throws Error as export_tables does, and if fewer components than `failures` exist; Stopped if it
/// is stopped before any set has been examined.
[[nodiscard]] WhatIf what_if(const TopologyPtr& topology, const FaultComponents& components,
                             const WhatIfSpec& spec, const Progress& progress = {});

[[nodiscard]] nlohmann::ordered_json to_json(const WhatIf& answer);

}  // namespace faultline
