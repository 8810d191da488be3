// SPDX-License-Identifier: Apache-2.0
#include "faultline/design/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "design/reach.h"
#include "faultline/base/random.h"

namespace faultline {
namespace {

using design::Assignment;
using design::distance;
using design::Reach;

class Layouts {
 public:
  Layouts(const SwitchNetwork& network, const Attachments& attachments, const Room& room, StopFlag stop)
      : links_(network.links()),
        attachments_(attachments),
        room_(room),
        reach_(network.switches(), attachments, room, stop) {}

  [[nodiscard]] const Reach& reach() const { return reach_; }

  [[nodiscard]] Cables cables(const Assignment& spot_of) const {
    Cables cables;
    for (std::uint32_t terminal = 0; terminal < attachments_.size(); ++terminal) {
      const design::Home home = reach_.home(terminal, spot_of);
      cables.longest_terminal = std::max(cables.longest_terminal, home.longest);
      cables.total += home.total;
    }
    for (const auto& [a, b] : links_) {
      const double length = distance(room_.spots[spot_of[a]], room_.spots[spot_of[b]]);
      cables.longest_link = std::max(cables.longest_link, length);
      cables.total += length;
    }
    return cables;
  }

  /// Exchanges of two spots, full or empty, never for the worse.
  [[nodiscard]] Assignment improve(Assignment spot_of, const LayoutSpec& spec) const {
    const auto key = [](const Cables& cables) {
      return std::tuple(cables.longest_terminal, cables.longest_link, cables.total);
    };
    std::vector<std::uint32_t> holder(room_.spots.size(), none);
    for (std::uint32_t at = 0; at < spot_of.size(); ++at) holder[spot_of[at]] = at;
    auto best = key(cables(spot_of));
    RandomStream random(spec.seed, 2);
    const std::uint64_t effort = std::uint64_t{spec.steps} * 50;  // terminals examined
    const std::uint64_t steps = std::min<std::uint64_t>(spec.steps, effort / (attachments_.size() + 1));
    for (std::uint64_t step = 0; step < steps && !is_set(spec.stop); ++step) {
      const std::uint32_t at = random.next_below(static_cast<std::uint32_t>(spot_of.size()));
      const std::uint32_t from = spot_of[at];
      const std::uint32_t to = random.next_below(static_cast<std::uint32_t>(holder.size()));
      if (from == to) continue;
      const auto exchange = [&](std::uint32_t a, std::uint32_t b) {
        std::swap(holder[a], holder[b]);
        if (holder[a] != none) spot_of[holder[a]] = a;
        if (holder[b] != none) spot_of[holder[b]] = b;
      };
      exchange(from, to);
      if (const auto now = key(cables(spot_of)); now <= best)
        best = now;
      else
        exchange(from, to);
    }
    return spot_of;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links_;
  const Attachments& attachments_;
  const Room& room_;
  Reach reach_;
};

/// Orders the switches so that those that share terminals are close: breadth first over switches that share a
/// terminal, from the lowest that has no place yet.
Assignment folded(std::uint32_t switches, const Attachments& attachments) {
  std::vector<std::vector<std::uint32_t>> shares(switches);
  for (const auto& attached : attachments)
    for (const std::uint32_t a : attached)
      for (const std::uint32_t b : attached)
        if (a != b) shares[a].push_back(b);
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(switches);
  for (std::uint32_t start = 0; start < switches; ++start) {
    if (seen[start]) continue;
    seen[start] = true;
    order.push_back(start);
    for (std::size_t next = order.size() - 1; next < order.size(); ++next)
      for (const std::uint32_t other : shares[order[next]])
        if (!seen[other]) {
          seen[other] = true;
          order.push_back(other);
        }
  }
  Assignment spot_of(switches);
  for (std::uint32_t i = 0; i < switches; ++i) spot_of[order[i]] = i;
  return spot_of;
}

void check_room(const SwitchNetwork& network, const Attachments& attachments, const Room& room) {
  constexpr std::size_t max_spots = 2000;
  if (network.switches() > max_spots)
    throw Error("design.topology", fmt::format("{} switches", network.switches()),
                fmt::format("must have at most {} switches for a layout", max_spots));
  if (room.spots.size() < network.switches() || room.spots.size() > max_spots)
    throw Error(
        "design.room", std::to_string(room.spots.size()),
        fmt::format("must have from {} spots (one for each switch) to {}", network.switches(), max_spots));
  if (!room.terminals.empty() && room.terminals.size() != attachments.size())
    throw Error("design.room", std::to_string(room.terminals.size()),
                fmt::format("must be {} terminals, or none", attachments.size()));
  constexpr std::size_t max_lengths = 100'000'000;  // of 8 bytes each, all of them in memory
  if (room.terminals.size() * room.spots.size() > max_lengths)
    throw Error("design.room",
                fmt::format("{} terminals times {} spots", room.terminals.size(), room.spots.size()),
                fmt::format("must be at most {} cables to choose from: give fewer spots", max_lengths));
}

/// The shortest of `lengths` for which `holds` is true (it is then true for all longer ones), or their end.
template <class Holds>
std::vector<double>::const_iterator first_that(const std::vector<double>& lengths, Holds holds) {
  return std::partition_point(lengths.begin(), lengths.end(), [&](double length) { return !holds(length); });
}

}  // namespace

SwitchLayout lay_out(const SwitchNetwork& network, const Attachments& attachments, const Room& room,
                     const LayoutSpec& spec) {
  require_attachments(network, attachments);
  check_room(network, attachments, room);
  const Layouts layouts(network, attachments, room, spec.stop);
  const Reach& reach = layouts.reach();
  Assignment given(network.switches());
  std::iota(given.begin(), given.end(), 0U);
  SwitchLayout layout{.spot_of = {}, .terminals = {}, .before = layouts.cables(given), .after = {}};
  auto bound = first_that(reach.lengths(), [&](double length) { return reach.may_fit(length); });
  if (!room.terminals.empty()) {
    layout.spot_of =
        layouts.improve(reach.match(*bound).value_or(given), spec);  // none only if it was stopped
  } else {
    const Assignment near = folded(network.switches(), attachments);
    layout.spot_of = reach.longest(near) < reach.longest(given) ? near : given;
    layout.spot_of = layouts.improve(layout.spot_of, spec);
    // Searches for a shorter layout until one is found; if each search completes, there is none.
    constexpr double slack = 1e-9;
    bool proving = true;
    for (auto length = bound; !is_set(spec.stop) && *length < reach.longest(layout.spot_of) - slack;
         ++length) {
      const Reach::Search search = reach.search(*length, spec.max_nodes);
      if (search.found) {
        layout.spot_of = layouts.improve(*search.found, spec);
        break;
      }
      proving = proving && search.complete;
      if (proving) bound = length + 1;
    }
  }
  layout.bound = *bound;
  layout.after = layouts.cables(layout.spot_of);
  layout.bound = std::min(layout.bound, layout.after.longest_terminal);
  for (std::uint32_t terminal = 0; terminal < attachments.size(); ++terminal)
    layout.terminals.push_back(reach.home(terminal, layout.spot_of).spot);
  return layout;
}

}  // namespace faultline
