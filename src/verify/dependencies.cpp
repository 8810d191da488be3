// SPDX-License-Identifier: Apache-2.0
#include "verify/dependencies.h"

#include <bit>

namespace faultline {
namespace {

std::vector<ChannelId> network_outputs(const Topology& topology, SwitchId at) {
  std::vector<ChannelId> channels;
  for (const ChannelId channel : topology.outputs(at))
    if (topology.kind(channel) == ChannelKind::network) channels.push_back(channel);
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
      if (topology.kind(channel) != ChannelKind::network) continue;
      row_[channel.index()] = words;
      words_[channel.index()] = width;
      words += std::uint64_t{width} * buffers.virtual_channels();
    }
  }
  bits_.assign(words, 0);
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
