// SPDX-License-Identifier: Apache-2.0
#include "resilience/worst/healthy_paths.h"

#include <algorithm>

namespace faultline::survival {

void HealthyPaths::mark(std::vector<SwitchId> from, const FaultSet& dead, bool backwards,
                        std::vector<bool>& marked) {
  marked.assign(topology_.switch_count(), false);
  for (const SwitchId at : from) marked[at.index()] = true;
  while (!from.empty()) {
    const SwitchId at = from.back();
    from.pop_back();
    for (const ChannelId channel : backwards ? topology_.inputs(at) : topology_.outputs(at)) {
      if (topology_.role(channel) != ChannelRole::network || dead.failed(channel)) continue;
      const SwitchId next = backwards ? topology_.source(channel) : topology_.target(channel);
      if (marked[next.index()]) continue;
      marked[next.index()] = true;
      from.push_back(next);
    }
  }
}

bool HealthyPaths::connect_all(const FaultSet& dead) {
  const auto is_alive = [&](ChannelId channel) { return !dead.failed(channel); };
  for (const TerminalId terminal : topology_.terminals())
    if (std::ranges::none_of(topology_.injection(terminal), is_alive) ||
        std::ranges::none_of(topology_.ejection(terminal), is_alive))
      return false;
  const SwitchId first =
      topology_.target(*std::ranges::find_if(topology_.injection(TerminalId(0)), is_alive));
  mark({first}, dead, false, reached_);
  mark({first}, dead, true, reaching_);
  const auto is_between = [&](SwitchId at) { return reached_[at.index()] && reaching_[at.index()]; };
  const bool all_between = std::ranges::all_of(topology_.terminals(), [&](TerminalId terminal) {
    return std::ranges::any_of(topology_.injection(terminal),
                               [&](ChannelId channel) {
                                 return is_alive(channel) && is_between(topology_.target(channel));
                               }) &&
           std::ranges::any_of(topology_.ejection(terminal), [&](ChannelId channel) {
             return is_alive(channel) && is_between(topology_.source(channel));
           });
  });
  return all_between || std::ranges::all_of(topology_.terminals(),
                                            [&](TerminalId source) { return reaches_all(source, dead); });
}

bool HealthyPaths::reaches_all(TerminalId source, const FaultSet& dead) {
  std::vector<SwitchId> from;
  for (const ChannelId channel : topology_.injection(source))
    if (!dead.failed(channel)) from.push_back(topology_.target(channel));
  mark(std::move(from), dead, false, reached_);
  return std::ranges::all_of(topology_.terminals(), [&](TerminalId terminal) {
    return terminal == source || std::ranges::any_of(topology_.ejection(terminal), [&](ChannelId channel) {
             return !dead.failed(channel) && reached_[topology_.source(channel).index()];
           });
  });
}

}  // namespace faultline::survival
