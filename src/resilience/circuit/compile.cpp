// SPDX-License-Identifier: Apache-2.0
#include "resilience/circuit/compile.h"

#include <algorithm>

#include "faultline/routing/strong_components.h"

namespace faultline::survival {
namespace {

class Compiler {
 public:
  Compiler(Circuit& circuit, const CompileContext& context, const DestinationClass& destinations)
      : circuit_(circuit),
        topology_(context.topology),
        components_(context.components),
        knowledge_(context.knowledge),
        source_(context.source),
        destinations_(destinations),
        groups_(strong_components(destinations.states)) {}

  void run() {
    if (!components_.own_to_terminals()) return add_groups();
    for (const TerminalId destination : destinations_.members) add_pairs(destination);
  }

  std::vector<Connection> run_connections() {
    std::vector<Connection> connections;
    if (!components_.own_to_terminals()) {
      solve(destinations_.members.front());
      for (const SourceGroup& group : destinations_.groups)
        connections.push_back({group.sources, destinations_.members, from_source(group.injections)});
      return connections;
    }
    for (const TerminalId destination : destinations_.members) {
      solve(destination);
      for (const SourceGroup& group : destinations_.groups)
        for (const TerminalId source : group.sources)
          if (source != destination)
            connections.push_back({{source}, {destination}, from_source(group, source)});
    }
    return connections;
  }

  bool run_requirements() {
    if (std::ranges::any_of(groups_, [](const StateGroup& group) { return group.cyclic; })) return false;
    if (components_.own_to_terminals()) {
      for (const TerminalId destination : destinations_.members) require_pairs(destination);
      return true;
    }
    needed_.assign(destinations_.states.count(), false);
    for (const SourceGroup& group : destinations_.groups)
      if (group.injections.size() == 1 && destinations_.pairs(group) != 0)
        needed_[group.injections.front().next] = true;
    solve(destinations_.members.front());
    for (const SourceGroup& group : destinations_.groups)
      if (destinations_.pairs(group) != 0) circuit_.require(from_source(group.injections));
    return true;
  }

  bool run(Attachments& attachments) {
    const auto groups = group_of_class(attachments.sources());
    if (groups.empty()) return false;
    const std::uint32_t here = attachments.add_destinations(destinations_.members);
    // by_port[port][state]: whether packets arrive by that ejection channel of the destination.
    std::vector<std::vector<Node>> by_port;
    for (const ChannelId channel :
         attachments.destinations().channels[destinations_.members.front().index()]) {
      only_ejection_ = channel;
      solve(destinations_.members.front());
      by_port.push_back(nodes_);
    }
    for (std::uint32_t from = 0; from < groups.size(); ++from)
      if (groups[from] != nullptr) add_patterns(attachments, from, here, *groups[from], by_port);
    return true;
  }

 private:
  /// The group that the sources of each class are in (null where there is no pair); empty where a class is
  /// divided.
  std::vector<const SourceGroup*> group_of_class(const Attachments::Side& sources) {
    std::vector<const SourceGroup*> result(sources.classes.size(), nullptr);
    for (const SourceGroup& group : destinations_.groups)
      for (const TerminalId source : group.sources) {
        const SourceGroup*& known = result[sources.class_of[source.index()]];
        if (known != nullptr && known != &group) return {};
        known = &group;
      }
    return result;
  }

  void add_patterns(const Attachments& attachments, std::uint32_t from, std::uint32_t to,
                    const SourceGroup& group, const std::vector<std::vector<Node>>& by_port) {
    const auto& sending = attachments.sources().classes[from];
    const auto& receiving = attachments.destinations().classes[to];
    const TerminalId sender = sending.terminals.front();  // the group may have sources of other classes
    const auto& channels = attachments.sources().channels[sender.index()];
    for (Pattern left = 1; left <= sending.full(); ++left)
      for (Pattern right = 1; right <= receiving.full(); ++right) {
        std::vector<Node> ways;
        for (const Move& move : group.injections) {
          const ChannelId own = translate(topology_, move.channel, group.sources.front(), sender);
          const auto port = std::ranges::find(channels, own) - channels.begin();
          if ((left >> port & 1U) == 0) continue;
          for (std::size_t end = 0; end < by_port.size(); ++end)
            if ((right >> end & 1U) != 0) ways.push_back(by_port[end][move.next]);
        }
        const Node node = circuit_.any(ways);
        if (node != Circuit::one)
          circuit_.add_output(
              {node, sending.row(left), receiving.row(right), attachments.self_row(from, left, to, right)});
      }
  }

  void add_groups() {
    solve(destinations_.members.front());
    for (const SourceGroup& group : destinations_.groups)
      if (const std::uint64_t pairs = destinations_.pairs(group); pairs != 0)
        circuit_.add_output(from_source(group.injections), pairs);
  }

  void add_pairs(TerminalId destination) {
    solve(destination);
    for (const SourceGroup& group : destinations_.groups)
      for (const TerminalId source : group.sources)
        if (source != destination) circuit_.add_output(from_source(group, source), 1);
  }

  void require_pairs(TerminalId destination) {
    solve(destination);
    for (const SourceGroup& group : destinations_.groups)
      for (const TerminalId source : group.sources)
        if (source != destination) circuit_.require(from_source(group, source));
  }

  Node from_source(const SourceGroup& group, TerminalId source) {
    std::vector<Move> moves = group.injections;
    for (Move& move : moves) move.channel = translate(topology_, move.channel, group.sources.front(), source);
    return from_source(moves);
  }

  /// A source that plans needs one way to inject that arrives.
  Node from_source(std::span<const Move> moves) {
    return source_ == SourceRole::plan ? some_move(moves) : from_moves(moves);
  }

  /// The node of every state, as packets for `destination` find it.
  void solve(TerminalId destination) {
    destination_ = destination;
    nodes_.assign(destinations_.states.count(), Circuit::zero);
    look_ahead();
    for (const StateGroup& group : groups_)
      if (group.cyclic)
        solve_loop(group);
      else
        solve_state(group.states.front());
  }

  void solve_state(std::uint32_t state) {
    nodes_[state] = from_moves(destinations_.states.moves_of(state));
    if (needed_.empty() || !needed_[state]) return;
    circuit_.require(nodes_[state]);
    nodes_[state] = Circuit::one;
  }

  void solve_loop(const StateGroup& group) {
    const Node first = circuit_.open_loop(static_cast<std::uint32_t>(group.states.size()));
    for (std::size_t i = 0; i < group.states.size(); ++i)
      nodes_[group.states[i]] = first + static_cast<Node>(i);
    std::vector<Node> definitions;
    for (const std::uint32_t state : group.states)
      definitions.push_back(from_moves(destinations_.states.moves_of(state)));
    circuit_.close_loop(first, definitions);
  }

  Node from_moves(std::span<const Move> moves) {
    if (knowledge_.is_all()) return some_move(moves);
    return knowledge_.is_none() ? every_move(moves) : every_kept_move(moves);
  }

  /// A switch that knows nothing takes any move of the lowest tier.
  Node every_move(std::span<const Move> moves) {
    if (moves.empty()) return Circuit::zero;
    const std::uint8_t lowest = std::ranges::min(moves, {}, &Move::tier).tier;
    std::vector<Node> conditions;
    for (const Move& move : moves)
      if (move.tier == lowest) conditions.push_back(circuit_.all(alive(move), behind(move)));
    return circuit_.all(conditions);
  }

  /// Channels that lead to the same node are joined first: (a or b) and tail, rather than a and tail or b and
  /// tail.
  Node some_move(std::span<const Move> moves) {
    std::vector<std::pair<Node, Node>> by_tail;
    for (const Move& move : moves)
      if (const Node tail = behind(move); tail != Circuit::zero) by_tail.emplace_back(tail, alive(move));
    std::ranges::sort(by_tail);
    std::vector<Node> terms, channels;
    for (std::size_t i = 0; i < by_tail.size();) {
      const Node tail = by_tail[i].first;
      channels.clear();
      for (; i < by_tail.size() && by_tail[i].first == tail; ++i) channels.push_back(by_tail[i].second);
      terms.push_back(circuit_.all(tail, circuit_.any(channels)));
    }
    return circuit_.any(terms);
  }

  /// In the lowest tier with a move that is kept, every kept move leads on.
  Node every_kept_move(std::span<const Move> moves) {
    std::vector<Move> sorted(moves.begin(), moves.end());
    std::ranges::stable_sort(sorted, {}, &Move::tier);
    std::vector<Node> tiers, lower_left;
    for (std::size_t i = 0; i < sorted.size();) {
      const std::uint8_t tier = sorted[i].tier;
      std::vector<Node> conditions = lower_left, kept_here;
      for (; i < sorted.size() && sorted[i].tier == tier; ++i) {
        const Node left = left_out(sorted[i]);
        conditions.push_back(circuit_.any(std::vector<Node>{left, behind(sorted[i])}));
        kept_here.push_back(kept(sorted[i]));
        lower_left.push_back(left);
      }
      conditions.push_back(circuit_.any(kept_here));
      tiers.push_back(circuit_.all(conditions));
    }
    return circuit_.any(tiers);
  }

  /// Whether a switch that looks ahead keeps `move`: some path over it is free of dead channels so far.
  Node kept(const Move& move) {
    return sees_on(move) ? circuit_.all(alive(move), free_ahead_[move.next]) : alive(move);
  }
  Node left_out(const Move& move) {
    return sees_on(move) ? circuit_.any(std::vector<Node>{dead(move), blocked_ahead_[move.next]})
                         : dead(move);
  }
  [[nodiscard]] bool sees_on(const Move& move) const { return !free_ahead_.empty() && move.enters(); }

  /// For a radius above 1: whether some way on from each state is free for one channel less.
  void look_ahead() {
    free_ahead_.clear();
    blocked_ahead_.clear();
    if (knowledge_.is_all() || knowledge_.radius() < 2) return;
    for (std::uint32_t length = 1; length < knowledge_.radius(); ++length) {
      std::vector<Node> free, blocked;
      for (std::uint32_t state = 0; state < destinations_.states.count(); ++state) {
        std::vector<Node> some, each;
        for (const Move& move : destinations_.states.moves_of(state)) {
          some.push_back(kept(move));
          each.push_back(left_out(move));
        }
        free.push_back(circuit_.any(some));
        blocked.push_back(circuit_.all(each));
      }
      if (free == free_ahead_) break;
      free_ahead_ = std::move(free);
      blocked_ahead_ = std::move(blocked);
    }
  }

  Node behind(const Move& move) const {
    if (move.next != DestinationStates::ejected) return nodes_[move.next];
    return only_ejection_.valid() && move.channel != only_ejection_ ? Circuit::zero : Circuit::one;
  }

  ChannelId channel_of(const Move& move) const {
    if (topology_.role(move.channel) != ChannelRole::ejection) return move.channel;
    return translate(topology_, move.channel, destinations_.members.front(), destination_);
  }

  Node alive(const Move& move) {
    if (only_ejection_ == move.channel) return Circuit::one;
    std::vector<Node> nodes;
    for (const Component component : components_.of(channel_of(move)))
      nodes.push_back(circuit_.alive(component));
    return circuit_.all(nodes);
  }

  Node dead(const Move& move) {
    std::vector<Node> nodes;
    for (const Component component : components_.of(channel_of(move)))
      nodes.push_back(circuit_.dead(component));
    return circuit_.any(nodes);
  }

  Circuit& circuit_;
  const Topology& topology_;
  const ComponentsOfChannel& components_;
  Knowledge knowledge_;
  SourceRole source_;
  const DestinationClass& destinations_;
  std::vector<StateGroup> groups_;
  TerminalId destination_;
  ChannelId only_ejection_;  ///< if valid, the only channel by which packets are ejected, and alive
  std::vector<bool>
      needed_;  // by state, when requirements are compiled: every packet of some source passes it
  std::vector<Node> nodes_;                       // by state
  std::vector<Node> free_ahead_, blocked_ahead_;  // by state, where switches look ahead
};

}  // namespace

void compile(Circuit& circuit, const CompileContext& context, const DestinationClass& destinations) {
  Compiler(circuit, context, destinations).run();
  circuit.end_batch();
}

std::vector<Connection> compile_connections(Circuit& circuit, const CompileContext& context,
                                            const DestinationClass& destinations) {
  std::vector<Connection> connections = Compiler(circuit, context, destinations).run_connections();
  for (const Connection& connection : connections) circuit.keep(connection.node);
  circuit.end_batch();
  return connections;
}

bool compile_requirements(Circuit& circuit, const CompileContext& context,
                          const DestinationClass& destinations) {
  if (!Compiler(circuit, context, destinations).run_requirements()) return false;
  circuit.end_batch();
  return true;
}

bool compile(Circuit& circuit, const CompileContext& context, const DestinationClass& destinations,
             Attachments& attachments) {
  if (!Compiler(circuit, context, destinations).run(attachments)) return false;
  circuit.end_batch();
  return true;
}

}  // namespace faultline::survival
