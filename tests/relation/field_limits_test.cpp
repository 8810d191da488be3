// SPDX-License-Identifier: Apache-2.0
// Routings with a field at its maximum, and on networks with a field as large as a test can afford: words of
// 64 bits and 32 virtual channels overflow there and nowhere else.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "faultline/routing/contract.h"
#include "support/sample_networks.h"

namespace faultline {
namespace {

/// The sample with one integer field replaced.
Description with(Description sample, const std::string& name, std::uint64_t value) {
  std::erase_if(sample.fields, [&](const auto& field) { return field.first == name; });
  sample.fields.push_back({name, {{integer_scalar(value)}, false, {}}});
  return sample;
}

bool is_limited_integer(const FieldInfo& field) {
  constexpr std::uint64_t none = 1U << 21;
  return field.type == FieldType::integer && !field.is_list && field.integers.high < none;
}

/// Null where the fields contradict each other, or are refused.
TopologyPtr built(const Description& described) {
  try {
    const Resolved<TopologyKind> topology(described);
    constexpr std::uint64_t most = 1300;
    if (topology.kind().terminals(topology.parameters()).value_or(0) > most) return nullptr;
    return build_topology(topology);
  } catch (const Error&) {
    return nullptr;
  }
}

/// The first sample of each kind with one field as large as it may be without more terminals, or switches,
/// than a test affords.
std::vector<TopologyPtr> large_networks() {
  constexpr std::uint64_t max_switches = 100, max_value = 128;
  std::vector<TopologyPtr> networks;
  for (const TopologyKind* kind : topology_kinds()) {
    const std::vector<Description> samples = samples_of(kind->info, "topology");
    if (samples.empty()) continue;
    for (const FieldInfo& field : kind->info.fields()) {
      if (!is_limited_integer(field)) continue;
      TopologyPtr network;
      for (std::uint64_t value = std::min(field.integers.high, max_value); value > 1 && !network;
           value -= (value + 7) / 8) {
        network = built(with(samples.front(), field.name, value));
        if (network && network->switch_count() > max_switches) network = nullptr;
      }
      if (network) networks.push_back(network);
    }
  }
  return networks;
}

/// Each sample, and each with one field at its maximum.
std::vector<Description> variants(const RoutingKind& kind) {
  std::vector<Description> all = samples_of(kind.info, "routing");
  const std::size_t samples = all.size();
  for (std::size_t i = 0; i < samples; ++i)
    for (const FieldInfo& field : kind.info.fields())
      if (is_limited_integer(field)) all.push_back(with(all[i], field.name, field.integers.high));
  return all;
}

/// Null where the routing does not fit the network, or refuses its size.
RelationPtr routed(const TopologyPtr& topology, const Description& routing) {
  try {
    return build_relation(topology, FaultSet(*topology), routing);
  } catch (const Error&) {
    return nullptr;
  }
}

std::size_t max_outputs_of(const Topology& topology) {
  std::size_t most = 0;
  for (const SwitchId at : topology.switches()) most = std::max(most, topology.outputs(at).size());
  return most;
}

void expect_words_to_fit(const RoutingRelation& relation) {
  const std::size_t outputs = max_outputs_of(relation.topology());
  EXPECT_TRUE(!relation.offers_output_bits() || outputs * relation.virtual_channels() <= 64);
  EXPECT_TRUE(!relation.offers_output_sets() || outputs <= 64);
}

std::size_t pairs_with_an_offer(const RoutingRelation& relation) {
  std::size_t pairs = 0;
  RouteOptions options;
  for (const TerminalId source : relation.topology().terminals())
    for (const TerminalId destination : relation.topology().terminals()) {
      if (source == destination) continue;
      options.clear();
      relation.inject(source, destination, options);
      pairs += options.empty() ? 0 : 1;
    }
  return pairs;
}

TEST(FieldLimits, WordsHoldTheOutputsOfLargeSwitches) {
  std::size_t wide = 0, built_relations = 0;
  for (const TopologyPtr& topology : large_networks()) {
    SCOPED_TRACE(topology->name());
    wide += max_outputs_of(*topology) > 64 ? 1 : 0;
    for (const RoutingKind* kind : routing_kinds()) {
      if (kind->survival == Survival::plans) continue;  // they are below, and plan every pair
      SCOPED_TRACE(kind->info.name);
      const RelationPtr relation = routed(topology, samples_of(kind->info, "routing").front());
      if (!relation) continue;
      ++built_relations;
      expect_words_to_fit(*relation);
    }
  }
  EXPECT_GE(wide, 5U);
  EXPECT_GE(built_relations, 50U);
}

/// More virtual channels, or whatever the field says, take no pair its path.
TEST(FieldLimits, OfRoutingsLeaveTheContractAndThePairs) {
  std::vector<std::string> names = sample_topologies();
  names.emplace_back("torus:radix=4");
  names.emplace_back("mesh:radix=4");
  std::set<std::string> kept;
  for (const std::string& name : names) {
    const TopologyPtr topology = build_topology(parse_compact("topology", name));
    for (const RoutingKind* kind : routing_kinds()) {
      const std::vector<Description> described = variants(*kind);
      const std::size_t samples = samples_of(kind->info, "routing").size();
      const RelationPtr usual = described.empty() ? nullptr : routed(topology, described.front());
      if (!usual) continue;
      const std::size_t pairs = pairs_with_an_offer(*usual);
      for (std::size_t i = samples; i < described.size(); ++i) {
        SCOPED_TRACE(name + " " + to_compact(described[i]));
        const RelationPtr relation = routed(topology, described[i]);
        if (!relation) continue;
        kept.insert(to_compact(described[i]));
        expect_words_to_fit(*relation);
        EXPECT_NO_THROW(check_contract(*relation, effort(std::size_t{20'000}, std::size_t{500})));
        EXPECT_EQ(pairs_with_an_offer(*relation), pairs);
      }
    }
  }
  for (const RoutingKind* kind : routing_kinds()) {
    const std::vector<Description> described = variants(*kind);
    for (std::size_t i = samples_of(kind->info, "routing").size(); i < described.size(); ++i)
      EXPECT_TRUE(kept.contains(to_compact(described[i]))) << to_compact(described[i]) << " fits nowhere";
  }
}

}  // namespace
}  // namespace faultline
