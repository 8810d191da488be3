// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "simulate/cut_through/model.h"

namespace faultline::cut_through {
namespace {

using WaitsFor = std::map<ChannelId, std::vector<ChannelId>>;

void remove_those_that_will_move(WaitsFor& waits) {
  const auto will_move = [&](const auto& entry) {
    return std::ranges::any_of(entry.second, [&](ChannelId wanted) { return !waits.contains(wanted); });
  };
  while (std::erase_if(waits, will_move) != 0) {
  }
}

}  // namespace

std::vector<ChannelId> find_deadlock(std::span<const Blocked> blocked) {
  WaitsFor waits;
  for (const Blocked& head : blocked) waits.emplace(head.held, head.wants);
  remove_those_that_will_move(waits);
  if (waits.empty()) return {};
  std::vector<ChannelId> path;
  ChannelId next = waits.begin()->first;
  while (std::ranges::find(path, next) == path.end()) {
    path.push_back(next);
    next = std::ranges::min(waits.at(next));
  }
  path.erase(path.begin(), std::ranges::find(path, next));
  return path;
}

}  // namespace faultline::cut_through
