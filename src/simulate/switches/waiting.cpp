// SPDX-License-Identifier: Apache-2.0
#include "simulate/switches/waiting.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace faultline {
namespace {

/// Which of the waits never end.
class Search {
 public:
  explicit Search(const Waits& waits) : waits_(waits), waits_for_ever_(waits.size(), 1) {
    number_vcs();
    release_those_that_can_move();
    if (moving_.size() == waits.size()) return;
    list_waiters();
    while (!moving_.empty()) {
      const std::uint32_t moved = moving_.back();
      moving_.pop_back();
      for (std::uint32_t i = first_waiter_[moved]; i < first_waiter_[moved + 1]; ++i) release(waiters_[i]);
    }
  }

  /// None if all of them end.
  [[nodiscard]] std::vector<VcIndex> cycle() const {
    VcIndex next = no_vc;
    for (std::size_t i = 0; i < waits_.size(); ++i)
      if (waits_for_ever_[i] != 0) next = std::min(next, waits_[i].vc);
    if (next == no_vc) return {};
    std::vector<VcIndex> path;
    std::vector<bool> is_on_path(waits_.size());
    while (!is_on_path[number_of(next)]) {
      is_on_path[number_of(next)] = true;
      path.push_back(next);
      next = std::ranges::min(waits_[number_of(next)].for_any);
    }
    path.erase(path.begin(), std::ranges::find(path, next));
    return path;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void number_vcs() {
    VcIndex highest = 0;
    for (std::size_t i = 0; i < waits_.size(); ++i) highest = std::max(highest, waits_[i].vc);
    numbers_.assign(std::size_t{highest} + 1, none);
    for (std::uint32_t i = 0; i < waits_.size(); ++i) numbers_[waits_[i].vc] = i;
  }
  [[nodiscard]] std::uint32_t number_of(VcIndex vc) const {
    return vc < numbers_.size() ? numbers_[vc] : none;
  }

  void release(std::uint32_t number) {
    if (waits_for_ever_[number] == 0) return;
    waits_for_ever_[number] = 0;
    moving_.push_back(number);
  }
  void release_those_that_can_move() {
    for (std::uint32_t i = 0; i < waits_.size(); ++i)
      if (std::ranges::any_of(waits_[i].for_any, [&](VcIndex wanted) { return number_of(wanted) == none; }))
        release(i);
  }
  /// By wait: the other waits for it that have not been released.
  void list_waiters() {
    first_waiter_.assign(waits_.size() + 1, 0);
    const auto for_each_pair = [&](auto visit) {
      for (std::uint32_t i = 0; i < waits_.size(); ++i)
        if (waits_for_ever_[i] != 0)
          for (const VcIndex wanted : waits_[i].for_any) visit(i, numbers_[wanted]);
    };
    for_each_pair([&](std::uint32_t, std::uint32_t wanted) { ++first_waiter_[wanted]; });
    std::partial_sum(first_waiter_.begin(), first_waiter_.end(), first_waiter_.begin());
    waiters_.resize(first_waiter_.back());
    for_each_pair(
        [&](std::uint32_t waiter, std::uint32_t wanted) { waiters_[--first_waiter_[wanted]] = waiter; });
  }

  const Waits& waits_;
  std::vector<char> waits_for_ever_;
  std::vector<std::uint32_t> numbers_;  ///< by VC: of its wait
  std::vector<std::uint32_t> moving_;
  std::vector<std::uint32_t> first_waiter_, waiters_;
};

}  // namespace

std::vector<VcIndex> find_deadlock(const Waits& waits) { return Search(waits).cycle(); }

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
  Waits waits;
  for (VcIndex vc = 0; vc < vcs.size(); ++vc)
    if (const std::vector<VcIndex> others = waits_for(vcs, vc); !others.empty()) waits.add(vc, others);
  return find_deadlock(waits);
}

bool looks_for_deadlock(std::size_t bin, std::uint64_t delivered_in_bin) {
  return delivered_in_bin == 0 || std::has_single_bit(bin);
}

}  // namespace faultline
