// SPDX-License-Identifier: Apache-2.0
#include "simulate/measurement/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "faultline/base/random.h"
#include "faultline/simulate/packet_sizes.h"
#include "faultline/simulate/statistics.h"

namespace faultline {
namespace {

constexpr std::size_t max_bins = 128;

template <class Bins, class Value>
std::vector<double> series(const Bins& bins, Value value) {
  std::vector<double> values;
  values.reserve(bins.size());
  for (const auto& bin : bins) values.push_back(value(bin));
  return values;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// The mean latency of a bin without deliveries is unknown; the value before it takes its place, so that bins
/// stay aligned.
template <class Bins>
std::vector<double> latency_series(const Bins& bins) {
  std::vector<double> values;
  values.reserve(bins.size());
  for (const auto& bin : bins)
    values.push_back(bin.delivered > 0
                         ? static_cast<double>(bin.latency_sum) / static_cast<double>(bin.delivered)
                         : (values.empty() ? 0.0 : values.back()));
  return values;
}

template <class Bins>
SteadyMean steady_latency(const Bins& bins) {
  return steady_mean(series(bins, [](const auto& bin) { return static_cast<double>(bin.latency_sum); }),
                     series(bins, [](const auto& bin) { return static_cast<double>(bin.delivered); }));
}

/// Delivered in a bin.
template <class Bins>
SteadyMean steady_flits(const Bins& bins) {
  return steady_mean(series(bins, [](const auto& bin) { return static_cast<double>(bin.delivered_flits); }),
                     std::vector<double>(bins.size(), 1));
}

/// Packets by which the source queues grew.
template <class Bin>
double queue_growth(const Bin& bin) {
  return static_cast<double>(bin.generated) - static_cast<double>(bin.unreachable()) -
         static_cast<double>(bin.injected);
}

/// Of all source queues together: whether the interval of the growth is above 0.
template <class Bins>
bool growth_is_significant(const Bins& bins) {
  return batch_means_interval(series(bins, [](const auto& bin) { return queue_growth(bin); })).low > 0;
}

template <class Bins>
bool source_queues_grow(const Bins& bins) {
  double generated = 0, growth = 0;
  for (const auto& bin : bins) {
    generated += static_cast<double>(bin.generated);
    growth += queue_growth(bin);
  }
  return growth > least_queue_growth * generated && growth_is_significant(bins);
}

/// Bins that belong to the warm-up: a batch long enough to be uncorrelated with the next, in both throughput
/// and latency (N-Skart). If source queues grow, no length of a batch is uncorrelated; then MSER-5 decides.
/// None where nothing is delivered, or where there are too few bins to tell.
template <class Bins>
std::size_t warmup_bins(const Bins& bins, bool queues_grow) {
  constexpr std::size_t fewest = 3;  // with fewer, steady_mean() takes all as one batch
  if (bins.size() < fewest) return 0;
  if (std::ranges::all_of(bins, [](const auto& bin) { return bin.delivered == 0; })) return 0;
  if (!queues_grow) return std::max(steady_latency(bins).batch, steady_flits(bins).batch);
  const auto delivered = [](const auto& bin) { return static_cast<double>(bin.delivered); };
  return std::max(mser5_truncation(series(bins, delivered)), mser5_truncation(latency_series(bins)));
}

/// During a run, packets that wait behind others need not have been generated yet: the injected packets are
/// compared with those offered per bin.
template <class Bins>
bool falls_behind(const Bins& bins, double offered) {
  constexpr double certain = 0.05;
  const std::vector<double> missing = series(bins, [&](const auto& bin) {
    return offered - static_cast<double>(bin.unreachable()) - static_cast<double>(bin.injected);
  });
  return batch_means_interval(missing).low > certain * offered;
}

}  // namespace

Measurement::Measurement(const Timeline& timeline, std::size_t terminals, const SimulationSpec& spec,
                         bool is_trace, std::vector<Delivery>* log)
    : timeline_(timeline),
      terminals_(static_cast<double>(terminals)),
      packets_per_source_(spec.measurement.packets_per_source),
      packets_(spec.measurement.packets),
      is_trace_(is_trace),
      interval_width_(spec.measurement.interval_width),
      in_time_(!spec.faults.outages.empty()),
      changes_(times_of_changes(spec.faults.outages)),
      packets_a_cycle_(spec.injection.load / mean_flits(spec.injection)),
      flits_at_once_(mean_flits(spec.injection) *
                     (spec.injection.process == Injection::bursty ? spec.injection.burst_packets : 1)),
      earliest_end_(timeline.end_of(timeline.bin(0))),
      bins_(timeline.bin_count()),
      log_(log) {
  if (packets_per_source_ != 0) served_count_.resize(terminals);
}

void Measurement::go_to_bin_of(Time at) {
  bin_ = timeline_.bin(at);
  bin_from_ = bin_ == 0 ? 0 : timeline_.end_of(bin_ - 1);
  bin_until_ = timeline_.end_of(bin_);
  first_bin_ = std::min(first_bin_, bin_);
  last_bin_ = std::max(last_bin_, bin_);
}

void Measurement::delivered(const Delivery& packet) {
  if (packet.delivered >= timeline_.limit) return;
  Bin& into = bin(packet.delivered);
  last_gone_ = std::max(last_gone_, packet.delivered);
  ++into.delivered;
  into.delivered_flits += packet.flits;
  into.latency_sum += static_cast<std::uint64_t>(packet.delivered - packet.generated);
  into.network_latency_sum += static_cast<std::uint64_t>(packet.delivered - packet.injected);
  into.hops_sum += packet.hops;
  into.checksum += mix((std::uint64_t{packet.source} << 32 | packet.sequence) +
                       mix(static_cast<std::uint64_t>(packet.delivered)));
  into.latencies.add(static_cast<std::uint32_t>(packet.delivered - packet.generated));
  if (packets_per_source_ != 0 && packet.delivered >= timeline_.warmup)
    count_served(packet.delivered, packet.source);
  if (log_ != nullptr) log_->push_back(packet);
}

void Measurement::absorb(Measurement& part) {
  for (std::size_t i = part.first_bin_; i <= part.last_bin_; ++i)
    if (!part.bins_[i].is_empty()) {
      if (i < counted_bins_) gone_ += part.bins_[i].gone();
      bins_[i].add(std::exchange(part.bins_[i], {}));
    }
  part.first_bin_ = bins_.size();
  part.last_bin_ = 0;
  part.bin_until_ = part.bin_from_;  // the next event of the same bin tells again that it has any
  for (std::size_t source = 0; source < served_count_.size(); ++source)
    served_count_[source] += std::exchange(part.served_count_[source], 0);
  const auto move_all = [](auto& from, auto& to) {
    to.insert(to.end(), from.begin(), from.end());
    from.clear();
  };
  move_all(part.departures_, departures_);
  move_all(part.recent_, recent_);
  last_gone_ = std::max(last_gone_, part.last_gone_);
}

bool Measurement::may_stop(Time now, std::size_t sources) {
  std::erase_if(departures_, [&](const Departure& packet) { return packet.injected < now; });
  earliest_end_ = now < timeline_.limit ? timeline_.end_of(timeline_.bin(now)) : now;
  rule_met_ = now > 0 && (all_served(now, sources) || all_gone(now) || narrow_enough(now, sources));
  return rule_met_;
}

/// Each of `sources` terminals has had packets_per_source delivered before `now`.
bool Measurement::all_served(Time now, std::size_t sources) {
  if (packets_per_source_ == 0) return false;
  std::erase_if(recent_, [&](const Served& served) {
    if (served.delivered >= now) return false;
    ++served_count_[served.source];
    return true;
  });
  const auto served = std::ranges::count_if(
      served_count_, [&](std::uint64_t packets) { return packets >= packets_per_source_; });
  return static_cast<std::size_t>(served) >= sources;
}

bool Measurement::all_gone(Time now) {
  if (packets_ == 0) return false;
  for (const std::size_t end = timeline_.bin(now - 1) + 1; counted_bins_ < end; ++counted_bins_)
    gone_ += bins_[counted_bins_].gone();
  return gone_ >= packets_;
}

/// Examined when the run has become a sixteenth longer, because this takes time in proportion to the number
/// of bins; and not before there are enough batches for a reliable interval. An interval that is narrow by
/// chance is seldom so twice in a row.
bool Measurement::narrow_enough(Time now, std::size_t sources) {
  constexpr std::size_t fewest_bins = 64;
  const std::size_t bin_count = timeline_.bin(now - 1) + 1;
  if (interval_width_ == 0 || bin_count < fewest_bins || bin_count < looked_at_bins_ + looked_at_bins_ / 16)
    return false;
  looked_at_bins_ = bin_count;
  const Measured<Counts> part = measured<Counts>(now);
  Counts sum;
  for (const Counts& counts : part.bins) sum.add(counts);
  if (sum.delivered == 0) return false;
  const auto [mean, interval, batch, settled] = steady_latency(part.bins);
  const double offered = packets_a_cycle_ * part.cycles_a_bin * static_cast<double>(sources);
  const bool is_narrow = settled && (interval.high - interval.low) / 2 <= interval_width_ * mean;
  return (std::exchange(was_narrow_, is_narrow) && is_narrow) || falls_behind(part.bins, offered);
}

void Measurement::Counts::add(const Counts& other) {
  generated += other.generated;
  injected += other.injected;
  delivered += other.delivered;
  generated_flits += other.generated_flits;
  delivered_flits += other.delivered_flits;
  latency_sum += other.latency_sum;
  network_latency_sum += other.network_latency_sum;
  hops_sum += other.hops_sum;
  checksum += other.checksum;
  for (std::size_t reason = 0; reason < std::size(dropped); ++reason)
    dropped[reason] += other.dropped[reason];
  sent_again += other.sent_again;
  longest_wait = std::max(longest_wait, other.longest_wait);
}

void Measurement::Bin::add(const Bin& other) {
  Counts::add(other);
  latencies.add(other.latencies);
}

std::uint64_t Measurement::checksum(Time end) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i <= timeline_.bin(end - 1); ++i) sum += bins_[i].checksum;
  return sum;
}

/// Whole bins after the requested warm-up, merged until at most max_bins are left, and of them those after
/// the detected warm-up.
template <class Part>
Measurement::Measured<Part> Measurement::measured(Time end) const {
  const std::size_t whole =
      end <= timeline_.warmup ? 0 : static_cast<std::size_t>((end - timeline_.warmup) / timeline_.width);
  const std::size_t join = std::max<std::size_t>(1, (whole + max_bins - 1) / max_bins);
  Measured<Part> part{.bins = std::vector<Part>(whole / join),
                      .cycles_a_bin = static_cast<double>(timeline_.width) * static_cast<double>(join),
                      .warmup = static_cast<double>(timeline_.warmup)};
  for (std::size_t i = 0; i < part.bins.size() * join; ++i) part.bins[i / join].add(bins_[1 + i]);
  if (!timeline_.detect_warmup) return part;
  const Stretch unchanged = unchanged_stretch(part.bins.size(), part.warmup, part.cycles_a_bin, changes_);
  const auto looked_at = std::span(part.bins).subspan(unchanged.first, unchanged.size());
  // Queues that an outage fills, and that drain again, say nothing about the whole run.
  part.queues_grew = source_queues_grow(part.bins);
  const std::size_t cut = unchanged.first + warmup_bins(looked_at, source_queues_grow(looked_at));
  part.bins.erase(part.bins.begin(), part.bins.begin() + static_cast<std::ptrdiff_t>(cut));
  part.warmup += static_cast<double>(cut) * part.cycles_a_bin;
  return part;
}

/// All that followed the requested warm-up, up to the cycle `end`: one bin.
Measurement::Measured<Measurement::Bin> Measurement::measured_whole(Time end) const {
  Measured<Bin> whole{.bins = {{}},
                      .cycles_a_bin = std::max(1.0, static_cast<double>(end) - timeline_.warmup),
                      .warmup = static_cast<double>(timeline_.warmup)};
  for (std::size_t i = 1; i <= timeline_.bin(end - 1); ++i) whole.bins.front().add(bins_[i]);
  return whole;
}

SimulationResult Measurement::result(Time end, std::uint64_t in_flight) const {
  Counts total;
  for (std::size_t i = 0; i <= timeline_.bin(end - 1); ++i) total.add(bins_[i]);
  if (total.generated != total.delivered + in_flight + total.all_dropped())
    throw std::logic_error(
        fmt::format("simulate: {} packets generated, but {} delivered, {} in flight and {} dropped",
                    total.generated, total.delivered, in_flight, total.all_dropped()));
  SimulationResult result;
  result.generated = total.generated;
  result.delivered = total.delivered;
  result.in_flight = in_flight;
  for (std::size_t reason = 0; reason < std::size(total.dropped); ++reason)
    if (total.dropped[reason] != 0) result.dropped[drop_names[reason]] = total.dropped[reason];
  result.sent_again = total.sent_again;
  const Time last = is_complete() ? last_gone_ + 1 : end;
  result.cycles = static_cast<std::uint64_t>(last);

  const Measured<Bin> part = is_complete() ? measured_whole(last) : measured<Bin>(end);
  result.warmup_cycles = static_cast<std::uint64_t>(part.warmup);
  measure(part, end, result);
  if (packets_per_source_ != 0 && !rule_met_ && end == timeline_.limit)
    result.notes.push_back(fmt::format(
        "packets-per-source not reached: the run ended after {} cycles, before {} packets of every "
        "source were delivered",
        end, packets_per_source_));
  if (interval_width_ != 0 && !rule_met_ && end == timeline_.limit) {
    const auto [low, high] = result.latency.interval;
    const bool is_narrow =
        result.latency.packets != 0 && (high - low) / 2 <= interval_width_ * result.latency.mean;
    result.notes.push_back(fmt::format(
        "interval-width not reached: the run ended after {} cycles, {} within {} of its mean", end,
        is_narrow ? "too soon to rely on an interval of the latency"
                  : "before the interval of the latency was",
        interval_width_));
  }
  if (is_trace_ && !rule_met_ && total.generated < packets_)
    result.notes.push_back(fmt::format(
        "the trace was not run to its end: {} of {} packets were not generated in the {} cycles of the run",
        packets_ - total.generated, packets_, end));
  result.silent_cycles = silent_cycles(end);
  result.starvation = starvation(part, end);
  if (in_time_) result.throughput = throughput(last);
  return result;
}

/// In whole bins, of which none begins with an empty network.
std::uint64_t Measurement::silent_cycles(Time end) const {
  std::uint64_t in_flight = 0;
  Time silent_from = 0;
  for (std::size_t i = 0; i <= timeline_.bin(end - 1); ++i) {
    const bool was_empty = in_flight == 0;
    in_flight += bins_[i].generated - bins_[i].gone();
    if (bins_[i].delivered != 0 || was_empty) silent_from = std::min(timeline_.end_of(i), end);
  }
  return in_flight == 0 ? 0 : static_cast<std::uint64_t>(end - silent_from);
}

std::vector<ThroughputBin> Measurement::throughput(Time end) const {
  std::vector<ThroughputBin> bins;
  for (Time from = 0; from < end;) {
    const std::size_t number = timeline_.bin(from);
    const Time until = std::min(timeline_.end_of(number), end);
    bins.push_back({static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(until),
                    static_cast<double>(bins_[number].delivered_flits) /
                        (static_cast<double>(until - from) * terminals_)});
    from = until;
  }
  return bins;
}

/// At the end of a run, the first packet of some source's queue is older than chance explains: the others may
/// have sent so much that the queue is less than a hundredth of it. At its capacity, a source's wait is a
/// random walk of one packet, or burst, after the other. How long a packet had waited before the measurement
/// does not count.
bool Measurement::a_source_falls_behind(const Measured<Bin>& part, Time end) const {
  const double measured = std::max(0.0, static_cast<double>(end) - timeline_.warmup);
  const double scatter = std::sqrt(flits_at_once_ * measured);
  Time oldest = 0;
  for (const Departure& packet : departures_)
    if (packet.injected >= end && packet.generated < end)
      oldest = std::max(oldest, end - std::max(packet.generated, timeline_.warmup));
  if (!in_time_ && oldest > std::max(0.05 * measured, 5 * scatter)) return true;
  return oldest > std::clamp(3 * scatter, 0.01 * measured, 0.05 * measured) &&
         growth_is_significant(part.bins);
}

Starvation Measurement::starvation(const Measured<Bin>& part, Time end) const {
  Starvation found;
  Time longest = 0;
  for (const Bin& bin : part.bins) longest = std::max(longest, bin.longest_wait);
  for (const Departure& packet : departures_) {
    if (packet.injected < end || packet.first_since >= end) continue;
    longest = std::max(longest, end - packet.first_since);
    if (!part.bins.empty() && static_cast<double>(packet.first_since) <= part.warmup)
      found.sources.emplace_back(packet.source);
  }
  std::ranges::sort(found.sources);
  found.longest_source_wait = static_cast<std::uint64_t>(longest);
  return found;
}

std::string_view Measurement::way_to_measure_longer() const {
  if (is_trace_) return "run more cycles";  // to the last packet, whatever the interval
  if (packets_ != 0 && rule_met_) return "give more packets";
  if (packets_per_source_ != 0 && rule_met_) return "give more packets-per-source";
  return interval_width_ != 0 ? "run more cycles" : "run more cycles, or set an interval width";
}

std::string_view Measurement::way_to_measure_some() const {
  if (is_complete()) return "run with a shorter warm-up";
  if (is_trace_) return "run more cycles, or with a shorter warm-up";
  if (rule_met_ && packets_per_source_ != 0) return "give more packets-per-source, or a higher load";
  return "run more cycles, or at a higher load";
}

void Measurement::measure(const Measured<Bin>& part, Time end, SimulationResult& result) const {
  Bin sum;
  for (const Bin& bin : part.bins) sum.add(bin);
  const double per_bin = part.cycles_a_bin * terminals_;
  const double whole = per_bin * static_cast<double>(part.bins.size());
  const auto count = static_cast<double>(sum.delivered);
  result.offered = ratio(static_cast<double>(sum.generated_flits), whole);
  result.accepted = ratio(static_cast<double>(sum.delivered_flits), whole);
  const SteadyMean flits = steady_flits(part.bins), latency = steady_latency(part.bins);
  result.accepted_interval = {at_least_zero(flits.interval).low / per_bin, flits.interval.high / per_bin};
  result.saturated = part.queues_grew || source_queues_grow(part.bins) || a_source_falls_behind(part, end);
  result.latency.packets = sum.delivered;
  result.latency.mean = ratio(static_cast<double>(sum.latency_sum), count);
  result.latency.network_mean = ratio(static_cast<double>(sum.network_latency_sum), count);
  result.latency.interval = at_least_zero(latency.interval);
  result.latency.p50 = sum.latencies.quantile(0.5);
  result.latency.p99 = sum.latencies.quantile(0.99);
  result.hops_mean = ratio(static_cast<double>(sum.hops_sum), count);
  // With nothing delivered and nothing in flight, a longer run would not measure more.
  const bool is_over = result.delivered == 0 && result.in_flight == 0;
  result.too_short = !is_over && (!flits.settled || (!latency.settled && !result.saturated));
  if (is_complete()) {  // all packets were measured: nothing was sampled
    result.accepted_interval = {result.accepted, result.accepted};
    result.latency.interval = {result.latency.mean, result.latency.mean};
    result.too_short = false;
  }
  constexpr std::uint64_t few_packets = 16;
  if (sum.generated == 0)
    result.note_on_length = fmt::format("nothing was generated while measuring: {}", way_to_measure_some());
  else if (result.too_short && sum.delivered < few_packets)
    result.note_on_length =
        fmt::format("too short: {} delivered while measuring, which say little of the latency; {}",
                    sum.delivered == 1 ? "1 packet was" : fmt::format("{} packets were", sum.delivered),
                    way_to_measure_longer());
  else if (result.too_short)
    result.note_on_length = fmt::format(
        "too short: means over {} of {} measured cycles are still correlated, the intervals may be too "
        "narrow; "
        "{}",
        static_cast<double>(std::max(flits.batch, latency.batch)) * part.cycles_a_bin,
        part.cycles_a_bin * static_cast<double>(part.bins.size()), way_to_measure_longer());
}

}  // namespace faultline
