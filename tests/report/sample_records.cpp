// SPDX-License-Identifier: Apache-2.0
#include "report/sample_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "faultline/base/version.h"
#include "faultline/fault/components.h"
#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"

namespace faultline {
namespace {

using nlohmann::json;

struct Design {
  const char* kind;
  const char* routing;
  double saturation;      // flits/cycle/terminal
  double base;            // cycles
  int network, terminal;  // tolerated faults
};

constexpr std::array designs{
    Design{"fat-tree", "fta", 0.55, 150, 3, 0}, Design{"ruft", "ruft", 0.51, 146, 0, 0},
    Design{"ruft-pl", "ruft", 1.24, 143, 1, 1}, Design{"ft-ruft-212", "ruft", 0.60, 145, 3, 1},
    Design{"ft-ruft-222", "ruft", 1.10, 144, 7, 1}};

class Sample {
 public:
  std::vector<Record> make() && {
    for (const int k : {4, 8})
      for (const Design& design : designs) {
        topology_ = fmt::format("{}:k={},n=3", design.kind, k);
        routing_ = design.routing;
        add_topology(design);
        for (const char* traffic : {"uniform", "hot-spot:share=0.15"}) add_sweep(design, traffic);
        if (k == 4) add_resilience(design);
      }
    return std::move(records_);
  }

 private:
  void add(const char* verb, json options, const json& result, double seconds) {
    const json described{
        {"verb", verb}, {"topology", topology_}, {"routing", routing_}, {"options", std::move(options)}};
    records_.push_back({fmt::format("{:032x}", std::hash<std::string>{}(described.dump())),
                        "The RUFT family (sample data)", described.dump(), result.dump(), 1, "0.1.0", seconds,
                        std::string(results_generation)});
  }

  void add_topology(const Design& design) {
    const TopologyPtr topology = build_topology(parse_compact("topology", topology_));
    const RelationPtr relation =
        build_relation(topology, FaultSet(*topology), parse_compact("routing", design.routing));
    std::uint64_t elements = 0;
    for (const SwitchId at : topology->switches()) elements += relation->switching_elements(at);
    add("topology", json::object(),
        {{"terminals", topology->terminal_count()},
         {"switches", topology->switch_count()},
         {"channels", topology->channel_count()},
         {"links", topology->link_count()},
         {"switching_elements", elements}},
        0.001);
  }

  /// An M/D/1-like curve.
  void add_sweep(const Design& design, const std::string& traffic) {
    const double limit = traffic == "uniform" ? design.saturation : design.saturation * 0.55;
    for (double load = 0.05; load < 1.35; load += 0.1) {
      const bool saturated = load > limit;
      const double accepted = saturated ? limit : load, share = std::min(load / limit, 0.985);
      const double mean = saturated ? 2600 * load : design.base * (1 + 0.6 * share / (1 - share));
      const double error = mean * 0.02 / (1.02 - share) * 0.25;
      add("simulate",
          {{"load", load},
           {"packet-flits", 128},
           {"traffic", traffic},
           {"switching", "vct"},
           {"buffer-packets", 2}},
          {{"offered", load},
           {"accepted", accepted},
           {"saturated", saturated},
           {"deadlock", false},
           {"latency",
            {{"mean", mean},
             {"interval", {mean - error, mean + error}},
             {"p50", mean * 0.9},
             {"p99", mean * 2.4},
             {"network_mean", design.base * (1 + 0.3 * share)}}},
           {"generated", 50000},
           {"delivered", 49800},
           {"in_flight", 200},
           {"hops_mean", 3.0},
           {"cycles", 400000}},
          0.8);
      if (load > limit * 1.5) break;
    }
  }

  void add_resilience(const Design& design) {
    const TopologyPtr topology = build_topology(parse_compact("topology", topology_));
    for (const auto& [scope, scope_name, tolerated] :
         {std::tuple(FaultScope::network, "network", design.network),
          std::tuple(FaultScope::terminal, "terminal", design.terminal)}) {
      const FaultComponents components(topology, FaultUnit::channel, scope);
      json witness = json::array(), critical = json::array(), points = json::array();
      for (int i = 0; i <= tolerated; ++i) witness.push_back(components.name(static_cast<std::size_t>(i)));
      for (int i = 0; i < 3 && tolerated == 0; ++i)
        critical.push_back({{"name", components.name(static_cast<std::size_t>(i))},
                            {"pairs_lost", 63 - i},
                            {"cut_share", 0.25 / (1 + i)}});
      for (int faults = 1; faults <= 100; faults += faults < 10 ? 1 : 5) {
        const double lost = faults <= tolerated
                                ? 0
                                : 1 - std::exp(-std::pow((faults - tolerated) / (4.0 * (1 + tolerated)), 2));
        const double connected = 1 - lost * 0.4 * faults / 100,
                     error = std::sqrt(lost * (1 - lost) / 2000) + 3e-4;
        points.push_back(
            {{"faults", faults},
             {"sets", 10000},
             {"exhaustive", false},
             {"intolerable_fraction", lost},
             {"intolerable_interval", {std::max(0.0, lost - 2 * error), std::min(1.0, lost + 2 * error)}},
             {"connected_pairs_fraction", connected},
             {"connected_pairs_interval", {connected - 0.002, std::min(1.0, connected + 0.002)}}});
      }
      add("resilience",
          {{"unit", "channel"}, {"scope", scope_name}, {"faults", "1..100"}, {"samples", 10000}},
          {{"unit", "channel"},
           {"scope", scope_name},
           {"components", components.count()},
           {"tolerated_faults", tolerated},
           {"tolerated_exact", true},
           {"witness", witness},
           {"witness_pair", "terminal 0 -> terminal 7"},
           {"critical", critical},
           {"by_faults", points},
           {"followed",
            {{{"faults", 2},
              {"sets", 40},
              {"exhaustive", false},
              {"served", 0.75},
              {"connected", 0.875},
              {"dead_leaf", 0.125},
              {"ping_pong", 0.0625},
              {"dead_end", 0.0625},
              {"links", nullptr},
              {"shortest_links", 5.25}}}}},
          2.5);
    }
  }

  std::vector<Record> records_;
  std::string topology_, routing_;
};

Record verify_record(std::string_view topology, std::string_view routing, std::string_view options,
                     std::string result) {
  return {fmt::format("verify {} {} {}", topology, routing, options),
          "verification",
          fmt::format(R"({{"verb":"verify","topology":"{}","routing":"{}","options":{{{},"seed":1}}}})",
                      topology, routing, options),
          std::move(result),
          1,
          "0.1.0",
          0.001,
          std::string(results_generation)};
}

/// Packets two switches ahead around a ring, as the verb lists them.
std::string ring_deadlock(int switches) {
  std::string packets;
  for (int at = 0; at < switches; ++at)
    packets += fmt::format(
        R"({}{{"channel":"s{}[0] -> s{}[1]","vc":0,"source":"terminal {}","destination":"terminal {}","waits_for":[{}]}})",
        at == 0 ? "" : ",", at, (at + 1) % switches, at, (at + 2) % switches, (at + 1) % switches);
  return fmt::format(
      R"({{"connected":true,"unreachable_pairs":0,"unreachable":[],"deadlock_free":false,"method":"deadlock","livelock_free":true,"max_hops":7,"endless_walk":[],"cycle":[{}],"certificate":null,"holds":false}})",
      packets);
}

constexpr const char* whole = R"("switching":"wormhole","faults":"0","unit":"channel","scope":"network")";

}  // namespace

std::vector<Record> verify_records() {
  return {
      verify_record(
          "mesh:radix=4x4,terminals_per_switch=1", "dimension-order:ring_rule=auto", whole,
          R"({"connected":true,"unreachable_pairs":0,"unreachable":[],"deadlock_free":true,"method":"acyclic-dependencies","livelock_free":true,"max_hops":7,"endless_walk":[],"states":256,"moves":256,"dependencies":68,"cycle":[],"certificate":null,"holds":true})"),
      verify_record(
          "torus:radix=4x4,terminals_per_switch=1", "dimension-order:ring_rule=none", whole,
          R"({"connected":true,"unreachable_pairs":0,"unreachable":[],"deadlock_free":false,"method":"deadlock","livelock_free":true,"max_hops":5,"endless_walk":[],"states":256,"moves":336,"dependencies":128,"cycle":[{"channel":"s0.0[0] -> s1.0[1]","vc":0,"source":"terminal 0","destination":"terminal 2","waits_for":[1]},{"channel":"s1.0[0] -> s2.0[1]","vc":0,"source":"terminal 1","destination":"terminal 3","waits_for":[2]},{"channel":"s2.0[0] -> s3.0[1]","vc":0,"source":"terminal 2","destination":"terminal 0","waits_for":[3]},{"channel":"s3.0[0] -> s0.0[1]","vc":0,"source":"terminal 3","destination":"terminal 1","waits_for":[0]}],"certificate":null,"holds":false})"),
      verify_record(
          "mesh:radix=4x4,terminals_per_switch=1", "dimension-order",
          R"("switching":"vct","faults":"3","unit":"channel","scope":"network")",
          R"({"connected":false,"unreachable_pairs":35,"unreachable":[["terminal 8","terminal 1"],["terminal 12","terminal 1"]],"deadlock_free":true,"method":"acyclic-dependencies","livelock_free":true,"max_hops":7,"endless_walk":[],"cycle":[],"certificate":null,"holds":false})"),
      verify_record(
          "fat-tree:k=2,n=3", "fta", whole,
          R"({"connected":true,"unreachable_pairs":0,"unreachable":[],"deadlock_free":true,"method":"acyclic-dependencies","livelock_free":true,"max_hops":5,"endless_walk":[],"cycle":[],"certificate":null,"by_faults":[{"faults":1,"sets":32,"exhaustive":true,"disconnected_sets":0,"not_deadlock_free_sets":0,"endless_sets":0,"witness":[]},{"faults":2,"sets":496,"exhaustive":true,"disconnected_sets":32,"not_deadlock_free_sets":0,"endless_sets":0,"witness":["s0.0[2] -> s1.0[0]","s0.0[3] -> s1.1[0]"]}],"holds":false})"),
      verify_record("torus:radix=6,terminals_per_switch=1",
                    "shortest-path", whole, R"({"connected":true,"unreachable_pairs":0,"unreachable":[],"deadlock_free":false,"method":"unproved","livelock_free":true,"max_hops":4,"endless_walk":[],"cycle":[],"certificate":null,"holds":false})"),
      verify_record("torus:radix=13,terminals_per_switch=1", "shortest-path", whole, ring_deadlock(13)),
  };
}

std::vector<Record> sample_records() { return Sample().make(); }

}  // namespace faultline
