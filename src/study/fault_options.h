// SPDX-License-Identifier: Apache-2.0
// The options of verbs that take faults: what fails, and who knows of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faultline/base/stop.h"
#include "faultline/fault/components.h"
#include "faultline/fault/schedule.h"
#include "faultline/routing/kind.h"

namespace faultline {

/// A verb's parameters derive from it, and list its fields among their own. `options` below is what the verb
/// was given: errors name its fields.
struct FaultOptions {
  std::string unit = "channel";
  std::string scope = "network";
  std::optional<std::string> knowledge, source;

  static void what_fails(auto& field) {
    field("unit", &FaultOptions::unit, sum_of({"channel", "link", "switch", "terminal"}),
          "type of component that fails");
    field("scope", &FaultOptions::scope, one_of({"network", "terminal", "all"}),
          "which components may fail: between switches, injection and ejection, or both; with unit switch, "
          "terminal means switches with terminals, network and all mean every switch");
  }
  static void who_knows(auto& field) {
    field("knowledge", &FaultOptions::knowledge, any_text(),
          "which dead channels a switch knows: none, neighbours (its own outputs), a number (those within "
          "that many hops), or all (default: what the routing was designed for)");
    field("source", &FaultOptions::source, any_text(),
          "any: a pair is served if every injection option arrives; plan: the source offers only injection "
          "options that arrive (default: what the routing was designed for)");
  }

  /// Before anything runs: throws if an option is malformed.
  void check_faults(const Description& options) const;

  [[nodiscard]] FaultComponents components(const TopologyPtr& topology, const Description& options) const;

  /// What the options say, by default what the routing was designed for.
  [[nodiscard]] Knowledge knowledge_asked(const RoutingKind& routing, const Description& options) const;
  [[nodiscard]] SourceRole source_asked(const RoutingKind& routing, const Description& options) const;
};

struct ChosenFaults {
  FaultSet set;
  std::vector<std::string> names;
};

/// Those of verbs that run with one fault set.
struct StaticFaultOptions : FaultOptions {
  std::string faults = "0";  ///< a count, or the path of a file with one component name a line
  bool tolerated_only = false;

  static void fields(auto& field) {
    field("faults", &StaticFaultOptions::faults, count_or_file(),
          "number of random static faults, or a file that names the faults");
    what_fails(field);
    field("tolerated-only", &StaticFaultOptions::tolerated_only, {},
          "redraw the faults until they leave every pair connected");
    who_knows(field);
  }

  using FaultOptions::check_faults;
  /// Faults that a verb asks about besides the static ones.
  struct Further {
    bool in_time = false;   ///< of these no switch learns but those next to them,
    bool rerouted = false;  ///< unless the network is rerouted
    std::optional<bool> sets =
        {};  ///< whether sets of the same unit and scope are verified; absent: never are
  };
  /// Also where something is said of static faults, but there are none.
  void check_faults(const Description& options, const Further& further) const;

  /// Throws Error when the count is above the number of components, a name is unknown, or no tolerated set
  /// (every pair is served, or likely to be) of that size is found in 10,000 draws.
  [[nodiscard]] ChosenFaults choose(const TopologyPtr& topology, const Resolved<RoutingKind>& routing,
                                    Switching switching, std::uint64_t seed, const Description& options,
                                    StopFlag stop = nullptr) const;
  /// To be said where a file names no faults: it may have come out empty by mistake.
  [[nodiscard]] std::optional<std::string> remark_on(const ChosenFaults& chosen) const;
};

/// The knowledge with which a relation is built for `dead` channels. If none is dead and `others_fail` during
/// the run, of which switches see their own outputs, nothing is known: every option stays.
[[nodiscard]] Knowledge known_of_dead(const FaultSet& dead, Knowledge known, bool others_fail);

/// Sources that learn are notified of what switches see: for them, dead channels have failed in the first
/// cycle. Returns those that sources see themselves: the injection channels among them.
[[nodiscard]] FaultSet add_from_the_start(const Topology& topology, const FaultSet& dead,
                                          FaultSchedule& outages);

}  // namespace faultline
