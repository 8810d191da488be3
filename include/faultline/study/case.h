// SPDX-License-Identifier: Apache-2.0
// A case is one question about one network: the command line asks one, a study many.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
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

struct Answer;

/// A verb that answers a case is one file in src/study/kinds/: a parameter struct with fields(), samples(),
/// run(context) → Answer (or its JSON alone), and what a person reads instead of that JSON: text(case, json),
/// or text(cases, jsons) for all points of a sweep at once. Without a text the JSON is printed. A verb whose
/// cost grows faster than the network has estimate(context) as well, which is asked before run(). One whose
/// simulations may be shared by threads has `static constexpr bool threads_share_a_run`.
struct VerbKind {
  using Json = nlohmann::ordered_json;

  KindInfo info;
  WorkEstimate (*estimate)(const CaseContext& context);
  Answer (*run)(const CaseContext& context);
  /// At least one case, and the answer of each.
  std::string (*text)(std::span<const Case> cases, std::span<const Json> answers);  ///< may be null
  bool threads_share_a_run;
};

template <class Params>
[[nodiscard]] consteval auto verb_text() -> decltype(VerbKind::text) {
  using Cases = std::span<const Case>;
  using Jsons = std::span<const VerbKind::Json>;
  if constexpr (requires(Cases cases, Jsons answers) { Params::text(cases, answers); }) {
    return &Params::text;
  } else if constexpr (requires(Cases cases, Jsons answers) {
                         Params::text(cases.front(), answers.front());
                       }) {
    return [](Cases cases, Jsons answers) {
      std::string text;
      for (std::size_t i = 0; i < cases.size(); ++i) text += Params::text(cases[i], answers[i]);
      return text;
    };
  } else {
    return nullptr;
  }
}

/// Its result is a parameter so that Answer need be complete only where a verb is defined.
template <class Params, class Result = Answer>
[[nodiscard]] Result run_verb(const CaseContext& context) {
  return read_params<Params>(context.options).run(context);
}

template <class Params>
[[nodiscard]] consteval VerbKind verb_kind(std::string_view name, std::string_view summary) {
  constexpr bool threads_share_a_run = requires { Params::threads_share_a_run; };
  return {kind_info<Params>(name, summary, {}),
          [](const CaseContext& context) -> WorkEstimate {
            if constexpr (requires(const Params& params) { params.estimate(context); })
              return read_params<Params>(context.options).estimate(context);
            return {};
          },
          &run_verb<Params>, verb_text<Params>(), threads_share_a_run};
}

[[nodiscard]] std::span<const VerbKind* const> verb_kinds();

/// Validates the fields of the topology, the routing and the verb, and writes all of them out. The files that
/// they name are read now, or were by the `files` of the options, and never again. Throws Error, also for an
/// output file that is one of the inputs.
[[nodiscard]] Case canonical_case(const Case& given);

/// The routing of canonical_case(): every field written out; unchanged if none is named. Throws Error.
[[nodiscard]] Description canonical_routing(const Description& given);

/// One canonical case for each combination of the fields that hold several values: a list in a study file, or
/// a range "0.1..1.0:0.1" (step 1 if absent), where the field takes one. Order: the last field varies
/// fastest. Throws Error as CaseList::add does.
[[nodiscard]] std::vector<Case> expand_case(const Case& given);

/// A file that a case reads, with the content of the first reading.
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

/// Runs a canonical case on its topology, already built; writes nothing. "inputs" lists the files read, with
/// their hashes. Throws Error for input that only the engines can refuse.
[[nodiscard]] Answer run_case(const Case& canonical, const TopologyPtr& topology,
                              const RunSettings& settings);

/// An answer as the results store keeps it.
struct FinishedCase {
  Record record;
  std::vector<AnswerFile> files;
};

/// Absent if the case was stopped before its end. Also writes nothing.
[[nodiscard]] std::optional<FinishedCase> run_to_record(const Case& canonical, const TopologyPtr& topology,
                                                        const std::string& study,
                                                        const RunSettings& settings);

}  // namespace faultline
