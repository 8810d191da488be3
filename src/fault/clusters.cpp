// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/clusters.h"

#include <algorithm>

#include "base/sort_unique.h"

namespace faultline {
namespace {

/// Finds the components around one switch after the other, by a search that ends as soon as there are enough.
class Surroundings {
 public:
  explicit Surroundings(const FaultComponents& components)
      : components_(components),
        ends_(components.count()),
        at_(components.topology().switch_count()),
        is_found_(components.topology().switch_count()) {
    for (std::uint32_t component = 0; component < ends_.size(); ++component) {
      const std::vector<SwitchId> ends = ends_of(component);
      // One without ends is never within any radius.
      ends_[component] = std::max(static_cast<std::uint32_t>(ends.size()), 1U);
      for (const SwitchId end : ends) at_[end.index()].push_back(component);
    }
    missing_ = ends_;
  }

  /// Appends the components all of whose ends are within `radius` hops of the centre, the nearest first; if
  /// there are fewer than `least`, those within as many hops as it takes.
  void around(SwitchId centre, std::uint32_t radius, std::size_t least, std::vector<std::uint32_t>& members) {
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

 private:
  /// A switch is where it stands, whatever its channels lead to.
  [[nodiscard]] std::vector<SwitchId> ends_of(std::uint32_t component) const {
    if (components_.unit(component) == FaultUnit::switch_) return {SwitchId(components_.member(component))};
    const Topology& topology = components_.topology();
    std::vector<SwitchId> ends;
    for (const ChannelId channel : components_.channels(component))
      for (const SwitchId end : {topology.source(channel), topology.target(channel)})
        if (end.valid()) ends.push_back(end);
    sort_unique(ends);
    return ends;
  }

  /// Takes the components that end here, and finds the switches one hop further, in either direction.
  void visit(SwitchId at, std::vector<std::uint32_t>& members) {
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

  const FaultComponents& components_;
  std::vector<std::uint32_t> ends_, missing_;   // by component: its switches, and those not found yet
  std::vector<std::vector<std::uint32_t>> at_;  // by switch: the components that end there
  std::vector<bool> is_found_;                  // by switch
  std::vector<SwitchId> found_;
};

}  // namespace

Clusters::Clusters(const FaultComponents& components, std::uint32_t radius, std::uint32_t least) {
  Surroundings surroundings(components);
  const std::size_t enough = std::min<std::size_t>(least, components.count());
  for (const SwitchId centre : components.topology().switches()) {
    surroundings.around(centre, radius, enough, members_);
    offsets_.push_back(members_.size());
  }
}

}  // namespace faultline
