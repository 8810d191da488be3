// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "fabric_words.h"
#include "faultline/base/counted.h"
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

struct Tables {
  std::uint32_t virtual_channels = 0;  ///< that the routing needs
  std::string text;
};

Tables tables_of(const Request& request, const TopologyPtr& topology, const Resolved<RoutingKind>& routing,
                 const FabricLabelling& fabric) {
  require_single_ports(*topology, request.routing);
  const RelationPtr relation = build_healthy_relation(topology, routing);
  const TableExport made = export_tables(*relation, fabric, FaultSet(*topology), request.routing);
  return {relation->virtual_channels(), to_lft_dump(made.tables, fabric.fabric)};
}

void refuse_overwriting(const Case& asked, const std::vector<OutputFile>& files) {
  std::vector<CaseOutput> outputs;
  for (const OutputFile& file : files) outputs.push_back({file.path, file.field});
  refuse_lost_files(case_inputs(asked), outputs);
}

/// What `fabric verify` says of the files: a routing may keep more than tables hold, such as bubbles, and
/// need not connect every pair.
Json verdict_on(const std::string& dump, const std::string& tables, const std::vector<OutputFile>& files,
                const StopFlag& stop) {
  Description fabric = FabricWords{dump, tables}.description();
  Description verify = parse_compact("verify", "verify");
  fabric.files = verify.files = std::make_shared<InputFiles>();
  for (const OutputFile& file : files) fabric.files->add(file.path, file.content);
  const Case asked = resolve_case({fabric, routing_description(""), verify});
  return run_case(asked, build_topology(asked.topology), {.progress = {}, .stop = stop}).json;
}

/// Why tables with that verdict do not hold, or what it does not cover.
std::vector<std::string> remarks_on(const Json& verdict, std::uint32_t virtual_channels) {
  std::vector<std::string> remarks;
  if (verdict["holds"].get<bool>() && virtual_channels == 1) {
    if (!verdict.value("acyclic_with_switches", true))
      remarks.emplace_back(
          "packets to and from switches themselves close a cycle of channel dependencies, which the verdict "
          "does not cover");
    return remarks;
  }
  if (virtual_channels != 1)
    remarks.emplace_back(several_lanes_remark);
  else if (!verdict["deadlock_free"].get<bool>())
    remarks.emplace_back(
        "packets on these tables can deadlock: tables hold paths alone, no other rule of a routing, such as "
        "bubbles");
  if (!verdict["connected"].get<bool>())
    remarks.push_back(fmt::format("these tables leave {} of adapters unconnected",
                                  counted(verdict["unreachable_pairs"].get<std::uint64_t>(), "pair")));
  return remarks;
}

/// Of adapters and routers.
std::size_t ports_beside_switches(const infiniband::Fabric& fabric) {
  std::size_t ports = 0;
  for (const infiniband::Node& node : fabric.nodes)
    if (node.type != infiniband::NodeType::switch_) ports += node.end_ports.size();
  return ports;
}

Json to_json(const Request& request, const std::string& name, const infiniband::Fabric& fabric,
             const std::optional<Tables>& tables, const Json& verdict, const std::vector<OutputFile>& files) {
  Json json{{"topology", name},
            {"routing", tables ? Json(request.routing) : Json()},
            {"virtual_channels", tables ? Json(tables->virtual_channels) : Json()},
            {"holds", !tables || (verdict["holds"].get<bool>() && tables->virtual_channels == 1)},
            {"switches", fabric.count(infiniband::NodeType::switch_)},
            {"adapters", fabric.count(infiniband::NodeType::adapter)},
            {"adapter_ports", ports_beside_switches(fabric)},
            {"cables", fabric.cables.size()},
            {"written", Json::array()},
            {"remarks", Json::array()}};
  for (const OutputFile& file : files) json["written"].push_back(file.path);
  if (tables) json["remarks"] = remarks_on(verdict, tables->virtual_channels);
  return json;
}

void print_text(const Json& json) {
  for (const Json& remark : json["remarks"]) print_note(remark.get<std::string>());
  fmt::print("{}: {}, {}, {}\n", printable(json["topology"].get<std::string>(), 1000),
             counted(json["switches"].get<std::uint64_t>(), "switch"),
             counted(json["adapter_ports"].get<std::uint64_t>(), "adapter port"),
             counted(json["cables"].get<std::uint64_t>(), "cable"));
  for (const Json& path : json["written"]) fmt::print("  written  {}\n", printable(path.get<std::string>()));
  if (!json["holds"].get<bool>()) {
    fmt::print("{}", do_not_load);
    return;
  }
  const auto word = [&](std::size_t i) { return printable(as_word(json["written"][i].get<std::string>())); };
  fmt::print("Next: faultline fabric verify {}{}\n", word(0),
             json["routing"].is_null() ? "" : " --tables " + word(2));
}

int run(const Request& request, Interruption& interruption) {
  const bool has_tables = request.routing != no_tables;
  Description network = description_from_words("topology", request.topology);
  Description verify = parse_compact("verify", "verify");  // what the tables are for; nothing is asked
  network.files = verify.files = std::make_shared<InputFiles>();
  const Case asked = resolve_case({network, routing_description(has_tables ? request.routing : ""), verify});
  const TopologyPtr topology = build_topology(asked.topology);
  const FabricLabelling fabric = fabric_of(*topology);
  const FabricPaths paths(request.folder);
  std::vector<OutputFile> files{{"output", paths.dump, to_ibnetdiscover(fabric.fabric)},
                                {"output", paths.lids, to_guid2lid(fabric.fabric)}};
  std::optional<Tables> tables;
  if (has_tables) {
    tables = tables_of(request, topology, asked.routing, fabric);
    files.push_back({"output", paths.tables, tables->text});
  }
  refuse_overwriting(asked, files);
  const Json verdict =
      has_tables ? verdict_on(files.front().path, files.back().path, files, interruption.flag()) : Json();
  require_folder(request.folder);
  interruption.begin_output();
  write_files(files);
  Json json = to_json(request, topology->name(), fabric.fabric, tables, verdict, files);
  if (std::error_code unknown; !tables && std::filesystem::exists(paths.tables, unknown))
    json["remarks"].push_back(paths.tables + " was there before: it need not be of this network");
  if (request.json)
    print_json(json);
  else
    print_text(json);
  return json["holds"].get<bool>() ? success : negative_verdict;
}

Run add(CommandOptions options) {
  auto request = std::make_shared<Request>();
  options.words("topology", request->topology,
                "kind and parameters: fat-tree k=4 n=3 (see 'faultline list')");
  options.option(
      "--routing", request->routing,
      "routing whose forwarding tables are written, with one port of each switch for a terminal, "
      "such as destro or dfsssp; what is written is verified: tables of a routing that needs "
      "several virtual lanes or bubbles do not hold, as tables have neither; none: no tables (default: "
      "repair, which needs one virtual lane)");
  options.complete_kinds("topology", names_of(&infos_of<TopologyKind>));
  options.complete_kinds("--routing", names_of(&infos_of<RoutingKind>), "none");
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
