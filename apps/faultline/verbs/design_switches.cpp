// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "command_line.h"
#include "faultline/base/counted.h"
#include "faultline/base/file.h"
#include "faultline/describe/fields.h"
#include "faultline/design/switches.h"
#include "faultline/results/design_json.h"

namespace faultline::app::verbs {
namespace {

struct Options {
  std::uint32_t terminals = 0, ports = 0, degree = 2, faults = 3;
  std::string unit = "switch";
  std::uint32_t steps = 2000;
  std::uint64_t seed = 1;
  std::optional<std::string> certificate, attachment;

  static void fields(auto& field) {
    field("terminals", &Options::terminals, between(2, 100'000).required(), "terminals to connect");
    field("ports", &Options::ports, between(2, 1024).required(), "ports of a switch");
    field("degree", &Options::degree, between(1, 64), "network ports of a terminal");
    field("faults", &Options::faults, between(0, 16), "simultaneous faults");
    field("unit", &Options::unit, sum_of({"link", "switch"}), "what fails");
    field("steps", &Options::steps, at_least(0),
          "exchanges to try to improve the attachment of each shape; 0: constructions only");
    field("seed", &Options::seed, at_least(0), "seed of the exchanges");
    field("certificate", &Options::certificate, output_path(),
          "write the first design and its worst cases to this file for faultline-check");
    field("attachment", &Options::attachment, output_path(),
          "write the first design's attachment to this file, for attachment=file of a topology");
  }
  [[nodiscard]] SwitchDesignSpec spec() const {
    return {.terminals = terminals,
            .ports = ports,
            .degree = degree,
            .faults = faults,
            .units = fault_units(unit, "design.unit"),
            .steps = steps,
            .seed = seed};
  }
};

struct Request {
  std::uint32_t jobs = 1;
  bool json = false;
};

/// The construction without what all designs share.
std::string short_name(const std::string& topology) {
  std::string text;
  const Description description = parse_compact("topology", topology);
  for (const auto& [name, value] : description.fields)
    if (name == "n" || name == "switches" || name == "rows" || name == "columns" || name == "along" ||
        name == "attachment")
      text += fmt::format(" {}={}", name, to_string(value));
  return description.kind + text;
}

void print_left_out(const SwitchDesigns& found, const SwitchDesignSpec& spec) {
  constexpr std::size_t max_names = 4;
  if (!found.left_out.empty()) {
    fmt::print("  left out, with too many sets of {} to try all:", counted(spec.faults, "fault"));
    for (std::size_t i = 0; i < std::min(found.left_out.size(), max_names); ++i)
      fmt::print("{} {}", i == 0 ? "" : ",", short_name(found.left_out[i]));
    if (found.left_out.size() > max_names) fmt::print(", and {} more", found.left_out.size() - max_names);
    fmt::print("\n");
  }
  if (spec.steps != 0 && !found.searched_all)
    fmt::print("  not all attachments were searched for better ones: there are too many sets of {}\n",
               counted(spec.faults, "fault"));
}

void print_text(const SwitchDesigns& found, const SwitchDesignSpec& spec, const Options& options) {
  const std::vector<SwitchDesign>& designs = found.designs;
  fmt::print(
      "{} with {} each, switches with {}; any {} (unit {}), best first\n"
      "  lost at most         on average   ports    links between   cable length   construction\n"
      "  (in sets of all)                  bought   switches        all, longest\n",
      counted(spec.terminals, "terminal"), counted(spec.degree, "network port"), counted(spec.ports, "port"),
      counted(spec.faults, "fault"), to_string(spec.units));
  for (const SwitchDesign& design : designs) {
    const WorstCase& worst = design.worst.back();
    fmt::print("{} {:<20} {:>10.4f}   {:>6}   {:>13}   {:>12}   {}\n", design.best_buy ? '*' : ' ',
               fmt::format("{} ({} of {})", worst.lost, worst.worst_sets, worst.sets), worst.mean,
               design.ports_bought, design.network_links,
               fmt::format("{:.0f}, {:.0f}", design.cable_length, design.longest_cable),
               short_name(design.topology) + (design.improved ? ", improved" : ""));
  }
  fmt::print(
      "  *: no other listed is at least as good in both terminals lost and ports, and better in one\n"
      "  listed: the smallest networks of each shape that fit and outlast the faults; improved: by a search "
      "of --steps exchanges\n"
      "  cables: switches in a row, a unit apart\n");
  print_left_out(found, spec);
  fmt::print("the first, terminals lost at most:");
  for (const WorstCase& worst : designs.front().worst)
    fmt::print(" {} after {}{}", worst.lost, counted(worst.faults, "fault"),
               worst.faults == spec.faults ? "\n" : ",");
  if (options.certificate)
    fmt::print("certificate of the first: {} (check it with faultline-check)\n",
               printable(*options.certificate));
  if (options.attachment)
    fmt::print("attachment of the first: {}; use it as attachment=file file={}\n",
               printable(*options.attachment), printable(*options.attachment));
}

int run(const Request& request, const Description& given, Interruption& interruption) {
  const auto options = read_params<Options>(given);
  refuse_lost_files({}, outputs_of(given, fields_of<Options>()));
  check_output_paths(outputs_of(given, fields_of<Options>()));
  SwitchDesignSpec spec = options.spec();
  spec.threads = request.jobs;
  spec.stop = interruption.flag();
  const SwitchDesigns found = [&] {
    ProgressBar bar("design");
    return design_switches(spec, bar.as_progress());
  }();
  interruption.begin_output();
  std::vector<OutputFile> files;
  if (options.certificate)
    files.push_back(
        {"design.certificate", *options.certificate, design_certificate(found.designs.front(), spec)});
  if (options.attachment)
    files.push_back(
        {"design.attachment", *options.attachment, attachments_text(found.designs.front().attachments)});
  write_files(files);
  if (request.json) {
    Json json = to_json(found, spec);
    json["certificate"] = options.certificate ? Json(*options.certificate) : Json();
    json["attachment"] = options.attachment ? Json(*options.attachment) : Json();
    print_json(json);
  } else {
    print_text(found, spec, options);
  }
  if (found.interrupted())
    complain(fmt::format("interrupted; {} not evaluated, and {} not searched for better ones",
                         counted(found.unevaluated, "network"), counted(found.unsearched, "attachment")));
  return found.interrupted() ? failed_run : success;
}

Run add(CommandOptions options) {
  auto request = std::make_shared<Request>();
  const auto given = options.fields("design", fields_of<Options>());
  options.jobs(request->jobs, "threads; never changes the answer");
  options.flag("--json", request->json, "print one JSON value");
  return [request, given](Interruption& interruption) { return run(*request, given(), interruption); };
}

}  // namespace

extern constinit const Command design_switches{
    "design switches",
    "find the ring, clique or torus of switches, and the attachment of terminals with several network ports, "
    "that lose the fewest terminals (paper 4)",
    &add};

}  // namespace faultline::app::verbs
