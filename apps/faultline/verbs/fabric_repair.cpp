// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "faultline/base/error.h"
#include "faultline/describe/fields.h"
#include "faultline/routing/kind.h"
#include "faultline/topology/labellings.h"
#include "questions.h"
#include "repair_question.h"
#include "shell_words.h"

namespace faultline::app::verbs {
namespace {

struct Options {
  std::uint32_t cut_links = 0;
  std::uint64_t seed = 1;
  std::string engine = "repair";
  bool dry_run = false;
  std::optional<std::string> output, reference;

  static void fields(auto& field) {
    field("cut-links", &Options::cut_links, at_least(0),
          "cut this many cables between switches, drawn at random");
    field("seed", &Options::seed, at_least(0), "seed of the cables that are drawn");
    field("engine", &Options::engine, any_text(), engine_help);
    field("reference", &Options::reference, any_text(),
          "tables of the fabric when it was whole: their entries for adapters come back wherever their paths "
          "are whole again; left out where its paths would close a cycle of channel dependencies");
    field("dry-run", &Options::dry_run, {}, "write nothing");
    field("output", &Options::output, any_text(),
          "folder for the new tables (tables.lfts), the fabric without the cables that were cut or led to a "
          "switch that was cut, which stays (fabric.ibnetdiscover), and its LIDs (guid2lid)");
  }
};

struct Request {
  RepairRequest repair;
  Asking asking;
};

/// Of tables that do not hold and are to be loaded: no others would.
constexpr const char* connect_what_they_can =
    "not every pair is connected (see above): these tables connect all that can be\n";

/// OpenSM loads only the first entry of each port unless it is told how many LIDs a port has.
std::string lmc_option(const Topology& topology) {
  std::uint8_t most = 0;
  for (const infiniband::Node& node : topology.labelling<FabricLabelling>("repair", "topology").fabric.nodes)
    for (const infiniband::EndPort& port : node.end_ports) most = std::max(most, port.lmc);
  return most == 0 ? "" : fmt::format("-l {} ", most);
}

std::string next_step(const RepairRequest& repair, bool dry_run, const std::string& lmc, const Json& answer) {
  const bool good = are_worth_loading(answer);
  if (repair.folder && !good) return do_not_load;
  const std::string_view connected = good && !answer["holds"].get<bool>() ? connect_what_they_can : "";
  if (repair.folder)
    return fmt::format(
        "{}Next: opensm {}-R file,no_fallback -U {} (and with -x and guid2lid in its cache folder, where "
        "LIDs are to stay)\n",
        connected, lmc, printable(as_word(new_tables(repair))));
  return fmt::format("{}nothing is written{}\n", connected,
                     dry_run ? " (--dry-run)" : "; give a folder with -o");
}

int run(Request request, const Description& given, Interruption& interruption) {
  const auto options = read_params<Options>(given);
  if (given.find("seed") != nullptr && given.find("cut-links") == nullptr)
    throw Error("seed", std::to_string(options.seed),
                "must be used with cut-links, which draws cables at random");
  RepairRequest& repair = request.repair;
  repair.cut_links = options.cut_links;
  repair.seed = options.seed;
  repair.engine = options.engine;
  repair.reference = options.reference.value_or("");
  if (!options.dry_run) repair.folder = options.output;
  const CaseDescription asked = repair_question(repair);
  if (repair.folder) require_folder(*repair.folder);
  std::string lmc;
  request.asking.complete = [&](const TopologyPtr& topology, Answer& answer) {
    complete_repair(repair, topology, answer);
    lmc = lmc_option(*topology);
  };
  request.asking.further_text = [&](const Json& answer) {
    return next_step(repair, options.dry_run, lmc, answer);
  };
  return ask(asked, request.asking, interruption);
}

Run add(CommandOptions options) {
  auto request = std::make_shared<Request>();
  request->repair.fabric.add_to(options);
  options.repeated(
      "--cut", request->repair.cut,
      "cut this cable, named by an end as \"switch[port]\", or this switch; may be given several "
      "times");
  const auto given = options.fields("repair", fields_of<Options>());
  options.complete_kinds("--engine", names_of(&infos_of<RoutingKind>));
  add_asking(options, verify_verb(), request->asking);
  return [request, given](Interruption& interruption) { return run(*request, given(), interruption); };
}

}  // namespace

extern constinit const Command fabric_repair{"fabric repair",
                                             "lead a fabric's forwarding tables around what its dump lacks "
                                             "and what is cut, with a proof that they are "
                                             "free of deadlock",
                                             &add};

}  // namespace faultline::app::verbs
