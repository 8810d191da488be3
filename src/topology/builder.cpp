// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <unordered_set>

#include "faultline/formats/limits.h"
#include "topology/default_names.h"

namespace faultline {
namespace {

/// Groups channel ids by `key` (a row index), keeping the order of `ids` within a row.
template <class Key>
void group(const std::vector<ChannelId>& ids, std::size_t rows, Key key, std::vector<ChannelId>& values,
           std::vector<std::uint32_t>& offsets) {
  offsets.assign(rows + 1, 0);
  for (const ChannelId id : ids) ++offsets[key(id) + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  values.resize(ids.size());
  std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
  for (const ChannelId id : ids) values[next[key(id)]++] = id;
}

template <class Keep>
std::vector<ChannelId> select(const Topology& topology, Keep keep) {
  std::vector<ChannelId> ids;
  for (const ChannelId id : topology.channels())
    if (keep(id)) ids.push_back(id);
  return ids;
}

}  // namespace

TerminalId TopologyBuilder::add_terminal(std::string name) {
  terminal_names_.push_back(std::move(name));
  return TerminalId(terminal_names_.size() - 1);
}

SwitchId TopologyBuilder::add_switch(Position position, std::string name) {
  positions_.push_back(position);
  switch_names_.push_back(std::move(name));
  return SwitchId(switch_names_.size() - 1);
}

void TopologyBuilder::connect(Port from, Port to, std::uint32_t fly_cycles) {
  network_.push_back({from.at, to.at, {}, LinkId(network_links_++), from.number, to.number, fly_cycles});
}

void TopologyBuilder::connect_both(Port a, Port b, std::uint32_t fly_cycles) {
  network_.push_back({a.at, b.at, {}, LinkId(network_links_), a.number, b.number, fly_cycles});
  network_.push_back({b.at, a.at, {}, LinkId(network_links_++), b.number, a.number, fly_cycles});
}

void TopologyBuilder::connect_injection(TerminalId from, Port to, std::uint32_t fly_cycles) {
  injection_.push_back({{}, to.at, from, LinkId(terminal_links_++), 0, to.number, fly_cycles});
}

void TopologyBuilder::connect_ejection(Port from, TerminalId to, std::uint32_t fly_cycles) {
  ejection_.push_back({from.at, {}, to, LinkId(terminal_links_++), from.number, 0, fly_cycles});
}

void TopologyBuilder::attach(TerminalId terminal, Port port, std::uint32_t fly_cycles) {
  injection_.push_back({{}, port.at, terminal, LinkId(terminal_links_), 0, port.number, fly_cycles});
  ejection_.push_back({port.at, {}, terminal, LinkId(terminal_links_++), port.number, 0, fly_cycles});
}

void TopologyBuilder::set_labelling(std::unique_ptr<const Labelling> labelling) {
  labelling_ = std::move(labelling);
}

void TopologyBuilder::set_links(std::vector<LinkId> links) { links_ = std::move(links); }

/// Counts the links that set_links() gave.
void TopologyBuilder::number_links(Topology& topology) {
  if (links_.size() != topology.channel_count())
    throw std::logic_error(
        fmt::format("{}: not every channel has a link: there are {} channels, and links of {}",
                    topology.name(), topology.channel_count(), links_.size()));
  std::vector<bool> used(links_.size());
  std::size_t links = 0;
  for (const ChannelId channel : topology.channels()) {
    const LinkId link = links_[channel.index()];
    if (!link.valid() || link.index() >= used.size())
      throw std::logic_error(topology.name() + ": links are not numbered 0 to one less than their number");
    used[link.index()] = true;
    topology.channels_[channel.index()].link = link;
    links = std::max(links, link.index() + 1);
    if (channel.index() < topology.network_count_) network_links_ = links;
  }
  if (std::ranges::count(used, true) != static_cast<std::ptrdiff_t>(links))
    throw std::logic_error(topology.name() + ": links are numbered with a gap");
  if (topology.network_count_ == 0) network_links_ = 0;
  topology.network_link_count_ = network_links_;
  terminal_links_ = links - network_links_;
}

void TopologyBuilder::check_channels(const Topology& topology) const {
  const auto exists = [](auto id, std::size_t count) { return id.valid() && id.index() < count; };
  const auto is_switch = [&](SwitchId at) { return exists(at, switch_names_.size()); };
  for (const ChannelId id : topology.channels()) {
    const Channel& channel = topology.channels_[id.index()];
    const ChannelRole role = topology.role(id);
    const auto refuse = [&](std::string_view what) {
      const auto end = [&](bool at_switch, SwitchId at, std::uint32_t port) {
        return at_switch ? fmt::format("switch {} port {}", at.value(), port)
                         : fmt::format("terminal {}", channel.terminal.value());
      };
      throw std::logic_error(
          fmt::format("{}: the channel from {} to {} {}", topology.name(),
                      end(role != ChannelRole::injection, channel.source, channel.output_port),
                      end(role != ChannelRole::ejection, channel.target, channel.input_port), what));
    };
    if ((role != ChannelRole::injection && !is_switch(channel.source)) ||
        (role != ChannelRole::ejection && !is_switch(channel.target)) ||
        (role != ChannelRole::network && !exists(channel.terminal, terminal_names_.size())))
      refuse("ends at a switch or terminal that was not added");
    if (role == ChannelRole::network && channel.source == channel.target) refuse("leads back to its switch");
    if (channel.fly_cycles == 0) refuse("takes 0 cycles; must take at least 1");
    if (channel.fly_cycles > formats::max_flight_cycles)
      refuse(fmt::format("takes {} cycles; must take at most {}", channel.fly_cycles,
                         formats::max_flight_cycles));
    constexpr auto most = static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max());
    if (channel.output_port > most || channel.input_port > most)
      refuse(fmt::format("is at a port above {}", most));
  }
}

/// Of a switch or terminal that was not given one.
bool TopologyBuilder::is_default_name(const std::string& name) const {
  const auto is_among = [&](std::string_view kind, const std::vector<std::string>& given) {
    const auto number = number_in(name, kind);
    return number && *number < given.size() && given[*number].empty();
  };
  return is_among(a_switch, switch_names_) || is_among(a_terminal, terminal_names_);
}

void TopologyBuilder::check_names(const Topology& topology) const {
  std::unordered_set<std::string_view> used;
  for (const std::vector<std::string>* names : {&switch_names_, &terminal_names_})
    for (const std::string& name : *names)
      if (!name.empty() && (!used.insert(name).second || is_default_name(name)))
        throw std::logic_error(topology.name() + ": two switches or terminals are called " + name);
}

void TopologyBuilder::check_ports(const Topology& topology) const {
  const auto check = [&](SwitchId at, std::span<const ChannelId> channels, auto port) {
    const auto shared = std::ranges::adjacent_find(channels, std::ranges::equal_to(), port);
    if (shared != channels.end())
      throw std::logic_error(fmt::format("{}: two channels on one port of {}: {} and {} on port {}",
                                         topology.name(), topology.name(at), topology.name(*shared),
                                         topology.name(*(shared + 1)), port(*shared)));
  };
  for (const SwitchId at : topology.switches()) {
    check(at, topology.outputs(at), [&](ChannelId channel) { return topology.output_port(channel); });
    check(at, topology.inputs(at), [&](ChannelId channel) { return topology.input_port(channel); });
  }
}

Topology TopologyBuilder::build(std::string name, std::string_view default_routing) && {
  Topology topology;
  topology.name_ = std::move(name);
  topology.default_routing_ = default_routing;
  topology.network_count_ = network_.size();
  topology.injection_count_ = injection_.size();
  topology.network_link_count_ = network_links_;
  topology.channels_ = std::move(network_);
  for (std::vector<Channel>* group : {&injection_, &ejection_})
    for (Channel& channel : *group) {
      channel.link = LinkId(network_links_ + channel.link.index());
      topology.channels_.push_back(channel);
    }
  check_channels(topology);
  check_names(topology);
  if (!links_.empty()) number_links(topology);

  const std::size_t switches = switch_names_.size();
  const std::size_t terminals = terminal_names_.size();
  auto leaving = select(topology, [&](ChannelId c) { return topology.source(c).valid(); });
  auto entering = select(topology, [&](ChannelId c) { return topology.target(c).valid(); });
  std::ranges::stable_sort(leaving, {}, [&](ChannelId c) { return topology.output_port(c); });
  std::ranges::stable_sort(entering, {}, [&](ChannelId c) { return topology.input_port(c); });
  group(
      leaving, switches, [&](ChannelId c) { return topology.source(c).index(); }, topology.outputs_,
      topology.output_offsets_);
  group(
      entering, switches, [&](ChannelId c) { return topology.target(c).index(); }, topology.inputs_,
      topology.input_offsets_);
  group(
      select(topology, [&](ChannelId c) { return topology.role(c) == ChannelRole::injection; }), terminals,
      [&](ChannelId c) { return topology.terminal(c).index(); }, topology.injection_,
      topology.injection_offsets_);
  group(
      select(topology, [&](ChannelId c) { return topology.role(c) == ChannelRole::ejection; }), terminals,
      [&](ChannelId c) { return topology.terminal(c).index(); }, topology.ejection_,
      topology.ejection_offsets_);
  group(
      select(topology, [](ChannelId) { return true; }), network_links_ + terminal_links_,
      [&](ChannelId c) { return topology.link(c).index(); }, topology.link_channels_, topology.link_offsets_);

  topology.terminal_names_ = std::move(terminal_names_);
  topology.switch_names_ = std::move(switch_names_);
  topology.positions_ = std::move(positions_);
  topology.labelling_ = std::move(labelling_);
  check_ports(topology);
  return topology;
}

Topology TopologyBuilder::build(std::string name, std::string_view of_two_way,
                                std::string_view of_others) && {
  Topology topology = std::move(*this).build(std::move(name), of_two_way);
  if (!topology.is_two_way()) topology.default_routing_ = of_others;
  return topology;
}

}  // namespace faultline
