// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <numeric>
#include <vector>

#include "faultline/traffic/pattern.h"
#include "traffic/uniform_choice.h"

namespace faultline::patterns {
namespace {

class HotSpotPattern final : public TrafficPattern {
 public:
  HotSpotPattern(std::vector<TerminalId> spots, double share, std::uint32_t terminals)
      : spots_(std::move(spots)),
        is_spot_(terminals),
        share_(static_cast<std::uint32_t>(share * 0x1p32 - share)),
        terminals_(terminals) {
    for (const TerminalId spot : spots_) is_spot_[spot.index()] = true;
  }

  /// A hot spot that draws itself sends to any other terminal instead.
  [[nodiscard]] TerminalId destination(TerminalId source, std::uint64_t random) const override {
    const auto low = static_cast<std::uint32_t>(random);
    if (static_cast<std::uint32_t>(random >> 32) < share_) {
      const TerminalId spot = spots_[below(low, static_cast<std::uint32_t>(spots_.size()))];
      if (spot != source) return spot;
      return any_other_terminal(source, terminals_,
                                static_cast<std::uint32_t>(mix(random)));  // `low` is not uniform here
    }
    return any_other_terminal(source, terminals_, low);
  }
  [[nodiscard]] double share(TerminalId source, TerminalId destination) const override {
    const double each = share_ * 0x1p-32 / static_cast<double>(spots_.size());
    const double elsewhere =
        1 - each * static_cast<double>(spots_.size() - (is_spot_[source.index()] ? 1 : 0));
    return (source != destination && is_spot_[destination.index()] ? each : 0) +
           elsewhere * share_of_any_other(source, destination, terminals_);
  }

 private:
  std::vector<TerminalId> spots_;
  std::vector<bool> is_spot_;  // by terminal
  std::uint32_t share_;        // of 2^32
  std::uint32_t terminals_;
};

struct HotSpot {
  double share = 0.15;
  std::uint32_t spots = 1;

  static void fields(auto& field) {
    field(
        "share", &HotSpot::share, between(0, 1),
        "fraction of a terminal's traffic that goes to the hot spots, as much to each; the rest, and what a "
        "hot spot would send to itself, is uniform, hot spots included");
    field("spots", &HotSpot::spots, at_least(1), "number of hot spots, drawn with the seed");
  }
  static std::vector<HotSpot> samples() { return {{}, {0.5, 2}}; }

  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t seed) const {
    require_two_terminals(topology, "hot-spot");
    const auto terminals = static_cast<std::uint32_t>(topology.terminal_count());
    if (spots > terminals)
      throw Error("traffic.spots", std::to_string(spots),
                  fmt::format("must be at most the number of terminals, {}", terminals));
    std::vector<std::uint32_t> order(terminals);
    std::iota(order.begin(), order.end(), 0U);
    RandomStream random(seed, stream);
    std::vector<TerminalId> chosen;
    for (std::uint32_t i = 0; i < spots; ++i) {
      std::swap(order[i], order[i + random.next_below(terminals - i)]);
      chosen.emplace_back(order[i]);
    }
    return std::make_shared<const HotSpotPattern>(std::move(chosen), share, terminals);
  }

 private:
  static constexpr std::uint64_t stream = 0x686f7473706f74;  // "hotspot"
};

}  // namespace

extern constinit const PatternKind hot_spot = pattern_kind<HotSpot>(
    "hot-spot", "a share of the traffic to a few terminals, the rest uniform", "paper 1, section 5.1");

}  // namespace faultline::patterns
