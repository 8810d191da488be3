// SPDX-License-Identifier: Apache-2.0
#include "routing/backtracking.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace faultline {
namespace {

constexpr std::uint32_t hop_types = 4;

/// Whether a hop may follow another on the same virtual channel. A path changes groups by a hop that changes
/// a digit and then by one that keeps it if the channel is even, and the other way round if it is odd, as the
/// path of a head that goes back does.
bool ascends(Hop last, Hop next, std::uint32_t vc) {
  const auto rank = [&](Hop hop) {
    if (hop == Hop::up) return 0;
    if (hop == Hop::down) return 3;
    return (hop == Hop::cross_keeping) == (vc % 2 == 0) ? 2 : 1;
  };
  const bool runs_on = last == next && (last == Hop::up || last == Hop::down);
  return runs_on || rank(last) < rank(next);
}

}  // namespace

BacktrackingRelation::BacktrackingRelation(TopologyPtr topology, std::string_view who, std::uint32_t vcs)
    : MirroredTreeRelation(std::move(topology), who),
      vcs_(vcs),
      crossings_(learns() ? max_learned_crossings : max_crossings) {
  if (labels().has_middle)
    throw Error("routing", std::string(who),
                "needs topology mikant; a Clos tree has no second path between groups");
  max_hops_ = 2 * top() + crossings_;
  const auto times = [&](std::uint64_t factor) {
    if (tag_count_ > std::numeric_limits<std::uint64_t>::max() / factor)
      throw Error("routing", std::string(who),
                  fmt::format("keeps its path in 64 bits: k^{} must be below 2^40", max_hops_));
    tag_count_ *= factor;
  };
  for (std::uint32_t hop = 0; hop < max_hops_; ++hop) times(k());
  times(max_hops_ + 1);
  times(k() + 1);
  if (!learns()) return;
  times(top() + 1);
  times(vcs_);
  times(hop_types);
}

RelationPtr BacktrackingRelation::searched() const {
  if (learns()) return nullptr;
  return std::make_shared<const AllWaysForward>(shared_topology(), "go-back");
}

SearchHead BacktrackingRelation::unpack(Tag tag) const {
  SearchHead head;
  const auto take = [&](std::uint64_t base) {
    const auto part = static_cast<std::uint32_t>(tag % base);
    tag /= base;
    return part;
  };
  if (learns()) {
    head.last = static_cast<Hop>(take(hop_types));
    head.vc_class = take(vcs_);
    head.retreat = take(top() + 1);
  }
  head.tried = take(k() + 1);
  head.hops = take(max_hops_ + 1);
  head.replaced = tag;
  return head;
}

Tag BacktrackingRelation::pack(const SearchHead& head) const {
  const Tag path = (head.replaced * (max_hops_ + 1) + head.hops) * (k() + 1) + head.tried;
  if (!learns()) return path;
  return ((path * (top() + 1) + head.retreat) * vcs_ + head.vc_class) * hop_types +
         static_cast<Tag>(head.last);
}

void BacktrackingRelation::route(const RouteState& state, RouteOptions& options) const {
  const SearchHead head = unpack(state.tag);
  const std::size_t first = options.size();
  const bool up = goes_up(state.at, state.destination);
  const std::uint32_t level = labels().level(state.at);
  if (!up && level == 0) {
    options.push_back({.channel = down(state.at, state.destination), .vcs = 1U << head.vc_class});
    return;
  }
  const bool passes = head.retreat > 0 && level >= head.retreat;
  // Going down there is only one path: a head that comes back from it has tried it.
  if (!passes && (up || head.tried == 0)) go_forward(state, head, options);
  if (head.hops > 0) go_back(state, head, options);
  for (std::size_t i = first; i < options.size(); ++i) options[i].tier = static_cast<std::uint8_t>(i - first);
}

void BacktrackingRelation::go_forward(const RouteState& state, const SearchHead& head,
                                      RouteOptions& options) const {
  const StageDigits& digits = labels().digits;
  const std::uint32_t order = labels().order(state.at), level = labels().level(state.at);
  if (!goes_up(state.at, state.destination)) {
    offer(state.at, down(state.at, state.destination), head, after(head, digits.digit(order, level - 1)),
          options);
    return;
  }
  const SearchHead next = after(head, digits.digit(order, level));
  const std::uint32_t first = up_digit(state.at, state.destination);
  for (std::uint32_t way = head.tried; way < ways_up(state, head); ++way)
    offer(state.at, up(state.at, (first + way) % k()), head, next, options);
}

std::uint32_t BacktrackingRelation::ways_up(const RouteState& state, const SearchHead& head) const {
  if (labels().level(state.at) < top()) return k();
  const std::uint32_t crossed = head.hops - top();
  if (crossed == crossings_) return 0;
  const bool next_is_last = crossed > 0 || labels().group(state.at) != labels().group(state.destination);
  return learns() && next_is_last ? 1 : k();
}

void BacktrackingRelation::go_back(const RouteState& state, const SearchHead& head,
                                   RouteOptions& options) const {
  const std::uint32_t level = labels().level(state.at);
  const auto digit = static_cast<std::uint32_t>(head.replaced % k());
  SearchHead next{.hops = head.hops - 1,
                  .replaced = head.replaced / k(),
                  .tried = 1,
                  .retreat = retreat_from(state, head)};
  const bool came_up = head.hops == level;
  const bool crossed = level == top() && head.hops > top();
  if (came_up) next.tried = tried_before(state.at, state.destination, level - 1);
  if (crossed) next.tried = tried_before(state.at, state.destination, top());
  offer(state.at, came_up ? topology().outputs(state.at)[digit] : up(state.at, digit), head, next, options);
}

std::uint32_t BacktrackingRelation::retreat_from(const RouteState& state, const SearchHead& head) const {
  if (!learns()) return 0;
  const std::uint32_t level = labels().level(state.at);
  if (head.retreat > 0 && level >= head.retreat) return head.retreat;
  if (goes_up(state.at, state.destination)) return level;
  return std::max(level - 1, 1U);
}

void BacktrackingRelation::offer(SwitchId at, ChannelId channel, const SearchHead& from, SearchHead next,
                                 RouteOptions& options) const {
  if (learns()) {
    next.last = hop(at, topology().target(channel));
    next.vc_class = from.vc_class;
    // At its source a packet holds no network channel: no hop precedes its first one.
    const bool holds_none = from.hops == 0 && from.tried == 0;
    if (!holds_none && !ascends(from.last, next.last, from.vc_class)) ++next.vc_class;
    if (next.vc_class >= vcs_) return;
  }
  options.push_back({.channel = channel, .vcs = 1U << next.vc_class, .tag = pack(next)});
}

SearchHead BacktrackingRelation::after(const SearchHead& head, std::uint32_t replaced_digit) const {
  return {.hops = head.hops + 1, .replaced = head.replaced * k() + replaced_digit};
}

std::uint32_t BacktrackingRelation::tried_before(SwitchId at, TerminalId destination,
                                                 std::uint32_t position) const {
  const StageDigits& digits = labels().digits;
  const std::uint32_t taken = digits.digit(labels().order(at), position);
  const std::uint32_t wanted = digits.digit(labels().address(destination), position);
  return (taken + k() - wanted) % k() + 1;
}

Hop BacktrackingRelation::hop(SwitchId from, SwitchId to) const {
  if (labels().level(from) != labels().level(to))
    return labels().level(from) < labels().level(to) ? Hop::up : Hop::down;
  return labels().order(from) == labels().order(to) ? Hop::cross_keeping : Hop::cross_changing;
}

}  // namespace faultline
