// SPDX-License-Identifier: Apache-2.0
#include "routing/methodology/source_plans.h"

#include <algorithm>

#include "faultline/base/random.h"
#include "routing/methodology/leg_choice.h"

namespace faultline {
namespace {

struct Plan {
  LegCost cost;
  Header header;
};

/// Finds the plan of one pair after the other.
class Planner {
 public:
  Planner(const LegGeometry& geometry, const CartesianLabelling& grid, const Mechanisms& mechanisms,
          const FaultSet& known)
      : geometry_(geometry), mechanisms_(mechanisms), legs_(geometry, grid, mechanisms, known) {}

  [[nodiscard]] std::optional<Plan> plan(std::uint32_t from, std::uint32_t to) {
    if (!legs_.serves(from, to)) return std::nullopt;
    if (const auto leg = legs_.adaptive(from, to)) return direct(*leg);
    if (mechanisms_.intermediate)
      if (auto within = by_switch_of_the_box(from, to)) return within;
    return by_anything(from, to);
  }

 private:
  static Plan direct(const PlannedLeg& leg) { return {leg.cost, {SwitchId(), leg.subheader, {}}}; }
  static Plan joined(const PlannedLeg& first, std::uint32_t by, const PlannedLeg& second) {
    return {{first.cost.hops + second.cost.hops, first.cost.fixed_hops + second.cost.fixed_hops, 2,
             first.cost.paths * second.cost.paths},
            {SwitchId(by), first.subheader, second.subheader}};
  }
  static void keep_better(std::optional<Plan>& best, const Plan& plan) {
    if (!best || plan.cost < best->cost) best = plan;
  }

  /// Two adaptive legs without a detour: no other plan is better, if the direct leg is not adaptive. In a
  /// small box all switches are tried, otherwise some drawn ones first.
  [[nodiscard]] std::optional<Plan> by_switch_of_the_box(std::uint32_t from, std::uint32_t to) const {
    constexpr std::size_t small = 128, drawn = 32;
    const std::vector<std::uint32_t> box = box_between(from, to);
    std::optional<Plan> best;
    // Starting anywhere spreads the packets of different pairs over equally good switches.
    const std::uint64_t begin = mix(from, to, 0);
    const auto try_switch = [&](std::size_t i) {
      const std::uint32_t by = box[i];
      const auto first = legs_.adaptive(from, by);
      if (!first) return;
      const auto second = legs_.adaptive(by, to);
      if (second) keep_better(best, joined(*first, by, *second));
    };
    if (box.size() > small)
      for (std::size_t i = 0; i < drawn; ++i) try_switch(mix(from, to, i + 1) % box.size());
    if (!best)
      for (std::size_t i = 0; i < box.size(); ++i) try_switch((begin + i) % box.size());
    return best;
  }

  /// The switches on shortest paths, the two ends left out.
  [[nodiscard]] std::vector<std::uint32_t> box_between(std::uint32_t from, std::uint32_t to) const {
    const auto leads_nearer = [&](std::uint32_t at, std::uint32_t direction) {
      if (geometry_.has_ends()) {
        const std::uint32_t offset = geometry_.offsets_between(at, to).front();
        return (geometry_.offsets()[offset].directions >> direction & 1U) != 0;
      }
      return geometry_.distance(geometry_.step(at, direction), to) < geometry_.distance(at, to);
    };
    std::vector<std::uint32_t> box{from};
    for (std::uint32_t direction = 0; direction < geometry_.directions(); ++direction) {
      const std::uint32_t dimension = direction % geometry_.dimensions();
      const bool is_second =
          direction != dimension && geometry_.radix(dimension) == 2;  // both lead to one switch
      if (is_second && !geometry_.has_ends()) continue;
      if (!leads_nearer(from, direction)) continue;
      const std::size_t before = box.size();
      for (std::size_t i = 0; i < before; ++i)
        for (std::uint32_t at = box[i]; leads_nearer(at, direction);) {
          at = geometry_.step(at, direction);
          box.push_back(at);
        }
    }
    std::erase_if(box, [&](std::uint32_t at) { return at == from || at == to; });
    return box;
  }

  [[nodiscard]] std::optional<Plan> by_anything(std::uint32_t from, std::uint32_t to) {
    std::optional<Plan> best;
    if (const auto leg = legs_.unmisrouted(from, to)) best = direct(*leg);
    if (mechanisms_.intermediate)
      for_each_intermediate(from, to, [&](std::uint32_t by) {
        if (best && hops_by(from, by, to) > best->cost.hops) return;
        const auto first = legs_.unmisrouted(from, by);
        if (!first) return;
        const auto second = legs_.unmisrouted(by, to);
        if (second) keep_better(best, joined(*first, by, *second));
      });
    if (!mechanisms_.misrouting) return best;
    if (const auto leg = legs_.misrouted(from, to, best ? best->cost.hops : max_hops))
      keep_better(best, direct(*leg));
    if (mechanisms_.intermediate)
      for_each_intermediate(from, to, [&](std::uint32_t by) { try_misrouted_legs(from, by, to, best); });
    return best;
  }

  /// Misrouting on a leg, if that saves hops or nothing else works.
  void try_misrouted_legs(std::uint32_t from, std::uint32_t by, std::uint32_t to, std::optional<Plan>& best) {
    const std::uint32_t least = hops_by(from, by, to);
    if (best && least >= best->cost.hops) return;
    const std::uint32_t spare = best ? best->cost.hops - 1 - least : max_hops;
    const auto first = any_leg(from, by, spare);
    if (!first) return;
    const auto second = any_leg(by, to, spare);
    if (second) keep_better(best, joined(*first, by, *second));
  }
  [[nodiscard]] std::optional<PlannedLeg> any_leg(std::uint32_t from, std::uint32_t to, std::uint32_t spare) {
    if (auto leg = legs_.unmisrouted(from, to)) return leg;
    return legs_.misrouted(from, to, geometry_.distance(from, to) + spare);
  }

  /// Of two legs without misrouting.
  [[nodiscard]] std::uint32_t hops_by(std::uint32_t from, std::uint32_t by, std::uint32_t to) const {
    return geometry_.distance(from, by) + geometry_.distance(by, to);
  }
  template <class Visit>
  void for_each_intermediate(std::uint32_t from, std::uint32_t to, Visit visit) const {
    for (std::uint32_t by = 0; by < geometry_.switches(); ++by)
      if (by != from && by != to) visit(by);
  }

  static constexpr std::uint32_t max_hops = 1U << 20;
  const LegGeometry& geometry_;
  Mechanisms mechanisms_;
  LegChoice legs_;
};

/// Adds up what the plans of all pairs need.
class Figures {
 public:
  Figures(const HeaderLayout& layout, std::uint32_t switches) : layout_(layout), switches_(switches) {
    figures_.pairs = std::uint64_t{switches} * (switches - 1);
    figures_.header_bits = layout.bits();
    figures_.source_table_bits = std::uint64_t{switches - 1} * layout.bits();
  }

  void add(const std::optional<Plan>& plan, std::uint32_t distance) {
    if (!plan) {
      ++figures_.unserved;
      return;
    }
    const Header& header = plan->header;
    const auto any = [&](auto&& of) {
      return of(header.now) || (header.intermediate.valid() && of(header.then));
    };
    const bool deterministic = any([](const Subheader& leg) { return !leg.adaptive; });
    const bool misrouted = any([](const Subheader& leg) { return leg.runs.front().hops != 0; });
    figures_.intermediate += header.intermediate.valid() ? 1 : 0;
    figures_.deterministic += deterministic ? 1 : 0;
    figures_.misrouted += misrouted ? 1 : 0;
    figures_.direct += !header.intermediate.valid() && !deterministic && !misrouted ? 1 : 0;
    const std::uint32_t extra = plan->cost.hops - distance;
    extra_hops_ += extra;
    figures_.extra_hops_max = std::max(figures_.extra_hops_max, extra);
  }
  void end_source(std::size_t entries) {
    const std::uint64_t bits =
        entries * (layout_.bits() + static_cast<std::uint64_t>(std::bit_width(switches_ - 1)));
    figures_.source_bits_max = std::max(figures_.source_bits_max, bits);
    figures_.source_bits_mean += static_cast<double>(bits) / switches_;
  }
  [[nodiscard]] PlanFigures result() const {
    PlanFigures figures = figures_;
    if (const std::uint64_t served = figures.pairs - figures.unserved; served != 0)
      figures.extra_hops_mean = static_cast<double>(extra_hops_) / static_cast<double>(served);
    return figures;
  }

 private:
  const HeaderLayout& layout_;
  std::uint32_t switches_;
  PlanFigures figures_;
  std::uint64_t extra_hops_ = 0;
};

}  // namespace

SourcePlans::SourcePlans(const CartesianLabelling& grid, const Mechanisms& mechanisms, const FaultSet& known,
                         std::string_view who)
    : layout_(grid, mechanisms.tie_choice, who) {
  const LegGeometry geometry(grid, mechanisms.tie_choice, who);
  switches_ = geometry.switches();
  tags_ = NumberedWords(switches_ * switches_);
  Planner planner(geometry, grid, mechanisms, known);
  Figures figures(layout_, geometry.switches());
  for (std::uint32_t from = 0; from < switches_; ++from) {
    std::size_t special = 0;
    for (std::uint32_t to = 0; to < switches_; ++to) {
      if (from == to) continue;
      const auto plan = planner.plan(from, to);
      figures.add(plan, geometry.distance(from, to));
      const Tag tag = plan ? layout_.encode(plan->header) : none;
      if (tag == 0) continue;
      tags_.set(from * switches_ + to, tag);
      special += plan ? 1 : 0;
    }
    figures.end_source(special);
  }
  figures_ = figures.result();
}

}  // namespace faultline
