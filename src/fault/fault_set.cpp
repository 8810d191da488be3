// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/fault_set.h"

#include <fmt/format.h>

#include <stdexcept>

#include "faultline/base/error.h"

namespace faultline {

FaultSet::FaultSet(const Topology& topology)
    : channels_(topology.channel_count()), switches_(topology.switch_count()) {}

void FaultSet::fail(ChannelId channel) {
  if (channels_.at(channel.index())) return;
  channels_[channel.index()] = true;
  ++failed_count_;
}

namespace {

void require_below(std::size_t index, std::size_t count) {
  if (index >= count) throw std::out_of_range(fmt::format("component {} of {} fails", index, count));
}

}  // namespace

void FaultSet::fail(const Topology& topology, LinkId link) {
  require_below(link.index(), topology.link_count());
  for (const ChannelId channel : topology.channels(link)) fail(channel);
}

void FaultSet::fail(const Topology& topology, SwitchId at) {
  require_below(at.index(), topology.switch_count());
  if (!switches_.at(at.index())) ++failed_switches_;
  switches_[at.index()] = true;
  for (const ChannelId channel : topology.outputs(at)) fail(channel);
  for (const ChannelId channel : topology.inputs(at)) fail(channel);
}

void FaultSet::fail(const Topology& topology, TerminalId terminal) {
  require_below(terminal.index(), topology.terminal_count());
  for (const ChannelId channel : topology.injection(terminal)) fail(channel);
  for (const ChannelId channel : topology.ejection(terminal)) fail(channel);
}

void FaultSet::require_of(const Topology& topology, std::string_view field) const {
  if (channels_.size() != topology.channel_count() || switches_.size() != topology.switch_count())
    throw Error(std::string(field),
                fmt::format("faults of {} channels and {} switches", channels_.size(), switches_.size()),
                fmt::format("must be of {}, which has {} and {}", topology.name(), topology.channel_count(),
                            topology.switch_count()));
}

}  // namespace faultline
