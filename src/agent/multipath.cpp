// SPDX-License-Identifier: Apache-2.0
#include "agent/multipath.h"

#include <algorithm>

#include "faultline/base/random.h"

namespace faultline {

void Multipath::know(std::span<const RouteOption> ways, TerminalId destination, const AgentContext& context) {
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const InjectionWay way = way_of(ways[i]);
    if ((i < paths_.size() && paths_[i].way == way) || find(way)) continue;
    const std::uint32_t latency = std::max(1U, context.unloaded_latency(ways[i], destination));
    unloaded_ = paths_.empty() ? latency : std::min<double>(unloaded_, latency);
    paths_.push_back({way, latency, {}});
  }
}

std::optional<std::size_t> Multipath::find(InjectionWay way) const {
  const auto found = std::ranges::find(paths_, way, &Path::way);
  if (found == paths_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - paths_.begin());
}

std::size_t Multipath::draw(std::span<const std::size_t> among, std::uint64_t random) const {
  double sum = 0;
  for (const std::size_t i : among) sum += 1.0 / paths_[i].latency;
  double left = unit_interval(mix(random)) * sum;
  for (const std::size_t i : among)
    if ((left -= 1.0 / paths_[i].latency) < 0) return i;
  return among.back();
}

bool Multipath::widen(const Rules& rules, std::size_t ruled_out) {
  if (open_ >= std::min(rules.max_open + ruled_out, paths_.size())) return false;
  max_ever_ = std::max(max_ever_, ++open_ - ruled_out);
  return true;
}

void Multipath::configure(const Rules& rules, std::size_t ruled_out, double joint_latency) {
  if (joint_latency > rules.upper * unloaded_)
    (void)widen(rules, ruled_out);
  else if (joint_latency < rules.lower * unloaded_ && open_ > 1)
    --open_;
}

}  // namespace faultline
