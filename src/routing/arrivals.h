// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/fault/fault_set.h"
#include "faultline/topology/labellings.h"

namespace faultline {

/// The switches whose packets for a certain LID come to an end, found from the ends backwards.
class Arrivals {
 public:
  /// `fabric` numbers the ports.
  Arrivals(const Topology& topology, const FabricLabelling& fabric, const FaultSet& dead,
           const std::vector<SwitchId>& ends)
      : topology_(topology), fabric_(fabric), dead_(dead), arrives_(topology.switch_count()) {
    for (const SwitchId end : ends) add(end);
  }

  [[nodiscard]] bool has(SwitchId at) const { return arrives_[at.index()]; }
  void add(SwitchId at) {
    arrives_[at.index()] = true;
    queue_.push_back(at);
  }
  /// In the order in which they were found.
  [[nodiscard]] const std::vector<SwitchId>& found() const { return queue_; }
  /// visit(channel, its port) for living channels to these switches, each once, from others. `visit` may add
  /// switches.
  template <class Visit>
  void for_each_way_in(Visit visit) {
    for (; next_ < queue_.size(); ++next_)
      for (const ChannelId channel : topology_.inputs(queue_[next_])) {
        const SwitchId from = topology_.source(channel);
        if (from.valid() && !has(from) && !dead_.failed(channel))
          visit(channel, fabric_.output_port(topology_, channel));
      }
  }

 private:
  const Topology& topology_;
  const FabricLabelling& fabric_;
  const FaultSet& dead_;
  std::vector<bool> arrives_;    // by switch
  std::vector<SwitchId> queue_;  // the same
  std::size_t next_ = 0;         // in the queue
};

}  // namespace faultline
