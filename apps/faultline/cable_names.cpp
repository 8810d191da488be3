// SPDX-License-Identifier: Apache-2.0
#include "cable_names.h"

#include <algorithm>

#include "faultline/topology/labellings.h"

namespace faultline::app {
namespace {

class Ends {
 public:
  explicit Ends(const Topology& topology)
      : topology_(topology), fabric_(*topology.find_labelling<FabricLabelling>()) {}

  [[nodiscard]] std::pair<CableEndId, CableEndId> of(LinkId link) const {
    const ChannelId channel = topology_.channels(link).front();
    return std::minmax(end(channel, topology_.source(channel), topology_.output_port(channel)),
                       end(channel, topology_.target(channel), topology_.input_port(channel)));
  }

 private:
  /// At a switch; if that is invalid, at the terminal.
  [[nodiscard]] CableEndId end(ChannelId channel, SwitchId at, std::uint32_t port) const {
    if (at.valid()) return {fabric_.node(at).id, port + fabric_.first_port};
    const auto& terminal = fabric_.terminal_ports[topology_.terminal(channel).index()];
    return {fabric_.fabric.nodes[terminal.node].id, terminal.port};
  }

  const Topology& topology_;
  const FabricLabelling& fabric_;
};

}  // namespace

CableNames cable_names(const Topology& topology) {
  const Ends ends(topology);
  CableNames names;
  for (const LinkId link : topology.links()) names.emplace(ends.of(link), topology.name(link));
  return names;
}

}  // namespace faultline::app
