// SPDX-License-Identifier: Apache-2.0
// Which ring, clique or torus of switches, and which attachment, loses the fewest terminals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faultline/base/progress.h"
#include "faultline/base/stop.h"
#include "faultline/fault/components.h"
#include "faultline/topology/switched.h"

#pragma GCC visibility push(default)
namespace faultline {

struct SwitchDesignSpec {
  std::uint32_t terminals = 0;
  std::uint32_t ports = 0;   ///< of a switch
  std::uint32_t degree = 2;  ///< network ports of a terminal
  std::uint32_t faults = 3;  ///< at most 16
  /// What fails: switches, links (those between switches and of terminals) or both.
  FaultUnits units = FaultUnit::switch_;
  std::uint32_t steps = 2000;  ///< exchanges to try for each shape; 0: constructions only
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;
  StopFlag stop = nullptr;  ///< once set, what has been finished is returned
};

/// The most terminals that any set of this many faults loses.
struct WorstCase {
  std::uint32_t faults = 0;
  std::uint32_t lost = 0;
  std::uint64_t sets = 0, worst_sets = 0;  ///< all, and those that lose `lost` terminals
  double mean = 0;
  std::vector<std::uint32_t> set;  ///< one such set: components of unit and scope all
};

struct SwitchDesign {
  std::string topology;  ///< compact; of an improved attachment, the construction that it was improved from
  bool constructed = true;  ///< terminals are attached as published; false: at random
  bool improved = false;
  SwitchNetwork network;
  Attachments attachments;
  std::uint32_t most_ports = 0;                    ///< used ports per switch
  std::uint64_t ports_used = 0, ports_bought = 0;  ///< of all switches
  std::uint64_t network_links = 0, terminal_links = 0;
  /// Switches in a row, one unit apart; each terminal at the switch that minimises its longest cable.
  double cable_length = 0, longest_cable = 0;
  std::vector<WorstCase> worst;  ///< for 0 … spec.faults faults
  bool best_buy = false;         ///< none found is as good in ports and worst case, and better in one
};

struct SwitchDesigns {
  std::vector<SwitchDesign> designs;  ///< at least one
  /// Networks that would fit but have too many fault sets to try all, by their compact names.
  std::vector<std::string> left_out;
  /// Better attachments were not looked for where trying all fault sets again and again takes too long.
  bool searched_all = true;
  /// Once stopped: networks that were not evaluated, and attachments that were not searched for better ones.
  std::size_t unevaluated = 0, unsearched = 0;

  [[nodiscard]] bool interrupted() const { return unevaluated + unsearched != 0; }
};

/// Constructions that fit the ports, and attachments as even as possible on networks that fit no
/// construction; best first: by the worst-case number of terminals lost to spec.faults faults, then to fewer,
/// then by ports bought, then by the share of sets of spec.faults faults that are worst cases, by their mean
/// loss and by cable length. The best and the cheapest of each shape also with an improved attachment, if one
/// was found: an improvement has the same links, ports and terminals, and loses at most as many terminals to
/// any number of faults; to spec.faults faults fewer, or in fewer sets, or fewer on average. Throws
/// Error("design.…") for a value that is not allowed, if nothing fits, or if there are too many fault sets to
/// try all of any network; Stopped if no network has been evaluated by then.
[[nodiscard]] SwitchDesigns design_switches(const SwitchDesignSpec& spec, const Progress& progress = {});

/// The certificate that `faultline-check` checks by trying all fault sets again (checker/FORMAT.md).
[[nodiscard]] std::string design_certificate(const SwitchDesign& design, const SwitchDesignSpec& spec);

}  // namespace faultline
#pragma GCC visibility pop
