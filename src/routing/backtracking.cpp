// SPDX-License-Identifier: Apache-2.0
#include "routing/backtracking.h"

#include <fmt/format.h>

#include <limits>

namespace faultline {

BacktrackingRelation::BacktrackingRelation(TopologyPtr topology, std::string_view who, std::uint32_t classes)
    : MirroredTreeRelation(std::move(topology), who), classes_(classes) {
  if (labels().has_middle)
    throw Error("routing", std::string(who),
                "needs topology mikant; a Clos tree has no second way between groups");
  most_hops_ = 2 * top() + most_crossings;
  const auto times = [&](std::uint64_t factor) {
    if (tag_count_ > std::numeric_limits<std::uint64_t>::max() / factor)
      throw Error("routing", std::string(who),
                  fmt::format("keeps its path in 64 bits: k^{} must be below 2^48", most_hops_));
    tag_count_ *= factor;
  };
  for (std::uint32_t hop = 0; hop < most_hops_; ++hop) times(k());
  times(most_hops_ + 1);
  times(k() + 1);
  times(classes_);
}

SearchHead BacktrackingRelation::unpack(Tag tag) const {
  SearchHead head;
  const auto take = [&](std::uint64_t base) {
    const auto part = static_cast<std::uint32_t>(tag % base);
    tag /= base;
    return part;
  };
  head.vc_class = take(classes_);
  head.tried = take(k() + 1);
  head.hops = take(most_hops_ + 1);
  head.replaced = tag;
  return head;
}

Tag BacktrackingRelation::pack(const SearchHead& head) const {
  return ((head.replaced * (most_hops_ + 1) + head.hops) * (k() + 1) + head.tried) * classes_ + head.vc_class;
}

void BacktrackingRelation::route(const RouteState& state, RouteOptions& options) const {
  const SearchHead head = unpack(state.tag);
  const std::size_t first = options.size();
  const bool up = goes_up(state.at, state.destination);
  if (!up && labels().level(state.at) == 0) {
    options.push_back({.channel = down(state.at, state.destination)});
    return;
  }
  // Going down there is one way: who comes back from it has tried it.
  if (up || head.tried == 0) go_forward(state, head, options);
  if (head.hops > 0) go_back(state, head, options);
  for (std::size_t i = first; i < options.size(); ++i) options[i].tier = static_cast<std::uint8_t>(i - first);
}

void BacktrackingRelation::go_forward(const RouteState& state, const SearchHead& head,
                                      RouteOptions& options) const {
  const StageDigits& digits = labels().digits;
  const std::uint32_t order = labels().order(state.at), level = labels().level(state.at);
  if (!goes_up(state.at, state.destination)) {
    offer(down(state.at, state.destination), after(head, digits.digit(order, level - 1)), options);
    return;
  }
  const std::uint32_t crossings = level == top() ? head.hops - top() : 0;
  if (crossings == most_crossings) return;
  SearchHead next = after(head, digits.digit(order, level));
  next.vc_class += head.tried > 0 || crossings > 0 ? 1 : 0;
  const std::uint32_t first = up_digit(state.at, state.destination);
  for (std::uint32_t way = head.tried; way < k(); ++way)
    offer(up(state.at, (first + way) % k()), next, options);
}

void BacktrackingRelation::go_back(const RouteState& state, const SearchHead& head,
                                   RouteOptions& options) const {
  const std::uint32_t level = labels().level(state.at);
  const auto digit = static_cast<std::uint32_t>(head.replaced % k());
  SearchHead next{
      .hops = head.hops - 1, .replaced = head.replaced / k(), .tried = 1, .vc_class = head.vc_class};
  const bool came_up = head.hops == level;
  const bool crossed = level == top() && head.hops > top();
  if (came_up) next.tried = tried_before(state.at, state.destination, level - 1);
  if (crossed) next.tried = tried_before(state.at, state.destination, top());
  // A second change of groups on the way back: one that goes up here has come back over the first.
  const bool crosses_again = crossed && goes_up(state.at, state.destination);
  next.vc_class += head.tried == 0 || crosses_again ? 1 : 0;
  offer(came_up ? topology().outputs(state.at)[digit] : up(state.at, digit), next, options);
}

void BacktrackingRelation::offer(ChannelId channel, SearchHead head, RouteOptions& options) const {
  if (classes_ == 1)
    head.vc_class = 0;
  else if (head.vc_class >= classes_)
    return;
  options.push_back({.channel = channel, .vcs = 1U << head.vc_class, .tag = pack(head)});
}

SearchHead BacktrackingRelation::after(const SearchHead& head, std::uint32_t replaced_digit) const {
  return {.hops = head.hops + 1,
          .replaced = head.replaced * k() + replaced_digit,
          .tried = 0,
          .vc_class = head.vc_class};
}

std::uint32_t BacktrackingRelation::tried_before(SwitchId at, TerminalId destination,
                                                 std::uint32_t position) const {
  const StageDigits& digits = labels().digits;
  const std::uint32_t taken = digits.digit(labels().order(at), position);
  const std::uint32_t wanted = digits.digit(labels().address(destination), position);
  return (taken + k() - wanted) % k() + 1;
}

}  // namespace faultline
