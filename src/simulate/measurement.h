// SPDX-License-Identifier: Apache-2.0
// What both switching models count, and how a result is made of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "faultline/simulate/simulate.h"
#include "simulate/histogram.h"
#include "simulate/timeline.h"

namespace faultline {

/// A packet whose tail has left the network. (source, sequence) names it.
struct Delivery {
  std::uint32_t source = 0, sequence = 0, destination = 0;
  Time generated = 0, injected = 0, delivered = 0;
  std::uint32_t hops = 0;
};

enum class Drop : std::uint8_t {
  unreachable,  ///< at the source: no admissible channel leads to the destination
  stuck,        ///< at a switch: the relation offers nothing
};

/// Counts per bin of a timeline. Events may be reported in any order and ahead of their time; those at or
/// after the end of the run do not count. Sums are integers, so that results do not depend on the order of
/// the reports.
class Measurement {
 public:
  Measurement(const Timeline& timeline, std::size_t terminals, const SimulationSpec& spec,
              std::vector<Delivery>* log = nullptr);

  void generated(Time at) {
    if (at < timeline_.limit) ++bin(at).generated;
  }
  void injected(Time at) {
    if (at < timeline_.limit) ++bin(at).injected;
  }
  void dropped(Time at, Drop reason) {
    if (at < timeline_.limit) ++bin(at).dropped[static_cast<std::size_t>(reason)];
  }
  void delivered(const Delivery& packet);

  /// Stop rule: true when each of `sources` terminals has had packets_per_source delivered before `now`.
  [[nodiscard]] bool all_served(Time now, std::size_t sources);

  /// Sum over packets delivered in the run of a hash of (packet, cycle of delivery): equal for equal runs.
  [[nodiscard]] std::uint64_t checksum(Time end) const;

  /// All but deadlock, hop counts and seconds. `end` is the limit or a bin's edge. Throws std::logic_error
  /// unless generated = delivered + in flight + dropped, with `in_flight` as the engine finds it in its
  /// queues and buffers.
  [[nodiscard]] SimulationResult result(Time end, std::uint64_t in_flight) const;

 private:
  struct Bin {
    std::uint64_t generated = 0, injected = 0, delivered = 0;
    std::uint64_t latency_sum = 0, network_latency_sum = 0, hops_sum = 0, checksum = 0;
    std::uint64_t dropped[2] = {};
    Histogram latencies;
    void add(const Bin& other);
  };
  struct Served {
    Time delivered;
    std::uint32_t source;
  };

  Bin& bin(Time at) { return bins_[timeline_.bin(at)]; }
  [[nodiscard]] std::vector<Bin> measured_bins(Time end) const;
  void measure(std::span<const Bin> bins, double cycles_a_bin, SimulationResult& result) const;

  Timeline timeline_;
  double terminals_;
  std::uint32_t packet_flits_;
  std::uint64_t packets_per_source_;
  std::vector<Bin> bins_;
  std::vector<Served> recent_;               // stop rule: not yet counted, because they may lie in the future
  std::vector<std::uint64_t> served_count_;  // stop rule: by source
  std::size_t served_sources_ = 0;
  std::vector<Delivery>* log_;
};

}  // namespace faultline
