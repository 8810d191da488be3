// SPDX-License-Identifier: Apache-2.0
#include "fault/surroundings.h"

#include <algorithm>

#include "base/sort_unique.h"

namespace faultline {
namespace {

/// A switch is where it stands, whatever its channels lead to.
std::vector<SwitchId> ends_of(const FaultComponents& components, std::uint32_t component) {
  if (components.unit(component) == FaultUnit::switch_) return {SwitchId(components.member(component))};
  const Topology& topology = components.topology();
  std::vector<SwitchId> ends;
  for (const ChannelId channel : components.channels(component))
    for (const SwitchId end : {topology.source(channel), topology.target(channel)})
      if (end.valid()) ends.push_back(end);
  sort_unique(ends);
  return ends;
}

}  // namespace

Surroundings::Surroundings(const FaultComponents& components)
    : components_(components),
      ends_(components.count()),
      at_(components.topology().switch_count()),
      is_found_(components.topology().switch_count()) {
  for (std::uint32_t component = 0; component < ends_.size(); ++component) {
    const std::vector<SwitchId> ends = ends_of(components, component);
    // One without ends is never within any radius.
    ends_[component] = std::max(static_cast<std::uint32_t>(ends.size()), 1U);
    for (const SwitchId end : ends) at_[end.index()].push_back(component);
  }
  missing_ = ends_;
}

void Surroundings::around(SwitchId centre, std::uint32_t radius, std::size_t least,
                          std::vector<std::uint32_t>& members) {
  const std::size_t begin = members.size();
  found_.assign(1, centre);
  is_found_[centre.index()] = true;
  std::size_t done = 0;
  for (std::uint32_t hops = 0; done < found_.size() && (hops <= radius || members.size() - begin < least);
       ++hops) {
    const std::size_t nearer = members.size();
    for (const std::size_t layer = found_.size(); done < layer; ++done) visit(found_[done], members);
    std::ranges::sort(members.begin() + static_cast<std::ptrdiff_t>(nearer), members.end());
  }
  if (members.size() - begin < least)  // the others are not connected with the centre
    for (std::uint32_t component = 0; component < missing_.size(); ++component)
      if (missing_[component] != 0) members.push_back(component);
  for (const SwitchId at : found_) {
    is_found_[at.index()] = false;
    for (const std::uint32_t component : at_[at.index()]) missing_[component] = ends_[component];
  }
}

void Surroundings::visit(SwitchId at, std::vector<std::uint32_t>& members) {
  const Topology& topology = components_.topology();
  for (const std::uint32_t component : at_[at.index()])
    if (--missing_[component] == 0) members.push_back(component);
  const auto reach = [&](SwitchId other) {
    if (!other.valid() || is_found_[other.index()]) return;
    is_found_[other.index()] = true;
    found_.push_back(other);
  };
  for (const ChannelId channel : topology.outputs(at)) reach(topology.target(channel));
  for (const ChannelId channel : topology.inputs(at)) reach(topology.source(channel));
}

}  // namespace faultline
