// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <unordered_map>

#include "faultline/agent/agent.h"
#include "faultline/base/random.h"

namespace faultline::agents {
namespace {

/// An option without any report counts as fast as in the empty network, so it is tried before those that have
/// proved slower than that.
class LastLatencyAgent final : public SourceAgent {
 public:
  LastLatencyAgent(const AgentContext& context, double explore) : context_(context), explore_(explore) {}

  [[nodiscard]] std::size_t choose(TerminalId destination, std::span<const RouteOption> ways,
                                   std::uint64_t random) override {
    auto& [known, offered] = known_[destination];
    const auto count = static_cast<std::uint32_t>(ways.size());
    offered = count;
    if (unit_interval(mix(random)) < explore_) return below(static_cast<std::uint32_t>(random), count);
    std::size_t best = 0;
    std::uint32_t least = ~std::uint32_t{0}, equal = 0;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const auto told = known.find(way_of(ways[i]));
      const std::uint32_t latency =
          told != known.end() ? told->second : context_.unloaded_latency(ways[i], destination);
      if (latency > least) continue;
      equal = latency == least ? equal + 1 : 1;
      least = latency;
      if (below(static_cast<std::uint32_t>(mix(random, i, 0) >> 32), equal) == 0) best = i;
    }
    return best;
  }

  void told(const LatencyReport& report) override {
    known_[report.destination].latency[report.way] = report.latency;
  }
  void rerouted(const RoutingRelation& relation) override { context_.relation = relation; }

  void add_to(AgentFigures& figures) const override {
    figures.pairs += known_.size();
    for (const auto& [destination, known] : known_) {
      figures.paths_open += known.offered;
      figures.max_paths_open = std::max<std::uint64_t>(figures.max_paths_open, known.offered);
    }
  }

 private:
  struct Known {
    std::map<InjectionWay, std::uint32_t> latency;  ///< by option, as reported last
    std::uint32_t offered = 0;                      ///< options, of which any may be taken
  };

  AgentContext context_;
  double explore_;
  std::unordered_map<TerminalId, Known> known_;
};

struct LastLatency {
  double explore = 0.02;
  static void fields(auto& field) {
    field("explore", &LastLatency::explore, between(0, 1),
          "fraction of packets injected by a random option, so that options once slow are tried again");
  }
  static std::vector<LastLatency> samples() { return {{0.02}, {0}}; }
  [[nodiscard]] std::unique_ptr<SourceAgent> make(const AgentContext& context) const {
    return std::make_unique<LastLatencyAgent>(context, explore);
  }
};

}  // namespace

extern constinit const AgentKind last_latency = agent_kind<LastLatency>(
    "last-latency", "the injection option whose last acknowledgement reported the lowest latency", "");

}  // namespace faultline::agents
