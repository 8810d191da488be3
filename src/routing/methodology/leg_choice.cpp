// SPDX-License-Identifier: Apache-2.0
#include "routing/methodology/leg_choice.h"

#include <algorithm>

#include "routing/grid_directions.h"

namespace faultline {

LegChoice::LegChoice(const LegGeometry& geometry, const CartesianLabelling& grid,
                     const Mechanisms& mechanisms, const FaultSet& known)
    : geometry_(geometry), mechanisms_(mechanisms) {
  const GridDirections directions(grid);
  const auto legs = make_leg_search(geometry);
  for (std::uint32_t at = 0; at < geometry.switches(); ++at) {
    for (std::uint32_t direction = 0; direction < directions.count(); ++direction) {
      const ChannelId channel = directions.channel(SwitchId(at), direction);
      const bool alive = channel.valid() && !known.failed(channel);
      alive_.push_back(alive ? 1 : 0);
      if (channel.valid() && !alive) legs->fail(at, direction);
    }
  }
  const std::vector<LegSearch::LostPairs>& lost = legs->find_lost(mechanisms);
  unserved_.words_a_row = (geometry.switches() + 63) / 64;
  unserved_.words.resize(geometry.switches() * unserved_.words_a_row);
  for (const auto& [residue, row] : lost)
    std::copy_n(row.begin(), unserved_.words_a_row, &unserved_.words[residue * unserved_.words_a_row]);
  const auto offsets = geometry.offsets();
  for (std::size_t offset = 0; offset < offsets.size(); ++offset) {
    for (auto& [bits, row] :
         {std::pair{&adaptive_, legs->adaptive(offset)}, std::pair{&ordered_, legs->ordered(offset)}}) {
      bits->words_a_row = row.size();
      bits->words.reserve(offsets.size() * row.size());
      bits->words.insert(bits->words.end(), row.begin(), row.end());
    }
    // Shortest paths within the box: the last hop is made in any of its directions.
    double paths = offset == 0 ? 1 : 0;
    for (std::uint32_t rest = offsets[offset].directions; rest != 0; rest &= rest - 1)
      paths += paths_[geometry.after_hop(offset, static_cast<std::uint32_t>(std::countr_zero(rest)))];
    paths_.push_back(paths);
  }
}

bool LegChoice::is_alive(std::uint32_t at, std::uint32_t direction) const {
  return alive_[at * geometry_.directions() + direction] != 0;
}

Subheader LegChoice::rest(std::size_t offset, bool is_adaptive) const {
  Subheader subheader;
  subheader.adaptive = is_adaptive;
  subheader.minus_ties = geometry_.offsets()[offset].minus_ties;
  return subheader;
}

std::optional<PlannedLeg> LegChoice::adaptive(std::uint32_t from, std::uint32_t to) const {
  for (const std::uint32_t offset : geometry_.offsets_between(from, to))
    if (adaptive_.at(offset, from))
      return PlannedLeg{{geometry_.offsets()[offset].distance, 0, 1, paths_[offset]}, rest(offset, true)};
  return std::nullopt;
}

std::optional<PlannedLeg> LegChoice::unmisrouted(std::uint32_t from, std::uint32_t to,
                                                 std::uint32_t first) const {
  std::optional<PlannedLeg> best;
  for (const std::uint32_t offset : geometry_.offsets_between(from, to)) {
    const LegGeometry::Offset& way = geometry_.offsets()[offset];
    if ((way.directions & ((1U << first) - 1)) != 0) continue;
    if (adaptive_.at(offset, from))
      return PlannedLeg{{way.distance, 0, 1, paths_[offset]}, rest(offset, true)};
    if (!best && mechanisms_.deterministic && ordered_.at(offset, from))
      best = PlannedLeg{{way.distance, way.distance, 1, 1}, rest(offset, false)};
  }
  return best;
}

struct LegChoice::MisroutedSearch {
  std::uint32_t to, max_hops;
  std::optional<PlannedLeg> best;
};

std::optional<PlannedLeg> LegChoice::misrouted(std::uint32_t from, std::uint32_t to, std::uint32_t max_hops) {
  MisroutedSearch search{to, max_hops, std::nullopt};
  Subheader runs;
  extend(search, from, runs, 0, 0);
  return search.best;
}

/// Tries all runs of one more direction that are alive and can be short enough.
void LegChoice::extend(MisroutedSearch& search, std::uint32_t at, Subheader& runs, std::uint32_t run,
                       std::uint32_t hops) const {
  const std::uint32_t first = run == 0 ? 0 : runs.runs[run - 1].direction + 1U;
  for (std::uint32_t direction = first; direction < geometry_.directions(); ++direction) {
    const std::uint32_t size = geometry_.radix(direction % geometry_.dimensions());
    std::uint32_t here = at;
    for (std::uint32_t length = 1; length < size && is_alive(here, direction); ++length) {
      here = geometry_.step(here, direction);
      if (hops + length + geometry_.distance(here, search.to) > search.max_hops) continue;
      runs.runs[run] = {static_cast<std::uint8_t>(direction), static_cast<std::uint16_t>(length)};
      if (auto rest = unmisrouted(here, search.to, direction)) {
        rest->cost.hops += hops + length;
        rest->cost.fixed_hops += hops + length;
        rest->subheader.runs = runs.runs;
        if (!search.best || rest->cost < search.best->cost) {
          search.best = rest;
          search.max_hops = rest->cost.hops;
        }
      }
      if (run + 1 < Subheader::max_runs) extend(search, here, runs, run + 1, hops + length);
    }
    runs.runs[run] = {};
  }
}

}  // namespace faultline
