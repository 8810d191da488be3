// SPDX-License-Identifier: Apache-2.0
#include "study/topology_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "faultline/base/counted.h"
#include "study/answer_text.h"

namespace faultline {
namespace {

using Json = nlohmann::ordered_json;

std::string sizes_text(const Json& result) {
  const auto least = result["switch_radix"]["min"].get<std::uint64_t>();
  const auto most = result["switch_radix"]["max"].get<std::uint64_t>();
  return labelled_line("terminals", count_text(result["terminals"])) +
         labelled_line("switches", fmt::format("{}, with {}", count_text(result["switches"]),
                                               least == most ? counted(most, "port")
                                                             : fmt::format("{} to {} ports", least, most))) +
         labelled_line(
             "channels",
             fmt::format("{} one-way: {} network, {} injection, {} ejection", count_text(result["channels"]),
                         count_text(result["network_channels"]), count_text(result["injection_channels"]),
                         count_text(result["ejection_channels"]))) +
         labelled_line("links", count_text(result["links"]) + ", terminal links included") +
         labelled_line(
             "switching elements",
             fmt::format("{}, inputs times outputs of multiplexers, for routing {}",
                         count_text(result["switching_elements"]), result["routing"].get<std::string>()));
}

std::string distances_text(const Json& result) {
  if (result["unconnected_pairs"] != 0)
    return labelled_line(
        "not connected",
        fmt::format("ordered pairs of terminals without a path: {}, such as {} -> {}",
                    count_text(result["unconnected_pairs"]), name_text(result["unconnected"][0]),
                    name_text(result["unconnected"][1])));
  if (result["diameter"].is_null()) {
    constexpr double steps_an_hour = 3600 * distance_steps_a_second;
    return labelled_line(
        "distances",
        fmt::format("left out: they would take about {:.2g} hours; --all-distances computes them",
                    result["distance_steps"].get<double>() / steps_an_hour));
  }
  return labelled_line("diameter", count_text(result["diameter"]) + " links from terminal to terminal") +
         labelled_line("average distance",
                       fmt::format("{:.4f} links, over all ordered pairs; a terminal and itself count as 0",
                                   result["average_distance"].get<double>()));
}

std::string bisection_text(const Json& result) {
  return labelled_line(
      "bisection",
      result["bisection"].is_null()
          ? "not computed for more than 2^18 channels"
          : (result["bisection_exact"] == true ? "" : "at most ") +
                counted_text(result["bisection"], "channel") +
                " in one direction between two halves of the terminals, terminal links included");
}

std::string hypercube_text(const Json& result) {
  if (!result.contains("hypercube")) return {};
  const Json& cube = result["hypercube"];
  if (cube.is_null())
    return labelled_line("a hypercube", result["terminals"] == 1
                                            ? "is not compared with one terminal"
                                            : "is not compared: there is no average distance");
  return labelled_line(
      "a hypercube",
      fmt::format("has {:.3f} times this network's cost-distance product: switch ports x average distance is "
                  "{:.0f} x {:.4f} there ({:.4g} dimensions), {} x {:.4f} here",
                  cube["cost_performance"].get<double>(), cube["switch_ports"].get<double>(),
                  cube["average_distance"].get<double>(), cube["dimensions"].get<double>(),
                  count_text(cube["own_switch_ports"]), result["average_distance"].get<double>()));
}

std::string routing_memory_text(const Json& result) {
  if (!result.contains("routing_memory")) return {};
  const Json& memory = result["routing_memory"];
  const std::string crossover =
      memory["crossover_switches"].is_null()
          ? ""
          : fmt::format(
                "; FT-FIR needs fewer bits than the table from {} switches on, with addresses of "
                "ceil(log2(switches)) bits (here they take {})",
                count_text(memory["crossover_switches"]), count_text(memory["address_bits"]));
  return labelled_line(
      "routing memory",
      fmt::format("per switch with {} virtual channels: FIR {} bits, FT-FIR {}, a forwarding table with {} "
                  "options an entry {}{}",
                  count_text(memory["vcs"]), count_text(memory["fir_bits"]),
                  count_text(memory["ft_fir_bits"]), count_text(memory["options"]),
                  count_text(memory["table_bits"]), crossover));
}

}  // namespace

std::string topology_text(const Json& result) {
  return sizes_text(result) + distances_text(result) + bisection_text(result) + hypercube_text(result) +
         routing_memory_text(result);
}

}  // namespace faultline
