// SPDX-License-Identifier: Apache-2.0
#include "repair_question.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "faultline/fault/component_names.h"
#include "faultline/fault/living_fabric.h"

namespace faultline::app {
namespace {

FaultComponents cables_and_switches(const TopologyPtr& topology) {
  return {topology, FaultUnits(FaultUnit::link) | FaultUnit::switch_, FaultScope::all};
}

/// The engine does not compute all tables anew.
bool repairs_tables(const RepairRequest& request) {
  return parse_compact("engine", request.engine).kind == "repair";
}

Description engine_of(const RepairRequest& request, const std::shared_ptr<InputFiles>& files) {
  Description engine = parse_compact("engine", request.engine);
  engine.files = files;
  if (request.reference.empty()) return engine;
  if (!repairs_tables(request))
    throw Error("reference", request.reference, "must be left out with an engine other than repair");
  if (engine.find("reference") != nullptr)
    throw Error("reference", request.reference,
                fmt::format("must be given once; engine {} gives one as well", request.engine));
  const bool is_in_use = request.reference == request.fabric.tables;
  (void)read_input(files, request.reference, is_in_use ? "topology.tables" : "reference");
  const std::string reference = "reference=" + request.reference;
  const Description more = parse_assignments(engine.path, engine.kind, std::span(&reference, 1));
  engine.fields.push_back(more.fields.front());
  return engine;
}

void refuse_overwriting(const RepairRequest& request) {
  std::vector<CaseInput> inputs = request.fabric.files();
  if (!request.reference.empty()) inputs.push_back({request.reference, {}});
  const FabricPaths paths(*request.folder);
  refuse_lost_files(inputs, {{paths.tables, "output"}, {paths.dump, "output"}, {paths.lids, "output"}});
}

/// What the question says of the cables and switches that are cut. Adds a list of them to the fabric's files.
std::vector<std::string> cut_assignments(const RepairRequest& request, const Description& fabric) {
  if (request.cut_links != 0) {
    const FaultComponents cables(build_topology(fabric), FaultUnits(FaultUnit::link), FaultScope::network);
    if (request.cut_links > cables.count())
      throw Error("cut-links", std::to_string(request.cut_links),
                  fmt::format("must be at most the number of cables between switches, {}", cables.count()));
    return {fmt::format("faults={}", request.cut_links), "unit=link", fmt::format("seed={}", request.seed)};
  }
  if (request.cut.empty()) return {};
  const std::string list = "what --cut names";  // in the place of a file of faults
  std::string names;
  for (const std::string& name : cut_components(cables_and_switches(build_topology(fabric)), request.cut))
    names += name + "\n";
  fabric.files->add(list, names);
  return {"faults=" + list, "unit=link+switch", "scope=all"};
}

}  // namespace

std::string new_tables(const RepairRequest& request) { return FabricPaths(*request.folder).tables; }

void refuse_lasting_errors(const RepairRequest& request) {
  refuse_overwriting(request);
  const auto files = std::make_shared<InputFiles>();
  if (!request.fabric.tables.empty()) (void)read_input(files, request.fabric.tables, "topology.tables");
  (void)Resolved<RoutingKind>(engine_of(request, files));
}

bool are_worth_loading(const nlohmann::ordered_json& answer) { return answer["deadlock_free"].get<bool>(); }

CaseDescription repair_question(const RepairRequest& request) {
  if (!request.cut.empty() && request.cut_links != 0)
    throw Error("cut", request.cut.front(), "must be left out where cut-links draws what is cut");
  if (request.folder) refuse_overwriting(request);
  FabricWords words = request.fabric;
  if (request.tables_in_use) words.tables = "tables in use, " + new_tables(request);
  Description fabric = words.description();
  fabric.files = std::make_shared<InputFiles>();
  if (request.dump) fabric.files->add(words.dump, *request.dump);
  if (request.tables_in_use) fabric.files->add(words.tables, *request.tables_in_use);
  std::vector<std::string> asked = cut_assignments(request, fabric);
  asked.push_back("tables-out=" + (request.folder ? new_tables(request) : "/dev/null"));
  Description verify = parse_assignments("verify", "verify", asked);
  verify.files = fabric.files;
  return {fabric, engine_of(request, fabric.files), verify};
}

void complete_repair(const RepairRequest& request, const TopologyPtr& topology, Answer& answer) {
  if (answer.json["virtual_channels"] != 1) {
    answer.json["deadlock_free"] = false;
    answer.json["remarks"].push_back(several_lanes_remark);
  }
  if (!request.folder) {
    answer.files.clear();
    answer.json["tables"] = nullptr;
    return;
  }
  for (OutputFile& file : answer.files)
    if (file.path == new_tables(request)) file.field = "output";
  const FaultComponents components = cables_and_switches(topology);
  const auto names = answer.json.value("failed", std::vector<std::string>());
  const FaultSet dead = components.fault_set(components_named(components, names).value());
  const infiniband::Fabric living = living_fabric(*topology, dead);
  const FabricPaths paths(*request.folder);
  answer.files.insert(answer.files.begin(), {{"output", paths.dump, to_ibnetdiscover(living)},
                                             {"output", paths.lids, to_guid2lid(living)}});
}

}  // namespace faultline::app
