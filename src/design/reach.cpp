// SPDX-License-Identifier: Apache-2.0
#include "design/reach.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/max_cardinality_matching.hpp>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/sort_unique.h"

namespace faultline::design {
namespace {

using BallSizes = std::vector<std::size_t>;  ///< descending

constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
constexpr double slack = 1e-9;  // of lengths: sums of squares may be added in another order

/// Of each vertex, those within a number of steps.
class Balls {
 public:
  explicit Balls(const std::vector<Bits>& near) : near_(near), balls_(near.size(), Bits(near.size())) {
    for (std::size_t start = 0; start < near.size(); ++start) balls_[start].set(start);
    edges_ = balls_;
  }

  /// By one step; false if none grew.
  bool grow() {
    bool grew = false;
    for (std::size_t start = 0; start < balls_.size(); ++start) {
      Bits next(balls_.size());
      const Bits& edge = edges_[start];
      for (std::size_t at = edge.find_first(); at != Bits::npos; at = edge.find_next(at)) next |= near_[at];
      next -= balls_[start];
      balls_[start] |= next;
      grew = grew || next.any();
      edges_[start] = std::move(next);
    }
    return grew;
  }

  [[nodiscard]] BallSizes sizes() const {
    BallSizes sizes;
    for (const Bits& ball : balls_) sizes.push_back(ball.count());
    std::ranges::sort(sizes, std::greater<>{});
    return sizes;
  }

 private:
  const std::vector<Bits>& near_;
  std::vector<Bits> balls_;
  std::vector<Bits> edges_;  ///< what the last step added
};

/// After each step until none grows any more.
std::vector<BallSizes> sizes_by_step(const std::vector<Bits>& near) {
  constexpr std::size_t max_steps = 64;
  std::vector<BallSizes> sizes;
  for (Balls balls(near); sizes.size() < max_steps && balls.grow();) sizes.push_back(balls.sizes());
  return sizes;
}

}  // namespace

double distance(const Spot& a, const Spot& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

Home home_of(std::uint32_t terminal, const Attachments& attachments, const Room& room,
             const Assignment& spot_of) {
  const auto home_at = [&](const Spot& spot) {
    Home home{.spot = spot};
    for (const std::uint32_t at : attachments[terminal])
      if (spot_of[at] != nowhere) {
        const double length = distance(spot, room.spots[spot_of[at]]);
        home.longest = std::max(home.longest, length);
        home.total += length;
      }
    return home;
  };
  if (!room.terminals.empty()) return home_at(room.terminals[terminal]);
  Home best{.longest = std::numeric_limits<double>::infinity()};
  for (const Spot& spot : room.spots)
    if (const Home home = home_at(spot);
        std::tie(home.longest, home.total) < std::tie(best.longest, best.total))
      best = home;
  return best;
}

Reach::Reach(std::uint32_t switches, const Attachments& attachments, const Room& room, StopFlag stop)
    : switches_(switches),
      attachments_(attachments),
      room_(room),
      stop_(stop),
      neighbours_(switches),
      terminals_(switches) {
  const std::size_t spots = room.spots.size();
  apart_.assign(spots, std::vector<double>(spots));
  for (std::size_t a = 0; a < spots; ++a)
    for (std::size_t b = 0; b < spots; ++b) apart_[a][b] = distance(room.spots[a], room.spots[b]);
  for (std::uint32_t terminal = 0; terminal < attachments.size(); ++terminal)
    for (const std::uint32_t at : attachments[terminal]) {
      terminals_[at].push_back(terminal);
      for (const std::uint32_t other : attachments[terminal])
        if (other != at) neighbours_[at].push_back(other);
    }
  for (auto& one : neighbours_) sort_unique(one);
  if (!room.terminals.empty()) {
    for (const Spot& terminal : room.terminals)
      for (const Spot& spot : room.spots) lengths_.push_back(distance(terminal, spot));
  } else {
    for (std::size_t a = 0; a < spots; ++a)
      lengths_.insert(lengths_.end(), apart_[a].begin(),
                      apart_[a].begin() + static_cast<std::ptrdiff_t>(a + 1));
    find_joint();
    std::vector<Bits> sharing(switches, Bits(switches));
    for (std::uint32_t at = 0; at < switches; ++at)
      for (const std::uint32_t other : neighbours_[at]) sharing[at].set(other);
    needed_ = sizes_by_step(sharing);
  }
  sort_unique(lengths_);
}

double Reach::longest(const Assignment& spot_of) const {
  double longest = 0;
  for (std::uint32_t terminal = 0; terminal < attachments_.size(); ++terminal)
    longest = std::max(longest, home(terminal, spot_of).longest);
  return longest;
}

void Reach::find_joint() {
  joint_ = apart_;
  const std::size_t spots = joint_.size();
  for (std::size_t a = 0; a < spots && !is_set(stop_); ++a)
    for (std::size_t home = 0; home < spots; ++home) {
      const double here = apart_[a][home], *const there = apart_[home].data();
      double* const joint = joint_[a].data();
      for (std::size_t b = 0; b < a; ++b) joint[b] = std::min(joint[b], std::max(here, there[b]));
    }
  for (std::size_t a = 0; a < spots; ++a)
    for (std::size_t b = 0; b < a; ++b) joint_[b][a] = joint_[a][b];
}

std::vector<Bits> Reach::near(double length) const {
  std::vector<Bits> near(joint_.size(), Bits(joint_.size()));
  for (std::size_t a = 0; a < joint_.size(); ++a)
    for (std::size_t b = 0; b < joint_.size(); ++b) near[a][b] = a != b && joint_[a][b] <= length + slack;
  return near;
}

bool Reach::may_fit(double length) const {
  if (is_set(stop_)) return true;
  if (!room_.terminals.empty()) return match(length).has_value();
  const std::vector<Bits> close = near(length);
  Balls offered(close);
  for (const BallSizes& needed : needed_) {
    if (is_set(stop_)) return true;
    offered.grow();
    const BallSizes sizes = offered.sizes();
    for (std::uint32_t i = 0; i < switches_; ++i)
      if (sizes[i] < needed[i]) return false;
  }
  return true;
}

bool Reach::can_extend(std::uint32_t at, const Assignment& spot_of, double length) const {
  return std::ranges::all_of(terminals_[at], [&](std::uint32_t terminal) {
    return home(terminal, spot_of).longest <= length + slack;
  });
}

/// Backtracking: the switch with the fewest spots left is placed next.
Reach::Search Reach::search(double length, std::uint64_t max_nodes) const {
  const std::vector<Bits> close = near(length);
  struct Level {
    std::uint32_t at = 0;
    Bits untried;
    std::vector<Bits> before;
  };
  Bits all(room_.spots.size());
  all.set();
  std::vector<Bits> left(switches_, all);
  Assignment spot_of(switches_, nowhere);
  const auto choose = [&] {
    std::uint32_t best = 0;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (std::uint32_t at = 0; at < switches_; ++at) {
      if (spot_of[at] != nowhere) continue;
      const std::size_t count =
          left[at].count() * 1000 + 999 - std::min<std::size_t>(neighbours_[at].size(), 999);
      if (count < fewest) {
        fewest = count;
        best = at;
      }
    }
    return best;
  };
  std::vector<Level> levels;
  const std::uint32_t first = choose();
  levels.push_back({first, left[first], left});
  for (std::uint64_t nodes = 0; !levels.empty();) {
    Level& level = levels.back();
    spot_of[level.at] = nowhere;
    left = level.before;
    const std::size_t spot = level.untried.find_first();
    if (spot == Bits::npos) {
      levels.pop_back();
      continue;
    }
    if (++nodes > max_nodes || is_set(stop_)) return {};
    level.untried.reset(spot);
    spot_of[level.at] = static_cast<std::uint32_t>(spot);
    if (!can_extend(level.at, spot_of, length)) continue;
    for (std::uint32_t other = 0; other < switches_; ++other)
      if (spot_of[other] == nowhere) left[other].reset(spot);
    for (const std::uint32_t other : neighbours_[level.at])
      if (spot_of[other] == nowhere) left[other] &= close[spot];
    if (levels.size() == switches_) return {spot_of, true};
    const std::uint32_t next = choose();
    if (left[next].any()) levels.push_back({next, left[next], left});
  }
  return {std::nullopt, true};
}

std::optional<Assignment> Reach::match(double length) const {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  Graph graph(switches_ + room_.spots.size());
  for (std::uint32_t at = 0; at < switches_; ++at)
    for (std::uint32_t spot = 0; spot < room_.spots.size(); ++spot)
      if (std::ranges::all_of(terminals_[at], [&](std::uint32_t terminal) {
            return distance(room_.terminals[terminal], room_.spots[spot]) <= length + slack;
          }))
        boost::add_edge(at, switches_ + spot, graph);
  std::vector<Graph::vertex_descriptor> mate(boost::num_vertices(graph));
  boost::edmonds_maximum_cardinality_matching(graph, mate.data());
  Assignment assignment;
  for (std::uint32_t at = 0; at < switches_; ++at) {
    if (mate[at] == Graph::null_vertex()) return std::nullopt;
    assignment.push_back(static_cast<std::uint32_t>(mate[at]) - switches_);
  }
  return assignment;
}

}  // namespace faultline::design
