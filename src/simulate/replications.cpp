// SPDX-License-Identifier: Apache-2.0
#include "faultline/simulate/replications.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>

#include "base/mean.h"
#include "base/sort_unique.h"
#include "base/start_threads.h"
#include "faultline/base/random.h"
#include "faultline/simulate/statistics.h"
#include "simulate/measurement/measurement.h"

namespace faultline {
namespace {

using Run = Replications::Run;

template <class Value>
std::vector<double> values_of(const std::vector<Run>& runs, Value value) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const Run& run : runs) values.push_back(value(run.result));
  return values;
}

template <class Value>
double mean_over(const std::vector<Run>& runs, Value value) {
  return mean_of(values_of(runs, value));
}

void add_counts(SimulationResult& sum, const SimulationResult& run) {
  sum.generated += run.generated;
  sum.delivered += run.delivered;
  sum.in_flight += run.in_flight;
  for (const auto& [reason, packets] : run.dropped) sum.dropped[reason] += packets;
  sum.cycles += run.cycles;
  sum.warmup_cycles += run.warmup_cycles;
  sum.sent_again += run.sent_again;
  if (run.control) {
    if (!sum.control) sum.control.emplace();
    sum.control->add(*run.control);
  }
  sum.packet_hops += run.packet_hops;
  sum.flit_hops += run.flit_hops;
  sum.seconds += run.seconds;
  sum.silent_cycles = std::max(sum.silent_cycles, run.silent_cycles);
  sum.starvation.longest_source_wait =
      std::max(sum.starvation.longest_source_wait, run.starvation.longest_source_wait);
  sum.starvation.sources.insert(sum.starvation.sources.end(), run.starvation.sources.begin(),
                                run.starvation.sources.end());
  sum.cut_off.insert(sum.cut_off.end(), run.cut_off.begin(), run.cut_off.end());
  if (sum.deadlock || !run.deadlock) return;
  sum.deadlock = true;
  sum.deadlock_cycle = run.deadlock_cycle;
  sum.deadlock_packets = run.deadlock_packets;
}

/// Runs that a stop rule ended have different lengths: averaged over the bins that all of them have.
std::vector<ThroughputBin> mean_throughput(const std::vector<Run>& runs) {
  std::vector<ThroughputBin> mean = runs.front().result.throughput;
  const auto same = [](const ThroughputBin& a, const ThroughputBin& b) {
    return a.from == b.from && a.until == b.until;
  };
  for (const Run& run : runs)
    mean.erase(std::ranges::mismatch(mean, run.result.throughput, same).in1, mean.end());
  for (std::size_t i = 0; i < mean.size(); ++i)
    mean[i].accepted =
        mean_over(runs, [&](const SimulationResult& run) { return run.throughput[i].accepted; });
  return mean;
}

/// Of runs that measured packets.
LatencySummary latency_over(const std::vector<Run>& runs) {
  const auto mean = [](const SimulationResult& run) { return run.latency.mean; };
  LatencySummary all{
      .mean = mean_over(runs, mean),
      .interval = at_least_zero(t_interval(values_of(runs, mean))),
      .p50 = mean_over(runs, [](const SimulationResult& run) { return run.latency.p50; }),
      .p99 = mean_over(runs, [](const SimulationResult& run) { return run.latency.p99; }),
      .network_mean = mean_over(runs, [](const SimulationResult& run) { return run.latency.network_mean; })};
  for (const Run& run : runs) all.packets += run.result.latency.packets;
  return all;
}

/// What a run's length says of its own intervals does not hold for those over runs. Runs differ in numbers:
/// the notes are those of the first run that has any.
std::vector<std::string> notes_of(const std::vector<Run>& runs) {
  std::vector<std::string> notes;
  for (const Run& run : runs) {
    notes = run.result.notes;
    if (!notes.empty()) break;
  }
  const auto unmeasured =
      std::ranges::count_if(runs, [](const Run& run) { return run.result.latency.packets == 0; });
  if (unmeasured != 0)
    notes.push_back(fmt::format("{} of {} runs measured no packet: make them longer, or the load higher",
                                unmeasured, runs.size()));
  return notes;
}

/// Whether sources generate more than the network delivers. Growth that is within the scatter of one run may
/// be significant over several.
bool falls_behind(const std::vector<Run>& runs) {
  const auto loses = [](const Run& run) {
    return !run.result.dropped.empty() || !run.result.cut_off.empty() || run.result.deadlock;
  };
  if (std::ranges::any_of(runs, loses)) return false;
  const auto kept_back = [](const SimulationResult& run) { return run.offered - run.accepted; };
  return t_interval(values_of(runs, kept_back)).low > 0 &&
         mean_over(runs, kept_back) >
             least_queue_growth * mean_over(runs, [](const SimulationResult& run) { return run.offered; });
}

/// Why runs are too short, if they are. What a run says of its own interval does not matter for that over
/// runs. But where nearly all are too short, the empty network in which they begin biases their means in the
/// same direction, and more runs only narrow the interval around a wrong mean. The interval over a few runs
/// is wide enough.
std::optional<std::string> too_short(const std::vector<Run>& runs) {
  constexpr double nearly_all = 0.9;
  constexpr std::size_t few_runs = 10;
  if (falls_behind(runs))
    return fmt::format(
        "too short: more is offered than accepted in the {} runs together; run more cycles to see "
        "whether the network is saturated",
        runs.size());
  const auto alone = std::ranges::count_if(runs, [](const Run& run) { return run.result.too_short; });
  if (runs.size() < few_runs || static_cast<double>(alone) < nearly_all * static_cast<double>(runs.size()))
    return {};
  return fmt::format(
      "too short: {} of {} runs are too short on their own, and may all miss the mean of longer ones in the "
      "same direction; run more cycles",
      alone, runs.size());
}

SimulationResult combine(const std::vector<Run>& runs) {
  if (runs.size() == 1) return runs.front().result;
  const auto accepted = [](const SimulationResult& run) { return run.accepted; };
  SimulationResult all;
  for (const Run& run : runs) add_counts(all, run.result);
  sort_unique(all.starvation.sources);
  sort_unique(all.cut_off);
  all.offered = mean_over(runs, [](const SimulationResult& run) { return run.offered; });
  all.accepted = mean_over(runs, accepted);
  all.accepted_interval = at_least_zero(t_interval(values_of(runs, accepted)));
  all.saturated =
      mean_over(runs, [](const SimulationResult& run) { return run.saturated ? 1.0 : 0.0; }) > 0.5;
  std::vector<Run> measured = runs;
  std::erase_if(measured, [](const Run& run) { return run.result.latency.packets == 0; });
  if (!measured.empty()) {
    all.latency = latency_over(measured);
    all.hops_mean = mean_over(measured, [](const SimulationResult& run) { return run.hops_mean; });
  }
  all.notes = notes_of(runs);
  if (const auto note = all.saturated ? std::nullopt : too_short(runs)) {
    all.too_short = true;
    all.note_on_length = *note;
  }
  all.throughput = mean_throughput(runs);
  all.engine = runs.front().result.engine;
  return all;
}

/// Takes the next run until none is left. The first failure ends all.
class Workers {
 public:
  Workers(std::vector<Run>& runs, const Progress& progress) : runs_(runs), progress_(progress) {}

  void run(std::uint32_t threads, const std::function<SimulationResult(std::uint64_t seed)>& one) {
    {
      const auto helpers = start_up_to(std::max(threads, 1U) - 1, [&] { work(one); });
      work(one);
    }
    if (failure_) std::rethrow_exception(failure_);
  }

  /// Of all runs together.
  [[nodiscard]] const std::vector<std::uint64_t>& channel_flits() const { return channel_flits_; }

 private:
  void work(const std::function<SimulationResult(std::uint64_t seed)>& one) {
    for (std::size_t i = next_++; i < runs_.size(); i = next_++) {
      try {
        runs_[i].result = one(runs_[i].seed);
        add_channel_flits(runs_[i].result.channel_flits);
        if (progress_) progress_("runs", ++done_, runs_.size());
      } catch (...) {
        const std::scoped_lock lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        next_ = runs_.size();
      }
    }
  }

  /// Only the sum is needed; per run they would take most of the memory.
  void add_channel_flits(std::vector<std::uint64_t>& flits) {
    const std::scoped_lock lock(mutex_);
    channel_flits_.resize(flits.size());
    for (std::size_t i = 0; i < flits.size(); ++i) channel_flits_[i] += flits[i];
    flits = {};
  }

  std::vector<Run>& runs_;
  const Progress& progress_;
  std::atomic<std::size_t> next_ = 0, done_ = 0;
  std::mutex mutex_;
  std::vector<std::uint64_t> channel_flits_;
  std::exception_ptr failure_;
};

}  // namespace

std::uint64_t replication_seed(std::uint64_t seed, std::uint32_t number) {
  constexpr std::uint64_t stream = 0x7265706c6963;  // "replic"
  return number == 0 ? seed : mix(seed, stream, number);
}

Replications replicate(const RoutingRelation& relation, const TrafficPattern& pattern,
                       const SimulationSpec& spec, std::uint32_t count, std::uint32_t threads,
                       const Progress& progress) {
  Replications all;
  all.runs.resize(std::max(count, 1U));
  for (std::uint32_t i = 0; i < all.runs.size(); ++i) all.runs[i].seed = replication_seed(spec.seed, i);
  const bool alone = all.runs.size() == 1;
  const Progress none;
  Workers workers(all.runs, alone ? none : progress);
  workers.run(std::min(threads, std::max(count, 1U)), [&](std::uint64_t seed) {
    SimulationSpec one = spec;
    one.seed = seed;
    return simulate(relation, pattern, one, alone ? progress : Progress{});
  });
  all.combined = combine(all.runs);
  all.combined.channel_flits = workers.channel_flits();
  return all;
}

}  // namespace faultline
