// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "faultline/routing/kind.h"
#include "faultline/topology/labellings.h"

namespace faultline::routings {
namespace {

constexpr std::size_t port_numbers = 256;

/// Routes by the fabric's own forwarding tables for the destination's LID. A packet is stuck if they have no
/// entry for it, name a port without a cable, or would deliver it to another terminal.
class TablesRelation final : public RoutingRelation {
 public:
  explicit TablesRelation(TopologyPtr topology)
      : RoutingRelation(std::move(topology)),
        labelling_(this->topology().labelling<FabricLabelling>("tables")) {
    if (!labelling_.tables)
      throw Error("routing", "tables", "needs the fabric's forwarding tables; give topology.tables = PATH");
    for (const SwitchId at : this->topology().switches()) {
      tables_.push_back(labelling_.tables->find(labelling_.node(at).guid));
      Channels& channels = channel_at_.emplace_back();
      for (const ChannelId channel : this->topology().outputs(at))
        channels[this->topology().output_port(channel)] = channel;
    }
    for (const TerminalId terminal : this->topology().terminals()) lids_.push_back(labelling_.lid(terminal));
  }

  void route(const RouteState& state, RouteOptions& options) const override {
    const infiniband::ForwardingTable* table = tables_[state.at.index()];
    if (table == nullptr) return;
    const std::optional<std::uint8_t> port = table->port(lids_[state.destination.index()]);
    if (!port) return;
    const ChannelId channel = channel_at_[state.at.index()][*port];
    if (!channel.valid()) return;
    const bool ejects = topology().role(channel) == ChannelRole::ejection;
    if (!ejects || topology().terminal(channel) == state.destination) options.push_back({.channel = channel});
  }

 private:
  using Channels = std::array<ChannelId, port_numbers>;  // by output port

  const FabricLabelling& labelling_;
  std::vector<const infiniband::ForwardingTable*> tables_;  // by switch
  std::vector<Channels> channel_at_;                        // by switch
  std::vector<infiniband::Lid> lids_;                       // by terminal
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
                         Survival::fixed_paths, "first", Knowledge::none());

}  // namespace faultline::routings
