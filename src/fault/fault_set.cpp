// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/fault_set.h"

namespace faultline {

FaultSet::FaultSet(const Topology& topology)
    : channels_(topology.channel_count()), switches_(topology.switch_count()) {}

void FaultSet::fail(ChannelId channel) {
  if (channels_.at(channel.index())) return;
  channels_[channel.index()] = true;
  ++failed_count_;
}

void FaultSet::fail(const Topology& topology, LinkId link) {
  for (const ChannelId channel : topology.channels(link)) fail(channel);
}

void FaultSet::fail(const Topology& topology, SwitchId at) {
  if (!switches_.at(at.index())) ++failed_switches_;
  switches_[at.index()] = true;
  for (const ChannelId channel : topology.outputs(at)) fail(channel);
  for (const ChannelId channel : topology.inputs(at)) fail(channel);
}

void FaultSet::fail(const Topology& topology, TerminalId terminal) {
  for (const ChannelId channel : topology.injection(terminal)) fail(channel);
  for (const ChannelId channel : topology.ejection(terminal)) fail(channel);
}

}  // namespace faultline
