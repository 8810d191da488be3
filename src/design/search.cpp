// SPDX-License-Identifier: Apache-2.0
#include "design/search.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "base/combinations.h"
#include "faultline/base/random.h"
#include "faultline/resilience/loss.h"

namespace faultline::design {
namespace {

using survival::FailedPart;
using survival::SwitchGraph;
using Set = std::vector<std::uint32_t>;

SwitchGraph plain(const SwitchNetwork& network, const Attachments& attachments) {
  SwitchGraph result{.switches = network.switches(), .links = {}, .terminals = {}};
  for (const auto& [a, b] : network.links()) result.links.push_back({a, b});
  auto next = static_cast<std::uint32_t>(result.links.size());
  for (const auto& attached : attachments) {
    auto& here = result.terminals.emplace_back();
    for (const std::uint32_t at : attached) here.push_back({at, next++});
    std::ranges::sort(here);
  }
  return result;
}

/// In the order of FaultComponents: links, then switches.
std::vector<FailedPart> failed_parts_of(const SwitchGraph& network, FaultUnits units) {
  std::vector<FailedPart> all;
  if (units.contains(FaultUnit::link)) {
    for (std::uint32_t link = 0; link < network.links.size(); ++link)
      all.push_back({FailedPart::What::network_link, link, 0});
    std::vector<FailedPart> terminal_links;
    for (std::uint32_t terminal = 0; terminal < network.terminals.size(); ++terminal)
      for (const auto& attachment : network.terminals[terminal])
        terminal_links.push_back({FailedPart::What::terminal_link, attachment.link, terminal});
    std::ranges::sort(terminal_links, {}, &FailedPart::index);
    all.insert(all.end(), terminal_links.begin(), terminal_links.end());
  }
  if (units.contains(FaultUnit::switch_))
    for (std::uint32_t at = 0; at < network.switches; ++at)
      all.push_back({FailedPart::What::at_switch, at, 0});
  return all;
}

/// One attachment, and the losses under each fault set.
class Trial {
 public:
  Trial(const SwitchNetwork& network, const Attachments& attachments, FaultUnits units)
      : network_(plain(network, attachments)),
        failed_parts_(failed_parts_of(network_, units)),
        counter_(network_, failed_parts_) {}

  [[nodiscard]] std::uint32_t lost(const Set& set) { return counter_.loss(set).terminals; }

  /// visit(set, lost) until it returns false; false then.
  template <class Visit>
  bool for_each(std::uint32_t faults, Visit visit) {
    Set set(faults);
    for (std::uint32_t i = 0; i < faults; ++i) set[i] = i;
    do
      if (!visit(set, lost(set))) return false;
    while (next_combination(set, failed_parts_.size()));
    return true;
  }

 private:
  SwitchGraph network_;
  std::vector<FailedPart> failed_parts_;
  survival::LossCounter counter_;
};

/// Evaluates attachments over all fault sets, giving up as soon as they are worse than the best known.
class Judge {
 public:
  Judge(const SwitchNetwork& network, const SearchSpec& spec) : network_(network), spec_(spec) {}

  /// From now on, fewer faults may not lose more than they do here.
  void keep_worst_cases(const Attachments& attachments) {
    ceilings_.clear();
    for (std::uint32_t faults = 1; faults < spec_.faults; ++faults) {
      std::uint32_t worst = 0;
      Trial trial(network_, attachments, spec_.units);
      trial.for_each(faults, [&](const Set&, std::uint32_t lost) {
        worst = std::max(worst, lost);
        return true;
      });
      ceilings_.push_back(worst);
    }
  }

  /// Nothing where the objective is greater than `limit`.
  std::optional<Objective> judge(const Attachments& attachments, const std::optional<Objective>& limit) {
    Trial trial(network_, attachments, spec_.units);
    // Sets that ruled out other attachments are tried first.
    for (const Set& set : harmful_)
      if (limit && trial.lost(set) > limit->worst) return std::nullopt;
    Objective sum;
    const bool stays = trial.for_each(spec_.faults, [&](const Set& set, std::uint32_t lost) {
      if (limit && lost > limit->worst) {
        remember(set);
        return false;
      }
      if (lost > sum.worst) sum = {lost, 0, sum.lost};
      if (lost == sum.worst) ++sum.worst_sets;
      sum.lost += lost;
      return !(limit && sum.worst == limit->worst && sum.worst_sets > limit->worst_sets);
    });
    if (!stays || (limit && *limit < sum)) return std::nullopt;
    for (std::uint32_t faults = 1; faults <= ceilings_.size(); ++faults) {
      const std::uint32_t ceiling = ceilings_[faults - 1];
      if (!trial.for_each(faults, [&](const Set&, std::uint32_t lost) { return lost <= ceiling; }))
        return std::nullopt;
    }
    return sum;
  }

 private:
  void remember(const Set& set) {
    constexpr std::size_t most = 32;
    harmful_.push_front(set);
    if (harmful_.size() > most) harmful_.pop_back();
  }

  const SwitchNetwork& network_;
  const SearchSpec& spec_;
  std::deque<Set> harmful_;
  std::vector<std::uint32_t> ceilings_;  ///< by number of faults, from 1
};

/// Exchanges a switch of one terminal with one of another; false where one would be attached twice.
bool exchange(Attachments& attachments, RandomStream& random) {
  const auto terminals = static_cast<std::uint32_t>(attachments.size());
  auto& one = attachments[random.next_below(terminals)];
  auto& other = attachments[random.next_below(terminals)];
  std::uint32_t& here = one[random.next_below(static_cast<std::uint32_t>(one.size()))];
  std::uint32_t& there = other[random.next_below(static_cast<std::uint32_t>(other.size()))];
  if (here == there || std::ranges::count(one, there) != 0 || std::ranges::count(other, here) != 0)
    return false;
  std::swap(here, there);
  return true;
}

}  // namespace

Found improve(const SwitchNetwork& network, Attachments attachments, const SearchSpec& spec) {
  Judge judge(network, spec);
  const Objective before = *judge.judge(attachments, std::nullopt);
  judge.keep_worst_cases(attachments);
  Found found{std::move(attachments), before, before};
  RandomStream random(spec.seed, 1);
  for (std::uint32_t step = 0; step < spec.steps && !is_set(spec.stop); ++step) {
    // Equal objectives are accepted: the search walks along plateaus.
    Attachments changed = found.attachments;
    bool any = false;
    for (std::uint32_t swaps = 1 + random.next_below(2); swaps > 0; --swaps)
      any = exchange(changed, random) || any;
    if (!any) continue;
    if (const auto objective = judge.judge(changed, found.after)) {
      found.attachments = std::move(changed);
      found.after = *objective;
    }
  }
  return found;
}

}  // namespace faultline::design
