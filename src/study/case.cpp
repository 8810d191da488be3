// SPDX-License-Identifier: Apache-2.0
#include "faultline/study/case.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/number.h"
#include "base/utf8.h"
#include "faultline/base/file.h"
#include "faultline/base/version.h"
#include "faultline/study/answer.h"
#include "faultline/study/case_list.h"
#include "study/sweep.h"

namespace faultline {
namespace {

template <class Kind>
void append_parts(const Resolved<Kind>& resolved, std::vector<CanonicalPart>& outer,
                  std::vector<CanonicalPart>& inner) {
  if (resolved.is_none()) return;
  const KindInfo& info = resolved.kind().info;
  outer.push_back({&info, resolved.description()});
  std::ranges::move(info.parts(resolved.parameters()), std::back_inserter(inner));
}

/// Topology, routing (where it is named), options, and what stands within their fields: files that it names
/// count by content as well.
std::vector<CanonicalPart> parts_of(const Case& one) {
  std::vector<CanonicalPart> parts, inner;
  append_parts(one.topology, parts, inner);
  append_parts(one.routing, parts, inner);
  append_parts(one.options, parts, inner);
  std::ranges::move(inner, std::back_inserter(parts));
  return parts;
}

/// visit(field, scalar) for each item of each field.
template <class Visit>
void for_each_item(const Description& part, const std::vector<FieldInfo>& fields, Visit visit) {
  for (const FieldInfo& field : fields)
    if (const Value* value = part.find(field.name))
      for (const Scalar& item : value->items) visit(field, item);
}

/// visit(field, path) for each file that the part reads.
template <class Visit>
void for_each_input(const Description& part, const std::vector<FieldInfo>& fields, Visit visit) {
  for_each_item(part, fields, [&](const FieldInfo& field, const Scalar& item) {
    if (names_input(field, item)) visit(field, to_string(item));
  });
}

/// A name in a file that was read need not be UTF-8, JSON is.
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
      if (const auto* text = std::get_if<std::string>(&item))
        items.push_back(distinct_utf8(*text));
      else
        std::visit([&](const auto& plain) { items.push_back(plain); }, item);
    json[field.name] = field.is_list ? items : items.at(0);
  }
  return json;
}

}  // namespace

Case resolve_case(const CaseDescription& given) {
  CaseDescription read = given;
  std::shared_ptr<InputFiles>& files = read.options.description.files;
  if (!files) files = std::make_shared<InputFiles>();
  read.topology.description.files = read.routing.description.files = files;
  Case one{Resolved(read.topology).canonical(), Resolved(read.routing).canonical(),
           Resolved(read.options).canonical()};
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
  for_each_input(part, fields, [&](const FieldInfo& field, const std::string& path) {
    inputs.push_back({path, input_hash(part, field, path)});
  });
  return inputs;
}

std::vector<CaseOutput> outputs_of(const Description& part, const std::vector<FieldInfo>& fields) {
  std::vector<CaseOutput> outputs;
  for_each_item(part, fields, [&](const FieldInfo& field, const Scalar& item) {
    if (field.rule.is_output) outputs.push_back({to_string(item), part.path_of(field.name)});
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

void check_output_paths(const std::vector<CaseOutput>& outputs) {
  for (const CaseOutput& output : outputs) {
    if (output.path == "-")
      throw Error(output.field, output.path, "must be the path of a file; standard output is no file");
    const std::filesystem::path folder = std::filesystem::path(output.path).parent_path();
    if (std::error_code ignored; !folder.empty() && !std::filesystem::is_directory(folder, ignored))
      throw Error(output.field, output.path,
                  "cannot be written (No such file or directory); give a path in a writable folder");
  }
}

std::vector<CaseInput> case_inputs(const Case& one) {
  std::vector<CaseInput> inputs;
  for (const CanonicalPart& part : parts_of(one))
    for (CaseInput& input : inputs_of(part.description, part.kind->fields()))
      if (std::ranges::find(inputs, input.path, &CaseInput::path) == inputs.end())
        inputs.push_back(std::move(input));
  return inputs;
}

std::vector<std::string> case_input_paths(const Case& one) {
  std::vector<std::string> paths;
  for (const CanonicalPart& part : parts_of(one))
    for_each_input(part.description, part.kind->fields(),
                   [&](const FieldInfo&, const std::string& path) { paths.push_back(path); });
  return paths;
}

std::vector<CaseOutput> case_outputs(const Case& one) {
  std::vector<CaseOutput> outputs;
  for (const CanonicalPart& part : parts_of(one))
    for (CaseOutput& output : outputs_of(part.description, part.kind->fields()))
      outputs.push_back(std::move(output));
  return outputs;
}

std::vector<Case> expand_case(const CaseDescription& given) {
  std::vector<Case> cases;
  CaseList list;
  list.add(given, given.options.description.path, [&](Case one) { cases.push_back(std::move(one)); });
  return cases;
}

bool asks_for_several(const CaseDescription& given) {
  return Sweep(given.topology.description, given.topology.kind->info.fields()).is_list() ||
         Sweep(given.options.description, given.options.kind->info.fields()).is_list();
}

/// A routing that is left to the topology's default is part of the topology's identity, so that none
/// identifies the case as well.
std::string case_hash(const Case& one) {
  std::string identity{results_generation};
  for (const CanonicalPart& part : parts_of(one))
    identity += canonical_text(part.description, part.kind->fields());
  return content_hash(identity);
}

std::string case_text(const Case& one) {
  const Description& options = one.options.description();
  nlohmann::ordered_json json{{"verb", options.kind}, {"topology", distinct_utf8(to_compact(one.topology))}};
  json["routing"] = distinct_utf8(to_compact(one.routing));
  json["options"] = options_json(options, one.options.kind().info.fields());
  return json.dump();
}

Answer run_case(const Case& one, const TopologyPtr& topology, const RunSettings& settings) {
  const Resolved<RoutingKind> routing = routing_or_default(one.routing, *topology);
  const Description& options = one.options.description();
  const CaseContext context{.topology = topology,
                            .topology_kind = one.topology.kind(),
                            .routing = routing,
                            .options = options,
                            .parameters = one.options.parameters(),
                            .threads = settings.threads,
                            .progress = settings.progress,
                            .stop = settings.stop,
                            .threads_a_run = settings.threads_a_run,
                            .limits = settings.limits};
  const VerbKind& verb = one.options.kind();
  check_output_paths(case_outputs(one));
  require_within(settings.limits, verb.estimate(context), options.kind, *topology);
  Answer answer = verb.run(context);
  for (const CaseInput& input : case_inputs(one))
    answer.json["inputs"].push_back({{"file", input.path}, {"hash", input.hash}});
  return answer;
}

std::optional<FinishedCase> run_to_record(const Case& one, const TopologyPtr& topology,
                                          const std::string& study, const RunSettings& settings) {
  const auto start = std::chrono::steady_clock::now();
  Case named = one;  // the record names the routing, whoever chose it
  named.routing = routing_or_default(one.routing, *topology).canonical();
  Answer answer = run_case(one, topology, settings);
  if (answer.json.value("interrupted", false)) return std::nullopt;
  const Value* seed = one.options.description().find("seed");
  Record record{.hash = case_hash(one),
                .study = study,
                .case_text = case_text(named),
                .result_text = dump(answer.json),
                .seed = seed == nullptr ? 0 : number_of<std::uint64_t>(to_string(*seed)).value_or(0),
                .version = std::string(version),
                .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                .generation = std::string(results_generation)};
  return FinishedCase{std::move(record), std::move(answer.files)};
}

}  // namespace faultline
