// SPDX-License-Identifier: Apache-2.0
#include "repair_question.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "faultline/fault/component_names.h"
#include "faultline/fault/living_fabric.h"

namespace faultline::app {
namespace {

constexpr const char* tables_name = "tables.lfts";
constexpr const char* dump_name = "fabric.ibnetdiscover";
constexpr const char* lids_name = "guid2lid";

std::string path_in(const std::string& folder, const char* name) {
  return (std::filesystem::path(folder) / name).string();
}

FaultComponents cables_and_switches(const TopologyPtr& topology) {
  return {topology, FaultUnits(FaultUnit::link) | FaultUnit::switch_, FaultScope::all};
}

void set(Description& description, const char* name, const std::string& value) {
  description.fields.emplace_back(name, Value{{Scalar(value)}, false, {}});
}

Description engine_of(const RepairRequest& request, const std::shared_ptr<InputFiles>& files) {
  Description engine = parse_compact("engine", request.engine);
  engine.files = files;
  if (request.reference.empty()) return engine;
  if (engine.kind != "repair")
    throw Error("reference", request.reference, "must be left out with an engine other than repair");
  set(engine, "reference", request.reference);
  return engine;
}

void refuse_overwriting(const RepairRequest& request) {
  std::vector<CaseInput> inputs{{request.fabric.dump, {}}};
  for (const std::string& path : {request.fabric.tables, request.reference})
    if (!path.empty()) inputs.push_back({path, {}});
  std::vector<CaseOutput> outputs;
  for (const char* name : {tables_name, dump_name, lids_name})
    outputs.push_back({path_in(*request.folder, name), "output"});
  refuse_lost_files(inputs, outputs);
}

/// What the question says of the cables and switches that are cut.
void add_faults(const RepairRequest& request, const Description& fabric, Description& verify) {
  if (request.cut_links != 0) {
    set(verify, "faults", std::to_string(request.cut_links));
    set(verify, "unit", "link");
    set(verify, "seed", std::to_string(request.seed));
  } else if (!request.cut.empty()) {
    constexpr const char* list = "what --cut names";  // in the place of a file of faults
    std::string names;
    for (const std::string& name : cut_components(cables_and_switches(build_topology(fabric)), request.cut))
      names += name + "\n";
    verify.files->add(list, names);
    set(verify, "faults", list);
    set(verify, "unit", "link+switch");
    set(verify, "scope", "all");
  }
}

}  // namespace

std::string new_tables(const RepairRequest& request) { return path_in(*request.folder, tables_name); }

CaseDescription repair_question(const RepairRequest& request) {
  if (!request.cut.empty() && request.cut_links != 0)
    throw Error("cut", request.cut.front(), "must be left out where cut-links draws what is cut");
  if (request.folder) refuse_overwriting(request);
  FabricWords words = request.fabric;
  if (request.tables_in_use) words.tables = "tables in use";
  Description fabric = words.description();
  fabric.files = std::make_shared<InputFiles>();
  if (request.tables_in_use) fabric.files->add(words.tables, *request.tables_in_use);
  Description verify{.path = "verify", .kind = "verify", .fields = {}, .location = {}, .files = fabric.files};
  set(verify, "tables-out", request.folder ? new_tables(request) : "/dev/null");
  add_faults(request, fabric, verify);
  return {fabric, engine_of(request, fabric.files), verify};
}

void complete_repair(const RepairRequest& request, const TopologyPtr& topology, Answer& answer) {
  if (answer.json["virtual_channels"] != 1) {
    answer.json["holds"] = false;
    answer.json["remarks"].push_back(
        "packets on these tables can deadlock: the routing needs several virtual lanes, and tables hold no "
        "service levels");
  }
  if (!request.folder) {
    answer.files.clear();
    answer.json["tables"] = nullptr;
    return;
  }
  const FaultComponents components = cables_and_switches(topology);
  const auto names = answer.json.value("failed", std::vector<std::string>());
  const FaultSet dead = components.fault_set(components_named(components, names).value());
  const infiniband::Fabric living = living_fabric(*topology, dead);
  answer.files.push_back({"output", path_in(*request.folder, dump_name), to_ibnetdiscover(living)});
  answer.files.push_back({"output", path_in(*request.folder, lids_name), to_guid2lid(living)});
}

}  // namespace faultline::app
