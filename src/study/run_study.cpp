// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "base/start_threads.h"
#include "faultline/base/file.h"
#include "faultline/study/answer.h"
#include "faultline/study/study.h"
#include "study/topology_cache.h"

namespace faultline {
namespace {

/// Prolongs the claims of a store as long as it lives.
class Heartbeat {
 public:
  explicit Heartbeat(ResultsStore& store) {
    try {
      thread_ = std::jthread([this, &store](const std::stop_token& stop) { beat(store, stop); });
    } catch (const std::system_error&) {  // another process may then compute a case that takes long as well
    }
  }

 private:
  void beat(ResultsStore& store, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, stop, ResultsStore::lease / 4, [] { return false; }) &&
           !stop.stop_requested()) {
      try {
        store.renew_claims();
      } catch (const std::exception&) {  // the next put will say what is wrong; until then the claims last
        continue;
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;
};

class StudyRun {
 public:
  StudyRun(const Study& study, ResultsStore& store, const StudySettings& settings)
      : study_(study), store_(store), settings_(settings) {
    outcome_.total = study.cases.size();
    std::vector<std::string> there;
    for (std::size_t i = 0; i < study.cases.size() && !is_set(settings.stop); ++i) {
      const std::string hash = study.cases.hash(i);
      if (!store.contains(hash)) {
        missing_.push_back(i);
        continue;
      }
      ++outcome_.already_there;
      if (const std::string failure = failure_to_restore(study.cases[i], hash); !failure.empty())
        failures_.emplace(i, failure_of(study.cases[i], failure));
      there.push_back(hash);
    }
    store.make_newest(there);
    to_do_ = missing_.size();
  }

  StudyOutcome run() && {
    const std::size_t jobs = std::clamp<std::size_t>(settings_.jobs, 1, std::max<std::size_t>(to_do_, 1));
    const Heartbeat heartbeat(store_);
    auto workers = start_up_to(jobs - 1, [this] { work(); });
    work();
    workers.clear();
    if (failure_) std::rethrow_exception(failure_);
    for (auto& [index, failure] : failures_) outcome_.failures.push_back(std::move(failure));
    // Of an interrupted run, what other cases would have done is not known.
    if (!is_set(settings_.stop)) store_.set_failures(study_.file, outcome_.failures);
    return std::move(outcome_);
  }

 private:
  /// Empty, or why files of a case that the store holds could not be written: they may have been deleted or
  /// replaced since, or the process that computed it was killed before it wrote them.
  [[nodiscard]] std::string failure_to_restore(const Case& one, const std::string& hash) const try {
    for (const CaseOutput& output : case_outputs(one)) restore(output, store_.file_of(hash, output.path));
    return {};
  } catch (const Error& error) {
    return error.what();
  }

  static void restore(const CaseOutput& output, const std::optional<std::string>& kept) {
    if (kept && differs(output, *kept)) write_file(output.path, *kept, output.field);
    if (std::error_code unknown; !kept && !std::filesystem::exists(output.path, unknown))
      throw Error(output.field, output.path,
                  "is not there, and the results hold no whole copy of it; give another results file, for "
                  "which it is computed again");
  }

  /// A device or a pipe is left alone: what was written to it has been consumed.
  static bool differs(const CaseOutput& output, const std::string& content) {
    std::error_code unknown;
    if (!std::filesystem::exists(output.path, unknown)) return true;
    if (std::filesystem::is_directory(output.path, unknown)) return true;  // which cannot be written
    return std::filesystem::is_regular_file(output.path, unknown) &&
           (std::filesystem::file_size(output.path, unknown) != content.size() ||
            read_file(output.path, output.field) != content);
  }

  static std::string failure_of(const Case& one, std::string_view what) {
    const std::string routing = one.routing.is_none() ? "" : ", " + printable(to_compact(one.routing));
    return fmt::format("{} {}{}: {}", one.options.kind().info.name, printable(to_compact(one.topology)),
                       routing, what);
  }

  /// Cases that other processes compute are checked again after all others, until they are finished.
  void work() {
    constexpr std::chrono::milliseconds until_asked_again{100};
    try {
      TopologyInUse topology(topologies_);
      for (auto next = take(); next && !stopped(); next = take()) {
        if (next->is_taken) std::this_thread::sleep_for(until_asked_again);
        run_one(next->index, topology);
      }
    } catch (...) {  // the store failed: nothing more can be kept
      const std::scoped_lock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  struct Next {
    std::size_t index = 0;
    bool is_taken = false;  ///< by another process, when last checked
  };

  std::optional<Next> take() {
    const std::scoped_lock lock(mutex_);
    if (next_ < missing_.size()) return Next{missing_[next_++], false};
    if (taken_.empty()) return std::nullopt;
    const Next next{taken_.front(), true};
    taken_.pop_front();
    return next;
  }

  [[nodiscard]] bool stopped() {
    if (is_set(settings_.stop)) return true;
    const std::scoped_lock lock(mutex_);
    return failure_ != nullptr;
  }

  void run_one(std::size_t index, TopologyInUse& topology) {
    const Case one = study_.cases[index];
    const std::string hash = study_.cases.hash(index);
    switch (store_.claim(hash)) {
      case ResultsStore::Claim::taken: {
        const std::scoped_lock lock(mutex_);
        taken_.push_back(index);
        return;
      }
      case ResultsStore::Claim::finished:
        finish(index, one, &StudyOutcome::computed_elsewhere, failure_to_restore(one, hash));
        return;
      case ResultsStore::Claim::granted:
        compute(index, one, hash, topology);
    }
  }

  void compute(std::size_t index, const Case& one, const std::string& hash, TopologyInUse& topology) {
    std::optional<FinishedCase> finished;
    std::string failure;
    try {
      finished = run_to_record(one, topology.get(one.topology), study_.title,
                               {.stop = settings_.stop, .limits = settings_.limits});
      if (finished) ResultsStore::refuse_too_large(finished->record, finished->files);
    } catch (const Stopped&) {
      finished.reset();
    } catch (const std::bad_alloc&) {
      failure = "out of memory";
    } catch (const std::exception& error) {
      failure = error.what();
    }
    const bool is_computed = failure.empty() && finished;
    if (is_computed) {
      store_.put(finished->record, finished->files);
      failure = failure_to_write(finished->files);
    } else {
      store_.release(hash);
      if (failure.empty()) return;  // stopped
    }
    finish(index, one, is_computed ? &StudyOutcome::computed : nullptr, failure);
  }

  /// Empty, or why files that are kept could not be written: the next run tries again.
  static std::string failure_to_write(const std::vector<OutputFile>& files) try {
    write_files(files);
    return {};
  } catch (const Error& error) {
    return error.what();
  }

  /// `counts` is where the case counts, if anywhere; `failure` is empty unless something failed.
  void finish(std::size_t index, const Case& one, std::size_t StudyOutcome::*counts,
              const std::string& failure) {
    const std::scoped_lock lock(mutex_);
    if (counts != nullptr) ++(outcome_.*counts);
    if (!failure.empty()) failures_.emplace(index, failure_of(one, failure));
    ++done_;
    if (settings_.finished) settings_.finished(done_, to_do_, one);
  }

  const Study& study_;
  ResultsStore& store_;
  const StudySettings& settings_;
  TopologyCache topologies_;
  std::vector<std::size_t> missing_;
  std::size_t to_do_ = 0;
  std::mutex mutex_;  // guards what follows
  std::size_t next_ = 0;
  std::deque<std::size_t> taken_;
  std::size_t done_ = 0;  // of to_do_
  StudyOutcome outcome_;
  std::map<std::size_t, std::string> failures_;  // by case, for an order that does not depend on threads
  std::exception_ptr failure_;
};

}  // namespace

StudyOutcome run_study(const Study& study, ResultsStore& store, const StudySettings& settings) {
  return StudyRun(study, store, settings).run();
}

}  // namespace faultline
