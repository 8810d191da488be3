// SPDX-License-Identifier: Apache-2.0
// A case is one question about one network: the command line asks one, a study many.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faultline/base/file.h"
#include "faultline/base/progress.h"
#include "faultline/base/stop.h"
#include "faultline/describe/kind.h"
#include "faultline/results/record.h"
#include "faultline/routing/kind.h"
#include "faultline/study/work_estimate.h"
#include "faultline/topology/kind.h"

namespace faultline {

struct VerbKind;
[[nodiscard]] std::span<const VerbKind* const> verb_kinds();

/// As it was asked, for one case or, where fields hold several values, for many.
struct CaseDescription {
  Named<TopologyKind> topology;
  Named<RoutingKind> routing;  ///< none: the topology's default
  Named<VerbKind> options;
};

/// Every field is written out in the descriptions.
struct Case {
  Resolved<TopologyKind> topology;
  Resolved<RoutingKind> routing;  ///< none: the topology's default
  Resolved<VerbKind> options;
};

/// What a verb works on.
struct CaseContext {
  TopologyPtr topology;
  const TopologyKind& topology_kind;
  const Resolved<RoutingKind>& routing;  ///< the topology's default where none was asked for
  const Description& options;            ///< what the verb was given: errors name its fields
  const Parameters& parameters;          ///< the same, read
  std::uint32_t threads = 1;             ///< an upper limit; never changes the answer
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
  static constexpr auto catalogue = &verb_kinds;
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
    return [](Cases cases, auto answers) {  // auto: Json is incomplete here
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
  return context.parameters.as<Params>().run(context);
}

template <class Params>
[[nodiscard]] consteval VerbKind verb_kind(std::string_view name, std::string_view summary) {
  constexpr bool threads_share_a_run = requires { Params::threads_share_a_run; };
  return {kind_info<Params>(name, summary, {}),
          [](const CaseContext& context) -> WorkEstimate {
            if constexpr (requires(const Params& params) { params.estimate(context); })
              return context.parameters.as<Params>().estimate(context);
            return {};
          },
          &run_verb<Params>, verb_text<Params>(), threads_share_a_run};
}

/// Validates the fields of all parts and writes them out. The files that they name are read now, or were by
/// the `files` of the options, and never again. Throws Error, as well for a file that would be written over
/// one that is read.
[[nodiscard]] Case resolve_case(const CaseDescription& given);

/// One case for each combination of the fields that hold several values: a list in a study file, or
/// a range "0.1..1.0:0.1" (step 1 if absent; the last value is included if the steps reach it), where the
/// field takes one; equal values give equal cases.
/// Order: the last field varies fastest. Throws Error as CaseList::add does.
[[nodiscard]] std::vector<Case> expand_case(const CaseDescription& given);

/// Whether any field that takes one value was given a list or a range, even of one value: the answer is then
/// a list of answers.
[[nodiscard]] bool asks_for_several(const CaseDescription& given);

/// A file that a case reads, with the content of the first reading.
struct CaseInput {
  std::string path, hash;
};
[[nodiscard]] std::vector<CaseInput> case_inputs(const Case& one);
/// Their paths alone: no file is read.
[[nodiscard]] std::vector<std::string> case_input_paths(const Case& one);

/// A file that a case writes, and the field that names it.
struct CaseOutput {
  std::string path, field;
};
[[nodiscard]] std::vector<CaseOutput> case_outputs(const Case& one);

/// The same of one component, or of the options of a verb.
[[nodiscard]] std::vector<CaseInput> inputs_of(const Description& part, const std::vector<FieldInfo>& fields);
[[nodiscard]] std::vector<CaseOutput> outputs_of(const Description& part,
                                                 const std::vector<FieldInfo>& fields);

/// Throws Error for an output that is one of the inputs, and for two outputs that are one file: one would be
/// lost.
void refuse_lost_files(const std::vector<CaseInput>& inputs, const std::vector<CaseOutput>& outputs);

/// Throws Error for an output in a folder that does not exist, and for "-", before anything is computed.
void check_output_paths(const std::vector<CaseOutput>& outputs);

/// The content hash of a case: same hash, same result. Files count by their content.
[[nodiscard]] std::string case_hash(const Case& one);

/// Record::case_text.
[[nodiscard]] std::string case_text(const Case& one);

/// Runs a case on its topology, already built; writes nothing. "inputs" lists the files read, with
/// their hashes. Throws Error for input that only the engines can refuse.
[[nodiscard]] Answer run_case(const Case& one, const TopologyPtr& topology, const RunSettings& settings);

/// An answer as the results store keeps it.
struct FinishedCase {
  Record record;
  std::vector<OutputFile> files;
};

/// Absent if the case was stopped before its end. Also writes nothing.
[[nodiscard]] std::optional<FinishedCase> run_to_record(const Case& one, const TopologyPtr& topology,
                                                        const std::string& study,
                                                        const RunSettings& settings);

}  // namespace faultline
