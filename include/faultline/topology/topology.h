// SPDX-License-Identifier: Apache-2.0
// The network itself: an immutable multigraph of terminals, switches and unidirectional channels in CSR form.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faultline/base/channel_role.h"
#include "faultline/base/error.h"
#include "faultline/base/ids.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Where a drawing places a switch: stages are columns.
struct Position {
  std::uint32_t column = 0;
  std::uint32_t row = 0;
};

class Topology;
struct Automorphism;

/// A typed interpretation of the switches' numbers (levels, coordinates, …) that a routing may need.
class Labelling {
 public:
  virtual ~Labelling() = default;
  /// As errors name it: "levels of a k-ary n-tree".
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Generators of a group of automorphisms (automorphism.h) of the network with this labelling. They are a
  /// hint: code that relies on one checks it.
  [[nodiscard]] virtual std::vector<Automorphism> automorphisms(const Topology& topology) const;
};

/// Channels are numbered network first, then injection, then ejection, without a gap; links likewise (network
/// links before terminal links). A link is one channel, or two opposite ones (in a relation or graph file:
/// any), and fails as a unit.
class Topology {
 public:
  /// The description it was built from, in compact form: "ft-ruft-222:k=4,n=3".
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view default_routing() const { return default_routing_; }

  [[nodiscard]] std::size_t terminal_count() const { return injection_offsets_.size() - 1; }
  [[nodiscard]] std::size_t switch_count() const { return output_offsets_.size() - 1; }
  [[nodiscard]] std::size_t channel_count() const { return channels_.size(); }
  [[nodiscard]] std::size_t network_channel_count() const { return network_count_; }
  [[nodiscard]] std::size_t injection_channel_count() const { return injection_count_; }
  [[nodiscard]] std::size_t ejection_channel_count() const {
    return channels_.size() - network_count_ - injection_count_;
  }
  [[nodiscard]] std::size_t link_count() const { return link_offsets_.size() - 1; }
  [[nodiscard]] std::size_t network_link_count() const { return network_link_count_; }

  /// Throws Error(field) for a terminal that it does not have.
  void require(TerminalId terminal, std::string_view field) const;

  [[nodiscard]] auto terminals() const { return id_range<TerminalId>(0, terminal_count()); }
  [[nodiscard]] auto switches() const { return id_range<SwitchId>(0, switch_count()); }
  [[nodiscard]] auto channels() const { return id_range<ChannelId>(0, channel_count()); }
  [[nodiscard]] auto links() const { return id_range<LinkId>(0, link_count()); }

  [[nodiscard]] ChannelRole role(ChannelId channel) const {
    if (channel.index() < network_count_) return ChannelRole::network;
    return channel.index() < network_count_ + injection_count_ ? ChannelRole::injection
                                                               : ChannelRole::ejection;
  }
  /// The switch that sends on a network or ejection channel; invalid for an injection channel.
  [[nodiscard]] SwitchId source(ChannelId channel) const { return channels_[channel.index()].source; }
  /// The switch that receives from a network or injection channel; invalid for an ejection channel.
  [[nodiscard]] SwitchId target(ChannelId channel) const { return channels_[channel.index()].target; }
  /// The terminal at the end of an injection or ejection channel; invalid for a network channel.
  [[nodiscard]] TerminalId terminal(ChannelId channel) const { return channels_[channel.index()].terminal; }
  /// Port numbers at the sending and the receiving switch (at a terminal: 0).
  [[nodiscard]] std::uint32_t output_port(ChannelId channel) const {
    return channels_[channel.index()].output_port;
  }
  [[nodiscard]] std::uint32_t input_port(ChannelId channel) const {
    return channels_[channel.index()].input_port;
  }
  /// Flight time of a flit from one end to the other, in cycles.
  [[nodiscard]] std::uint32_t fly_cycles(ChannelId channel) const {
    return channels_[channel.index()].fly_cycles;
  }
  [[nodiscard]] LinkId link(ChannelId channel) const { return channels_[channel.index()].link; }

  [[nodiscard]] std::span<const ChannelId> channels(LinkId link) const {
    return row(link_channels_, link_offsets_, link.index());
  }
  /// Two channels, one each way between the same two switches, or one switch and one terminal.
  [[nodiscard]] bool is_two_way(LinkId link) const;
  /// Every network link is.
  [[nodiscard]] bool is_two_way() const;
  /// Network and ejection channels that leave a switch, by output port.
  [[nodiscard]] std::span<const ChannelId> outputs(SwitchId at) const {
    return row(outputs_, output_offsets_, at.index());
  }
  /// Network and injection channels that enter a switch, by input port.
  [[nodiscard]] std::span<const ChannelId> inputs(SwitchId at) const {
    return row(inputs_, input_offsets_, at.index());
  }
  [[nodiscard]] std::span<const ChannelId> injection(TerminalId terminal) const {
    return row(injection_, injection_offsets_, terminal.index());
  }
  [[nodiscard]] std::span<const ChannelId> ejection(TerminalId terminal) const {
    return row(ejection_, ejection_offsets_, terminal.index());
  }

  [[nodiscard]] std::string name(TerminalId terminal) const;
  [[nodiscard]] std::string name(SwitchId at) const;
  [[nodiscard]] std::string name(ChannelId channel) const;  ///< "switch a[3] -> switch b[1]"
  [[nodiscard]] std::string name(LinkId link) const;  ///< "switch a[3] - switch b[1]" if it is_two_way();
                                                      ///< else of its first channel, "and 2 more"
  /// "switch b[1] - switch a[3]"; the same as name() unless the link is two-way.
  [[nodiscard]] std::string name_from_other_end(LinkId link) const;
  [[nodiscard]] Position position(SwitchId at) const { return positions_[at.index()]; }

  template <std::derived_from<Labelling> L>
  [[nodiscard]] const L* find_labelling() const {
    return dynamic_cast<const L*>(labelling_.get());
  }

  /// The automorphisms that the labelling proposes and is_automorphism() confirms, except for the identity.
  [[nodiscard]] std::vector<Automorphism> automorphisms() const;

  /// The labelling that `who` needs, which was asked for in `field`. Throws Error(field) naming what this
  /// topology offers instead.
  template <std::derived_from<Labelling> L>
  [[nodiscard]] const L& labelling(std::string_view who, std::string_view field = "routing") const {
    if (const L* found = find_labelling<L>()) return *found;
    refuse_labelling(field, who, L::needed);
  }

 private:
  /// Of a channel, with a word between them.
  [[nodiscard]] std::string ends(ChannelId id, std::string_view between) const;

  friend class TopologyBuilder;
  struct Channel {
    SwitchId source, target;
    TerminalId terminal;
    LinkId link;
    std::uint32_t output_port = 0, input_port = 0;
    std::uint32_t fly_cycles = 1;
  };

  Topology() = default;
  [[noreturn]] void refuse_labelling(std::string_view field, std::string_view who,
                                     std::string_view needed) const;
  static std::span<const ChannelId> row(const std::vector<ChannelId>& values,
                                        const std::vector<std::uint32_t>& offsets, std::size_t index) {
    return std::span(values).subspan(offsets[index], offsets[index + 1] - offsets[index]);
  }

  std::string name_;
  std::string default_routing_;
  std::vector<Channel> channels_;
  std::size_t network_count_ = 0, injection_count_ = 0, network_link_count_ = 0;
  std::vector<ChannelId> outputs_, inputs_, injection_, ejection_, link_channels_;
  std::vector<std::uint32_t> output_offsets_, input_offsets_, injection_offsets_, ejection_offsets_,
      link_offsets_;
  std::vector<std::string> terminal_names_, switch_names_;
  std::vector<Position> positions_;
  std::unique_ptr<const Labelling> labelling_;
};

using TopologyPtr = std::shared_ptr<const Topology>;

}  // namespace faultline
#pragma GCC visibility pop
