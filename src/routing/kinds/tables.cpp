// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "faultline/routing/kind.h"
#include "faultline/topology/labellings.h"
#include "routing/output_positions.h"

namespace faultline::routings {
namespace {

/// Routes by the fabric's own forwarding tables for the destination's LID. A packet is stuck if they have no
/// entry for it, name a port without a cable, or would deliver it to another terminal.
class TablesRelation final : public RoutingRelation {
 public:
  explicit TablesRelation(TopologyPtr topology)
      : RoutingRelation(std::move(topology)),
        has_output_bits_(most_outputs(this->topology()) <= 64),
        terminals_(this->topology().terminal_count()),
        output_(this->topology().switch_count() * terminals_, no_output) {
    const auto& labelling = this->topology().labelling<FabricLabelling>("tables");
    if (!labelling.tables)
      throw Error("routing", "tables", "needs the fabric's forwarding tables; give topology.tables = PATH");
    for (const SwitchId at : this->topology().switches())
      if (const auto* table = labelling.tables->find(labelling.node(at).guid)) find_outputs(at, *table);
  }

  void route(const RouteState& state, RouteOptions& options) const override {
    const std::uint8_t output = output_of(state.at, state.destination);
    if (output != no_output) options.push_back({.channel = topology().outputs(state.at)[output]});
  }
  [[nodiscard]] bool offers_output_bits() const override { return has_output_bits_; }
  [[nodiscard]] std::uint64_t output_bits(SwitchId at, TerminalId destination) const override {
    const std::uint8_t output = output_of(at, destination);
    return output != no_output ? std::uint64_t{1} << output : 0;
  }
  [[nodiscard]] std::uint32_t injection_vcs() const override { return 1; }

 private:
  static constexpr std::size_t port_numbers = 256;
  static constexpr std::uint8_t no_output = 255;  ///< no switch has more than 255 ports

  void find_outputs(SwitchId at, const infiniband::ForwardingTable& table) {
    const auto& labelling = topology().labelling<FabricLabelling>("tables");
    const auto outputs = topology().outputs(at);
    std::uint8_t at_port[port_numbers];  // the output at a port
    std::ranges::fill(at_port, no_output);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      at_port[topology().output_port(outputs[i])] = static_cast<std::uint8_t>(i);
    for (const TerminalId destination : topology().terminals()) {
      const std::optional<std::uint8_t> port = table.port(labelling.lid(destination));
      if (!port || at_port[*port] == no_output) continue;
      const ChannelId channel = outputs[at_port[*port]];
      if (topology().role(channel) != ChannelRole::ejection || topology().terminal(channel) == destination)
        output_[at.index() * terminals_ + destination.index()] = at_port[*port];
    }
  }
  [[nodiscard]] std::uint8_t output_of(SwitchId at, TerminalId destination) const {
    return output_[at.index() * terminals_ + destination.index()];
  }

  bool has_output_bits_;
  std::size_t terminals_;
  std::vector<std::uint8_t> output_;  ///< by switch and terminal: position among the outputs of the switch
};

struct Tables {
  static void fields(auto&) {}
  static std::vector<Tables> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const TablesRelation>(context.topology);
  }
};

}  // namespace

extern constinit const RoutingKind tables =
    routing_kind<Tables>("tables", "a real fabric: its own forwarding tables, by destination LID",
                         "InfiniBand Architecture Specification, volume 1, chapter 18 (switches)",
                         Survival::fixed_paths, "any-free", Knowledge::none());

}  // namespace faultline::routings
