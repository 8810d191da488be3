// SPDX-License-Identifier: Apache-2.0
#include "simulate/switches/waiting.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace faultline {
namespace {

using Indices = std::unordered_map<VcIndex, std::size_t>;

/// Whether each of `waiting` waits for ever.
std::vector<bool> stuck_for_ever(const std::vector<Waiting>& waiting, const Indices& index_of) {
  std::vector<bool> stuck(waiting.size(), true);
  std::vector<std::vector<std::size_t>> waiters(waiting.size());
  std::vector<std::size_t> moving;
  const auto release = [&](std::size_t index) {
    if (!stuck[index]) return;
    stuck[index] = false;
    moving.push_back(index);
  };
  for (std::size_t index = 0; index < waiting.size(); ++index)
    for (const VcIndex wanted : waiting[index].for_any) {
      const auto found = index_of.find(wanted);
      if (found == index_of.end())
        release(index);
      else
        waiters[found->second].push_back(index);
    }
  while (!moving.empty()) {
    const std::size_t moved = moving.back();
    moving.pop_back();
    for (const std::size_t waiter : waiters[moved]) release(waiter);
  }
  return stuck;
}

}  // namespace

std::vector<VcIndex> find_deadlock(const std::vector<Waiting>& waiting) {
  Indices index_of;
  for (std::size_t index = 0; index < waiting.size(); ++index) index_of.emplace(waiting[index].vc, index);
  const std::vector<bool> stuck = stuck_for_ever(waiting, index_of);
  const auto first = std::ranges::find(stuck, true);
  if (first == stuck.end()) return {};
  std::vector<VcIndex> path;
  VcIndex next = waiting[static_cast<std::size_t>(first - stuck.begin())].vc;
  while (std::ranges::find(path, next) == path.end()) {
    path.push_back(next);
    next = std::ranges::min(waiting[index_of.at(next)].for_any);
  }
  path.erase(path.begin(), std::ranges::find(path, next));
  return path;
}

namespace {

/// What has to move before `output` can be allocated: its own buffer, if that keeps its holder from moving.
VcIndex obstacle(const std::vector<VcState>& vcs, VcIndex output) {
  const VcIndex holder = vcs[output].holder;
  return holder == no_vc || (!vcs[holder].empty && vcs[output].full) ? output : holder;
}

/// What a VC waits for; nobody: it moves. One without flits whose packet is still arriving waits for that
/// packet.
std::vector<VcIndex> waits_for(const std::vector<VcState>& vcs, VcIndex vc) {
  const VcState& state = vcs[vc];
  std::vector<VcIndex> others;
  switch (state.front) {
    case VcState::Front::none:
      break;
    case VcState::Front::waiting:
      for (const VcIndex output : state.wants) {
        if (vcs[output].free) return {};
        others.push_back(obstacle(vcs, output));
      }
      break;
    case VcState::Front::active:
      if (state.empty && state.holder != no_vc) others.push_back(state.holder);
      if (!state.empty && vcs[state.output].full) others.push_back(state.output);
      break;
  }
  return others;
}

}  // namespace

std::vector<VcIndex> find_deadlock(const std::vector<VcState>& vcs) {
  std::vector<Waiting> waiting;
  for (VcIndex vc = 0; vc < vcs.size(); ++vc)
    if (std::vector<VcIndex> others = waits_for(vcs, vc); !others.empty())
      waiting.push_back({vc, std::move(others)});
  return find_deadlock(waiting);
}

bool looks_for_deadlock(std::size_t bin, std::uint64_t delivered_in_bin) {
  return delivered_in_bin == 0 || std::has_single_bit(bin);
}

}  // namespace faultline
