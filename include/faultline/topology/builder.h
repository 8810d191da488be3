// SPDX-License-Identifier: Apache-2.0
// The only way to make a Topology.
#pragma once

#include <string>
#include <vector>

#include "faultline/topology/topology.h"

#pragma GCC visibility push(default)
namespace faultline {

/// One end of a channel at a switch.
struct Port {
  SwitchId at;
  std::uint32_t number = 0;
};

/// Terminals and switches are numbered in the order in which they are added; channels and links, within their
/// group (network, injection, ejection), in the order in which they are connected. An output or input port of
/// a switch holds one channel and is at most 2^31 - 1, no channel leads back to its switch or takes less than
/// 1 cycle or more than 65536, and no two nodes have one name; build() throws std::logic_error if a kind
/// breaks this or connects a node that was not added, because that is a defect of the kind.
class TopologyBuilder {
 public:
  // Names tell nodes apart: each is that of one node. By default "terminal 0", "switch 0", …
  TerminalId add_terminal(std::string name = {});
  SwitchId add_switch(Position position, std::string name = {});

  /// A unidirectional link: one channel.
  void connect(Port from, Port to, std::uint32_t fly_cycles = 1);
  /// A bidirectional link: two channels, with the same port numbers in both directions.
  void connect_both(Port a, Port b, std::uint32_t fly_cycles = 1);
  void connect_injection(TerminalId from, Port to, std::uint32_t fly_cycles = 1);
  void connect_ejection(Port from, TerminalId to, std::uint32_t fly_cycles = 1);
  /// A bidirectional terminal link: an injection and an ejection channel on one port.
  void attach(TerminalId terminal, Port port, std::uint32_t fly_cycles = 1);

  void set_labelling(std::unique_ptr<const Labelling> labelling);

  /// Replaces the numbers of links, by channel (network, injection, ejection): channels with one number fail
  /// together. Numbers are 0 … without a gap, those of network channels first.
  void set_links(std::vector<LinkId> links);

  [[nodiscard]] Topology build(std::string name, std::string_view default_routing) &&;
  /// The same with a default routing for networks that are two-way (Topology::is_two_way), and one for
  /// others.
  [[nodiscard]] Topology build(std::string name, std::string_view of_two_way, std::string_view of_others) &&;

 private:
  using Channel = Topology::Channel;
  void check_channels(const Topology& topology) const;
  void check_names(const Topology& topology) const;
  [[nodiscard]] bool is_default_name(const std::string& name) const;
  void check_ports(const Topology& topology) const;
  void number_links(Topology& topology);

  std::vector<Channel> network_, injection_, ejection_;
  std::size_t network_links_ = 0, terminal_links_ = 0;
  std::vector<std::string> terminal_names_, switch_names_;
  std::vector<Position> positions_;
  std::unique_ptr<const Labelling> labelling_;
  std::vector<LinkId> links_;
};

}  // namespace faultline
#pragma GCC visibility pop
