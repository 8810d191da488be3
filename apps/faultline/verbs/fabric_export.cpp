// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "fabric_words.h"
#include "faultline/routing/kind.h"
#include "faultline/routing/table_export.h"
#include "faultline/study/case.h"
#include "faultline/topology/fabric_of.h"
#include "faultline/topology/kind.h"
#include "questions.h"
#include "shell_words.h"

namespace faultline::app::verbs {
namespace {

struct Request {
  std::vector<std::string> topology;
  std::string routing = "repair", folder;
  bool json = false;
};

constexpr const char* no_tables = "none";

/// Tables are of LIDs, and a terminal with several ports has one for each: a routing does not tell them
/// apart.
void require_single_ports(const Topology& topology, const std::string& routing) {
  for (const TerminalId terminal : topology.terminals())
    if (topology.injection(terminal).size() != 1)
      throw Error("routing", routing,
                  fmt::format("gives no tables, because {} has {} ports; give --routing {} to write none",
                              topology.name(terminal), topology.injection(terminal).size(), no_tables));
}

infiniband::ForwardingTables tables_of(const Request& request, const TopologyPtr& topology,
                                       const Resolved<RoutingKind>& routing, const FabricLabelling& fabric) {
  require_single_ports(*topology, request.routing);
  const RelationPtr relation = build_healthy_relation(topology, routing);
  return export_tables(*relation, fabric, FaultSet(*topology), request.routing).tables;
}

void refuse_overwriting(const Case& asked, const std::vector<OutputFile>& files) {
  std::vector<CaseOutput> outputs;
  for (const OutputFile& file : files) outputs.push_back({file.path, file.field});
  refuse_lost_files(case_inputs(asked), outputs);
}

int run(const Request& request, Interruption& interruption) {
  const bool has_tables = request.routing != no_tables;
  Description network = description_from_words("topology", request.topology);
  Description verify = parse_compact("verify", "verify");  // what the tables are for; nothing is asked
  network.files = verify.files = std::make_shared<InputFiles>();
  const Case asked = resolve_case({network, routing_description(has_tables ? request.routing : ""), verify});
  const TopologyPtr topology = build_topology(network);
  const FabricLabelling fabric = fabric_of(*topology);
  const auto path = [&](const char* name) { return (std::filesystem::path(request.folder) / name).string(); };
  std::vector<OutputFile> files{{"output", path("fabric.ibnetdiscover"), to_ibnetdiscover(fabric.fabric)},
                                {"output", path("guid2lid"), to_guid2lid(fabric.fabric)}};
  if (has_tables)
    files.push_back({"output", path("tables.lfts"),
                     to_lft_dump(tables_of(request, topology, asked.routing, fabric), fabric.fabric)});
  refuse_overwriting(asked, files);
  require_folder(request.folder);
  interruption.begin_output();
  write_files(files);
  if (request.json) {
    Json json{
        {"topology", topology->name()},         {"routing", has_tables ? Json(request.routing) : Json()},
        {"switches", topology->switch_count()}, {"adapters", topology->terminal_count()},
        {"cables", topology->link_count()},     {"written", Json::array()}};
    for (const OutputFile& file : files) json["written"].push_back(file.path);
    print_json(json);
    return success;
  }
  fmt::print("{}: {} switches, {} adapters, {} cables\n", printable(topology->name(), 1000),
             topology->switch_count(), topology->terminal_count(), topology->link_count());
  for (const OutputFile& file : files) fmt::print("  written  {}\n", printable(file.path));
  fmt::print("Next: faultline fabric verify {}{}\n", printable(as_word(files[0].path)),
             has_tables ? " --tables " + printable(as_word(files[2].path)) : "");
  return success;
}

Run add(CommandOptions options) {
  auto request = std::make_shared<Request>();
  options.words("topology", request->topology,
                "kind and parameters: fat-tree k=4 n=3 (see 'faultline list')");
  options.option("--routing", request->routing,
                 "routing whose forwarding tables are written, with one port of each switch for a terminal, "
                 "such as destro or dfsssp; none: no tables (default: repair, which needs one virtual lane)");
  options.required_option(
      "-o,--output", request->folder,
      "folder for the network (fabric.ibnetdiscover, which ibsim reads), its LIDs (guid2lid) "
      "and its tables (tables.lfts)");
  options.flag("--json", request->json, "print one JSON value");
  return [request](Interruption& interruption) { return run(*request, interruption); };
}

}  // namespace

extern constinit const Command fabric_export{
    "fabric export", "write a network and its forwarding tables as InfiniBand's own tools read them", &add};

}  // namespace faultline::app::verbs
