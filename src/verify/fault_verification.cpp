// SPDX-License-Identifier: Apache-2.0
#include "faultline/verify/fault_verification.h"

#include <limits>
#include <numeric>

#include "base/combinations.h"
#include "base/quantiles.h"
#include "faultline/fault/sampler.h"
#include "faultline/routing/kind.h"

namespace faultline {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

class Sweep {
 public:
  Sweep(const TopologyPtr& topology, const FaultComponents& components, const FaultVerificationSpec& spec,
        const Progress& progress)
      : topology_(topology), components_(components), spec_(spec), progress_(progress) {
    for (std::uint32_t faults = 1; faults <= spec.max_faults; ++faults)
      total_ += choose_up_to(components.count(), faults, spec.max_sets);
    if (progress_) progress_("fault sets", done_, total_);
  }

  /// Until it is stopped.
  VerifiedFaults run(std::uint32_t faults) {
    VerifiedFaults result{.faults = faults};
    constexpr auto any_number = std::numeric_limits<std::uint64_t>::max();
    result.exhaustive = choose_up_to(components_.count(), faults, any_number) <= spec_.max_sets;
    try {
      judge_sets(result);
    } catch (const Stopped&) {
      is_stopped_ = true;
      if (result.sets == 0) return result;
    }
    result.disconnected_interval = interval(result.disconnected, result);
    result.not_deadlock_free_interval = interval(result.not_deadlock_free, result);
    return result;
  }
  [[nodiscard]] bool is_stopped() const { return is_stopped_; }

 private:
  void judge_sets(VerifiedFaults& result) {
    if (result.exhaustive) {
      std::vector<std::uint32_t> set(result.faults);
      std::iota(set.begin(), set.end(), 0U);
      do judge(set, result);
      while (next_combination(set, components_.count()));
    } else {
      const FaultSampler sampler(components_.count(), spec_.seed);
      while (result.sets < spec_.max_sets) judge(sampler.draw(result.faults, result.sets), result);
    }
  }

  void judge(const std::vector<std::uint32_t>& set, VerifiedFaults& result) {
    end_if_set(spec_.stop);
    const FaultSet dead = components_.fault_set(set);
    if (const RelationPtr relation = build(dead))
      count(*relation, dead, set, result);
    else
      note_not_built(set, result);
    ++result.sets;
    if (progress_) progress_("fault sets", ++done_, total_);
  }

  /// Null if the routing needs too many virtual channels. Whether it can be built at all, the caller knows
  /// from the network without faults.
  [[nodiscard]] RelationPtr build(const FaultSet& dead) const {
    try {
      return build_relation(topology_, Damage{dead, spec_.knowledge, spec_.source}, spec_.routing,
                            spec_.switching, SourceOffers::every_start);
    } catch (const TooFewVirtualChannels&) {
      return nullptr;
    }
  }

  void note_not_built(const std::vector<std::uint32_t>& set, VerifiedFaults& result) const {
    ++result.not_built;
    if (result.witness.empty()) result.witness = names(set);
    if (result.not_built_witness.empty()) result.not_built_witness = names(set);
  }

  void count(const RoutingRelation& relation, const FaultSet& dead, const std::vector<std::uint32_t>& set,
             VerifiedFaults& result) const {
    const Verdict verdict = verify(relation, dead,
                                   {.switching = spec_.switching,
                                    .source = spec_.source,
                                    .selection_commits = spec_.selection_commits,
                                    .takes_first = spec_.takes_first,
                                    .listed_pairs = 0,
                                    .listed_livelocks = spec_.list_livelocks ? no_limit : 0,
                                    .stop = spec_.stop});
    result.disconnected += verdict.connected() ? 0 : 1;
    result.cut_off += verdict.cut_off_pairs() == 0 ? 0 : 1;
    result.not_deadlock_free += verdict.deadlock_free ? 0 : 1;
    result.likely += verdict.connected() && verdict.pairs[PairClass::likely] != 0 ? 1 : 0;
    result.endless += verdict.livelock_free() ? 0 : 1;
    if (!verdict.positive() && result.witness.empty()) result.witness = names(set);
    if (!verdict.livelocks.empty()) result.livelocks.push_back({names(set), verdict.livelocks});
  }

  [[nodiscard]] std::vector<std::string> names(const std::vector<std::uint32_t>& set) const {
    std::vector<std::string> names;
    names.reserve(set.size());
    for (const std::uint32_t component : set) names.push_back(components_.name(component));
    return names;
  }

  /// Any of the sets without a verdict may be one of the `hits`.
  static Interval interval(std::uint64_t hits, const VerifiedFaults& result) {
    const std::uint64_t most = hits + result.not_built;
    if (!result.exhaustive)
      return {clopper_pearson(hits, result.sets).low, clopper_pearson(most, result.sets).high};
    const auto sets = static_cast<double>(result.sets);
    return {static_cast<double>(hits) / sets, static_cast<double>(most) / sets};
  }

  const TopologyPtr& topology_;
  const FaultComponents& components_;
  const FaultVerificationSpec& spec_;
  const Progress& progress_;
  std::uint64_t done_ = 0, total_ = 0;
  bool is_stopped_ = false;
};

}  // namespace

VerifiedFaultSets verify_fault_sets(const TopologyPtr& topology, const FaultComponents& components,
                                    const FaultVerificationSpec& spec, const Progress& progress) {
  FaultSet(components.topology()).require_of(*topology, "verify.components");
  if (spec.max_faults > components.count())
    throw Error("verify.all-faults-up-to", std::to_string(spec.max_faults),
                "must be at most the number of components, " + std::to_string(components.count()));
  if (spec.max_faults != 0 && spec.max_sets == 0) throw Error("verify.samples", "0", "must be at least 1");
  Sweep sweep(topology, components, spec, progress);
  VerifiedFaultSets verified;
  for (std::uint32_t faults = 1; faults <= spec.max_faults && !verified.interrupted; ++faults) {
    VerifiedFaults point = sweep.run(faults);
    verified.interrupted = sweep.is_stopped();
    // Drawn sets are a sample, however few; the first of all sets are none.
    if (!verified.interrupted || (!point.exhaustive && point.sets != 0))
      verified.points.push_back(std::move(point));
  }
  return verified;
}

}  // namespace faultline
