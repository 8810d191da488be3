// SPDX-License-Identifier: Apache-2.0
#include "simulate/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "faultline/base/random.h"
#include "simulate/statistics.h"

namespace faultline {
namespace {

constexpr std::size_t most_bins = 128;

template <class Bins, class Value>
std::vector<double> series(const Bins& bins, Value value) {
  std::vector<double> values;
  for (const auto& bin : bins) values.push_back(value(bin));
  return values;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// A mean latency of a bin without deliveries is not known; the value before it stands in, so that bins stay
/// aligned.
template <class Bins>
std::vector<double> latency_series(const Bins& bins) {
  std::vector<double> values;
  for (const auto& bin : bins)
    values.push_back(bin.delivered > 0
                         ? static_cast<double>(bin.latency_sum) / static_cast<double>(bin.delivered)
                         : (values.empty() ? 0.0 : values.back()));
  return values;
}

/// Packets that the source queues grew by.
template <class Bin>
double queue_growth(const Bin& bin) {
  return static_cast<double>(bin.generated) - static_cast<double>(bin.dropped[0]) -
         static_cast<double>(bin.injected);
}

/// Source queues grow when the growth is certain (its interval is above 0) and more than a hundredth of what
/// is offered.
template <class Bins>
bool queues_grow(const Bins& bins, std::uint64_t generated) {
  const std::vector<double> growth = series(bins, [](const auto& bin) { return queue_growth(bin); });
  double sum = 0;
  for (const double value : growth) sum += value;
  return sum > 0.01 * static_cast<double>(generated) && batch_means_interval(growth).low > 0;
}

}  // namespace

Measurement::Measurement(const Timeline& timeline, std::size_t terminals, const SimulationSpec& spec,
                         std::vector<Delivery>* log)
    : timeline_(timeline),
      terminals_(static_cast<double>(terminals)),
      packet_flits_(spec.packet_flits),
      packets_per_source_(spec.packets_per_source),
      bins_(timeline.bin_count()),
      log_(log) {
  if (packets_per_source_ != 0) served_count_.resize(terminals);
}

void Measurement::delivered(const Delivery& packet) {
  if (packet.delivered >= timeline_.limit) return;
  Bin& into = bin(packet.delivered);
  ++into.delivered;
  into.latency_sum += static_cast<std::uint64_t>(packet.delivered - packet.generated);
  into.network_latency_sum += static_cast<std::uint64_t>(packet.delivered - packet.injected);
  into.hops_sum += packet.hops;
  into.checksum += mix((std::uint64_t{packet.source} << 32 | packet.sequence) +
                       mix(static_cast<std::uint64_t>(packet.delivered)));
  into.latencies.add(static_cast<std::uint32_t>(packet.delivered - packet.generated));
  if (packets_per_source_ != 0) recent_.push_back({packet.delivered, packet.source});
  if (log_ != nullptr) log_->push_back(packet);
}

bool Measurement::all_served(Time now, std::size_t sources) {
  if (packets_per_source_ == 0) return false;
  std::erase_if(recent_, [&](const Served& served) {
    if (served.delivered >= now) return false;
    served_sources_ += ++served_count_[served.source] == packets_per_source_ ? 1 : 0;
    return true;
  });
  return served_sources_ >= sources;
}

void Measurement::Bin::add(const Bin& other) {
  generated += other.generated;
  injected += other.injected;
  delivered += other.delivered;
  latency_sum += other.latency_sum;
  network_latency_sum += other.network_latency_sum;
  hops_sum += other.hops_sum;
  checksum += other.checksum;
  for (std::size_t reason = 0; reason < std::size(dropped); ++reason)
    dropped[reason] += other.dropped[reason];
  latencies.add(other.latencies);
}

std::uint64_t Measurement::checksum(Time end) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i <= timeline_.bin(end - 1); ++i) sum += bins_[i].checksum;
  return sum;
}

/// Whole bins after the warm-up that was asked for, joined until at most most_bins are left.
std::vector<Measurement::Bin> Measurement::measured_bins(Time end) const {
  const std::size_t whole =
      end <= timeline_.warmup ? 0 : static_cast<std::size_t>((end - timeline_.warmup) / timeline_.width);
  const std::size_t join = (whole + most_bins - 1) / most_bins;
  std::vector<Bin> joined(join == 0 ? 0 : whole / join);
  for (std::size_t i = 0; i < joined.size() * join; ++i) joined[i / join].add(bins_[1 + i]);
  return joined;
}

SimulationResult Measurement::result(Time end, std::uint64_t in_flight) const {
  Bin total;
  for (std::size_t i = 0; i <= timeline_.bin(end - 1); ++i) total.add(bins_[i]);
  const std::uint64_t dropped = total.dropped[0] + total.dropped[1];
  if (total.generated != total.delivered + in_flight + dropped)
    throw std::logic_error(
        fmt::format("simulate: {} packets generated, but {} delivered, {} in flight and {} dropped",
                    total.generated, total.delivered, in_flight, dropped));
  SimulationResult result;
  result.generated = total.generated;
  result.delivered = total.delivered;
  result.in_flight = in_flight;
  if (total.dropped[0] != 0) result.dropped["unreachable"] = total.dropped[0];
  if (total.dropped[1] != 0) result.dropped["stuck"] = total.dropped[1];
  result.cycles = static_cast<std::uint64_t>(end);

  const std::vector<Bin> bins = measured_bins(end);
  const std::size_t whole =
      end <= timeline_.warmup ? 0 : static_cast<std::size_t>((end - timeline_.warmup) / timeline_.width);
  const double cycles_a_bin =
      timeline_.width * (bins.empty() ? 1.0 : static_cast<double>(whole / bins.size()));
  std::size_t cut = 0;
  if (timeline_.detect_warmup)
    cut = std::max(
        mser5_truncation(series(bins, [](const Bin& bin) { return static_cast<double>(bin.delivered); })),
        mser5_truncation(latency_series(bins)));
  result.warmup_cycles =
      static_cast<std::uint64_t>(timeline_.warmup + static_cast<double>(cut) * cycles_a_bin);
  measure(std::span(bins).subspan(cut), cycles_a_bin, result);
  return result;
}

void Measurement::measure(std::span<const Bin> bins, double cycles_a_bin, SimulationResult& result) const {
  Bin sum;
  for (const Bin& bin : bins) sum.add(bin);
  const double flits_a_packet = packet_flits_ / (cycles_a_bin * terminals_);
  const auto count = static_cast<double>(sum.delivered);
  result.offered =
      ratio(static_cast<double>(sum.generated) * flits_a_packet, static_cast<double>(bins.size()));
  result.accepted = ratio(count * flits_a_packet, static_cast<double>(bins.size()));
  result.accepted_interval = batch_means_interval(
      series(bins, [&](const Bin& bin) { return static_cast<double>(bin.delivered) * flits_a_packet; }));
  result.saturated = queues_grow(bins, sum.generated);
  result.latency.mean = ratio(static_cast<double>(sum.latency_sum), count);
  result.latency.network_mean = ratio(static_cast<double>(sum.network_latency_sum), count);
  result.latency.interval = batch_means_interval(latency_series(bins));
  result.latency.p50 = sum.latencies.quantile(0.5);
  result.latency.p99 = sum.latencies.quantile(0.99);
  result.hops_mean = ratio(static_cast<double>(sum.hops_sum), count);
}

}  // namespace faultline
