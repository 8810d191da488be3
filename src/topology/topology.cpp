// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "faultline/base/error.h"
#include "faultline/topology/kind.h"
#include "faultline/topology/limits.h"
#include "topology/default_names.h"

namespace faultline {
namespace {

std::string port_name(const std::string& owner, std::uint32_t port) {
  return fmt::format("{}[{}]", owner, port);
}

}  // namespace

void Topology::require(TerminalId terminal, std::string_view field) const {
  if (terminal.index() >= terminal_count())
    throw Error(std::string(field), fmt::format("terminal {}", terminal.value()),
                fmt::format("must be one of {} terminals of {}, from 0 on", terminal_count(), name_));
}

std::string Topology::name(TerminalId terminal) const {
  const std::string& given = terminal_names_[terminal.index()];
  return given.empty() ? default_name(a_terminal, terminal.value()) : given;
}

std::string Topology::name(SwitchId at) const {
  const std::string& given = switch_names_[at.index()];
  return given.empty() ? default_name(a_switch, at.value()) : given;
}

std::string Topology::ends(ChannelId id, std::string_view between) const {
  const Channel& channel = channels_[id.index()];
  const std::string from =
      channel.source.valid() ? port_name(name(channel.source), channel.output_port) : name(channel.terminal);
  const std::string to =
      channel.target.valid() ? port_name(name(channel.target), channel.input_port) : name(channel.terminal);
  return fmt::format("{} {} {}", from, between, to);
}

std::string Topology::name(ChannelId id) const { return ends(id, "->"); }

std::string Topology::name(LinkId link) const {
  const auto members = channels(link);
  if (is_two_way(link)) return ends(members.front(), "-");
  const std::string first = name(members.front());
  return members.size() == 1 ? first : fmt::format("{} and {} more", first, members.size() - 1);
}

std::string Topology::name_from_other_end(LinkId link) const {
  return is_two_way(link) ? ends(channels(link).back(), "-") : name(link);
}

bool Topology::is_two_way(LinkId link) const {
  const auto members = channels(link);
  return members.size() == 2 && source(members[0]) == target(members[1]) &&
         target(members[0]) == source(members[1]) && terminal(members[0]) == terminal(members[1]);
}

bool Topology::is_two_way() const {
  return std::ranges::all_of(id_range<LinkId>(0, network_link_count()),
                             [&](LinkId link) { return is_two_way(link); });
}

void Topology::refuse_labelling(std::string_view field, std::string_view who, std::string_view needed) const {
  throw Error(
      std::string(field), std::string(who),
      fmt::format("needs the {}; {} offers {}", needed, name_, labelling_ ? labelling_->name() : "none"));
}

TopologyPtr build_topology(const Resolved<TopologyKind>& topology) {
  auto built =
      std::make_shared<const Topology>(topology.kind().build(topology.parameters(), to_compact(topology)));
  if (built->switch_count() == 0) throw Error("topology", built->name(), "must have a switch");
  if (built->terminal_count() == 0) throw Error("topology", built->name(), "must have a terminal");
  if (built->terminal_count() > max_terminals)
    throw Error(
        "topology", built->name(),
        fmt::format("must have at most {} terminals; it has {}", max_terminals, built->terminal_count()));
  const auto expected = topology.kind().terminals(topology.parameters());
  if (expected && *expected != built->terminal_count())
    throw std::logic_error(fmt::format("{}: has {} terminals; its terminal_total() says {}", built->name(),
                                       built->terminal_count(), *expected));
  return built;
}

}  // namespace faultline
