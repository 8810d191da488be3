// SPDX-License-Identifier: Apache-2.0
#include "verify/dependencies.h"

#include <bit>

namespace faultline {
namespace {

std::vector<ChannelId> network_outputs(const Topology& topology, SwitchId at) {
  std::vector<ChannelId> channels;
  for (const ChannelId channel : topology.outputs(at))
    if (topology.role(channel) == ChannelRole::network) channels.push_back(channel);
  return channels;
}

}  // namespace

DirectDependencies::DirectDependencies(const Buffers& buffers)
    : buffers_(buffers),
      position_(buffers.topology().network_channel_count()),
      row_(position_.size()),
      words_(position_.size()) {
  const Topology& topology = buffers.topology();
  std::uint64_t words = 0;
  for (const SwitchId at : topology.switches()) {
    const std::vector<ChannelId> outputs = network_outputs(topology, at);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      position_[outputs[i].index()] = static_cast<std::uint32_t>(i);
    const auto width = static_cast<std::uint32_t>((outputs.size() * buffers.virtual_channels() + 63) / 64);
    for (const ChannelId channel : topology.inputs(at)) {
      if (topology.role(channel) != ChannelRole::network) continue;
      row_[channel.index()] = words;
      words_[channel.index()] = width;
      words += std::uint64_t{width} * buffers.virtual_channels();
    }
  }
  bits_.assign(words, 0);
}

void DirectDependencies::close_under(const DestinationOrbits& orbits) {
  for (std::size_t i = orbits.generators().size(); i-- > 0;)  // the word's last letter acts first
    close_under(orbits.generators()[i]);
}

void DirectDependencies::close_under(const Automorphism& one) {
  const Topology& topology = buffers_.topology();
  const std::uint32_t vcs = buffers_.virtual_channels();
  // Along its cycles, so that a pass or two carry everything all the way round.
  std::vector<ChannelId> round;
  std::vector<bool> seen(position_.size());
  for (std::size_t first = 0; first < seen.size(); ++first)
    for (ChannelId at(first); !seen[at.index()]; at = one.channels[at.index()]) {
      seen[at.index()] = true;
      round.push_back(at);
    }
  std::vector<std::uint32_t> images;  // by bit of a row
  for (bool changed = true; changed;) {
    changed = false;
    for (const ChannelId held : round) {
      const ChannelId image = one.channels[held.index()];
      images.clear();
      for (const ChannelId output : network_outputs(topology, topology.target(held)))
        for (std::uint32_t vc = 0; vc < vcs; ++vc)
          images.push_back(position_[one.channels[output.index()].index()] * vcs + vc);
      for (std::uint32_t vc = 0; vc < vcs; ++vc) {
        const auto from = row(held, vc), to = row(image, vc);
        for (std::uint32_t word = 0; word < from.size(); ++word)
          for (std::uint64_t rest = from[word]; rest != 0; rest &= rest - 1) {
            const std::uint32_t bit = images[word * 64 + static_cast<std::uint32_t>(std::countr_zero(rest))];
            const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
            if ((to[bit / 64] & mask) != 0) continue;
            to[bit / 64] |= mask;
            changed = true;
          }
      }
    }
  }
}

DependencyGraph DirectDependencies::graph() const {
  const std::uint32_t vcs = buffers_.virtual_channels();
  DependencyGraph graph;
  for (std::uint32_t held = 0; held < buffers_.count(); ++held) {
    const VirtualChannel buffer = buffers_.at(held);
    const std::size_t channel = buffer.channel.index();
    const auto outputs = network_outputs(buffers_.topology(), buffers_.topology().target(buffer.channel));
    const std::uint64_t* const row = bits_.data() + row_[channel] + std::size_t{words_[channel]} * buffer.vc;
    for (std::uint32_t word = 0; word < words_[channel]; ++word)
      for (std::uint64_t rest = row[word]; rest != 0; rest &= rest - 1) {
        const std::uint32_t bit = word * 64 + static_cast<std::uint32_t>(std::countr_zero(rest));
        graph.successors.push_back(buffers_.number(outputs[bit / vcs], static_cast<std::uint8_t>(bit % vcs)));
      }
    graph.offsets.push_back(graph.successors.size());
  }
  return graph;
}

}  // namespace faultline
