// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/automorphism.h"

#include <algorithm>
#include <numeric>

namespace faultline {
namespace {

ChannelId output_at(const Topology& topology, SwitchId at, std::uint32_t port) {
  const auto outputs = topology.outputs(at);
  const auto found = std::ranges::lower_bound(
      outputs, port, {}, [&](ChannelId channel) { return topology.output_port(channel); });
  return found != outputs.end() && topology.output_port(*found) == port ? *found : ChannelId();
}

template <class Id>
bool is_permutation_of_all(const std::vector<Id>& images, std::size_t count) {
  if (images.size() != count) return false;
  std::vector<bool> seen(count);
  for (const Id image : images) {
    if (!image.valid() || image.index() >= count || seen[image.index()]) return false;
    seen[image.index()] = true;
  }
  return true;
}

template <class Id>
Id image_of(const std::vector<Id>& images, Id one) {
  return one.valid() ? images[one.index()] : one;
}

}  // namespace

std::vector<Automorphism> Labelling::automorphisms(const Topology&) const { return {}; }

std::vector<Automorphism> Topology::automorphisms() const {
  if (!labelling_) return {};
  std::vector<Automorphism> confirmed = labelling_->automorphisms(*this);
  std::erase_if(confirmed, [&](const Automorphism& one) {
    return !is_automorphism(*this, one) || std::ranges::equal(one.channels, channels());
  });
  return confirmed;
}

Automorphism renaming(const Topology& topology, const std::function<SwitchId(SwitchId)>& at,
                      const std::function<TerminalId(TerminalId)>& terminal,
                      const std::function<std::uint32_t(SwitchId, std::uint32_t)>& port) {
  Automorphism result;
  result.channels.resize(topology.channel_count());
  for (const SwitchId one : topology.switches()) {
    result.switches.push_back(at(one));
    for (const ChannelId channel : topology.outputs(one))
      result.channels[channel.index()] =
          output_at(topology, result.switches.back(), port(one, topology.output_port(channel)));
  }
  for (const TerminalId one : topology.terminals()) {
    result.terminals.push_back(terminal(one));
    const auto from = topology.injection(one), to = topology.injection(result.terminals.back());
    for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i)
      result.channels[from[i].index()] = to[i];
  }
  return result;
}

bool is_automorphism(const Topology& topology, const Automorphism& one) {
  if (!is_permutation_of_all(one.switches, topology.switch_count()) ||
      !is_permutation_of_all(one.terminals, topology.terminal_count()) ||
      !is_permutation_of_all(one.channels, topology.channel_count()))
    return false;
  return std::ranges::all_of(topology.channels(), [&](ChannelId channel) {
    const ChannelId image = one.channels[channel.index()];
    return topology.role(image) == topology.role(channel) &&
           topology.source(image) == image_of(one.switches, topology.source(channel)) &&
           topology.target(image) == image_of(one.switches, topology.target(channel)) &&
           topology.terminal(image) == image_of(one.terminals, topology.terminal(channel));
  });
}

std::uint64_t order_of(const Automorphism& one, std::uint64_t most) {
  std::uint64_t order = 1;
  std::vector<bool> seen(one.channels.size());
  for (std::size_t first = 0; first < seen.size(); ++first) {
    std::uint64_t length = 0;
    for (std::size_t at = first; !seen[at]; at = one.channels[at].index(), ++length) seen[at] = true;
    if (length > most) return 0;
    if (length != 0) order = std::lcm(order, length);
    if (order > most) return 0;
  }
  return order;
}

}  // namespace faultline
