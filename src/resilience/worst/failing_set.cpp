// SPDX-License-Identifier: Apache-2.0
#include "resilience/worst/failing_set.h"

#include <algorithm>

#include "faultline/fault/clusters.h"
#include "faultline/fault/living_network.h"
#include "resilience/evaluate/fault_sets.h"

namespace faultline::survival {
namespace {

using Set = std::vector<std::uint32_t>;

class Search {
 public:
  Search(const Evaluator& evaluator, const FaultComponents& components, const FailingSearch& search)
      : evaluator_(evaluator.clone()),
        components_(components),
        search_(search),
        count_(static_cast<std::uint32_t>(components.count())) {}

  SmallestFailing run() {
    if (count_ != 0) draw();
    while (!best_.empty() && best_.size() > 1 && !spent() && look_around()) {
    }
    SmallestFailing result{.components = {}, .tried = tried_, .patterns_tried = patterns_};
    std::ranges::sort(best_);
    for (const std::uint32_t component : best_) result.components.push_back(components_.name(component));
    return result;
  }

 private:
  static constexpr std::uint64_t sets_a_size = 4096;
  static constexpr std::uint32_t radius = 1, max_drawn = 24, max_replaced = 3;

  [[nodiscard]] bool spent() const { return tried_ >= search_.max_sets || is_set(search_.stop); }

  /// Half of the budget is for draws, small sets first; the other half for sets close to the best.
  void draw() {
    FaultSetSampler sampler(count_, search_.seed);
    FaultBlock block;
    const std::uint32_t most = std::min(count_, max_drawn);
    const Clusters clusters(components_, radius, most);
    for (std::uint64_t round = 0; tried_ < search_.max_sets / 2 && !spent(); ++round)
      for (std::uint32_t faults = 1; faults <= most && tried_ < search_.max_sets / 2; ++faults) {
        if (!best_.empty() && faults > best_.size() + 2) break;
        for (std::uint64_t set = 0; set < sets_a_size && !spent(); set += evaluator_->lanes()) {
          block.faults = faults;
          block.lanes = evaluator_->lanes();
          sampler.draw(block, round * sets_a_size + set, clusters);
          shrink_failing(block);
        }
      }
  }

  void shrink_failing(const FaultBlock& block) {
    const Verdicts verdicts = evaluate(block);
    for (std::uint32_t lane = 0; lane < block.lanes; ++lane)
      if (const auto members = block.set(lane); fails(verdicts, lane, members))
        shrink(Set(members.begin(), members.end()));
  }

  /// Removes components until each remaining one is needed.
  void shrink(Set set) {
    for (std::size_t i = 0; i < set.size() && !spent();) {
      Set smaller = set;
      smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(i));
      if (!smaller.empty() && fails(smaller))
        set = std::move(smaller);
      else
        ++i;
    }
    if (best_.empty() || set.size() < best_.size()) best_ = std::move(set);
  }

  /// True when a smaller one was found.
  bool look_around() {
    const Set pattern = best_;
    const Set near = neighbourhood(pattern);
    for (std::uint32_t replaced = 0; replaced <= max_replaced && !spent(); ++replaced) {
      if (replaced + 1 > pattern.size()) break;
      Set kept;
      if (choose(pattern, 0, pattern.size() - 1 - replaced, kept,
                 [&](Set& set) {
                   return choose(near, 0, replaced, set,
                                 [&](Set& whole) { return is_smaller_failing(whole); });
                 }) &&
          flush() && best_.size() == pattern.size())
        continue;
      if (best_.size() < pattern.size()) return true;
    }
    return false;
  }

  /// Components at a switch of the pattern that are not in the pattern.
  [[nodiscard]] Set neighbourhood(const Set& pattern) const {
    const Topology& topology = components_.topology();
    std::vector<bool> touched(topology.switch_count());
    const auto for_each_end = [&](std::uint32_t component, auto visit) {
      for (const ChannelId channel : components_.channels(component))
        for (const SwitchId end : {topology.source(channel), topology.target(channel)})
          if (end.valid()) visit(end);
    };
    for (const std::uint32_t component : pattern)
      for_each_end(component, [&](SwitchId end) { touched[end.index()] = true; });
    Set near;
    for (std::uint32_t component = 0; component < count_; ++component) {
      if (std::ranges::find(pattern, component) != pattern.end()) continue;
      bool touches = false;
      for_each_end(component, [&](SwitchId end) { touches = touches || touched[end.index()]; });
      if (touches) near.push_back(component);
    }
    return near;
  }

  /// Calls `visit` with every choice of `size` of `from` appended to `set`, while it returns true.
  template <class Visit>
  static bool choose(const Set& from, std::size_t begin, std::size_t size, Set& set, Visit visit) {
    if (size == 0) return visit(set);
    for (std::size_t i = begin; i + size <= from.size(); ++i) {
      set.push_back(from[i]);
      const bool goes_on = choose(from, i + 1, size - 1, set, visit);
      set.pop_back();
      if (!goes_on) return false;
    }
    return true;
  }

  /// Collects a block at a time; false once the search is to end.
  bool is_smaller_failing(const Set& set) {
    waiting_.faults = static_cast<std::uint32_t>(set.size());
    waiting_.members.insert(waiting_.members.end(), set.begin(), set.end());
    ++patterns_;
    return ++waiting_.lanes < evaluator_->lanes() || flush();
  }
  bool flush() {
    const FaultBlock block = std::move(waiting_);
    waiting_ = {};
    if (block.lanes == 0) return true;
    const std::size_t before = best_.size();
    shrink_failing(block);
    return best_.size() == before && !spent();
  }

  Verdicts evaluate(const FaultBlock& block) {
    Verdicts verdicts;
    evaluator_->evaluate(block, verdicts);
    tried_ += block.lanes;
    return verdicts;
  }
  bool fails(const Verdicts& verdicts, std::uint32_t lane, std::span<const std::uint32_t> set) {
    if (verdicts.lost_pairs[lane] == 0) return false;
    if (!verdicts.disconnected.empty()) return !verdicts.disconnected[lane];
    const FaultSet dead = components_.fault_set(set);
    return LivingNetwork(components_.topology(), dead).connects_all();
  }
  bool fails(const Set& set) {
    return fails(evaluate({static_cast<std::uint32_t>(set.size()), 1, set}), 0, set);
  }

  std::unique_ptr<Evaluator> evaluator_;
  const FaultComponents& components_;
  const FailingSearch& search_;
  std::uint32_t count_;
  std::uint64_t tried_ = 0, patterns_ = 0;
  Set best_;
  FaultBlock waiting_;
};

}  // namespace

SmallestFailing smallest_failing(const Evaluator& evaluator, const FaultComponents& components,
                                 const FailingSearch& search) {
  return Search(evaluator, components, search).run();
}

}  // namespace faultline::survival
