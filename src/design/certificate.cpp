// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "faultline/design/switches.h"

namespace faultline {

std::string design_certificate(const SwitchDesign& design, const SwitchDesignSpec& spec) {
  std::string text = "faultline-switches 1\n";
  text += fmt::format("network {}{}\n", design.topology, design.improved ? ", attachment improved" : "");
  text += fmt::format("unit {}\nswitches {}\nports {}\n", to_string(spec.units), design.network.switches(),
                      spec.ports);
  const auto links = design.network.links();
  text += fmt::format("links {}\n", links.size());
  for (const auto& [a, b] : links) text += fmt::format("l {} {}\n", a, b);
  text += fmt::format("terminals {}\n", design.attachments.size());
  for (const auto& attached : design.attachments) text += fmt::format("t {}\n", fmt::join(attached, ","));
  text += fmt::format("worst-cases {}\n", design.worst.size());
  for (const WorstCase& worst : design.worst)
    text += fmt::format("w {} lost {} sets {} of {} such {}\n", worst.faults, worst.lost, worst.worst_sets,
                        worst.sets, worst.set.empty() ? "-" : fmt::format("{}", fmt::join(worst.set, ",")));
  return text + "end\n";
}

}  // namespace faultline
