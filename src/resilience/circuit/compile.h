// SPDX-License-Identifier: Apache-2.0
// Compiles paths into gates.
#pragma once

#include "faultline/resilience/resilience.h"
#include "resilience/circuit/attachments.h"
#include "resilience/circuit/circuit.h"
#include "resilience/circuit/components_of_channel.h"
#include "resilience/circuit/paths.h"

namespace faultline::survival {

struct CompileContext {
  const Topology& topology;
  const ComponentsOfChannel& components;
  Knowledge knowledge = Knowledge::all();
  SourceRole source = SourceRole::any;
};

/// Adds the pairs of one class of destinations to `circuit`: an output for each group of sources or, where
/// components fail that hold one terminal's channels, for each pair of terminals.
void compile(Circuit& circuit, const CompileContext& context, const DestinationClass& destinations);

/// As above, for switches that know all, with outputs by pattern of the terminals' own channels. False, and
/// nothing is added, if sources that are attached alike do not inject alike.
[[nodiscard]] bool compile(Circuit& circuit, const CompileContext& context,
                           const DestinationClass& destinations, Attachments& attachments);

/// Pairs, sources × destinations without those of a terminal with itself, that are connected if the node is
/// true.
struct Connection {
  std::vector<TerminalId> sources, destinations;
  Node node;
};
/// Keeps the nodes of all pairs of the class, alike ones together.
[[nodiscard]] std::vector<Connection> compile_connections(Circuit& circuit, const CompileContext& context,
                                                          const DestinationClass& destinations);

/// Adds what must hold for every pair of the class to survive, as outputs that must all be true: a node that
/// already is an output is assumed true in the others. False, and nothing is added, if the states have a
/// cycle.
[[nodiscard]] bool compile_requirements(Circuit& circuit, const CompileContext& context,
                                        const DestinationClass& destinations);

}  // namespace faultline::survival
