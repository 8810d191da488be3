// SPDX-License-Identifier: Apache-2.0
#include "routing/table_restore.h"

#include <algorithm>

#include "routing/path_layers.h"
#include "routing/up_down_order.h"

namespace faultline {
namespace {

/// Of one column after the other.
class WholePaths {
 public:
  WholePaths(const Topology& topology, const FaultSet& unusable)
      : topology_(topology), unusable_(unusable), fate_(topology.switch_count()) {}

  void follow(const ForwardingColumns& columns, std::size_t column) {
    std::ranges::fill(fate_, Fate::unknown);
    for (const SwitchId start : topology_.switches()) {
      way_.clear();
      SwitchId at = start;
      while (at.valid() && fate_[at.index()] == Fate::unknown) {
        fate_[at.index()] = Fate::broken;  // until it arrives: so are switches of a loop
        way_.push_back(at);
        at = behind(columns.at(column, at), columns.terminal[column]);
      }
      if (at.valid() ? fate_[at.index()] == Fate::whole : arrives_)
        for (const SwitchId passed : way_) fate_[passed.index()] = Fate::whole;
    }
  }
  [[nodiscard]] bool is_whole(SwitchId at) const { return fate_[at.index()] == Fate::whole; }

 private:
  enum class Fate : std::uint8_t { unknown, broken, whole };

  /// Invalid where a packet leaves the network: arrives_ says whether at its terminal.
  SwitchId behind(ChannelId channel, TerminalId terminal) {
    arrives_ = false;
    if (!channel.valid() || unusable_.failed(channel)) return {};
    arrives_ = topology_.role(channel) == ChannelRole::ejection && topology_.terminal(channel) == terminal;
    return topology_.target(channel);
  }

  const Topology& topology_;
  const FaultSet& unusable_;
  std::vector<Fate> fate_;  // by switch
  std::vector<SwitchId> way_;
  bool arrives_ = false;
};

}  // namespace

ForwardingColumns with_restored_paths(const Topology& topology, const FaultSet& known,
                                      const ForwardingColumns& reference, const ForwardingColumns& in_use) {
  ForwardingColumns restored = in_use;
  const FaultSet unusable = with_whole_links(topology, known);
  const std::vector<SwitchId> sources = injecting_switches(topology, unusable);
  WholePaths paths(topology, unusable);
  for (std::size_t column = 0; column < reference.count(); ++column) {
    paths.follow(reference, column);
    const bool all_whole = std::ranges::all_of(sources, [&](SwitchId at) { return paths.is_whole(at); });
    for (const SwitchId at : topology.switches())
      if (all_whole || paths.is_whole(at)) restored.at(column, at) = reference.at(column, at);
  }
  return restored;
}

}  // namespace faultline
