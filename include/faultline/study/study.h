// SPDX-License-Identifier: Apache-2.0
// A study file: a title and experiments, each a grid of cases.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "faultline/results/store.h"
#include "faultline/study/case_list.h"

namespace faultline {

/// Cases in the file's order, without repetition.
struct Study {
  std::string title;
  std::string file = {};  ///< its path, by which failures are kept
  CaseList cases;
};

/// Reads and expands a study file (src/study/STUDY.md):
///   title = "…"
///   [[experiment]]
///   verb = "simulate"
///   topology = ["fat-tree:k=4,n=3", {kind = "ruft", k = [2, 4], n = 3}]   # one, or a list
///   routing = "fta"                                                      # optional, likewise
///   load = "0.1..0.9:0.1"                                                # options; lists span the grid
/// `overrides` give an option this value in every experiment whose verb has it, whether the study sets it or
/// not; a path in them is relative to the current folder. A path in a study file is relative to the folder of
/// the file. Throws Error with file, line and field, for everything that can be refused without building a
/// network, and Error("--set") for an option that no experiment has. Files that the cases name are read now
/// and not again.
[[nodiscard]] Study read_study(const std::filesystem::path& path,
                               const std::vector<std::pair<std::string, std::string>>& overrides = {});

struct StudyOutcome {
  std::size_t total = 0;
  std::size_t already_there = 0;
  std::size_t computed = 0;
  std::size_t computed_elsewhere = 0;  ///< meanwhile, by another process on the same results
  /// One line for each case that could not be run, or whose files could not be written. The result of the
  /// latter is kept, and counts above as well. By case.
  std::vector<std::string> failures;
};

struct StudySettings {
  std::uint32_t jobs = 1;  ///< cases to run at a time
  /// Called after each finished case, by one thread at a time: how many are done of how many to compute.
  std::function<void(std::size_t done, std::size_t total, const Case& finished)> finished;
  /// Once set, no further case is started, and running ones whose verb polls it are abandoned.
  StopFlag stop = nullptr;
  WorkLimits limits = {};  ///< a case that would cost more fails
};

/// Runs the cases that `store` lacks and puts each record into it at once. Each case is claimed first: one
/// that another process is computing is waited for, and computed here only if that process ends or fails.
[[nodiscard]] StudyOutcome run_study(const Study& study, ResultsStore& store, const StudySettings& settings);

}  // namespace faultline
