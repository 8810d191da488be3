// SPDX-License-Identifier: Apache-2.0
// How control packets are counted.
#pragma once

#include <algorithm>

#include "faultline/simulate/clock.h"
#include "faultline/simulate/simulate.h"

namespace faultline::cut_through {

class ControlCounts {
 public:
  void sends(bool notification) { ++(notification ? figures_.notifications : figures_.acknowledgements); }
  void lost() { ++figures_.lost; }
  /// One that waits at a terminal has no path, and may have been sent before.
  void give_up(bool was_sent, bool notification) {
    if (!was_sent) sends(notification);
    lost();
  }
  /// `latency`: cycles since it was made.
  void arrives(Time latency) {
    ++figures_.arrived;
    latency_sum_ += static_cast<std::uint64_t>(latency);
  }
  void hops(Time flits) {
    ++figures_.packet_hops;
    figures_.flit_hops += static_cast<std::uint64_t>(flits);
  }
  void meets_dead_channel() { ++figures_.met_dead_channel; }
  /// One leaves a lane in which `packets_in_lane`, itself counted, could be granted.
  void leaves(std::size_t packets_in_lane) {
    figures_.most_in_a_lane = std::max<std::uint64_t>(figures_.most_in_a_lane, packets_in_lane);
  }

  void absorb(const ControlCounts& other) {
    figures_.add(other.figures_);
    latency_sum_ += other.latency_sum_;
  }

  [[nodiscard]] ControlFigures figures() const {
    ControlFigures figures = figures_;
    if (figures.arrived != 0)
      figures.latency_mean = static_cast<double>(latency_sum_) / static_cast<double>(figures.arrived);
    return figures;
  }

 private:
  ControlFigures figures_;  // all but the mean latency
  std::uint64_t latency_sum_ = 0;
};

}  // namespace faultline::cut_through
