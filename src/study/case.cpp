// SPDX-License-Identifier: Apache-2.0
#include "faultline/study/case.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/number.h"
#include "faultline/base/file.h"
#include "faultline/base/version.h"
#include "faultline/routing/kind.h"
#include "faultline/study/answer.h"
#include "faultline/study/case_list.h"
#include "faultline/topology/kind.h"

namespace faultline {
namespace {

const VerbKind& verb_of(const Case& given) { return find_kind(verb_kinds(), given.options); }

/// A described component and the fields that it has.
struct Part {
  Description description;
  std::vector<FieldInfo> fields;
};

/// Components within fields: files that they name count by content as well.
std::vector<Part> nested_parts(const Part& holder) {
  std::vector<Part> parts;
  for (const FieldInfo& field : holder.fields) {
    const Value* const value = holder.description.find(field.name);
    if (!field.rule.is_written_out || value == nullptr) continue;
    Description nested =
        nested_component(field.rule, to_text(*value), value->place, holder.description, field.name);
    if (nested.kind.empty()) continue;
    std::vector<FieldInfo> fields = find_kind(field.rule.catalogue, nested).fields();
    parts.push_back({std::move(nested), std::move(fields)});
  }
  return parts;
}

/// Topology, routing (where it is named), options, and what is nested in them.
std::vector<Part> parts_of(const Case& canonical) {
  std::vector<Part> parts{
      {canonical.topology, find_kind(topology_kinds(), canonical.topology).info.fields()}};
  if (!canonical.routing.kind.empty())
    parts.push_back({canonical.routing, find_kind(routing_kinds(), canonical.routing).info.fields()});
  parts.push_back({canonical.options, verb_of(canonical).info.fields()});
  const std::size_t outer = parts.size();
  for (std::size_t i = 0; i < outer; ++i)
    for (Part& nested : nested_parts(parts[i])) parts.push_back(std::move(nested));
  return parts;
}

/// visit(field, scalar) for each item of each field.
template <class Visit>
void for_each_item(const Description& part, const std::vector<FieldInfo>& fields, Visit visit) {
  for (const FieldInfo& field : fields)
    if (const Value* value = part.find(field.name))
      for (const Scalar& item : value->items) visit(field, item);
}

/// A path need not be UTF-8, JSON is.
std::string dump(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::ordered_json options_json(const Description& options, const std::vector<FieldInfo>& fields) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const FieldInfo& field : fields) {
    const Value* value = options.find(field.name);
    if (value == nullptr) continue;
    nlohmann::ordered_json items = nlohmann::ordered_json::array();
    for (const Scalar& item : value->items)
      std::visit([&](const auto& plain) { items.push_back(plain); }, item);
    json[field.name] = field.is_list ? items : items.at(0);
  }
  return json;
}

}  // namespace

/// A routing's name may be left to the topology's default only until the topology is built; it is then part
/// of the topology's identity, so that an empty name identifies the case as well.
Description canonical_routing(const Description& given) {
  return given.kind.empty() ? given : find_kind(routing_kinds(), given).info.canonical(given);
}

Case canonical_case(const Case& given) {
  Case one = given;
  if (!one.options.files) one.options.files = std::make_shared<InputFiles>();
  one.topology.files = one.routing.files = one.options.files;
  one = {find_kind(topology_kinds(), one.topology).info.canonical(one.topology),
         canonical_routing(one.routing), verb_of(one).info.canonical(one.options)};
  refuse_lost_files(case_inputs(one), case_outputs(one));
  return one;
}

namespace {

/// A path that could also be read as a number.
Error unread_count(const Error& error) {
  Error::Parts parts = error.parts();
  parts.allowed = "is not a whole number, and as a file: " + parts.allowed;
  return Error(parts);
}

std::string input_hash(const Description& part, const FieldInfo& field, const std::string& path) try {
  return content_hash(*read_input(part.files, path, part.path_of(field.name)).content);
} catch (const Error& error) {
  if (!field.rule.is_count_or_file) throw;
  throw unread_count(error);
}

}  // namespace

std::vector<CaseInput> inputs_of(const Description& part, const std::vector<FieldInfo>& fields) {
  std::vector<CaseInput> inputs;
  for_each_item(part, fields, [&](const FieldInfo& field, const Scalar& item) {
    if (!names_input(field, item)) return;
    const std::string path = to_text(item);
    inputs.push_back({path, input_hash(part, field, path)});
  });
  return inputs;
}

std::vector<CaseOutput> outputs_of(const Description& part, const std::vector<FieldInfo>& fields) {
  std::vector<CaseOutput> outputs;
  for_each_item(part, fields, [&](const FieldInfo& field, const Scalar& item) {
    if (field.rule.is_output) outputs.push_back({to_text(item), part.path_of(field.name)});
  });
  return outputs;
}

void refuse_lost_files(const std::vector<CaseInput>& inputs, const std::vector<CaseOutput>& outputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    const auto is_it = [&](const auto& other) { return is_same_file(output->path, other.path); };
    if (std::ranges::any_of(inputs, is_it))
      throw Error(output->field, output->path, "would overwrite a file that is also read; give another path");
    if (std::any_of(outputs.begin(), output, is_it))
      throw Error(output->field, output->path, "would be written twice; give each output its own file");
  }
}

std::vector<CaseInput> case_inputs(const Case& canonical) {
  std::vector<CaseInput> inputs;
  for (const Part& part : parts_of(canonical))
    for (CaseInput& input : inputs_of(part.description, part.fields))
      if (std::ranges::find(inputs, input.path, &CaseInput::path) == inputs.end())
        inputs.push_back(std::move(input));
  return inputs;
}

std::vector<CaseOutput> case_outputs(const Case& canonical) {
  std::vector<CaseOutput> outputs;
  for (const Part& part : parts_of(canonical))
    for (CaseOutput& output : outputs_of(part.description, part.fields)) outputs.push_back(std::move(output));
  return outputs;
}

std::vector<Case> expand_case(const Case& given) {
  CaseList list;
  list.add(given, given.options.path);
  return {list.begin(), list.end()};
}

std::string case_hash(const Case& canonical) {
  std::string identity{results_generation};
  for (const Part& part : parts_of(canonical)) identity += canonical_text(part.description, part.fields);
  return content_hash(identity);
}

std::string case_text(const Case& canonical) {
  nlohmann::ordered_json json{{"verb", canonical.options.kind}, {"topology", to_compact(canonical.topology)}};
  json["routing"] = to_compact(canonical.routing);
  json["options"] = options_json(canonical.options, verb_of(canonical).info.fields());
  return dump(json);
}

void write_files(const std::vector<AnswerFile>& files) {
  for (const AnswerFile& file : files) write_file(file.path, file.content, file.field);
}

Answer run_case(const Case& canonical, const TopologyPtr& topology, const RunSettings& settings) {
  Description routing = canonical.routing;
  (void)find_routing(*topology, routing);
  const VerbKind& verb = verb_of(canonical);
  const CaseContext context{topology,         find_kind(topology_kinds(), canonical.topology),
                            routing,          canonical.options,
                            settings.threads, settings.progress,
                            settings.stop,    settings.threads_a_run,
                            settings.limits};
  require_within(settings.limits, verb.estimate(context), canonical.options.kind, *topology);
  Answer answer = verb.run(context);
  for (const CaseInput& input : case_inputs(canonical))
    answer.json["inputs"].push_back({{"file", input.path}, {"hash", input.hash}});
  return answer;
}

std::optional<FinishedCase> run_to_record(const Case& canonical, const TopologyPtr& topology,
                                          const std::string& study, const RunSettings& settings) {
  const auto start = std::chrono::steady_clock::now();
  Answer answer = run_case(canonical, topology, settings);
  if (answer.json.value("interrupted", false)) return std::nullopt;
  Case named = canonical;
  (void)find_routing(*topology, named.routing);
  const Value* seed = canonical.options.find("seed");
  Record record{.hash = case_hash(canonical),
                .study = study,
                .case_text = case_text(named),
                .result_text = dump(answer.json),
                .seed = seed == nullptr ? 0 : number_of<std::uint64_t>(to_text(*seed)).value_or(0),
                .version = std::string(version),
                .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                .generation = std::string(results_generation)};
  return FinishedCase{std::move(record), std::move(answer.files)};
}

}  // namespace faultline
