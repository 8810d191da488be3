// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "faultline/topology/labellings.h"

namespace faultline::routings {
namespace {

class RuftRelation final : public RoutingRelation {
 public:
  explicit RuftRelation(TopologyPtr topology)
      : RoutingRelation(std::move(topology)), labels_(this->topology().labelling<RuftLabelling>("ruft")) {}

  void route(const RouteState& state, RouteOptions& options) const override {
    const StageDigits& digits = labels_.digits;
    const std::uint32_t stage = digits.stage(state.at);
    if (stage == digits.n() - 1) {
      for (const ChannelId channel : topology().ejection(state.destination))
        if (topology().source(channel) == state.at) options.push_back({.channel = channel});
      return;
    }
    const std::uint32_t destination = state.destination.value();
    go_to(state.at, stage, destination, options);
    // The first output decides which ejection channel will be used (section 4.2.1); later digits are the same
    // for both.
    if (stage == 0 && labels_.attachment == RuftLabelling::Attachment::crossed)
      go_to(state.at, stage, destination ^ 1U, options);
  }

  [[nodiscard]] Claim claim() const override {
    const bool crossed = labels_.attachment == RuftLabelling::Attachment::crossed;
    const std::uint32_t paths = (crossed ? 4 : 1) * (labels_.static_selection ? 1 : labels_.parallel);
    return {
        .minimal = true, .deadlock_free = true, .deadlock_free_cut_through = true, .tolerates = paths - 1};
  }

  /// Paper 1, section 4.1.1: choosing the parallel channel by destination halves a RUFT-PL switch.
  [[nodiscard]] std::uint64_t switching_elements(SwitchId at) const override {
    return RoutingRelation::switching_elements(at) / (labels_.static_selection ? 2 : 1);
  }

 private:
  void go_to(SwitchId at, std::uint32_t stage, std::uint32_t address, RouteOptions& options) const {
    const StageDigits& digits = labels_.digits;
    const auto copies = topology().outputs(at).subspan(
        std::size_t{digits.digit(address, stage)} * labels_.parallel, labels_.parallel);
    if (labels_.static_selection)
      options.push_back({.channel = copies[digits.digit(address, stage + 1) % 2]});
    else
      for (const ChannelId channel : copies) options.push_back({.channel = channel});
  }

  const RuftLabelling& labels_;
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
