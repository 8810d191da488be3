// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "command_line.h"
#include "faultline/base/file.h"
#include "faultline/describe/fields.h"
#include "faultline/design/layout.h"
#include "faultline/topology/kind.h"

namespace faultline::app::verbs {
namespace {

struct Options {
  std::optional<InputFile> room;
  std::optional<std::string> drawing;
  std::uint32_t steps = 200'000;
  std::uint64_t max_nodes = 2'000'000, seed = 1;

  static void fields(auto& field) {
    field("room", &Options::room, file_path(),
          "file of lines switch,x,y[,z] and, for terminals at fixed positions, terminal,x,y[,z] (default: a "
          "row of racks, one for each switch)");
    field("drawing", &Options::drawing, output_path(), "write the layout to this file as an SVG image");
    field("steps", &Options::steps, at_least(0), "exchanges to try");
    field("most-nodes", &Options::max_nodes, at_least(0),
          "maximum nodes of each search for a layout with a shorter longest cable, or for a proof that there "
          "is none");
    field("seed", &Options::seed, at_least(0), "seed of the exchanges");
  }
};

struct Request {
  std::vector<std::string> topology;
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
  for (const std::uint32_t spot : layout.spot_of)
    json["switches"].push_back({{"place", spot}, {"at", room.spots[spot]}});
  json["terminals"] = layout.terminals;
  return json;
}

void print_text(const std::string& name, const SwitchLayout& layout, const Options& options) {
  const auto line = [](const char* label, const Cables& cables) {
    fmt::print("  {:<24} {:>16.4g} {:>14.4g} {:>10.5g}\n", label, cables.longest_terminal,
               cables.longest_link, cables.total);
  };
  fmt::print("{}: {}\n", printable(name, 1000),
             options.room ? "lengths in the unit of " + printable(options.room->path)
                          : "a row of racks, lengths in racks");
  fmt::print("  {:<24} {:>16} {:>14} {:>10}\n", "", "longest terminal", "longest link", "all cables");
  fmt::print("  {:<24} {:>16} {:>14} {:>10}\n", "", "cable", "of switches", "");
  line("switches in their order", layout.before);
  line("this layout", layout.after);
  fmt::print("  {}\n", layout.optimal() ? "optimal: no layout has a shorter longest terminal cable"
                                        : fmt::format("no layout has a longest terminal cable below {:.4g}",
                                                      layout.bound));
  std::string order;
  for (const std::uint32_t spot : layout.spot_of) order += fmt::format(" {}", spot);
  fmt::print("  spots of the switches, in their order:{}\n", order);
  if (options.drawing) fmt::print("  drawn in {}\n", printable(*options.drawing));
}

/// The network with its attachments. Refuses a drawing that would overwrite an input file.
TopologyPtr build(const Resolved<TopologyKind>& topology, const Description& given) {
  const std::vector<FieldInfo> fields = fields_of<Options>();
  std::vector<CaseInput> inputs = inputs_of(given, fields);
  for (CaseInput& input : inputs_of(topology.description(), topology.kind().info.fields()))
    inputs.push_back(std::move(input));
  refuse_lost_files(inputs, outputs_of(given, fields));
  check_output_paths(outputs_of(given, fields));
  return build_topology(topology);
}

int run(const Request& request, Description given, Interruption& interruption) {
  Description description = description_from_words("topology", request.topology);
  description.files = given.files = std::make_shared<InputFiles>();
  const auto options = read_params<Options>(given);
  const TopologyPtr topology = build(description, given);
  const auto* found = topology->find_labelling<SwitchedLabelling>();
  if (found == nullptr)
    throw Error("topology", topology->name(), "must be a switch-ring, a switch-clique or a switch-torus");
  const SwitchedLabelling& made = *found;
  const Room room = options.room ? read_room(*options.room) : row_of_racks(made.network.switches());
  const LayoutSpec spec{.steps = options.steps,
                        .max_nodes = options.max_nodes,
                        .seed = options.seed,
                        .stop = interruption.flag()};
  const SwitchLayout layout = lay_out(made.network, made.attachments, room, spec);
  interruption.begin_output();
  if (options.drawing)
    write_file(*options.drawing, layout_svg(made.network, made.attachments, room, layout, topology->name()),
               "design.drawing");
  if (request.json)
    print_json(to_json(layout, room));
  else
    print_text(topology->name(), layout, options);
  if (is_set(spec.stop)) complain("interrupted; this is the best found so far");
  return is_set(spec.stop) ? failed_run : success;
}

Run add(CommandOptions options) {
  auto request = std::make_shared<Request>();
  options.words("topology", request->topology, "kind and parameters: switch-ring n=12");
  options.complete("topology", {"switch-ring", "switch-clique", "switch-torus"});
  const auto given = options.fields("design", fields_of<Options>());
  options.flag("--json", request->json, "print one JSON value");
  return [request, given](Interruption& interruption) { return run(*request, given(), interruption); };
}

}  // namespace

extern constinit const Command design_layout{
    "design layout",
    "place the switches of a ring, clique or torus so that terminal cables are short (paper 4, section 4.2)",
    &add};

}  // namespace faultline::app::verbs
