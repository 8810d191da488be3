// SPDX-License-Identifier: Apache-2.0
#include "faultline/design/switches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "base/combinations.h"
#include "base/sort_unique.h"
#include "base/until_stopped.h"
#include "design/search.h"
#include "faultline/base/counted.h"
#include "faultline/resilience/lost_terminals.h"
#include "faultline/topology/kind.h"

namespace faultline {
namespace {

using Shape = SwitchNetwork::Shape;

constexpr double max_sets = 3e8;         ///< of a construction, before symmetry
constexpr double max_random_sets = 1e6;  ///< of a random attachment, which has no symmetry: 20 us a set
constexpr double max_search_sets = 2e5;  ///< of an attachment that is being improved
/// Of a network; those of rings and cliques are the most that their topologies allow.
constexpr std::uint32_t max_on_a_ring = 4096, max_in_a_clique = 1024, max_in_a_torus = 65'536;

/// How much larger than the smallest network that fits: a few larger sizes are tried because they may lose
/// less.
constexpr std::uint32_t more_sizes = 5;

class Candidates {
 public:
  explicit Candidates(const SwitchDesignSpec& spec) : spec_(spec) {}

  /// The constructions for each network.
  [[nodiscard]] std::vector<std::vector<std::string>> all() && {
    rings();
    cliques();
    tori();
    return std::move(networks_);
  }

 private:
  /// Switches that are needed when `left` ports of each are left for terminals.
  [[nodiscard]] std::uint32_t needed(std::uint32_t left) const {
    const std::uint64_t links = std::uint64_t{spec_.terminals} * spec_.degree;
    return static_cast<std::uint32_t>((links + left - 1) / left);
  }
  /// Switches of which not all can fail; where only links fail, not all of these. All switches are connected
  /// by at least one link fewer than there are of them.
  [[nodiscard]] std::uint32_t survivors_need() const {
    if (spec_.units != FaultUnit::link) return spec_.faults + 1;
    const std::uint64_t of_terminals = std::uint64_t{spec_.terminals} * spec_.degree,
                        needed_links = std::uint64_t{spec_.faults} + 1;
    return static_cast<std::uint32_t>(std::max(of_terminals, needed_links) - of_terminals + 1);
  }

  void rings() {
    if (spec_.ports < 3) return;
    const std::uint32_t least = std::max({3U, spec_.degree, needed(spec_.ports - 2), survivors_need()});
    const std::uint32_t end = std::max(least, spec_.degree + 1) + more_sizes;
    for (std::uint32_t n = least; n < end && n <= max_on_a_ring; ++n) {
      // Diameters need more switches than ports. On as many, every attachment is to all of them.
      const char* const attachment = n == spec_.degree ? ",attachment=naive" : "";
      networks_.push_back({fmt::format("switch-ring:n={},degree={},terminals={}{}", n, spec_.degree,
                                       spec_.terminals, attachment)});
    }
  }

  void cliques() {
    std::uint32_t listed = 0;
    for (std::uint32_t n = std::max({2U, spec_.degree, survivors_need()});
         listed < more_sizes && n <= spec_.ports && n <= max_in_a_clique; ++n) {
      if (spec_.ports <= n - 1 || needed(spec_.ports - (n - 1)) > n) continue;
      ++listed;
      networks_.push_back({fmt::format("switch-clique:switches={},terminals={},degree={}", n, spec_.terminals,
                                       spec_.degree)});
    }
  }

  void tori() {
    if (spec_.ports < 5) return;
    const std::uint32_t least = std::max(needed(spec_.ports - 4), survivors_need());
    std::uint32_t listed = 0;
    for (std::uint32_t n = std::max(9U, least);
         listed < more_sizes && n <= std::min(least * 2 + 9, max_in_a_torus); ++n)
      for (std::uint32_t rows = 3; rows * rows <= n; ++rows) {
        const std::uint32_t columns = n / rows;
        if (rows * columns != n || columns > 1024) continue;
        ++listed;
        auto& constructions = networks_.emplace_back();
        for (const char* along : {"rows", "columns", "diagonals"})
          constructions.push_back(
              fmt::format("switch-torus:rows={},columns={},degree={},terminals={},along={}", rows, columns,
                          spec_.degree, spec_.terminals, along));
      }
  }

  const SwitchDesignSpec& spec_;
  std::vector<std::vector<std::string>> networks_;
};

/// In a row of switches, one unit apart.
void measure_cables(SwitchDesign& design) {
  for (const auto& [a, b] : design.network.links()) {
    const double length = std::abs(static_cast<double>(a) - static_cast<double>(b));
    design.cable_length += length;
    design.longest_cable = std::max(design.longest_cable, length);
  }
  for (const auto& attached : design.attachments) {
    const auto [low, high] = std::ranges::minmax(attached);
    const std::uint32_t home = (low + high) / 2;
    for (const std::uint32_t at : attached) {
      const double length = std::abs(static_cast<double>(at) - static_cast<double>(home));
      design.cable_length += length;
      design.longest_cable = std::max(design.longest_cable, length);
    }
  }
}

/// Everything but the worst cases; absent if the network cannot be built or its ports do not suffice.
std::optional<SwitchDesign> make(const std::string& text, const SwitchDesignSpec& spec) try {
  const TopologyPtr topology = build_topology(parse_compact("topology", text));
  const auto& made = topology->labelling<SwitchedLabelling>("design");
  SwitchDesign design{.topology = topology->name(), .network = made.network, .attachments = made.attachments};
  for (const SwitchId at : topology->switches()) {
    const auto ports = static_cast<std::uint32_t>(topology->outputs(at).size());
    design.most_ports = std::max(design.most_ports, ports);
    design.ports_used += ports;
  }
  if (design.most_ports > spec.ports) return std::nullopt;
  design.ports_bought = std::uint64_t{spec.ports} * topology->switch_count();
  design.network_links = topology->network_link_count();
  design.terminal_links = topology->link_count() - design.network_links;
  measure_cables(design);
  return design;
} catch (const Error&) {
  return std::nullopt;  // a degree that the construction does not offer for this number of switches
}

/// The constructions that fit the ports. If none does, terminals attached at random and as evenly as
/// possible, for the search to improve.
std::vector<SwitchDesign> make_all(const std::vector<std::string>& constructions,
                                   const SwitchDesignSpec& spec) {
  std::vector<SwitchDesign> designs;
  for (const std::string& text : constructions)
    if (auto design = make(text, spec)) designs.push_back(std::move(*design));
  if (!designs.empty()) return designs;
  auto spread = make(fmt::format("{},attachment=random,seed={}", constructions.front(), spec.seed), spec);
  if (!spread) return {};
  spread->constructed = false;
  return {std::move(*spread)};
}

FaultComponents components_of(const SwitchDesign& design, const SwitchDesignSpec& spec) {
  const auto topology =
      std::make_shared<const Topology>(build_switched(design.network, design.attachments, design.topology));
  return {topology, spec.units, FaultScope::all};
}

bool can_be_tried(const SwitchDesign& design, const FaultComponents& components, std::uint32_t faults) {
  return can_list_fault_sets(components, faults) &&
         choose_about(static_cast<double>(components.count()), faults) <=
             (design.constructed ? max_sets : max_random_sets);
}

/// All of the designs have too many fault sets.
[[noreturn]] void refuse_faults(const std::vector<SwitchDesign>& designs, const SwitchDesignSpec& spec) {
  std::uint32_t most = 0;
  for (const SwitchDesign& design : designs) {
    const FaultComponents components = components_of(design, spec);
    std::uint32_t faults = spec.faults;
    while (faults > most && !can_be_tried(design, components, faults)) --faults;
    most = std::max(most, faults);
  }
  throw Error(
      "design.faults", std::to_string(spec.faults),
      fmt::format("must be at most {} for these terminals and ports: every network that fits has too many "
                  "sets of more faults to try all of them",
                  most));
}

void find_worst(SwitchDesign& design, const SwitchDesignSpec& spec) {
  const FaultComponents components = components_of(design, spec);
  for (std::uint32_t faults = 0; faults <= spec.faults; ++faults) {
    const EveryFaultSet all =
        every_fault_set(components, {.faults = faults, .threads = 1, .stop = spec.stop});
    end_if_set(spec.stop);
    design.worst.push_back({.faults = faults,
                            .lost = all.worst(),
                            .sets = all.sets,
                            .worst_sets = all.by_lost.empty() ? 0 : all.by_lost.back(),
                            .mean = all.mean(),
                            .set = all.worst_set});
  }
}

/// By worst-case losses under the most faults, then under fewer, then by ports; of equal ones, by how many of
/// the largest fault sets are worst cases, by the mean loss, and by cables.
bool better(const SwitchDesign& a, const SwitchDesign& b) {
  for (std::size_t i = a.worst.size(); i-- > 0;)
    if (a.worst[i].lost != b.worst[i].lost) return a.worst[i].lost < b.worst[i].lost;
  const auto key = [](const SwitchDesign& design) {
    const WorstCase& most = design.worst.back();
    const double share = static_cast<double>(most.worst_sets) / static_cast<double>(most.sets);
    return std::tuple(design.ports_bought, share, most.mean, design.cable_length);
  };
  return key(a) < key(b);
}

void mark_best_buys(std::vector<SwitchDesign>& designs) {
  for (SwitchDesign& one : designs)
    one.best_buy = std::ranges::none_of(designs, [&](const SwitchDesign& other) {
      const auto key = [](const SwitchDesign& design) {
        return std::pair(design.worst.back().lost, design.ports_bought);
      };
      return key(other) != key(one) && other.worst.back().lost <= one.worst.back().lost &&
             other.ports_bought <= one.ports_bought;
    });
}

bool may_be_improved(const SwitchDesign& design) {
  return static_cast<double>(design.worst.back().sets) <= max_search_sets;
}

/// The better attachment; absent if there is none.
std::optional<SwitchDesign> improved(const SwitchDesign& construction, const SwitchDesignSpec& spec) {
  if (spec.steps == 0 || construction.worst.back().lost == 0 || !may_be_improved(construction))
    return std::nullopt;
  const design::Found found = design::improve(construction.network, construction.attachments,
                                              {.faults = spec.faults,
                                               .units = spec.units,
                                               .steps = spec.steps,
                                               .seed = spec.seed,
                                               .stop = spec.stop});
  end_if_set(spec.stop);
  if (!(found.after < found.before)) return std::nullopt;
  SwitchDesign design = construction;
  design.improved = true;
  design.attachments = found.attachments;
  design.worst.clear();
  design.cable_length = design.longest_cable = 0;
  measure_cables(design);
  find_worst(design, spec);
  return design;
}

/// Of designs in the order of better(): the best and the cheapest of each shape, and those that are no
/// construction.
std::vector<std::size_t> worth_improving(const std::vector<SwitchDesign>& designs) {
  std::vector<std::size_t> starts;
  for (const Shape shape : {Shape::ring, Shape::clique, Shape::torus}) {
    std::optional<std::size_t> best, cheapest;
    for (std::size_t i = 0; i < designs.size(); ++i) {
      if (designs[i].network.shape != shape) continue;
      if (!best) best = i;
      if (!cheapest || designs[i].ports_bought < designs[*cheapest].ports_bought) cheapest = i;
      if (!designs[i].constructed) starts.push_back(i);
    }
    if (best) starts.insert(starts.end(), {*best, *cheapest});
  }
  sort_unique(starts);
  return starts;
}

void check(const SwitchDesignSpec& spec) {
  const auto refuse = [](const char* field, std::uint64_t value, const std::string& allowed) {
    throw Error(field, std::to_string(value), allowed);
  };
  if (spec.terminals < 2 || spec.terminals > 100'000)
    refuse("design.terminals", spec.terminals, "must be from 2 to 100000");
  if (spec.ports < 2 || spec.ports > 1024) refuse("design.ports", spec.ports, "must be from 2 to 1024");
  if (spec.degree < 1 || spec.degree > 64) refuse("design.degree", spec.degree, "must be from 1 to 64");
  if (spec.faults > 16) refuse("design.faults", spec.faults, "must be from 0 to 16");
  if (spec.units.contains(FaultUnit::channel) || spec.units.contains(FaultUnit::terminal))
    throw Error("design.unit", to_string(spec.units), "must be link, switch or link+switch");
}

}  // namespace

SwitchDesigns design_switches(const SwitchDesignSpec& spec, const Progress& progress) {
  check(spec);
  SwitchDesigns result;
  std::vector<SwitchDesign>& designs = result.designs;
  std::vector<SwitchDesign> left_out;
  for (const std::vector<std::string>& constructions : Candidates(spec).all())
    for (SwitchDesign& design : make_all(constructions, spec)) {
      const FaultComponents components = components_of(design, spec);
      const bool fits = can_be_tried(design, components, spec.faults);
      if (!fits) result.left_out.push_back(design.topology);
      (fits ? designs : left_out).push_back(std::move(design));
    }
  if (designs.empty() && left_out.empty())
    throw Error(
        "design.ports", std::to_string(spec.ports),
        fmt::format("must be more: no ring, clique or torus of at most {}, {} and {} such switches holds "
                    "{} terminals with {} each and outlasts {}",
                    max_on_a_ring, max_in_a_clique, max_in_a_torus, spec.terminals,
                    counted(spec.degree, "network port"), counted(spec.faults, "fault")));
  if (designs.empty()) refuse_faults(left_out, spec);
  result.unevaluated = work_until_stopped(designs.size(), spec.threads, spec.stop, "constructions", progress,
                                          [&](std::size_t i) { find_worst(designs[i], spec); });
  std::erase_if(designs, [&](const SwitchDesign& design) { return design.worst.size() <= spec.faults; });
  if (designs.empty()) throw Stopped();
  std::ranges::stable_sort(designs, better);
  const std::vector<std::size_t> starts = worth_improving(designs);
  result.searched_all =
      std::ranges::all_of(starts, [&](std::size_t i) { return may_be_improved(designs[i]); });
  std::vector<std::optional<SwitchDesign>> improvements(starts.size());
  result.unsearched =
      work_until_stopped(starts.size(), spec.threads, spec.stop, "attachments", progress,
                         [&](std::size_t i) { improvements[i] = improved(designs[starts[i]], spec); });
  for (auto& improvement : improvements)
    if (improvement) designs.push_back(std::move(*improvement));
  std::ranges::stable_sort(designs, better);
  mark_best_buys(designs);
  return result;
}

}  // namespace faultline
