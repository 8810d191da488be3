// SPDX-License-Identifier: Apache-2.0
#include "resilience/worst/loss_bounds.h"

#include "resilience/circuit/compile.h"

namespace faultline::survival {
namespace {

constexpr std::size_t max_support_bits = 4'000'000'000;  // 500 MB
constexpr std::size_t looks_at_an_arc = 10;              // by flows, about
constexpr std::size_t max_kept_arcs = 5'000'000;
constexpr std::size_t max_single_pairs = 1'000'000;

}  // namespace

/// One representative of pairs with equivalent paths.
struct LossBounds::Paths {
  Paths(const PairGraph& pair, std::vector<Component> named, std::uint64_t count, std::uint32_t number)
      : graph(cut_graph(pair)),
        search(graph, false),
        component_of(std::move(named)),
        pairs(count),
        turn(number),
        goals(graph.vertices.size()) {
    goals[PairGraph::sink] = true;
  }

  CutGraph graph;
  CutSearch search;
  std::vector<Component> component_of;  // by piece
  std::uint64_t pairs;
  std::uint32_t turn;  // so that pairs with equal paths spread over them
  std::vector<bool> goals;
};

LossBounds::LossBounds(const Subject& subject, StopFlag stop)
    : subject_(subject),
      stop_(stop),
      topology_(subject.components.topology()),
      channels_(subject.components, subject.survival),
      dead_(subject.components.count()),
      spared_(subject.components.count()) {
  const std::size_t terminals = topology_.terminal_count();
  if (!subject.knowledge.is_all() ||
      (channels_.own_to_terminals() && terminals * terminals > max_single_pairs))
    return;
  if (subject.survival == Survival::fixed_paths) use_circuit();
  if (circuit_) return;
  for_each_paths([&](std::unique_ptr<Paths> paths) {
    size_ += looks_at_an_arc * paths->graph.arcs.size();
    if (size_ <= looks_at_an_arc * max_kept_arcs)
      paths_.push_back(std::move(paths));
    else
      paths_.clear();
  });
}

LossBounds::~LossBounds() = default;

void LossBounds::use_circuit() {
  const CompileContext context{topology_, channels_, subject_.knowledge, subject_.source};
  Circuit circuit(static_cast<std::uint32_t>(dead_.size()));
  for_each_destination_class(
      *subject_.relation, subject_.survival,
      [&](const DestinationClass& destinations) { compile(circuit, context, destinations); });
  if (!circuit.loops().empty() || circuit.node_count() * dead_.size() > max_support_bits) return;
  circuit_.emplace(std::move(circuit));
  size_ = circuit_->size();
}

void LossBounds::for_each_paths(const std::function<void(std::unique_ptr<Paths>)>& visit) const {
  PairGraphs graphs(topology_, channels_);
  for_each_destination_class(
      *subject_.relation, subject_.survival, [&](const DestinationClass& destinations) {
        for (const SourceGroup& group : destinations.groups) {
          bool all_alike = false;
          for (const TerminalId source : group.sources)
            for (const TerminalId destination : destinations.members) {
              if (source == destination || all_alike) continue;
              end_if_set(stop_);
              all_alike = !channels_.own_to_terminals();
              visit(paths(graphs.find(destinations, group, source, destination),
                          all_alike ? destinations.pairs(group) : 1, source.value() + destination.value()));
            }
        }
      });
}

std::unique_ptr<LossBounds::Paths> LossBounds::paths(const PairGraph& pair, std::uint64_t pairs,
                                                     std::uint32_t turn) const {
  std::vector<Component> named;
  for (const PairGraph::Met& met : pair.components) named.push_back(channels_.of(met.channel)[met.index]);
  return std::make_unique<Paths>(pair, std::move(named), pairs, turn);
}

void LossBounds::add(LossBound& bound, Paths& paths, std::uint32_t budget) const {
  std::vector<bool> missing, kept;
  for (const Component component : paths.component_of) {
    missing.push_back(dead_[component]);
    kept.push_back(spared_[component]);
  }
  const CutSearch::Shares shares =
      paths.search.shares(PairGraph::source, paths.goals, budget, missing, kept, paths.turn);
  if (shares.least > budget) return;
  if (shares.least == 0) {
    bound.lost += paths.pairs;
    return;
  }
  bound.endangered += paths.pairs;
  for (const auto& [piece, share] : shares.of)
    bound.harm[paths.component_of[piece]] += share * static_cast<double>(paths.pairs);
}

LossBound LossBounds::bound(const Decided& decided, std::uint32_t budget) {
  if (circuit_) return circuit_->bound(decided, budget);
  LossBound result{.lost = 0, .endangered = 0, .at_most = 0, .harm = std::vector<double>(dead_.size())};
  if (size_ == 0) {
    const std::uint64_t terminals = topology_.terminal_count();
    result.at_most = result.endangered = terminals * (terminals - 1);
    return result;
  }
  dead_.assign(dead_.size(), false);
  spared_.assign(spared_.size(), false);
  for (const Component component : decided.dead) dead_[component] = true;
  for (const Component component : decided.spared) spared_[component] = true;
  for (const auto& paths : paths_) {
    end_if_set(stop_);
    add(result, *paths, budget);
  }
  if (paths_.empty()) for_each_paths([&](std::unique_ptr<Paths> paths) { add(result, *paths, budget); });
  add_worst(result, budget);
  return result;
}

}  // namespace faultline::survival
