// SPDX-License-Identifier: Apache-2.0
// What the plain and the fast engine have in common: everything but the switches.
#pragma once

#include <vector>

#include "simulate/faults/outages.h"
#include "simulate/faults/reroutings.h"
#include "simulate/measurement/timeline.h"
#include "simulate/switches/waiting.h"
#include "simulate/wormhole/model.h"
#include "simulate/wormhole/sources.h"

namespace faultline::wormhole {

/// Steps through the bins of a run until it is over: `engine` runs until a cycle, may stop at the end of a
/// bin, and knows the packets that have left the network so far (gone()) and the VCs of a cycle of waits
/// (deadlock()). Those at the end are returned.
template <class Engine>
std::vector<VcIndex> run_bins(const Timeline& timeline, const Progress& progress, Engine& engine) {
  for (std::size_t bin = 0; bin < timeline.bin_count(); ++bin) {
    const std::uint64_t before = engine.gone();
    const Time edge = timeline.end_of(bin);
    engine.run_until(edge);
    if (progress)
      progress("cycles", static_cast<std::uint64_t>(edge), static_cast<std::uint64_t>(timeline.limit));
    if (engine.may_stop(edge)) break;
    if (!looks_for_deadlock(bin, engine.gone() - before)) continue;
    if (std::vector<VcIndex> found = engine.deadlock(); !found.empty()) return found;
  }
  return engine.deadlock();
}

[[nodiscard]] inline std::vector<TerminalId> all_terminals(const Topology& topology) {
  const auto terminals = topology.terminals();
  return {terminals.begin(), terminals.end()};
}

/// For `terminals`: all of a network's, or those of a part of it.
class EngineBase {
 protected:
  EngineBase(const RoutingRelation& relation, const TrafficPattern& pattern, const SimulationSpec& spec,
             const std::vector<TerminalId>& terminals, std::vector<Delivery>* log)
      : topology_(relation.topology()),
        spec_(spec),
        wormhole_(spec.wormhole()),
        timing_(wormhole_),
        vc_count_(vc_count(relation, spec)),
        outages_(topology_, spec.faults.outages),
        reroutings_(spec),
        chooser_(relation, spec.selection, vc_count_, spec.seed,
                 spec.faults.outages.empty() ? nullptr : &outages_),
        injection_(relation.topology().terminal_count(), pattern, spec),
        timeline_(Timeline::of(spec)),
        measurement_(timeline_, topology_.terminal_count(), spec, injection_.is_trace(), log),
        sources_(injection_, chooser_, measurement_, topology_.terminal_count(), terminals, timeline_.limit) {
    chooser_.set_last_relation(!reroutings_.any_ahead(timeline_.limit));
  }

  EngineBase(const EngineBase&) = delete;  // parts refer to each other
  EngineBase& operator=(const EngineBase&) = delete;
  ~EngineBase() = default;

  /// In every cycle: true when channels have gone down or come up, or another relation is asked from now on.
  [[nodiscard]] bool network_changes() {
    changed_channels_.clear();
    outages_.advance(now_, [this](ChannelId channel) { changed_channels_.push_back(channel); });
    const RoutingRelation* const changed = reroutings_.advance(now_);
    if (changed != nullptr) {
      chooser_.ask(*changed);
      chooser_.set_last_relation(!reroutings_.any_ahead(timeline_.limit));
    }
    relation_changed_ = changed != nullptr;
    return !changed_channels_.empty() || relation_changed_;
  }
  [[nodiscard]] bool network_will_change() const {
    return outages_.any_ahead(timeline_.limit) || reroutings_.any_ahead(timeline_.limit);
  }

  const Topology& topology_;
  const SimulationSpec& spec_;
  const WormholeSwitches& wormhole_;
  Timing timing_;
  std::uint32_t vc_count_;
  Outages outages_;
  std::vector<ChannelId> changed_channels_;  ///< in this cycle
  bool relation_changed_ = false;
  Reroutings reroutings_;
  Chooser chooser_;
  InjectionProcess injection_;
  Timeline timeline_;
  Measurement measurement_;
  Sources sources_;
  Time now_ = 0;
};

}  // namespace faultline::wormhole
