// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "command_line.h"
#include "fabric_words.h"
#include "faultline/base/counted.h"
#include "faultline/base/file.h"
#include "faultline/infiniband/forwarding_tables.h"
#include "faultline/infiniband/lids.h"
#include "faultline/infiniband/table_match.h"
#include "shell_words.h"

namespace faultline::app::verbs {
namespace {

using infiniband::Cable;
using infiniband::Fabric;
using infiniband::Node;
using infiniband::NodeType;

struct Request {
  FabricWords fabric;
  std::string output;
  bool json = false;
};

Json nodes_json(const Fabric& fabric) {
  Json json{{"switches", fabric.count(NodeType::switch_)},
            {"adapters", fabric.count(NodeType::adapter)},
            {"routers", fabric.count(NodeType::router)}};
  std::uint32_t least = 0, most = 0;
  for (const Node& node : fabric.nodes)
    if (node.type == NodeType::switch_) {
      least = least == 0 ? node.port_count : std::min(least, node.port_count);
      most = std::max(most, node.port_count);
    }
  json["switch_ports"] = {{"min", least}, {"max", most}};
  return json;
}

void add_cables(const Fabric& fabric, Json& json) {
  std::uint64_t between_switches = 0;
  std::map<std::string, std::uint64_t> rates;
  for (const Cable& cable : fabric.cables) {
    const auto is_switch = [&](std::uint32_t node) { return fabric.nodes[node].type == NodeType::switch_; };
    between_switches += is_switch(cable.a.node) && is_switch(cable.b.node) ? 1 : 0;
    ++rates[cable.width.empty() && cable.speed.empty() ? "not stated" : cable.width + " " + cable.speed];
  }
  json["cables"] = fabric.cables.size();
  json["cables_between_switches"] = between_switches;
  json["rates"] = Json::object();
  for (const auto& [rate, count] : rates) json["rates"][rate] = count;
}

void add_lids(const Fabric& fabric, Json& json) {
  std::uint64_t ports = 0, without = 0;
  infiniband::Lid least = 0, most = 0;
  std::uint8_t lmc = 0;
  for (const Node& node : fabric.nodes)
    for (const infiniband::EndPort& port : node.end_ports) {
      ++ports;
      lmc = std::max(lmc, port.lmc);
      infiniband::for_each_lid(port, [&](infiniband::Lid lid) {
        least = least == 0 ? lid : std::min(least, lid);
        most = std::max(most, lid);
      });
      without += infiniband::has_lid(port) ? 0 : 1;
    }
  json["end_ports"] = ports;
  json["without_lid"] = without;
  json["lids"] = {{"min", least}, {"max", most}};
  json["lmc_max"] = lmc;
}

void add_tables(const infiniband::ForwardingTables& tables, const Fabric& fabric, Json& json) {
  std::uint64_t entries = 0;
  for (const infiniband::ForwardingTable& table : tables.switches) entries += table.entry_count();
  json["tables"] = {{"switches", tables.switches.size()}, {"entries", entries}};
  for (const std::string& remark : tables.remarks) json["remarks"].push_back(remark);
  for (const std::string& remark : infiniband::remarks_on_match(tables, fabric))
    json["remarks"].push_back(remark);
}

void print_text(const Request& request, const Json& json) {
  const auto line = [](std::string_view label, const std::string& value) {
    fmt::print("  {:<22} {}\n", label, value);
  };
  const auto number = [&](const char* pointer) {
    return json.at(Json::json_pointer(pointer)).get<std::uint64_t>();
  };
  for (const Json& remark : json["remarks"]) print_note(remark.get<std::string>());
  fmt::print("{}\n", printable(request.fabric.dump, 1000));
  const std::string most_ports = counted(number("/switch_ports/max"), "port");
  line("switches",
       number("/switch_ports/min") == number("/switch_ports/max")
           ? fmt::format("{}, with {}", number("/switches"), most_ports)
           : fmt::format("{}, with {} to {}", number("/switches"), number("/switch_ports/min"), most_ports));
  line("adapters",
       fmt::format("{}{}", number("/adapters"),
                   number("/routers") == 0 ? "" : fmt::format("; routers {}", number("/routers"))));
  line("cables",
       fmt::format("{}, {} of them between switches", number("/cables"), number("/cables_between_switches")));
  for (const auto& [rate, count] : json["rates"].items())
    line("", fmt::format("{} {}", count.get<std::uint64_t>(), printable(rate)));
  line("LIDs",
       number("/lids/max") == 0
           ? "none"
           : fmt::format("{} to {}, for {} of {} end ports{}", number("/lids/min"), number("/lids/max"),
                         number("/end_ports") - number("/without_lid"), number("/end_ports"),
                         number("/lmc_max") == 0 ? "" : fmt::format("; LMC up to {}", number("/lmc_max"))));
  if (json.contains("tables"))
    line("forwarding tables", fmt::format("of {}, with {}", counted(number("/tables/switches"), "switch"),
                                          counted(number("/tables/entries"), "entry")));
  if (!request.output.empty()) line("written", printable(request.output));
  fmt::print("Next: faultline fabric verify {}{}\n", printable(as_word(request.fabric.dump)),
             request.fabric.tables.empty() ? "" : " --tables " + printable(as_word(request.fabric.tables)));
}

int run(const Request& request, Interruption& interruption) {
  const Fabric fabric = infiniband::read_fabric(request.fabric.dump, "dump");
  Json json = nodes_json(fabric);
  add_cables(fabric, json);
  add_lids(fabric, json);
  json["remarks"] = fabric.remarks;
  if (!request.fabric.tables.empty()) {
    const infiniband::ForwardingTables tables =
        infiniband::read_forwarding_tables(request.fabric.tables, "tables");
    infiniband::require_same_fabric(tables, fabric, "tables", request.fabric.tables);
    add_tables(tables, fabric, json);
  }
  interruption.begin_output();
  if (!request.output.empty()) {
    refuse_lost_files(request.fabric.files(), {{request.output, "output"}});
    check_output_paths({{request.output, "output"}});
    write_file(request.output, infiniband::to_ibnetdiscover(fabric), "output");
    json["written"] = request.output;
  }
  if (request.json)
    print_json(json);
  else
    print_text(request, json);
  return success;
}

Run add(CommandOptions options) {
  auto request = std::make_shared<Request>();
  request->fabric.add_to(options);
  options.option("-o,--output", request->output,
                 "write the fabric to this file, as ibnetdiscover would print it; ibsim reads it");
  options.flag("--json", request->json, "print one JSON value");
  return [request](Interruption& interruption) { return run(*request, interruption); };
}

}  // namespace

extern constinit const Command fabric_import{
    "fabric import", "read a fabric and its forwarding tables: what they hold, and what is odd about them",
    &add};

}  // namespace faultline::app::verbs
