// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <nlohmann/json.hpp>

#include "faultline/cost/cost.h"
#include "faultline/cost/hypercube.h"
#include "faultline/results/json.h"
#include "faultline/routing/fir.h"
#include "faultline/routing/kind.h"
#include "faultline/study/answer.h"
#include "faultline/study/case.h"
#include "faultline/topology/graph.h"
#include "faultline/topology/grid.h"
#include "study/answer_text.h"
#include "study/relation_output.h"
#include "study/topology_text.h"
#include "study/unused_options.h"
#include "study/work_sizes.h"

namespace faultline::verbs {
namespace {

using Json = nlohmann::ordered_json;

/// Of a switch with as many network ports as any.
Json routing_memory(const CartesianLabelling& grid, const Topology& topology, std::uint32_t vcs,
                    std::optional<std::uint32_t> asked, const Description& given) {
  std::uint32_t ports = 0, address_bits = 0;
  for (const SwitchId at : topology.switches())
    ports = std::max(ports, static_cast<std::uint32_t>(std::ranges::count(
                                topology.outputs(at), ChannelRole::network,
                                [&](ChannelId channel) { return topology.role(channel); })));
  for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension)
    address_bits += static_cast<std::uint32_t>(std::bit_width(grid.radix(dimension) - 1));
  const std::uint32_t options = asked.value_or(grid.dimensions() + 1);
  if (asked && *asked > std::max(1U, ports * vcs))
    throw Error(given.path_of("options"), std::to_string(*asked),
                fmt::format("must be at most {}: a switch has no more network channels", ports * vcs));
  const std::optional<std::uint64_t> crossover = fir_crossover(ports, vcs, options);
  const FirMemory memory = fir_memory(topology.switch_count(), address_bits, ports, vcs, options);
  return {{"ports", ports},
          {"vcs", vcs},
          {"options", options},
          {"address_bits", address_bits},
          {"fir_bits", memory.fir},
          {"ft_fir_bits", memory.ft_fir},
          {"table_bits", memory.table},
          {"crossover_switches", crossover ? Json(*crossover) : Json(nullptr)}};
}

std::uint32_t usual_vcs(const RoutingRelation& relation) {
  constexpr std::uint32_t of_the_paper = 3;
  return dynamic_cast<const FirConfigured*>(&relation) != nullptr ? relation.virtual_channels()
                                                                  : of_the_paper;
}

Json beside_hypercube(const Topology& topology, const TopologyFigures& figures) {
  const HypercubeComparison cube = compare_with_hypercube(topology, figures);
  return {{"dimensions", cube.dimensions},
          {"switches", cube.switches},
          {"links", cube.links},
          {"switch_ports", cube.switch_ports},
          {"average_distance", cube.average_distance},
          {"own_switch_ports", cube.own_switch_ports},
          {"cost_performance", cube.cost_performance}};
}

struct TopologyVerb {
  bool all_distances = false;
  bool hypercube = false;
  std::string exported = "none";
  std::optional<std::uint32_t> only;
  std::optional<std::string> output;
  std::optional<std::uint32_t> vcs;
  std::optional<std::uint32_t> options;

  static void fields(auto& field) {
    field("all-distances", &TopologyVerb::all_distances, {},
          "compute diameter and average distance however long it takes (default: only if it takes a few "
          "minutes at most)");
    field("hypercube", &TopologyVerb::hypercube, {},
          "compare cost (switch ports) times average distance with a hypercube of as many terminals");
    field("export", &TopologyVerb::exported,
          one_of({"none", "graphml", "json", "dot", "edges", "fir", "fir-image"}),
          "print, instead of figures, the network as a graph that topology graph reads (graphml, json for "
          "networkx, dot for Graphviz, edges), or the registers of flexible interval routing (routing fir or "
          "ft-fir): as a table, or as a memory image in hexadecimal for $readmemh");
    field("switch", &TopologyVerb::only, at_least(0),
          "export the registers of this switch only (default: of all switches)");
    field("output", &TopologyVerb::output, output_path(), "write the export to this file");
    field("vcs", &TopologyVerb::vcs, between(1, 32),
          "grids: virtual channels assumed for the cost of routing memory (default: those of routing fir or "
          "ft-fir, else 3)");
    field("options", &TopologyVerb::options, at_least(1),
          "grids: routing options in an entry of a forwarding table (default: one adaptive channel per "
          "dimension, and the escape channel)");
  }
  static std::vector<TopologyVerb> samples() { return {{}}; }

  void check(const Description& given) const {
    const Value* const only_given = given.find("switch");
    if (only_given != nullptr && exported != "fir" && exported != "fir-image")
      throw Error(given.path_of("switch"), to_string(*only_given), "needs export=fir or export=fir-image");
    const Value* const output_given = given.find("output");
    if (output_given != nullptr && exported == "none")
      throw Error(given.path_of("output"), to_string(*output_given),
                  "needs an export; choose one with export");
    for (const auto& [name, is_asked] :
         {std::pair("all-distances", all_distances), std::pair("hypercube", hypercube)})
      if (is_asked && exported != "none")
        refuse_unused(given, name, "true", "must be used without an export, which prints no figures");
  }

  /// Distances are left out if they would take long, unless they are requested.
  [[nodiscard]] WorkEstimate estimate(const CaseContext& context) const {
    if (writes_graph()) return {};
    require_room_for_tables(context);
    if (!all_distances) return {};
    return {.cpu_seconds = static_cast<double>(distance_steps(*context.topology)) / distance_steps_a_second};
  }

  [[nodiscard]] Answer run(const CaseContext& context) const {
    check_memory_options(context);
    if (writes_graph()) return written(graph_text(*context.topology), context.options);
    const RelationPtr relation =
        build_relation(context.topology, FaultSet(*context.topology), context.routing);
    if (exported != "none") return written(registers_text(*relation, context.options), context.options);
    FiguresSpec spec{.progress = context.progress, .stop = context.stop};
    if (all_distances) spec.max_distance_steps = std::numeric_limits<std::uint64_t>::max();
    const TopologyFigures figures = topology_figures(*relation, spec);
    Json json = to_json(figures, *context.topology);
    json["routing"] = context.routing.kind().info.name;
    if (const auto remarks = remarks_on(*context.topology); !remarks.empty()) json["remarks"] = remarks;
    if (hypercube)
      json["hypercube"] = figures.has_distances && figures.terminals > 1
                              ? beside_hypercube(*context.topology, figures)
                              : Json(nullptr);
    if (const auto* const grid = context.topology->find_labelling<CartesianLabelling>())
      json["routing_memory"] = routing_memory(*grid, *context.topology, vcs.value_or(usual_vcs(*relation)),
                                              options, context.options);
    return json;
  }

  static std::string text(const Case& one, const Json& result) {
    if (result.contains("export"))
      return result["export"].is_null() ? fmt::format("wrote {}\n", name_text(result["output"]))
                                        : result["export"].get<std::string>();
    return printable(to_compact(one.topology), 1000) + "\n" + topology_text(result);
  }

 private:
  /// They are about routing memory, which is a figure of grids.
  void check_memory_options(const CaseContext& context) const {
    const bool has_memory =
        exported == "none" && context.topology->find_labelling<CartesianLabelling>() != nullptr;
    for (const auto& [name, value] : {std::pair("vcs", vcs), std::pair("options", options)})
      if (value && !has_memory)
        refuse_unused(context.options, name, std::to_string(*value),
                      "must be used with a grid, such as torus, and without an export: it is about the cost "
                      "of routing memory");
  }

  [[nodiscard]] bool writes_graph() const {
    return exported == "graphml" || exported == "json" || exported == "dot" || exported == "edges";
  }
  [[nodiscard]] std::string graph_text(const Topology& topology) const {
    const formats::GraphFile graph = graph_of(topology);
    if (exported == "graphml") return formats::graphml_text(graph);
    if (exported == "json") return formats::node_link_text(graph);
    return exported == "dot" ? formats::dot_text(graph) : formats::edge_list_text(graph);
  }

  [[nodiscard]] std::string registers_text(const RoutingRelation& relation, const Description& given) const {
    const auto* const machine = dynamic_cast<const FirConfigured*>(&relation);
    if (machine == nullptr)
      throw Error(given.path_of("export"), exported,
                  "needs a routing that has registers: --routing fir or ft-fir");
    const Topology& topology = relation.topology();
    if (only && *only >= topology.switch_count())
      throw Error(given.path_of("switch"), std::to_string(*only),
                  "must be the number of a switch, below " + std::to_string(topology.switch_count()));
    std::string text;
    for (const SwitchId at : topology.switches()) {
      if (only && at.index() != *only) continue;
      const FirSwitch& registers = machine->fir_switch(at);
      if (exported == "fir")
        text += fir_text(registers, topology.name(at));
      else
        text += "// " + topology.name(at) + "\n" + fir_memory_image(registers);
    }
    return text;
  }

  /// To the file, if one is named.
  [[nodiscard]] Answer written(std::string text, const Description& given) const {
    if (!output) return Json{{"export", std::move(text)}};
    return {Json{{"export", nullptr}, {"output", *output}},
            {{given.path_of("output"), *output, std::move(text)}}};
  }
};

}  // namespace

extern constinit const VerbKind topology =
    verb_kind<TopologyVerb>("topology", "size, cost and distances of a network");

}  // namespace faultline::verbs
