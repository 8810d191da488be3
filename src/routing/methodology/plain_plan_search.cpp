// SPDX-License-Identifier: Apache-2.0
// The oracle: legs are walked channel by channel as PAPERS.md, section 5, defines them, for one pair at a
// time.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "faultline/topology/grid.h"
#include "routing/methodology/grid_plan_search.h"

namespace faultline {
namespace {

class PlainPlanSearch final : public PlanSearch {
 public:
  PlainPlanSearch(TopologyPtr topology, const Mechanisms& mechanisms)
      : topology_(std::move(topology)),
        grid_(topology_->labelling<CartesianLabelling>("methodology")),
        mechanisms_(mechanisms),
        switches_(topology_->switch_count()) {}

  [[nodiscard]] std::unique_ptr<PlanSearch> clone() const override {
    return std::make_unique<PlainPlanSearch>(topology_, mechanisms_);
  }

  [[nodiscard]] Losses evaluate(std::span<const ChannelId> dead) override {
    dead_.assign(topology_->channel_count(), false);
    for (const ChannelId channel : dead) dead_[channel.index()] = true;
    walked_.assign(switches_ * switches_, std::nullopt);
    misrouted_.assign(switches_ * switches_, std::nullopt);
    Losses losses;
    for (const TerminalId source : topology_->terminals())
      for (const TerminalId destination : topology_->terminals())
        if (source != destination && !serves(source, destination)) {
          ++losses.pairs;
          losses.disconnected = losses.disconnected || !leads_to(source, destination);
        }
    return losses;
  }

 private:
  /// Signed hops in each dimension.
  using Ways = std::vector<int>;

  [[nodiscard]] bool alive(ChannelId channel) const { return channel.valid() && !dead_[channel.index()]; }
  [[nodiscard]] ChannelId channel(SwitchId at, std::uint32_t dimension, int sign) const {
    return grid_.output(at, dimension, sign > 0 ? Direction::plus : Direction::minus);
  }

  [[nodiscard]] bool serves(TerminalId source, TerminalId destination) {
    if (!alive(topology_->injection(source).front()) || !alive(topology_->ejection(destination).front()))
      return false;
    const SwitchId from = grid_.home(source), to = grid_.home(destination);
    if (from == to || walkable(from, to) || misroutable(from, to)) return true;
    if (!mechanisms_.intermediate) return false;
    const auto by_any = [&](auto usable) {
      return std::ranges::any_of(topology_->switches(), [&](SwitchId by) {
        return by != from && by != to && usable(from, by) && usable(by, to);
      });
    };
    return by_any([&](SwitchId a, SwitchId b) { return walkable(a, b); }) ||
           (mechanisms_.misrouting &&
            by_any([&](SwitchId a, SwitchId b) { return walkable(a, b) || misroutable(a, b); }));
  }

  /// The leg without runs; half-way round a ring it goes plus, or either way.
  [[nodiscard]] bool walkable(SwitchId from, SwitchId to) {
    auto& known = walked_[from.index() * switches_ + to.index()];
    if (!known) known = walkable(from, to, 0);
    return *known;
  }
  [[nodiscard]] bool walkable(SwitchId from, SwitchId to, std::uint32_t first_direction) {
    std::vector<Ways> all{{}};
    for (std::uint32_t dimension = 0; dimension < grid_.dimensions(); ++dimension) {
      std::vector<Ways> extended;
      for (const Ways& ways : all)
        for (const int hops : ways_along(from, to, dimension)) {
          extended.push_back(ways);
          extended.back().push_back(hops);
        }
      all = std::move(extended);
    }
    return std::ranges::any_of(all, [&](const Ways& ways) {
      for (std::uint32_t dimension = 0; dimension < ways.size(); ++dimension) {
        const std::uint32_t direction = dimension + (ways[dimension] < 0 ? grid_.dimensions() : 0);
        if (ways[dimension] != 0 && direction < first_direction) return false;
      }
      return box_is_whole(from, ways) || (mechanisms_.deterministic && ordered_is_whole(from, ways));
    });
  }
  [[nodiscard]] std::vector<int> ways_along(SwitchId from, SwitchId to, std::uint32_t dimension) const {
    const int size = static_cast<int>(grid_.radix(dimension));
    const int apart = static_cast<int>(grid_.coordinate(to, dimension)) -
                      static_cast<int>(grid_.coordinate(from, dimension));
    if (!grid_.wraps()) return {apart};
    const int ahead = (apart + size) % size;
    if (2 * ahead == size)
      return mechanisms_.tie_choice ? std::vector<int>{ahead, -ahead} : std::vector{ahead};
    return {2 * ahead < size ? ahead : ahead - size};
  }

  /// Every channel of every shortest path, each switch of the box visited once.
  [[nodiscard]] bool box_is_whole(SwitchId from, const Ways& ways) const {
    std::vector<std::pair<SwitchId, Ways>> layer{{from, ways}};
    while (!layer.empty()) {
      std::vector<std::pair<SwitchId, Ways>> next;
      for (const auto& [at, left] : layer)
        for (std::uint32_t dimension = 0; dimension < left.size(); ++dimension) {
          if (left[dimension] == 0) continue;
          const int sign = left[dimension] > 0 ? 1 : -1;
          const ChannelId hop = channel(at, dimension, sign);
          if (!alive(hop)) return false;
          Ways rest = left;
          rest[dimension] -= sign;
          std::pair<SwitchId, Ways> entry{topology_->target(hop), std::move(rest)};
          if (std::ranges::find(next, entry) == next.end()) next.push_back(std::move(entry));
        }
      layer = std::move(next);
    }
    return true;
  }
  [[nodiscard]] bool ordered_is_whole(SwitchId at, const Ways& ways) const {
    for (const int sign : {1, -1})
      for (std::uint32_t dimension = 0; dimension < ways.size(); ++dimension)
        for (int hop = 0; hop < ways[dimension] * sign; ++hop) {
          const ChannelId taken = channel(at, dimension, sign);
          if (!alive(taken)) return false;
          at = topology_->target(taken);
        }
    return true;
  }

  [[nodiscard]] bool misroutable(SwitchId from, SwitchId to) {
    if (!mechanisms_.misrouting) return false;
    auto& known = misrouted_[from.index() * switches_ + to.index()];
    if (!known) known = arrives_after_runs(from, to, 0, 3);
    return *known;
  }
  /// Up to `runs` runs, the first of them in `first` or later; each is followed by what does not go back.
  [[nodiscard]] bool arrives_after_runs(SwitchId from, SwitchId to, std::uint32_t first, int runs) {
    if (runs == 0) return false;
    for (std::uint32_t direction = first; direction < 2 * grid_.dimensions(); ++direction) {
      const bool plus = direction < grid_.dimensions();
      const std::uint32_t dimension = plus ? direction : direction - grid_.dimensions();
      SwitchId at = from;
      for (std::uint32_t hops = 1; hops < grid_.radix(dimension); ++hops) {
        const ChannelId taken = channel(at, dimension, plus ? 1 : -1);
        if (!alive(taken)) break;
        at = topology_->target(taken);
        if ((walkable(at, to) && walkable(at, to, direction)) ||
            arrives_after_runs(at, to, direction + 1, runs - 1))
          return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool leads_to(TerminalId source, TerminalId destination) const {
    if (!alive(topology_->injection(source).front()) || !alive(topology_->ejection(destination).front()))
      return false;
    std::vector<SwitchId> found{grid_.home(source)};
    std::vector<bool> seen(switches_);
    seen[found.front().index()] = true;
    for (std::size_t i = 0; i < found.size(); ++i)
      for (const ChannelId channel : topology_->outputs(found[i])) {
        const SwitchId next = topology_->target(channel);
        if (!next.valid() || dead_[channel.index()] || seen[next.index()]) continue;
        seen[next.index()] = true;
        found.push_back(next);
      }
    return seen[grid_.home(destination).index()];
  }

  TopologyPtr topology_;
  const CartesianLabelling& grid_;
  Mechanisms mechanisms_;
  std::size_t switches_;
  std::vector<bool> dead_;                               // by channel
  std::vector<std::optional<bool>> walked_, misrouted_;  // by pair of switches
};

}  // namespace

std::unique_ptr<PlanSearch> make_plain_plan_search(TopologyPtr topology, const Mechanisms& mechanisms) {
  return std::make_unique<PlainPlanSearch>(std::move(topology), mechanisms);
}

}  // namespace faultline
