// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <thread>

#include "command_line.h"
#include "faultline/base/file.h"
#include "faultline/design/switches.h"
#include "faultline/results/design_json.h"

namespace faultline::app {
namespace {

struct Request {
  SwitchDesignSpec spec;
  std::string certificate, attachment;
  std::uint32_t jobs = std::max(1U, std::thread::hardware_concurrency());
  bool json = false;
};

/// The construction without what all of them share.
std::string short_name(const SwitchDesign& design) {
  std::string text;
  const Description description = parse_compact("topology", design.topology);
  for (const auto& [name, value] : description.fields)
    if (name == "n" || name == "switches" || name == "rows" || name == "columns" || name == "along")
      text += fmt::format(" {}={}", name, to_text(value));
  return description.kind + text + (design.improved ? ", improved" : "");
}

void print_text(const std::vector<SwitchDesign>& designs, const Request& request) {
  const SwitchDesignSpec& spec = request.spec;
  fmt::print(
      "{} terminals with {} network ports each, switches with {} ports; any {} faults (unit {}), best first\n"
      "  lost at most         on average   ports    links between   cable length   construction\n"
      "  (in sets of all)                  bought   switches        all, longest\n",
      spec.terminals, spec.degree, spec.ports, spec.faults, spec.unit);
  for (const SwitchDesign& design : designs) {
    const WorstCase& worst = design.worst.back();
    fmt::print("{} {:<20} {:>10.4f}   {:>6}   {:>13}   {:>12}   {}\n", design.best_buy ? '*' : ' ',
               fmt::format("{} ({} of {})", worst.lost, worst.worst_sets, worst.sets), worst.mean,
               design.ports_bought, design.network_links,
               fmt::format("{:.0f}, {:.0f}", design.cable_length, design.longest_cable), short_name(design));
  }
  fmt::print("  *: nothing that costs as few ports loses fewer; cables: switches in a row, a unit apart\n");
  fmt::print("the first loses at most:");
  for (const WorstCase& worst : designs.front().worst)
    fmt::print(" {} to {} fault{}{}", worst.lost, worst.faults, worst.faults == 1 ? "" : "s",
               worst.faults == spec.faults ? "\n" : ",");
  if (!request.certificate.empty())
    fmt::print("certificate of the first: {} (check it with faultline-check)\n", request.certificate);
  if (!request.attachment.empty())
    fmt::print("attachment of the first: {}; use it as attachment=file,file={}\n", request.attachment,
               request.attachment);
}

int run(const Request& request, Interruption& interruption) {
  SwitchDesignSpec spec = request.spec;
  spec.threads = request.jobs;
  spec.stop = interruption.flag();
  std::vector<SwitchDesign> designs;
  {
    ProgressBar bar("design");
    designs = design_switches(spec, [&](std::string_view what, std::uint64_t done, std::uint64_t total) {
      bar.show(what, done, total);
    });
  }
  if (is_set(spec.stop)) {
    interruption.begin_output();
    complain("interrupted; nothing is known of some designs");
    return failed_run;
  }
  interruption.begin_output();
  if (!request.certificate.empty())
    write_file(request.certificate, design_certificate(designs.front(), spec), "design.certificate");
  if (!request.attachment.empty())
    write_file(request.attachment, attachments_text(designs.front().attachments), "design.attachment");
  if (request.json) {
    Json json = to_json(designs, spec);
    json["certificate"] = request.certificate.empty() ? Json() : Json(request.certificate);
    print_json(json);
  } else {
    print_text(designs, request);
  }
  return success;
}

}  // namespace

Verb add_design(CLI::App& program) {
  CLI::App* command = program.add_subcommand("design", "proposes a network for what is needed");
  CLI::App* switches = command->add_subcommand(
      "switches",
      "the ring, clique or torus of switches, and the attachment of terminals with several "
      "network ports, that loses the fewest terminals (paper 4)");
  auto request = std::make_shared<Request>();
  SwitchDesignSpec& spec = request->spec;
  switches->add_option("--terminals", spec.terminals, "to connect")->required();
  switches->add_option("--ports", spec.ports, "of a switch")->required();
  switches->add_option("--degree", spec.degree, "network ports of a terminal [2]");
  switches->add_option("--faults", spec.faults, "simultaneous faults [3]")->check(CLI::Range(0U, 16U));
  switches->add_option("--unit", spec.unit, "what fails: switch, link or switch+link [switch]");
  switches->add_option(
      "--steps", spec.steps,
      "exchanges to try to improve the attachment of each shape; 0: constructions only [2000]");
  switches->add_option("--seed", spec.seed, "of the exchanges [1]");
  switches->add_option("--certificate", request->certificate,
                       "write the first design and its worst cases to this file for faultline-check");
  switches->add_option("--attachment", request->attachment,
                       "write the first design's attachment to this file, for attachment=file of a topology");
  switches->add_option("--jobs", request->jobs, "threads; never changes the answer")
      ->check(CLI::Range(1U, 1024U));
  switches->add_flag("--json", request->json, "print one JSON value");
  const Verb layout = add_layout(*command);
  command->require_subcommand(1);
  return {command, [request, layout](Interruption& interruption) {
            return layout.command->parsed() ? layout.run(interruption) : run(*request, interruption);
          }};
}

}  // namespace faultline::app
