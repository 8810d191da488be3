// SPDX-License-Identifier: Apache-2.0
// What both switching models count, and how they turn it into a result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "faultline/simulate/simulate.h"
#include "simulate/measurement/histogram.h"
#include "simulate/measurement/stretches.h"
#include "simulate/measurement/timeline.h"

namespace faultline {

/// A packet whose tail has left the network. (source, sequence) names it.
struct Delivery {
  std::uint32_t source = 0, sequence = 0, destination = 0;
  Time generated = 0, injected = 0, delivered = 0;
  std::uint32_t hops = 0, flits = 0;
};

/// A packet that leaves the queue of its source, in which it has been first since `first_since`.
struct Departure {
  std::uint32_t source = 0;
  Time injected = 0, first_since = 0, generated = 0;
};

enum class Drop : std::uint8_t {
  unreachable,   ///< at a terminal: no admissible channel leads to the destination
  stuck,         ///< at a switch: the relation offers nothing, or its output's channel is down for good
  link_failed,   ///< while it was on a channel
  dead_channel,  ///< on a channel that was dead from the start, which the switch did not know
};
/// Of a packet that can go nowhere: what happened to it first. `lost`: it was on a channel that went down;
/// `over_dead`: it came over a channel that was dead from the start.
[[nodiscard]] constexpr Drop why_stuck(bool lost, bool over_dead) {
  return lost ? Drop::link_failed : over_dead ? Drop::dead_channel : Drop::stuck;
}

inline constexpr const char* drop_names[] = {"unreachable", "stuck", "link_failed", "dead_channel"};

/// Source queues grow if their growth is significant and more than this fraction of what is generated.
inline constexpr double least_queue_growth = 0.01;

/// Counts per bin of a timeline. Events may be reported in any order and ahead of their time; those at or
/// after the end of the run do not count. Sums are integers, so that results do not depend on the order of
/// the reports.
class Measurement {
 public:
  /// `is_trace`: all packets of the run are known, and it is to last until none is left.
  Measurement(const Timeline& timeline, std::size_t terminals, const SimulationSpec& spec, bool is_trace,
              std::vector<Delivery>* log = nullptr);

  void generated(Time at, std::uint32_t flits) {
    if (at >= timeline_.limit) return;
    Bin& into = bin(at);
    ++into.generated;
    into.generated_flits += flits;
  }
  void injected(const Departure& packet) {
    gave_up(packet);
    if (packet.injected >= timeline_.limit) return;
    Bin& into = bin(packet.injected);
    ++into.injected;
    into.longest_wait = std::max(into.longest_wait, packet.injected - packet.first_since);
  }
  /// The first packet of a queue leaves it, injected or not.
  void gave_up(const Departure& packet) {
    if (packet.injected >= earliest_end_) departures_.push_back(packet);
  }
  /// At the end: a packet has been the first of its source's queue since `since`.
  void waits(TerminalId source, Time since, Time generated) {
    departures_.push_back({source.value(), never, since, generated});
  }
  void dropped(Time at, Drop reason) {
    if (at >= timeline_.limit) return;
    ++bin(at).dropped[static_cast<std::size_t>(reason)];
    last_gone_ = std::max(last_gone_, at);
    if (timeline_.bin(at) < counted_bins_) ++gone_;  // found late
  }
  /// The tail of a packet that is to be re-injected reaches a terminal.
  void sent_again(Time at) {
    if (at < timeline_.limit) ++bin(at).sent_again;
  }
  void delivered(const Delivery& packet);

  /// At the end of a bin: true if a stop rule is met. `sources` terminals send at all.
  [[nodiscard]] bool may_stop(Time now, std::size_t sources);

  /// Adds the counts of `part`: events of the same run that were reported to it since it was absorbed last.
  void absorb(Measurement& part);
  /// After this bin's end, a part need remember no more than this one.
  void follow(const Measurement& whole) { earliest_end_ = whole.earliest_end_; }

  /// Packets that are kept one by one.
  [[nodiscard]] std::size_t kept_packets() const { return departures_.size() + recent_.size(); }

  /// Sum over packets delivered in the run of a hash of (packet, cycle of delivery): equal for equal runs.
  [[nodiscard]] std::uint64_t checksum(Time end) const;

  /// Everything but deadlock, hop counts and seconds. `end` is the limit or a bin's edge. Throws
  /// std::logic_error unless generated = delivered + in flight + dropped, with `in_flight` counted by the
  /// engine in its queues and buffers.
  [[nodiscard]] SimulationResult result(Time end, std::uint64_t in_flight) const;

 private:
  struct Counts {
    std::uint64_t generated = 0, injected = 0, delivered = 0;
    std::uint64_t generated_flits = 0, delivered_flits = 0;
    std::uint64_t latency_sum = 0, network_latency_sum = 0, hops_sum = 0, checksum = 0;
    std::uint64_t dropped[std::size(drop_names)] = {};
    std::uint64_t sent_again = 0;
    Time longest_wait = 0;
    void add(const Counts& other);
    [[nodiscard]] std::uint64_t unreachable() const {
      return dropped[static_cast<std::size_t>(Drop::unreachable)];
    }
    [[nodiscard]] std::uint64_t gone() const { return delivered + all_dropped(); }
    [[nodiscard]] std::uint64_t all_dropped() const {
      return std::accumulate(std::begin(dropped), std::end(dropped), std::uint64_t{0});
    }
  };
  struct Bin : Counts {
    Histogram latencies;
    void add(const Bin& other);
    [[nodiscard]] bool is_empty() const {
      return generated == 0 && injected == 0 && delivered == 0 && all_dropped() == 0 && sent_again == 0;
    }
  };
  /// The part of a run that is measured, in bins of equal length.
  template <class Part>
  struct Measured {
    std::vector<Part> bins;
    double cycles_a_bin = 1;
    double warmup = 0;  ///< cycles before the first of them
    /// Source queues grow over all of the time after the requested warm-up; what is left of it after the
    /// detected one may be too short to show it.
    bool queues_grew = false;
  };
  struct Served {
    Time delivered;
    std::uint32_t source;
  };

  /// Most events fall into the same bin as the one reported before.
  Bin& bin(Time at) {
    if (at < bin_from_ || at >= bin_until_) go_to_bin_of(at);
    return bins_[bin_];
  }
  void go_to_bin_of(Time at);
  void count_served(Time delivered, std::uint32_t source) {
    if (delivered < earliest_end_)
      ++served_count_[source];
    else
      recent_.push_back({delivered, source});
  }
  [[nodiscard]] bool all_served(Time now, std::size_t sources);
  [[nodiscard]] bool all_gone(Time now);
  [[nodiscard]] bool narrow_enough(Time now, std::size_t sources);
  /// Of a trace: the run lasted until no packet was left.
  [[nodiscard]] bool is_complete() const { return is_trace_ && rule_met_; }
  template <class Part>
  [[nodiscard]] Measured<Part> measured(Time end) const;
  [[nodiscard]] Measured<Bin> measured_whole(Time end) const;
  void measure(const Measured<Bin>& part, Time end, SimulationResult& result) const;
  /// Advice for a run that was too short, and for one that measured nothing.
  [[nodiscard]] std::string_view way_to_measure_longer() const;
  [[nodiscard]] std::string_view way_to_measure_some() const;
  [[nodiscard]] std::uint64_t silent_cycles(Time end) const;
  [[nodiscard]] std::vector<ThroughputBin> throughput(Time end) const;
  [[nodiscard]] bool a_source_falls_behind(const Measured<Bin>& part, Time end) const;
  [[nodiscard]] Starvation starvation(const Measured<Bin>& part, Time end) const;

  Timeline timeline_;
  double terminals_;
  std::uint64_t packets_per_source_, packets_;
  bool is_trace_;
  double interval_width_;
  bool in_time_;                       ///< the throughput over time is requested
  std::vector<Time> changes_;          ///< of what is down: times_of_changes()
  double packets_a_cycle_;             ///< a source
  double flits_at_once_;               ///< of a packet, or a burst
  Time earliest_end_;                  ///< of the run: the next edge of a bin
  std::vector<Departure> departures_;  ///< of packets that may still have waited at the end
  std::vector<Bin> bins_;
  std::size_t bin_ = 0;  ///< of the event that was reported last; its first cycle, and the one after its last
  Time bin_from_ = 0, bin_until_ = 0;
  std::size_t first_bin_ = ~std::size_t{0}, last_bin_ = 0;  ///< with events since this was absorbed last
  std::vector<Served> recent_;               // stop rule: not yet counted: delivered after the next edge
  std::vector<std::uint64_t> served_count_;  // stop rule: by source
  bool rule_met_ = false;                    // stop rule: at the edge that was examined last
  Time last_gone_ = 0;                       ///< when the last packet was delivered or dropped
  std::size_t counted_bins_ = 0;             // stop rule: whose packets have been added up
  std::uint64_t gone_ = 0;
  std::size_t looked_at_bins_ = 0;  // stop rule: when the interval was computed last
  bool was_narrow_ = false;         // stop rule: the interval, then
  std::vector<Delivery>* log_;
};

}  // namespace faultline
