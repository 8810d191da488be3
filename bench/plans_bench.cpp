// SPDX-License-Identifier: Apache-2.0
// Which pairs the sources of a torus have plans for, under random sets of failed links: the search for all
// pairs at once, and by walking the legs of one pair after the other. In CPU time of one core.
#include <ctime>
#include <span>
#include <stdexcept>
#include <vector>

#include "bench/figures.h"
#include "faultline/fault/components.h"
#include "faultline/fault/sampler.h"
#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"

namespace faultline::bench {
namespace {

constexpr std::uint32_t faults = 10;

struct Case {
  const char* name;
  const char* topology;
  std::size_t sets, naive_sets;
};

using FailedChannels = std::vector<std::vector<ChannelId>>;

FailedChannels draw(const TopologyPtr& topology, std::size_t sets) {
  const FaultComponents links(topology, FaultUnit::link, FaultScope::network);
  const FaultSampler sampler(links.count(), 1);
  FailedChannels drawn(sets);
  for (std::size_t i = 0; i < sets; ++i)
    for (const std::uint32_t link : sampler.draw(faults, i))
      for (const ChannelId channel : links.channels(link)) drawn[i].push_back(channel);
  return drawn;
}

struct Measured {
  double seconds_a_set = 0;
  std::vector<std::uint64_t> pairs_lost;
};

Measured measure(PlanSearch& search, std::span<const std::vector<ChannelId>> sets) {
  Measured measured;
  const std::clock_t start = std::clock();
  for (const std::vector<ChannelId>& set : sets) measured.pairs_lost.push_back(search.evaluate(set).pairs);
  measured.seconds_a_set =
      static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / static_cast<double>(sets.size());
  return measured;
}

}  // namespace

std::vector<Figure> plans_figures() {
  std::vector<Figure> figures;
  for (const Case& one : {Case{"torus 4x4x4 methodology, 10 links", "torus:radix=4x4x4", 50'000, 100},
                          Case{"torus 8x8x8 methodology, 10 links", "torus:radix=8x8x8", 20'000, 2}}) {
    const TopologyPtr topology = build_topology(parse_compact("topology", one.topology));
    const RelationPtr relation = build_healthy_relation(topology, parse_compact("routing", "methodology"));
    const FailedChannels sets = draw(topology, one.sets);
    const auto add = [&](const char* what, double value, const char* unit) {
      figures.push_back({"plans", one.name, what, value, unit});
    };
    const Measured naive =
        measure(*relation->plan_search("reference"), std::span(sets).first(one.naive_sets));
    const Measured word = measure(*relation->plan_search("word"), sets);
    const Measured fastest = measure(*relation->plan_search(""), sets);
    for (std::size_t i = 0; i < sets.size(); ++i)
      if (fastest.pairs_lost[i] != word.pairs_lost[i] ||
          (i < one.naive_sets && fastest.pairs_lost[i] != naive.pairs_lost[i]))
        throw std::logic_error("plans: the searches differ on the number of pairs without a plan");
    add("all pairs at once", 1 / fastest.seconds_a_set, "sets/s");
    add("all pairs at once, a set", 1e3 * fastest.seconds_a_set, "ms");
    add("without vector instructions, a set", 1e3 * word.seconds_a_set, "ms");
    add("pair after pair, a set", 1e3 * naive.seconds_a_set, "ms");
    add("pair after pair / all at once", naive.seconds_a_set / fastest.seconds_a_set, "ratio");
  }
  return figures;
}

}  // namespace faultline::bench
