// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "command_line.h"
#include "faultline/base/file.h"
#include "faultline/design/layout.h"
#include "faultline/topology/kind.h"

namespace faultline::app {
namespace {

struct Request {
  std::vector<std::string> topology;
  std::string room, drawing;
  LayoutSpec spec;
  bool json = false;
};

Json to_json(const Cables& cables) {
  return {{"longest_terminal_cable", cables.longest_terminal},
          {"longest_link", cables.longest_link},
          {"total", cables.total}};
}

Json to_json(const SwitchLayout& layout, const Room& room) {
  Json json{{"before", to_json(layout.before)},
            {"after", to_json(layout.after)},
            {"bound", layout.bound},
            {"optimal", layout.optimal()}};
  json["switches"] = Json::array();
  for (const std::uint32_t place : layout.place)
    json["switches"].push_back({{"place", place}, {"at", room.places[place]}});
  json["terminals"] = layout.terminals;
  return json;
}

void print_text(const std::string& name, const SwitchLayout& layout, const Request& request) {
  const auto line = [](const char* label, const Cables& cables) {
    fmt::print("  {:<24} {:>16.4g} {:>14.4g} {:>10.5g}\n", label, cables.longest_terminal,
               cables.longest_link, cables.total);
  };
  fmt::print(
      "{}: {}\n", name,
      request.room.empty() ? "a row of racks, lengths in racks" : "lengths in the unit of " + request.room);
  fmt::print("  {:<24} {:>16} {:>14} {:>10}\n", "", "longest terminal", "longest link", "all cables");
  fmt::print("  {:<24} {:>16} {:>14} {:>10}\n", "", "cable", "of switches", "");
  line("switches in their order", layout.before);
  line("this layout", layout.after);
  fmt::print("  {}\n", layout.optimal() ? "optimal: no layout has a shorter longest terminal cable"
                                        : fmt::format("no layout has a longest terminal cable below {:.4g}",
                                                      layout.bound));
  std::string order;
  for (const std::uint32_t place : layout.place) order += fmt::format(" {}", place);
  fmt::print("  places of the switches, in their order:{}\n", order);
  if (!request.drawing.empty()) fmt::print("  drawn in {}\n", request.drawing);
}

int run(const Request& request, Interruption& interruption) {
  const Description description = component_from_words("topology", request.topology);
  const TopologyPtr topology = build_topology(description);
  const auto* found = topology->find_labelling<SwitchedLabelling>();
  if (found == nullptr)
    throw Error("topology", topology->name(), "must be a switch-ring, a switch-clique or a switch-torus");
  const SwitchedLabelling& made = *found;
  const Room room = request.room.empty() ? row_of_racks(made.network.switches()) : read_room(request.room);
  LayoutSpec spec = request.spec;
  spec.stop = interruption.flag();
  const SwitchLayout layout = lay_out(made.network, made.attachments, room, spec);
  interruption.begin_output();
  if (!request.drawing.empty())
    write_file(request.drawing, layout_svg(made.network, made.attachments, room, layout, topology->name()),
               "design.drawing");
  if (request.json)
    print_json(to_json(layout, room));
  else
    print_text(topology->name(), layout, request);
  if (is_set(spec.stop)) complain("interrupted; this is the best found so far");
  return is_set(spec.stop) ? failed_run : success;
}

}  // namespace

Verb add_layout(CLI::App& design) {
  CLI::App* command = design.add_subcommand(
      "layout",
      "places for the switches of a ring, clique or torus that keep terminal cables short (paper 4, "
      "section 4.2)");
  auto request = std::make_shared<Request>();
  command->add_option("topology", request->topology, "kind and parameters: switch-ring n=12")->required();
  command->add_option("--room", request->room,
                      "file of lines switch,x,y[,z] and, where terminals have their places, terminal,x,y[,z] "
                      "(default: a row of racks, one for each switch)");
  command->add_option("--drawing", request->drawing, "write the layout to this file as an SVG image");
  command->add_option("--steps", request->spec.steps, "exchanges to try [200000]");
  command->add_option("--most-nodes", request->spec.most_nodes,
                      "of each search for a shorter longest cable, or a proof that there is none [2000000]");
  command->add_option("--seed", request->spec.seed, "of the exchanges [1]");
  command->add_flag("--json", request->json, "print one JSON value");
  return {command, [request](Interruption& interruption) { return run(*request, interruption); }};
}

}  // namespace faultline::app
