// SPDX-License-Identifier: Apache-2.0
// What the routings share that carry a plan of their source in the packet header.
#pragma once

#include <string>

#include "faultline/describe/fields.h"
#include "faultline/routing/plan_search.h"
#include "routing/first_vcs.h"
#include "routing/grid_directions.h"
#include "routing/methodology/source_plans.h"

namespace faultline {

/// Virtual channels: E0, the escape channel of the leg to the intermediate switch, E1, that of the leg to the
/// destination, and the adaptive ones. The tag is the header (HeaderLayout); switches know nothing of faults.
class PlannedGridRelation : public RoutingRelation {
 public:
  static constexpr std::uint32_t escape_vcs = 2;

  /// `known` faults also count for the channels to and from the terminals.
  PlannedGridRelation(const TopologyPtr& topology, const Mechanisms& mechanisms, std::uint32_t adaptive_vcs,
                      const FaultSet& known, std::string_view who);

  /// The source's plan; absent if it has none.
  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const final;

  [[nodiscard]] InjectionOffer injection_offer(TerminalId source, TerminalId destination) const final {
    if (!sends_[source.index()] || !receives_[destination.index()]) return {};
    const SwitchId from = grid_.home(source), to = grid_.home(destination);
    if (from == to) return {all_vcs()};
    const auto tag = plans_.find(from, to);
    return tag ? InjectionOffer{all_vcs(), *tag} : InjectionOffer{};
  }
  [[nodiscard]] const void* injection_entry(TerminalId source, TerminalId destination) const final {
    return plans_.entry(grid_.home(source), grid_.home(destination));
  }
  [[nodiscard]] std::uint64_t tag_count() const final { return layout().tag_count(); }
  [[nodiscard]] std::uint32_t virtual_channels() const final { return escape_vcs + adaptive_vcs_; }
  [[nodiscard]] SwitchId intermediate(Tag tag) const final {
    return layout().has_intermediate(tag) ? layout().intermediate(tag) : SwitchId();
  }
  [[nodiscard]] Claim claim() const final;
  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const final;
  [[nodiscard]] bool is_escape(const RouteState&, const RouteOption&, std::uint8_t vc) const final {
    return vc < escape_vcs;
  }
  [[nodiscard]] bool relies_on_escape() const final { return true; }
  [[nodiscard]] std::unique_ptr<PlanSearch> plan_search(std::string_view kernel) const final;
  [[nodiscard]] const PlanFigures* plan_figures() const final { return &plans_.figures(); }

 protected:
  [[nodiscard]] const CartesianLabelling& grid() const { return grid_; }
  [[nodiscard]] const GridDirections& directions() const { return directions_; }
  [[nodiscard]] const HeaderLayout& layout() const { return plans_.layout(); }
  [[nodiscard]] std::uint32_t all_vcs() const { return first_vcs(virtual_channels()); }
  [[nodiscard]] std::uint32_t adaptive_mask() const { return all_vcs() & ~first_vcs(escape_vcs); }

 private:
  const CartesianLabelling& grid_;
  GridDirections directions_;
  SourcePlans plans_;
  Mechanisms mechanisms_;
  std::uint32_t adaptive_vcs_;
  std::vector<bool> sends_, receives_;  ///< by terminal: its channel to, from the network works
};

/// What a pair of switches takes in the routings that derive from it: its plan and, above all, the rows of
/// the search for legs. Measured: 113 bytes in a hypercube of 2048 switches, 80 in one of 4096, and 6 in a
/// torus.
inline constexpr std::uint32_t planned_table_bytes = 120;

/// The fields of the routings that derive from it; `mechanisms` is for parse_mechanisms().
template <class Params>
void mechanisms_field(auto& field, std::string Params::*mechanisms) {
  field("mechanisms", mechanisms, any_text(),
        "mechanisms besides minimal adaptive routing: i (intermediate switches), d (adaptivity off), m "
        "(misrouting), together as in idm; or none");
}
template <class Params>
void adaptive_vcs_field(auto& field, std::uint32_t Params::*adaptive_vcs) {
  field("adaptive_vcs", adaptive_vcs, between(1, 30),
        "adaptive virtual channels, besides the two escape channels");
}

}  // namespace faultline
