// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

#include "faultline/study/study.h"
#include "faultline/topology/kind.h"

namespace faultline {
namespace {

/// Topologies in use, each built once while some case holds it.
class TopologyCache {
 public:
  TopologyPtr get(const Description& description) {
    const std::scoped_lock lock(mutex_);
    std::weak_ptr<const Topology>& entry = built_[to_compact(description)];
    TopologyPtr topology = entry.lock();
    if (!topology) entry = topology = build_topology(description);
    return topology;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const Topology>> built_;
};

class StudyRun {
 public:
  StudyRun(const Study& study, ResultsStore& store, const StudySettings& settings)
      : study_(study), store_(store), settings_(settings) {
    outcome_.total = study.cases.size();
    for (const Case& one : study.cases)
      if (store.contains(case_hash(one)))
        ++outcome_.already_there;
      else
        missing_.push_back(&one);
  }

  StudyOutcome run() && {
    const std::size_t jobs =
        std::clamp<std::size_t>(settings_.jobs, 1, std::max<std::size_t>(missing_.size(), 1));
    std::vector<std::jthread> workers;
    for (std::size_t job = 1; job < jobs; ++job) workers.emplace_back([this] { work(); });
    work();
    workers.clear();
    if (failure_) std::rethrow_exception(failure_);
    return std::move(outcome_);
  }

 private:
  void work() {
    for (std::size_t i = next_++; i < missing_.size() && !stopped(); i = next_++) {
      try {
        run_one(*missing_[i]);
      } catch (...) {  // the store failed: nothing more can be kept
        const std::scoped_lock lock(mutex_);
        failure_ = std::current_exception();
      }
    }
  }

  [[nodiscard]] bool stopped() {
    if (is_set(settings_.stop)) return true;
    const std::scoped_lock lock(mutex_);
    return failure_ != nullptr;
  }

  void run_one(const Case& one) {
    std::string failure;
    try {
      const auto record =
          run_to_record(one, topologies_.get(one.topology), study_.title, {.stop = settings_.stop});
      if (!record) return;
      store_.put(*record);
    } catch (const Error& error) {
      if (error.parts().field == "results") throw;
      failure = fmt::format("{} {}: {}", one.options.kind, to_compact(one.topology), error.what());
    }
    const std::scoped_lock lock(mutex_);
    if (failure.empty())
      ++outcome_.computed;
    else
      outcome_.failures.push_back(failure);
    if (settings_.finished)
      settings_.finished(outcome_.computed + outcome_.failures.size(), missing_.size(), one);
  }

  const Study& study_;
  ResultsStore& store_;
  const StudySettings& settings_;
  TopologyCache topologies_;
  std::vector<const Case*> missing_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  // guards what follows
  StudyOutcome outcome_;
  std::exception_ptr failure_;
};

}  // namespace

StudyOutcome run_study(const Study& study, ResultsStore& store, const StudySettings& settings) {
  return StudyRun(study, store, settings).run();
}

}  // namespace faultline
