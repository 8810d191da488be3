// SPDX-License-Identifier: Apache-2.0
// A case is one question to one network: what the command line asks once and a study asks many times.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "faultline/base/progress.h"
#include "faultline/base/stop.h"
#include "faultline/describe/kind.h"
#include "faultline/results/record.h"
#include "faultline/topology/kind.h"

namespace faultline {

/// Every field written out after canonical_case(); `options.kind` is the verb.
struct Case {
  Description topology;
  Description routing;  ///< empty kind: the topology's default
  Description options;
};

/// What a verb works on.
struct CaseContext {
  TopologyPtr topology;
  const TopologyKind& topology_kind;
  const Description& routing;
  const Description& options;
  std::uint32_t threads = 1;  ///< at most so many; never changes the answer
  const Progress& progress;
  StopFlag stop = nullptr;
  std::uint32_t threads_a_run = 1;  ///< that share one simulation; never changes the answer
};

/// How a case is run; never changes the answer.
struct RunSettings {
  std::uint32_t threads = 1;
  Progress progress;
  /// Once set, a verb that heeds it answers with what it has and "interrupted": true.
  StopFlag stop = nullptr;
  std::uint32_t threads_a_run = 1;
};

/// A verb that answers a case is one file in src/study/kinds/: a parameter struct with fields(), samples()
/// and run(context) → JSON object. Optional constant: heeds_stop.
struct VerbKind {
  KindInfo info;
  bool heeds_stop;
  nlohmann::ordered_json (*run)(const CaseContext& context);
};

template <class Params>
[[nodiscard]] consteval VerbKind verb_kind(std::string_view name, std::string_view summary) {
  bool heeds_stop = false;
  if constexpr (requires { Params::heeds_stop; }) heeds_stop = Params::heeds_stop;
  return {kind_info<Params>(name, summary, {}), heeds_stop,
          [](const CaseContext& context) { return read_params<Params>(context.options).run(context); }};
}

[[nodiscard]] std::span<const VerbKind* const> verb_kinds();

/// Validates the topology's, the routing's and the verb's fields and writes all of them out. Throws Error.
[[nodiscard]] Case canonical_case(const Case& given);

/// One case for each combination of the fields that hold several values: a list in a study file, or a range
/// "0.1..1.0:0.1" (step 1 if absent), where the field takes one. Order: the last field varies fastest.
[[nodiscard]] std::vector<Case> expand_case(const Case& given);

/// The content hash of a canonical case: same hash, same result. Files count by their content.
[[nodiscard]] std::string case_hash(const Case& canonical);

/// Record::case_text of a canonical case.
[[nodiscard]] std::string case_text(const Case& canonical);

/// Runs a canonical case on its topology, already built. Throws Error for input that only the engines can
/// refuse.
[[nodiscard]] nlohmann::ordered_json run_case(const Case& canonical, const TopologyPtr& topology,
                                              const RunSettings& settings);

/// Wraps the answer up as well; nothing where the case was stopped before its end.
[[nodiscard]] std::optional<Record> run_to_record(const Case& canonical, const TopologyPtr& topology,
                                                  const std::string& study, const RunSettings& settings);

}  // namespace faultline
