// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/alike.h"

#include <algorithm>
#include <bit>

namespace faultline {
namespace {

std::vector<SwitchId> ends(const Topology& topology, std::span<const ChannelId> channels, bool ejection) {
  std::vector<SwitchId> switches;
  for (const ChannelId channel : channels)
    switches.push_back(ejection ? topology.source(channel) : topology.target(channel));
  std::ranges::sort(switches);
  return switches;
}

}  // namespace

bool compares_by_output_bits(const RoutingRelation& relation) {
  return relation.offers_output_bits() && relation.injection_vcs() != 0 && !relation.relies_on_escape();
}

AlikeDestinations::AlikeDestinations(const RoutingRelation& relation)
    : relation_(relation), topology_(relation.topology()), applicable_(compares_by_output_bits(relation)) {}

bool AlikeDestinations::attached_alike(TerminalId known, TerminalId other) const {
  return ends(topology_, topology_.ejection(known), true) ==
             ends(topology_, topology_.ejection(other), true) &&
         ends(topology_, topology_.injection(known), false) ==
             ends(topology_, topology_.injection(other), false);
}

/// The bits of the network channels; `ejects`: there are others.
std::uint64_t AlikeDestinations::without_ejection(SwitchId at, std::uint64_t bits, bool& ejects) const {
  const std::uint32_t vcs = relation_.virtual_channels();
  const auto outputs = topology_.outputs(at);
  std::uint64_t network = 0;
  for (std::uint64_t rest = bits; rest != 0; rest &= rest - 1) {
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (topology_.role(outputs[bit / vcs]) == ChannelRole::ejection)
      ejects = true;
    else
      network |= std::uint64_t{1} << bit;
  }
  return network;
}

bool AlikeDestinations::alike(std::span<const SwitchId> switches, TerminalId known, TerminalId other) const {
  if (!applicable_ || !attached_alike(known, other)) return false;
  for (const SwitchId at : switches) {
    const std::uint64_t here = relation_.output_bits(at, known), there = relation_.output_bits(at, other);
    if (here == there) continue;
    bool ejects_here = false, ejects_there = false;
    if (without_ejection(at, here, ejects_here) != without_ejection(at, there, ejects_there)) return false;
    // Several ejection channels at a switch would be moves of their own.
    if (!ejects_here || !ejects_there || std::popcount(here) != std::popcount(there)) return false;
  }
  return true;
}

}  // namespace faultline
