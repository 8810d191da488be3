// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "faultline/routing/kind.h"
#include "routing/first_vcs.h"
#include "routing/grid_relation.h"
#include "routing/nearer_outputs.h"
#include "routing/ring_rule.h"

namespace faultline::routings {
namespace {

/// Any channel on a shortest path on the adaptive virtual channels, dimension order on the escape ones (the
/// lowest). The dateline class of an escape channel follows from the packet's position, so that it may leave
/// the escape channels and return.
class DuatoRelation final : public GridRelation {
 public:
  DuatoRelation(const RoutingContext& context, std::uint32_t adaptive_vcs, std::string_view rule)
      : GridRelation(context.topology, "duato"),
        rule_(ring_rule(rule, context.switching, grid())),
        adaptive_vcs_(adaptive_vcs),
        adaptive_mask_(all_vcs() & ~first_vcs(escape_vcs())) {
    if (rule_ != RingRule::dateline) ignore_binary_signs();
    if (fits_output_bits()) bits_.emplace(topology(), grid(), virtual_channels(), Ties::both);
    if (fits_output_sets()) outputs_.emplace(topology(), grid(), 1, Ties::both);
  }

  [[nodiscard]] std::uint32_t virtual_channels() const override { return escape_vcs() + adaptive_vcs_; }
  [[nodiscard]] bool offers_output_bits() const override { return fits_output_bits(); }
  [[nodiscard]] bool offers_output_sets() const override { return fits_output_sets(); }
  [[nodiscard]] std::uint32_t relative_positions() const override { return differences(); }
  [[nodiscard]] Claim claim() const override { return ring_claim(rule_, grid(), true); }
  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const override {
    return bubble_rings_of(rule_, topology(), grid());
  }
  [[nodiscard]] bool is_escape(const RouteState&, const RouteOption&, std::uint8_t vc) const override {
    return vc < escape_vcs();
  }
  [[nodiscard]] bool relies_on_escape() const override { return true; }

 private:
  [[nodiscard]] std::uint32_t escape_vcs() const { return rule_ == RingRule::dateline ? 2 : 1; }

  void route_towards(SwitchId to, const RouteState& state, RouteOptions& options) const override {
    for_each_dimension(state.at, to, [&](std::uint32_t dimension, std::uint32_t vcs) {
      grid().for_each_nearer(state.at, to, dimension, [&](Direction direction) {
        options.push_back({.channel = grid().output(state.at, dimension, direction), .vcs = vcs});
      });
    });
  }
  [[nodiscard]] std::uint64_t bits_towards(SwitchId to, SwitchId at) const override {
    const std::uint64_t nearer = bits_->all(at, to);
    return nearer * adaptive_mask_ | bits_->in_first_dimension(nearer) * first_escape(at, to);
  }
  [[nodiscard]] OutputSets sets_towards(SwitchId to, SwitchId at, Tag) const override {
    const std::uint64_t nearer = outputs_->all(at, to);
    return {{{{nearer, adaptive_mask_}, {outputs_->in_first_dimension(nearer), first_escape(at, to)}}}};
  }

  [[nodiscard]] std::uint32_t escape_vc(SwitchId at, SwitchId to, std::uint32_t dimension) const {
    return 1U << (rule_ == RingRule::dateline ? dateline_class(at, to, dimension) : 0);
  }
  [[nodiscard]] std::uint32_t first_escape(SwitchId at, SwitchId to) const {
    return rule_ == RingRule::dateline ? escape_vc(at, to, first_dimension(at, to)) : 1;
  }
  /// visit(dimension, virtual channels) for those in which the coordinates differ.
  template <class Visit>
  void for_each_dimension(SwitchId at, SwitchId to, Visit visit) const {
    bool is_first = true;
    for (std::uint32_t dimension = 0; dimension < grid().dimensions(); ++dimension) {
      if (grid().coordinate(at, dimension) == grid().coordinate(to, dimension)) continue;
      visit(dimension, adaptive_mask_ | (is_first ? escape_vc(at, to, dimension) : 0));
      is_first = false;
    }
  }

  RingRule rule_;
  std::uint32_t adaptive_vcs_, adaptive_mask_;
  std::optional<NearerOutputs> bits_, outputs_;  ///< where they fit
};

struct DuatoParams {
  std::uint32_t adaptive_vcs = 1;
  std::string ring_rule = "auto";
  static void fields(auto& field) {
    field("adaptive_vcs", &DuatoParams::adaptive_vcs, between(1, 30),
          "adaptive virtual channels, besides the one or two escape channels");
    field("ring_rule", &DuatoParams::ring_rule, one_of({"auto", "dateline", "bubble", "none"}),
          "what keeps the escape rings of a torus free of deadlock; auto: dateline for wormhole, bubble for "
          "cut-through");
  }
  static std::vector<DuatoParams> samples() { return {{1, "auto"}, {2, "dateline"}, {1, "none"}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const DuatoRelation>(context, adaptive_vcs, ring_rule);
  }
};

}  // namespace

extern constinit const RoutingKind duato = routing_kind<DuatoParams>(
    "duato", "mesh, torus, hypercube: adaptive virtual channels, with dimension-order escape channels",
    "Duato, IEEE TPDS, 1995; Dally & Towles, section 14.3", Survival::fixed_paths, "most-free");

}  // namespace faultline::routings
