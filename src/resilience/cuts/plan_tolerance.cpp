// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "base/binomial.h"
#include "resilience/cuts/tolerance.h"

namespace faultline::survival {
namespace {

constexpr std::uint64_t max_sets_of_plans = 200'000;

/// One component from each class that symmetries of network and routing map onto each other: every fault set
/// is equivalent to one that contains one of them.
std::vector<std::uint32_t> representatives(const Subject& subject) {
  const auto search = subject.relation->plan_search("word");
  std::map<std::vector<ChannelId>, std::uint32_t> first;
  for (std::uint32_t component = 0; component < subject.components.count(); ++component) {
    std::vector<ChannelId> channels;
    for (const ChannelId channel : subject.components.channels(component))
      channels.push_back(search->canonical(channel));
    std::ranges::sort(channels);
    first.emplace(std::move(channels), component);
  }
  std::vector<std::uint32_t> found;
  found.reserve(first.size());
  for (const auto& [channels, component] : first) found.push_back(component);
  return found;
}

/// Evaluates sets block by block and keeps the first that a routing could have tolerated but this one does
/// not.
class Trial {
 public:
  Trial(const Evaluator& evaluator, std::uint32_t faults) : evaluator_(evaluator.clone()) {
    block_.faults = faults;
  }

  /// False once such a set is found.
  bool add(const std::vector<std::uint32_t>& set) {
    block_.members.insert(block_.members.end(), set.begin(), set.end());
    return ++block_.lanes < evaluator_->lanes() || flush();
  }
  bool flush() {
    Verdicts verdicts;
    evaluator_->evaluate(block_, verdicts);
    for (std::uint32_t lane = 0; lane < block_.lanes; ++lane) {
      if (verdicts.disconnected[lane]) continue;
      leaves_connected_ = true;
      if (verdicts.lost_pairs[lane] == 0) continue;
      const auto set = block_.set(lane);
      witness_.assign(set.begin(), set.end());
      return false;
    }
    block_.members.clear();
    block_.lanes = 0;
    return true;
  }
  [[nodiscard]] const std::vector<Component>& witness() const { return witness_; }
  /// Some set does.
  [[nodiscard]] bool leaves_connected() const { return leaves_connected_; }

 private:
  std::unique_ptr<Evaluator> evaluator_;
  FaultBlock block_;
  std::vector<Component> witness_;
  bool leaves_connected_ = false;
};

/// Every set of `faults` that holds one of the representatives; false at the first that is not tolerated.
bool try_all(Trial& trial, const std::vector<std::uint32_t>& representatives, std::uint32_t components,
             std::uint32_t faults) {
  std::vector<std::uint32_t> set;
  const auto extend = [&](auto&& self, std::uint32_t from) -> bool {
    if (set.size() == faults) return trial.add(set);
    for (std::uint32_t next = from; next < components; ++next) {
      if (next == set.front()) continue;
      set.push_back(next);
      const bool goes_on = self(self, next + 1);
      set.pop_back();
      if (!goes_on) return false;
    }
    return true;
  };
  for (const std::uint32_t representative : representatives) {
    set.assign(1, representative);
    if (!extend(extend, 0)) return false;
  }
  return trial.flush();
}

}  // namespace

Tolerance tolerance_of_plans(const Subject& subject, const Evaluator& evaluator) {
  const auto count = static_cast<std::uint32_t>(subject.components.count());
  const std::vector<std::uint32_t> alike = representatives(subject);
  Tolerance tolerance{.if_connected = true};
  BigInteger left = max_sets_of_plans;
  for (std::uint32_t faults = 1; faults <= count; ++faults) {
    const BigInteger sets = alike.size() * binomial(count - 1, faults - 1);
    if (sets > left) {
      tolerance.exact = false;
      return tolerance;
    }
    left -= sets;
    Trial trial(evaluator, faults);
    if (!try_all(trial, alike, count, faults)) {
      tolerance.witness = trial.witness();
      tolerance.can_lose = true;
      return tolerance;
    }
    if (!trial.leaves_connected()) return tolerance;
    tolerance.faults = faults;
  }
  return tolerance;
}

}  // namespace faultline::survival
