// SPDX-License-Identifier: Apache-2.0
// When and where each terminal sends, and how much, as a function of (seed, source, sequence) alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "faultline/base/random.h"
#include "faultline/simulate/clock.h"
#include "faultline/simulate/packet_sizes.h"
#include "faultline/simulate/simulate.h"

namespace faultline {

/// One process per terminal whose packets arrive at the load on average, or a trace. `spec` is resolved().
class InjectionProcess {
 public:
  InjectionProcess(std::size_t terminals, const TrafficPattern& pattern, const SimulationSpec& spec)
      : terminals_(terminals),
        pattern_(pattern),
        trace_(pattern.trace()),
        seed_(spec.seed),
        sizes_(spec.injection.packet_mix),
        fixed_flits_(spec.injection.packet_mix.empty() ? spec.injection.packet_flits : 0),
        injection_(spec.injection.process),
        gap_(mean_flits(spec.injection) / spec.injection.load),
        burst_end_(1 / spec.injection.burst_packets) {
    if (injection_ == Injection::bernoulli) per_log_ = 1 / std::log1p(-1 / gap_);
    if (injection_ != Injection::bursty) return;
    // The silence after a burst makes up for its higher rate.
    spacing_ = std::max(1.0, mean_flits(spec.injection) / std::max(1.0, 2 * spec.injection.load));
    const double silence = spec.injection.burst_packets * (gap_ - spacing_);
    per_log_ = 1 / std::log1p(-1 / (1 + silence));
  }

  [[nodiscard]] bool is_trace() const { return trace_ != nullptr; }

  [[nodiscard]] bool silent(TerminalId source) const { return pattern_.silent(source); }

  /// Cycle of packet `sequence`, given that of the one before it (-1 before the first); `never` when beyond
  /// any run.
  [[nodiscard]] Time time_of(TerminalId source, std::uint32_t sequence, Time before) const {
    if (trace_ != nullptr)
      return sequence < trace_->count(source) ? static_cast<Time>(trace_->packet(source, sequence).time)
                                              : never;
    const double time = exact_time(source, sequence, before);
    return time < max_cycles ? static_cast<Time>(time) : never;
  }

  /// Whether the source generates that packet: a trace ends. Nothing else may be asked about one that it does
  /// not.
  [[nodiscard]] bool has(TerminalId source, std::uint32_t sequence) const {
    return trace_ == nullptr || sequence < trace_->count(source);
  }

  [[nodiscard]] TerminalId destination(TerminalId source, std::uint32_t sequence) const {
    const TerminalId destination = trace_ != nullptr
                                       ? trace_->packet(source, sequence).destination
                                       : pattern_.destination(source, mix(random(source, sequence)));
    if (destination.index() >= terminals_) [[unlikely]]
      refuse_destination(source, destination);
    return destination;
  }

  [[nodiscard]] std::uint32_t flits(TerminalId source, std::uint32_t sequence) const {
    return fixed_flits_ != 0 ? fixed_flits_ : drawn_flits(source, sequence);
  }

 private:
  [[noreturn]] void refuse_destination(TerminalId source, TerminalId destination) const;

  [[nodiscard]] std::uint64_t random(TerminalId source, std::uint32_t sequence) const {
    return mix(seed_, source.value(), sequence);
  }

  [[nodiscard]] std::uint32_t drawn_flits(TerminalId source, std::uint32_t sequence) const {
    if (trace_ != nullptr) return trace_->packet(source, sequence).flits;
    double left = unit_interval(mix(random(source, sequence) ^ for_sizes));
    for (const PacketShare& part : sizes_)
      if ((left -= part.share) < 0) return part.flits;
    return sizes_.back().flits;
  }

  [[nodiscard]] double exact_time(TerminalId source, std::uint32_t sequence, Time before) const {
    const double earliest = static_cast<double>(before) + 1;
    const std::uint64_t drawn = random(source, sequence);
    switch (injection_) {
      case Injection::bernoulli:
        return earliest + geometric(drawn);
      case Injection::constant:
        return std::floor((sequence + unit_interval(random(source, 0))) * gap_);
      case Injection::bursty:
        if (sequence == 0) return earliest + geometric(drawn);
        return static_cast<double>(before) + spacing(drawn) +
               (unit_interval(drawn) < burst_end_ ? geometric(mix(~drawn)) : 0);
    }
    return never;
  }

  /// Whole cycles from a packet of a burst to the next, spacing_ on average.
  [[nodiscard]] double spacing(std::uint64_t random) const {
    const double least = std::floor(spacing_);
    if (least == spacing_) return least;
    return unit_interval(mix(random ^ for_spacing)) < spacing_ - least ? least + 1 : least;
  }

  /// Cycles before the first success, the probability of which is behind per_log_.
  [[nodiscard]] double geometric(std::uint64_t random) const {
    return std::floor(std::log(unit_interval(random)) * per_log_);
  }

  static constexpr std::uint64_t for_sizes = 0x73697a65;      // "size"
  static constexpr std::uint64_t for_spacing = 0x7370616365;  // "space"

  std::size_t terminals_;
  const TrafficPattern& pattern_;
  const Trace* trace_;
  std::uint64_t seed_;
  std::vector<PacketShare> sizes_;
  std::uint32_t fixed_flits_;  // of every packet; 0: they differ
  Injection injection_;
  double gap_;        // mean cycles from a packet to the next
  double burst_end_;  // probability that a packet is the last of its burst
  double spacing_ = 1, per_log_ = 0;
};

}  // namespace faultline
