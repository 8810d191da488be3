// SPDX-License-Identifier: Apache-2.0
#include "faultline/study/case.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "faultline/base/file.h"
#include "faultline/base/version.h"
#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"
#include "faultline/traffic/pattern.h"
#include "study/sweep.h"

namespace faultline {
namespace {

const VerbKind& verb_of(const Case& given) { return find_kind(verb_kinds(), given.options); }

/// A routing's name may be left to the topology's default only while the topology is not built; it is then
/// part of the topology's identity, so that an empty name identifies the case as well.
Description canonical_routing(const Description& given) {
  return given.kind.empty() ? given : find_kind(routing_kinds(), given).info.canonical(given);
}

/// A pattern is a component within an option: files that it names count by content as well.
std::string traffic_identity(const Description& options) {
  const Value* traffic = options.find("traffic");
  if (traffic == nullptr) return {};
  const Description pattern = parse_compact(options.path_of("traffic"), to_text(*traffic));
  const KindInfo& info = find_kind(pattern_kinds(), pattern).info;
  return canonical_text(info.canonical(pattern), info.fields());
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

Case canonical_case(const Case& given) {
  return {find_kind(topology_kinds(), given.topology).info.canonical(given.topology),
          canonical_routing(given.routing), verb_of(given).info.canonical(given.options)};
}

std::vector<Case> expand_case(const Case& given) {
  std::vector<Case> cases;
  for (const Description& topology :
       expand_sweeps(given.topology, find_kind(topology_kinds(), given.topology).info.fields()))
    for (const Description& options : expand_sweeps(given.options, verb_of(given).info.fields()))
      cases.push_back({topology, given.routing, options});
  return cases;
}

std::string case_hash(const Case& canonical) {
  std::string identity{results_generation};
  identity +=
      canonical_text(canonical.topology, find_kind(topology_kinds(), canonical.topology).info.fields());
  if (!canonical.routing.kind.empty())
    identity +=
        canonical_text(canonical.routing, find_kind(routing_kinds(), canonical.routing).info.fields());
  identity += canonical_text(canonical.options, verb_of(canonical).info.fields());
  identity += traffic_identity(canonical.options);
  return content_hash(identity);
}

std::string case_text(const Case& canonical) {
  nlohmann::ordered_json json{{"verb", canonical.options.kind}, {"topology", to_compact(canonical.topology)}};
  json["routing"] = to_compact(canonical.routing);
  json["options"] = options_json(canonical.options, verb_of(canonical).info.fields());
  return json.dump();
}

nlohmann::ordered_json run_case(const Case& canonical, const TopologyPtr& topology,
                                const RunSettings& settings) {
  Description routing = canonical.routing;
  (void)find_routing(*topology, routing);
  return verb_of(canonical).run({topology, find_kind(topology_kinds(), canonical.topology), routing,
                                 canonical.options, settings.threads, settings.progress, settings.stop,
                                 settings.threads_a_run});
}

std::optional<Record> run_to_record(const Case& canonical, const TopologyPtr& topology,
                                    const std::string& study, const RunSettings& settings) {
  const auto start = std::chrono::steady_clock::now();
  const nlohmann::ordered_json result = run_case(canonical, topology, settings);
  if (result.value("interrupted", false)) return std::nullopt;
  Case named = canonical;
  (void)find_routing(*topology, named.routing);
  const Value* seed = canonical.options.find("seed");
  return Record{
      .hash = case_hash(canonical),
      .study = study,
      .case_text = case_text(named),
      .result_text = result.dump(),
      .seed = seed == nullptr ? 0 : static_cast<std::uint64_t>(std::get<std::int64_t>(seed->items.at(0))),
      .version = std::string(version),
      .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

}  // namespace faultline
