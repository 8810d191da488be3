// SPDX-License-Identifier: Apache-2.0
#include "resilience/connections/connections.h"

#include <algorithm>
#include <map>

#include "base/sort_unique.h"
#include "resilience/circuit/compile.h"
#include "resilience/circuit/lower.h"

namespace faultline::survival {
namespace {

constexpr std::uint64_t max_single_pairs = 4'000'000;

/// Connections of one class of destinations, as the compiler lists them.
struct ClassConnections {
  std::vector<TerminalId> members;
  std::vector<std::uint32_t> node_of;  // by source: its kept node, or none
};

/// Separates the terminals whose keys differ.
class Partition {
 public:
  explicit Partition(std::size_t terminals) : part_(terminals) {}

  void split(auto key_of) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers;
    for (std::uint32_t terminal = 0; terminal < part_.size(); ++terminal)
      part_[terminal] =
          numbers.try_emplace({part_[terminal], key_of(terminal)}, static_cast<std::uint32_t>(numbers.size()))
              .first->second;
    count_ = numbers.size();
  }
  [[nodiscard]] const std::vector<std::uint32_t>& part_of() const { return part_; }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::vector<std::uint32_t> part_;
  std::size_t count_ = 1;
};

TerminalGroups groups_of(std::size_t terminals, const std::vector<ClassConnections>& classes) {
  std::vector<std::uint32_t> class_of_terminal(terminals);
  for (std::uint32_t number = 0; number < classes.size(); ++number)
    for (const TerminalId member : classes[number].members) class_of_terminal[member.index()] = number;
  Partition partition(terminals);
  partition.split([&](std::uint32_t terminal) { return class_of_terminal[terminal]; });
  for (const ClassConnections& one : classes)
    partition.split([&](std::uint32_t terminal) { return one.node_of[terminal]; });

  TerminalGroups groups;
  groups.group_of = partition.part_of();
  groups.members.resize(partition.count());
  for (std::uint32_t terminal = 0; terminal < terminals; ++terminal)
    groups.members[groups.group_of[terminal]].emplace_back(terminal);
  groups.in_class.resize(std::max<std::size_t>(classes.size(), 1));  // a terminal alone is in no class
  for (std::uint32_t group = 0; group < groups.members.size(); ++group) {
    groups.class_of.push_back(class_of_terminal[groups.members[group].front().index()]);
    groups.in_class[groups.class_of.back()].push_back(group);
  }
  for (const ClassConnections& one : classes) {
    groups.connected.emplace_back();
    for (const auto& members : groups.members)
      groups.connected.back().push_back(one.node_of[members.front().index()]);
  }
  return groups;
}

/// Whether a terminal that loses one of its own channels, whichever it is, is disconnected from some terminal
/// on that side.
bool has_single_channels(const Topology& topology) {
  return std::ranges::all_of(topology.terminals(), [&](TerminalId terminal) {
    return topology.injection(terminal).size() == 1 && topology.ejection(terminal).size() == 1;
  });
}

std::vector<std::vector<TerminalId>> terminals_cut_off(const FaultComponents& components, Survival survival) {
  const ComponentsOfChannel of_channel(components, survival);
  const Topology& topology = components.topology();
  std::vector<std::vector<TerminalId>> cut_off(components.count());
  for (const TerminalId terminal : topology.terminals())
    for (const auto channels : {topology.injection(terminal), topology.ejection(terminal)})
      for (const ChannelId channel : channels)
        for (const Component component : of_channel.of(channel)) cut_off[component].push_back(terminal);
  return cut_off;
}

}  // namespace

std::shared_ptr<const CompiledConnections> compile_connections(const Subject& subject) {
  const Topology& topology = subject.components.topology();
  const bool single = has_single_channels(topology);
  const ComponentsOfChannel components(subject.components, subject.survival, single);
  const std::uint64_t terminals = topology.terminal_count();
  if (components.own_to_terminals() && terminals * terminals > max_single_pairs)
    throw Error("resilience.lost", "true",
                "must be left out where the channels of " + std::to_string(terminals) +
                    " terminals with several of them may fail; choose scope network");
  const CompileContext context{topology, components, subject.knowledge, subject.source};
  Circuit circuit(static_cast<std::uint32_t>(subject.components.count()));
  std::vector<ClassConnections> classes;
  std::uint32_t kept = 0;
  for_each_destination_class(*subject.relation, subject.survival, [&](const DestinationClass& destinations) {
    std::map<TerminalId, std::size_t> class_of;  // destinations that share nodes
    for (const Connection& connection : compile_connections(circuit, context, destinations)) {
      const auto [entry, is_new] = class_of.emplace(connection.destinations.front(), classes.size());
      if (is_new)
        classes.push_back({connection.destinations,
                           std::vector<std::uint32_t>(topology.terminal_count(), TerminalGroups::none)});
      for (const TerminalId source : connection.sources)
        classes[entry->second].node_of[source.index()] = kept;
      ++kept;
    }
  });
  auto result = std::make_shared<CompiledConnections>();
  result->program = lower(circuit);
  result->groups = groups_of(topology.terminal_count(), classes);
  if (single)
    result->cut_off = terminals_cut_off(subject.components, subject.survival);
  else
    result->cut_off.resize(subject.components.count());
  return result;
}

Connections::Connections(std::shared_ptr<const CompiledConnections> compiled)
    : compiled_(std::move(compiled)),
      kernel_(fastest_kernel()),
      values_(compiled_->program.slots, kernel_.words),
      intact_(1, kernel_.words),
      is_cut_off_(compiled_->groups.group_of.size()) {}

void Connections::load(const FaultBlock& block) {
  const Program& program = compiled_->program;
  load_components(values_, program.components, block);
  std::fill_n(intact_.data(), kernel_.words, ~std::uint64_t{0});
  kernel_.run({program.code.data(), program.tails.data(), program.sections.data(), program.sections.size(),
               program.pairs.data()},
              {.values = values_.data(),
               .intact = intact_.data(),
               .lost = nullptr,
               .first_row_slot = 0,
               .counts = nullptr,
               .self_counts = nullptr,
               .lost_by_lane = nullptr});
  broken_.clear();
  const TerminalGroups& groups = compiled_->groups;
  for (std::uint32_t destinations = 0; destinations < groups.connected.size(); ++destinations)
    for (std::uint32_t group = 0; group < groups.members.size(); ++group) {
      const std::uint32_t node = groups.connected[destinations][group];
      if (node == TerminalGroups::none) continue;
      const std::uint32_t slot = program.kept[node];
      if (slot == Program::no_slot || std::any_of(values_.row(slot), values_.row(slot) + kernel_.words,
                                                  [](std::uint64_t word) { return ~word != 0; }))
        broken_.push_back({group, destinations, slot});
    }
}

void Connections::gaps(std::uint32_t lane, std::vector<Gap>& result) const {
  result.clear();
  for (const auto& [group, destinations, slot] : broken_) {
    if (slot != Program::no_slot &&
        (values_.data()[std::size_t{slot} * kernel_.words + lane / 64] >> (lane % 64) & 1U) != 0)
      continue;
    for (const std::uint32_t other : compiled_->groups.in_class[destinations])
      if (other != group || compiled_->groups.members[group].size() > 1)
        result.push_back({std::min(group, other), std::max(group, other)});
  }
  sort_unique(result);
}

void Connections::members_left(std::span<const std::uint32_t> failed, std::vector<std::uint32_t>& result) {
  result.clear();
  for (const auto& members : compiled_->groups.members)
    result.push_back(static_cast<std::uint32_t>(members.size()));
  for (const std::uint32_t component : failed)
    for (const TerminalId terminal : compiled_->cut_off[component]) {
      if (is_cut_off_[terminal.index()]) continue;
      is_cut_off_[terminal.index()] = true;
      --result[compiled_->groups.group_of[terminal.index()]];
    }
  for (const std::uint32_t component : failed)
    for (const TerminalId terminal : compiled_->cut_off[component]) is_cut_off_[terminal.index()] = false;
}

}  // namespace faultline::survival
