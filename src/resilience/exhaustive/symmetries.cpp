// SPDX-License-Identifier: Apache-2.0
#include "resilience/exhaustive/symmetries.h"

#include <algorithm>
#include <map>

namespace faultline::survival {
namespace {

using Ends = std::array<std::uint32_t, 2>;

Ends rising(Ends ends) {
  std::ranges::sort(ends);
  return ends;
}

/// The components between, or at, the same switches, in order.
struct Alike {
  std::map<Ends, std::vector<std::uint32_t>> links;
  std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> terminals;
};

std::vector<std::uint32_t> switches_of(const SwitchGraph& network, std::uint32_t terminal) {
  std::vector<std::uint32_t> at;
  for (const auto& attachment : network.terminals[terminal]) at.push_back(attachment.at);
  return at;
}

Alike group(const SwitchGraph& network) {
  Alike alike;
  for (std::uint32_t link = 0; link < network.links.size(); ++link)
    alike.links[rising(network.links[link])].push_back(link);
  for (std::uint32_t terminal = 0; terminal < network.terminals.size(); ++terminal)
    alike.terminals[switches_of(network, terminal)].push_back(terminal);
  return alike;
}

/// One permutation of the switches, carried over to links and terminals.
class Image {
 public:
  Image(const SwitchGraph& network, const Alike& alike, const std::vector<std::uint32_t>& switches)
      : network_(network), alike_(alike), switches_(switches) {}

  /// False if there is nothing, or a different number, at the images.
  [[nodiscard]] bool exists() {
    links_.resize(network_.links.size());
    for (const auto& [ends, here] : alike_.links) {
      const auto there = alike_.links.find(rising({switches_[ends[0]], switches_[ends[1]]}));
      if (there == alike_.links.end() || there->second.size() != here.size()) return false;
      for (std::size_t i = 0; i < here.size(); ++i) links_[here[i]] = there->second[i];
    }
    terminals_.resize(network_.terminals.size());
    for (const auto& [at, here] : alike_.terminals) {
      std::vector<std::uint32_t> images;
      for (const std::uint32_t one : at) images.push_back(switches_[one]);
      std::ranges::sort(images);
      const auto there = alike_.terminals.find(images);
      if (there == alike_.terminals.end() || there->second.size() != here.size()) return false;
      for (std::size_t i = 0; i < here.size(); ++i) terminals_[here[i]] = there->second[i];
    }
    return true;
  }

  [[nodiscard]] SwitchId of(SwitchId at) const { return SwitchId(switches_[at.index()]); }
  [[nodiscard]] TerminalId of(TerminalId terminal) const { return TerminalId(terminals_[terminal.index()]); }
  [[nodiscard]] LinkId of(LinkId link, const Topology& topology) const {
    if (link.index() < links_.size()) return LinkId(links_[link.index()]);
    const ChannelId channel = topology.channels(link).front();
    const TerminalId terminal = topology.terminal(channel);
    const SwitchId at =
        topology.source(channel).valid() ? topology.source(channel) : topology.target(channel);
    return terminal_link(terminal, link, of(terminal), of(at));
  }
  /// Channels of a link in the same direction.
  [[nodiscard]] ChannelId of(ChannelId channel, const Topology& topology) const {
    const auto there = topology.channels(of(topology.link(channel), topology));
    const bool same = topology.source(channel).valid()
                          ? of(topology.source(channel)) == topology.source(there.front())
                          : !topology.source(there.front()).valid();
    return there[same ? 0 : 1];
  }

 private:
  /// The n-th link of `from` at its switch becomes the n-th of `to` at the image.
  [[nodiscard]] LinkId terminal_link(TerminalId from, LinkId link, TerminalId to, SwitchId at) const {
    std::size_t number = 0;
    std::uint32_t before = 0;
    for (const auto& attachment : network_.terminals[from.index()])
      if (attachment.link == link.value()) before = attachment.at;
    for (const auto& attachment : network_.terminals[from.index()])
      number += std::size_t{attachment.at == before && attachment.link < link.value()};
    for (const auto& attachment : network_.terminals[to.index()])
      if (attachment.at == at.value() && number-- == 0) return LinkId(attachment.link);
    return link;
  }

  const SwitchGraph& network_;
  const Alike& alike_;
  const std::vector<std::uint32_t>& switches_;
  std::vector<std::uint32_t> links_, terminals_;
};

std::uint32_t image_of(const FaultComponents& components, std::size_t component, const Image& image) {
  const Topology& topology = components.topology();
  const std::uint32_t member = components.member(component);
  switch (components.unit(component)) {
    case FaultUnit::channel:
      return image.of(ChannelId(member), topology).value();
    case FaultUnit::link:
      return image.of(LinkId(member), topology).value();
    case FaultUnit::switch_:
      return image.of(SwitchId(member)).value();
    case FaultUnit::terminal:
      return image.of(TerminalId(member)).value();
  }
  return member;
}

/// Empty if an image may not fail, or two components have the same image.
Permutation permutation_of(const FaultComponents& components, const Image& image) {
  std::map<std::pair<FaultUnit, std::uint32_t>, std::uint32_t> index;
  for (std::uint32_t component = 0; component < components.count(); ++component)
    index.emplace(std::pair(components.unit(component), components.member(component)), component);
  Permutation permutation;
  std::vector<bool> taken(components.count());
  for (std::uint32_t component = 0; component < components.count(); ++component) {
    const auto found = index.find({components.unit(component), image_of(components, component, image)});
    if (found == index.end() || taken[found->second]) return {};
    taken[found->second] = true;
    permutation.push_back(found->second);
  }
  return permutation;
}

}  // namespace

std::vector<Permutation> component_symmetries(const FaultComponents& components, const SwitchGraph& network,
                                              std::span<const std::vector<std::uint32_t>> candidates) {
  const Alike alike = group(network);
  std::vector<Permutation> all;
  for (const auto& switches : candidates) {
    Image image(network, alike, switches);
    if (!image.exists()) continue;
    if (Permutation permutation = permutation_of(components, image); !permutation.empty())
      all.push_back(std::move(permutation));
  }
  return all;
}

}  // namespace faultline::survival
