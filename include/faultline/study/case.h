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
#include "faultline/study/work_estimate.h"
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
  std::uint32_t threads = 1;  ///< an upper limit; never changes the answer
  const Progress& progress;
  StopFlag stop = nullptr;
  std::uint32_t threads_a_run = 1;  ///< that share one simulation; never changes the answer
  WorkLimits limits = {};
};

/// How a case is run; never changes the answer.
struct RunSettings {
  std::uint32_t threads = 1;
  Progress progress;
  /// Once set, a verb answers with what it has and "interrupted": true, or run_case throws Stopped.
  StopFlag stop = nullptr;
  std::uint32_t threads_a_run = 1;
  WorkLimits limits = {};  ///< a case that would cost more is refused before it begins
};

/// A verb that answers a case is one file in src/study/kinds/: a parameter struct with fields(), samples()
/// and run(context) → JSON object. A verb whose cost grows faster than the network has estimate(context) as
/// well, which is asked before run().
struct VerbKind {
  KindInfo info;
  WorkEstimate (*estimate)(const CaseContext& context);
  nlohmann::ordered_json (*run)(const CaseContext& context);
};

template <class Params>
[[nodiscard]] consteval VerbKind verb_kind(std::string_view name, std::string_view summary) {
  return {kind_info<Params>(name, summary, {}),
          [](const CaseContext& context) -> WorkEstimate {
            if constexpr (requires(const Params& params) { params.estimate(context); })
              return read_params<Params>(context.options).estimate(context);
            return {};
          },
          [](const CaseContext& context) { return read_params<Params>(context.options).run(context); }};
}

[[nodiscard]] std::span<const VerbKind* const> verb_kinds();

/// Validates the topology's, the routing's and the verb's fields and writes all of them out. The files that
/// they name are read now, or were by the `files` of the options, and never again. Throws Error, as well for
/// a file that would be written over one that is read.
[[nodiscard]] Case canonical_case(const Case& given);

/// The routing of canonical_case(): every field written out; as it is where none is named. Throws Error.
[[nodiscard]] Description canonical_routing(const Description& given);

/// One canonical case for each combination of the fields that hold several values: a list in a study file, or
/// a range "0.1..1.0:0.1" (step 1 if absent), where the field takes one. Order: the last field varies
/// fastest. Throws Error as CaseList::add does.
[[nodiscard]] std::vector<Case> expand_case(const Case& given);

/// A file that a case reads, by the content that it had when it was first read.
struct CaseInput {
  std::string path, hash;
};
[[nodiscard]] std::vector<CaseInput> case_inputs(const Case& canonical);

/// A file that a case writes, and the field that names it.
struct CaseOutput {
  std::string path, field;
};
[[nodiscard]] std::vector<CaseOutput> case_outputs(const Case& canonical);

/// The same of one component, or of the options of a verb.
[[nodiscard]] std::vector<CaseInput> inputs_of(const Description& part, const std::vector<FieldInfo>& fields);
[[nodiscard]] std::vector<CaseOutput> outputs_of(const Description& part,
                                                 const std::vector<FieldInfo>& fields);

/// Throws Error for an output that is one of the inputs, and for two outputs that are one file: one would be
/// lost.
void refuse_lost_files(const std::vector<CaseInput>& inputs, const std::vector<CaseOutput>& outputs);

/// The content hash of a canonical case: same hash, same result. Files count by their content.
[[nodiscard]] std::string case_hash(const Case& canonical);

/// Record::case_text of a canonical case.
[[nodiscard]] std::string case_text(const Case& canonical);

/// Runs a canonical case on its topology, already built. "inputs" lists the files read, with their hashes.
/// Throws Error for input that only the engines can refuse.
[[nodiscard]] nlohmann::ordered_json run_case(const Case& canonical, const TopologyPtr& topology,
                                              const RunSettings& settings);

/// Wraps the answer up as well; nothing where the case was stopped before its end.
[[nodiscard]] std::optional<Record> run_to_record(const Case& canonical, const TopologyPtr& topology,
                                                  const std::string& study, const RunSettings& settings);

}  // namespace faultline
