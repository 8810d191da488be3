// SPDX-License-Identifier: Apache-2.0
// The agents of a run, and the news on their way to them.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "faultline/simulate/clock.h"
#include "faultline/simulate/packet_sizes.h"
#include "faultline/simulate/simulate.h"

namespace faultline {

/// What a control packet carries to the source that it answers.
struct News {
  bool is_fault = false;
  InjectionWay way;         ///< by which the packet of data was injected
  TerminalId destination;   ///< that the packet of data is for
  std::uint32_t value = 0;  ///< cycles, or the number of the dead channel
};

class AgentsOfRun {
 public:
  AgentsOfRun(const RoutingRelation& relation, const SimulationSpec& spec) {
    if (!spec.cut_through().agents) return;
    watched_ = spec.cut_through().agents->watched;
    reaction_ = static_cast<Time>(spec.cut_through().agents->reaction_cycles);
    reroutings_ = spec.faults.reroutings;
    const Topology& topology = relation.topology();
    const bool has_slow_channels = std::ranges::any_of(
        topology.channels(), [&](ChannelId channel) { return topology.fly_cycles(channel) > 1; });
    for (const TerminalId source : topology.terminals()) {
      const AgentContext context{
          .relation = relation,
          .source = source,
          .packet_flits = static_cast<std::uint32_t>(std::lround(mean_flits(spec.injection))),
          .switch_cycles = spec.cut_through().head_cycles(),
          .has_slow_channels = has_slow_channels};
      sources_.push_back({spec.cut_through().agents->maker(context), {}});
      if (sources_.back().agent == nullptr)
        throw Error("simulate.agent", "none for " + topology.name(source), "must be made for each source");
    }
  }

  [[nodiscard]] bool present() const { return !sources_.empty(); }

  /// The tail of the control packet that answers packet `sequence` arrives at `source` at `tail`. Agents
  /// learn those of one cycle in the order of the packets.
  void arrives(TerminalId source, Time tail, std::uint32_t sequence, const News& news) {
    auto& coming = sources_[source.index()].coming;
    const Coming last{tail + reaction_, sequence, news};
    const auto order = [](const Coming& one) { return std::pair(one.known, one.sequence); };
    coming.insert(std::ranges::upper_bound(coming, order(last), {}, order), last);
  }

  [[nodiscard]] std::size_t choose(TerminalId source, TerminalId destination, Time now,
                                   std::span<const RouteOption> ways, std::uint64_t random) {
    Source& asked = sources_[source.index()];
    tell(asked, now);
    const std::size_t chosen = asked.agent->choose(destination, ways, random);
    if (chosen >= ways.size())
      throw Error("simulate.agent", std::to_string(chosen),
                  "must choose one of " + std::to_string(ways.size()) + " ways, by its index");
    return chosen;
  }

  /// The knowledge of the agents at the end.
  [[nodiscard]] AgentFigures figures(Time end) {
    AgentFigures sum;
    for (Source& source : sources_) {
      tell(source, end);
      AgentFigures of_source;
      source.agent->add_to(of_source);
      sum.add(of_source);
    }
    if (watched_) {
      const auto [source, destination] = *watched_;
      sum.watched = {source, destination, sources_[source.index()].agent->open_paths(destination)};
    }
    return sum;
  }

 private:
  struct Coming {
    Time known;
    std::uint32_t sequence;
    News news;
  };
  struct Source {
    std::unique_ptr<SourceAgent> agent;
    std::deque<Coming> coming;
    std::size_t reroutings = 0;  ///< that the agent has been told of
  };

  /// Delivers what has been due since `now` at the latest, in order of time.
  void tell(Source& source, Time now) const {
    for (; !source.coming.empty() && source.coming.front().known <= now; source.coming.pop_front()) {
      const News& news = source.coming.front().news;
      tell_of_reroutings(source, source.coming.front().known);
      if (news.is_fault)
        source.agent->told(FaultReport{news.destination, news.way, ChannelId(news.value)});
      else
        source.agent->told(LatencyReport{news.destination, news.way, news.value});
    }
    tell_of_reroutings(source, now);
  }
  void tell_of_reroutings(Source& source, Time now) const {
    for (std::size_t& next = source.reroutings;
         next < reroutings_.size() && reroutings_[next].at <= static_cast<std::uint64_t>(now); ++next)
      source.agent->rerouted(*reroutings_[next].relation);
  }

  Time reaction_ = 0;
  std::vector<Rerouting> reroutings_;
  std::optional<std::pair<TerminalId, TerminalId>> watched_;
  std::vector<Source> sources_;  // by terminal; empty without agents
};

}  // namespace faultline
