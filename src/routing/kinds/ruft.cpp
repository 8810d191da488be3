// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "faultline/topology/labellings.h"
#include "routing/output_positions.h"

namespace faultline::routings {
namespace {

class RuftRelation final : public RoutingRelation {
 public:
  explicit RuftRelation(TopologyPtr topology)
      : RoutingRelation(std::move(topology)),
        labels_(this->topology().labelling<RuftLabelling>("ruft")),
        fits_output_bits_(max_outputs(this->topology()) <= 64) {}

  [[nodiscard]] std::uint32_t injection_vcs() const final { return 1; }
  void route(const RouteState& state, RouteOptions& options) const override {
    const std::uint32_t stage = labels_.digits.stage(state.at);
    if (stage == labels_.digits.n() - 1) {
      for (const ChannelId channel : topology().ejection(state.destination))
        if (topology().source(channel) == state.at) options.push_back({.channel = channel});
      return;
    }
    const std::uint32_t destination = state.destination.value();
    go_to(state.at, stage, destination, options);
    if (has_second_address(stage)) go_to(state.at, stage, destination ^ 1U, options);
  }

  [[nodiscard]] bool offers_output_bits() const override { return fits_output_bits_; }
  [[nodiscard]] std::uint64_t output_bits(SwitchId at, TerminalId destination) const override {
    const std::uint32_t stage = labels_.digits.stage(at);
    std::uint64_t bits = 0;
    if (stage == labels_.digits.n() - 1) {
      for (const ChannelId channel : topology().ejection(destination))
        if (topology().source(channel) == at) bits |= std::uint64_t{1} << topology().output_port(channel);
      return bits;
    }
    const auto add = [&](std::uint32_t address) {
      const Copies copies = copies_to(stage, address);
      bits |= ((std::uint64_t{1} << copies.count) - 1) << copies.first;
    };
    add(destination.value());
    if (has_second_address(stage)) add(destination.value() ^ 1U);
    return bits;
  }

  [[nodiscard]] Claim claim() const override {
    const bool crossed = labels_.attachment == RuftLabelling::Attachment::crossed;
    const std::uint32_t paths = (crossed ? 4 : 1) * (labels_.static_selection ? 1 : labels_.parallel);
    return {
        .minimal = true, .deadlock_free = true, .deadlock_free_cut_through = true, .tolerates = paths - 1};
  }

  /// As paper 1 counts (section 4.1.1), for every stage alike: choosing the parallel channel by destination
  /// halves a RUFT-PL switch.
  [[nodiscard]] std::uint64_t switching_elements(SwitchId at) const override {
    return RoutingRelation::switching_elements(at) / (labels_.static_selection ? 2 : 1);
  }

 private:
  /// Parallel channels as positions among a switch's outputs.
  struct Copies {
    std::uint32_t first, count;
  };
  [[nodiscard]] Copies copies_to(std::uint32_t stage, std::uint32_t address) const {
    const StageDigits& digits = labels_.digits;
    const std::uint32_t first = digits.digit(address, stage) * labels_.parallel;
    if (labels_.static_selection) return {first + digits.digit(address, stage + 1) % 2, 1};
    return {first, labels_.parallel};
  }

  /// The first output decides which ejection channel will be used (section 4.2.1); later digits are the same
  /// for both.
  [[nodiscard]] bool has_second_address(std::uint32_t stage) const {
    return stage == 0 && labels_.attachment == RuftLabelling::Attachment::crossed;
  }

  void go_to(SwitchId at, std::uint32_t stage, std::uint32_t address, RouteOptions& options) const {
    const Copies copies = copies_to(stage, address);
    for (const ChannelId channel : topology().outputs(at).subspan(copies.first, copies.count))
      options.push_back({.channel = channel});
  }

  const RuftLabelling& labels_;
  bool fits_output_bits_;
};

struct RuftRouting {
  static void fields(auto&) {}
  static std::vector<RuftRouting> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const RuftRelation>(context.topology);
  }
};

}  // namespace

extern constinit const RoutingKind ruft =
    routing_kind<RuftRouting>("ruft", "RUFT family: stage s leads to digit s of the destination",
                              "paper 1, sections 3.2 and 4", Survival::fixed_paths, "most-free");

}  // namespace faultline::routings
