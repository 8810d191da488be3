// SPDX-License-Identifier: Apache-2.0
#include "faultline/traffic/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "faultline/base/error.h"
#include "faultline/base/random.h"

namespace faultline {
namespace {

/// Whether the shares of a source add up to 1 and are above 0 where it sends to; a few draws are tried.
bool sends_by_its_shares(const TrafficPattern& pattern, const Topology& topology, TerminalId source,
                         const std::string& name) {
  double sum = 0;
  for (const TerminalId destination : topology.terminals()) {
    const double share = pattern.share(source, destination);
    if (!(share >= 0)) return false;
    sum += share;
  }
  if (!(std::abs(sum - 1) < 1e-6)) return false;
  constexpr std::uint64_t draws = 16;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    const TerminalId destination = pattern.destination(source, mix(0, source.value(), draw));
    if (destination.index() >= topology.terminal_count())
      throw std::logic_error(
          fmt::format("destination() of traffic pattern {} is terminal {} for {}; there are {}", name,
                      destination.value(), topology.name(source), topology.terminal_count()));
    if (!(pattern.share(source, destination) > 0)) return false;
  }
  return true;
}

/// Of a few sources that send. A trace counts its packets for every share, which may take minutes.
void require_shares(const TrafficPattern& pattern, const Topology& topology, const std::string& name) {
  if (pattern.trace() != nullptr) return;
  constexpr std::size_t max_sources = 8;
  const std::size_t step = std::max<std::size_t>(topology.terminal_count() / max_sources, 1);
  for (std::size_t i = 0; i < topology.terminal_count(); i += step)
    if (const TerminalId source(i);
        !pattern.silent(source) && !sends_by_its_shares(pattern, topology, source, name))
      throw std::logic_error("the share() of traffic pattern " + name + " does not agree with destination()");
}

}  // namespace

bool TrafficPattern::silent(TerminalId) const { return false; }

double TrafficPattern::share(TerminalId source, TerminalId destination) const {
  return this->destination(source, 0) == destination ? 1 : 0;
}

double sending_fraction(const TrafficPattern& pattern, const Topology& topology) {
  if (pattern.trace() != nullptr) return 1;
  const auto silent = std::ranges::count_if(topology.terminals(),
                                            [&](TerminalId terminal) { return pattern.silent(terminal); });
  return 1 - static_cast<double>(silent) / static_cast<double>(topology.terminal_count());
}

PatternPtr build_pattern(const Topology& topology, std::uint64_t seed, const Resolved<PatternKind>& pattern) {
  if (topology.terminal_count() == 0) throw Error("traffic", topology.name(), "must have a terminal");
  PatternPtr built = pattern.kind().build(topology, seed, pattern.parameters());
  if (built == nullptr)
    throw std::logic_error("the traffic pattern " + to_compact(pattern) + " built nothing");
  if ((built->trace() != nullptr) != pattern.kind().is_trace)
    throw std::logic_error("the traffic pattern " + to_compact(pattern) +
                           ": is_trace of its parameters must say whether it has a trace");
  require_shares(*built, topology, to_compact(pattern));
  return built;
}

}  // namespace faultline
