// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "base/combinations.h"
#include "faultline/design/statements.h"
#include "faultline/resilience/lost_terminals.h"
#include "faultline/topology/switched.h"

namespace faultline {
namespace {

using Method = CheckedStatement::Method;

class Check {
 public:
  Check(const TopologyPtr& topology, const StatementSpec& spec, const Progress& progress,
        CheckedStatement& result)
      : topology_(topology),
        made_(topology->labelling<SwitchedLabelling>("statements")),
        spec_(spec),
        progress_(progress),
        result_(result) {}

  void components() {
    const Statement& statement = result_.statement;
    const FaultComponents components(topology_, statement.units, statement.scope);
    for (std::size_t i = 0; i < statement.limits.size(); ++i) {
      const std::uint32_t faults = std::min(statement.limits[i].faults, count_of(components));
      if (too_many(components, faults)) {
        if (result_.broken) break;
        return by_dominance();
      }
      judge(i, faults, every(components, faults), components);
    }
    result_.method = Method::exhaustive;
  }

  [[nodiscard]] double classes_of_components() const {
    const Statement& statement = result_.statement;
    const FaultComponents components(topology_, statement.units, statement.scope);
    double classes = 0;
    for (const LossLimit& limit : statement.limits) {
      const std::uint32_t faults = std::min(limit.faults, count_of(components));
      if (too_many(components, faults)) return classes + classes_of_dominance();
      classes += classes_of(components, faults);
    }
    return classes;
  }

  /// Every set of whole rows and columns: few enough to be tried one by one.
  void rings() {
    if (classes_of_rings() == 0) return;
    const FaultComponents switches(topology_, FaultUnit::switch_, FaultScope::all);
    const auto rings = rings_that_fail();
    const std::uint32_t faults = faulty_among(rings.size());
    result_.worst.push_back({faults, 0});
    try_rings(switches, rings, faults, {}, 0);
    result_.method = Method::exhaustive;
  }

  /// 0 if they are too many.
  [[nodiscard]] double classes_of_rings() const {
    const std::size_t rings = rings_that_fail().size();
    const double sets = choose_about(static_cast<double>(rings), faulty_among(rings));
    return sets > static_cast<double>(spec_.max_classes) ? 0 : sets;
  }

  void proof() {
    const FaultComponents links(topology_, FaultUnit::link, FaultScope::network);
    std::vector<std::uint32_t> best;
    std::vector<TerminalId> lost;
    for (std::uint32_t first = 0; first < made_.network.switches() && !is_set(spec_.stop); ++first) {
      std::vector<std::uint32_t> set;
      for (const LinkId link : optimality_faults(*topology_, first)) set.push_back(link.value());
      std::ranges::sort(set);
      std::vector<TerminalId> here = lost_terminals(links, set);
      ++result_.classes;
      if (best.empty() || here.size() > lost.size()) {
        best = std::move(set);
        lost = std::move(here);
      }
    }
    result_.sets = result_.classes;
    result_.method = Method::proof;
    result_.worst.push_back({4, lost.size()});
    if (lost.size() < result_.statement.limits.front().max_lost) broken(0, links, best, lost);
  }

 private:
  [[nodiscard]] static std::uint32_t count_of(const FaultComponents& components) {
    return static_cast<std::uint32_t>(components.count());
  }

  /// How many of `things` fail at the first limit.
  [[nodiscard]] std::uint32_t faulty_among(std::size_t things) const {
    return static_cast<std::uint32_t>(std::min<std::size_t>(result_.statement.limits.front().faults, things));
  }

  [[nodiscard]] static double sets_of(const FaultComponents& components, std::uint32_t faults) {
    return choose_about(static_cast<double>(components.count()), faults);
  }

  /// Of symmetric sets, about.
  [[nodiscard]] double classes_of(const FaultComponents& components, std::uint32_t faults) const {
    return sets_of(components, faults) / static_cast<double>(made_.network.symmetries().size());
  }

  [[nodiscard]] bool too_many(const FaultComponents& components, std::uint32_t faults) const {
    return classes_of(components, faults) > static_cast<double>(spec_.max_classes) ||
           !can_list_fault_sets(components, faults);
  }

  [[nodiscard]] EveryFaultSet every(const FaultComponents& components, std::uint32_t faults) {
    const auto total = static_cast<std::uint64_t>(std::llround(sets_of(components, faults)));
    std::atomic<std::uint64_t> done = 0;
    if (progress_) progress_("sets", 0, total);
    EveryFaultSet all =
        every_fault_set(components, {.faults = faults, .threads = spec_.threads, .stop = spec_.stop},
                        [&](std::uint64_t sets) {
                          const std::uint64_t now = done += sets;
                          if (progress_) progress_("sets", now, total);
                        });
    result_.sets += all.sets;
    result_.classes += all.classes;
    return all;
  }

  void judge(std::size_t limit, std::uint32_t faults, const EveryFaultSet& all,
             const FaultComponents& components) {
    const LossLimit& allowed = result_.statement.limits[limit];
    result_.worst.push_back({faults, all.worst()});
    if (all.worst() > allowed.max_lost) broken(limit, components, all.worst_set, all.worst_terminals);
  }

  void broken(std::size_t limit, const FaultComponents& components, const std::vector<std::uint32_t>& set,
              const std::vector<TerminalId>& lost) {
    if (result_.broken) return;
    result_.broken = limit;
    for (const std::uint32_t component : set) result_.faults.push_back(components.name(component));
    for (const TerminalId terminal : lost) result_.lost.push_back(topology_->name(terminal));
  }

  /// Losses only grow with the set of dead components, and a switch takes its links with it: no k faults lose
  /// more than some j switches and k - j terminals. What this does not settle stays unchecked.
  void by_dominance() {
    if (!can_dominate()) return;
    const Statement& statement = result_.statement;
    const FaultComponents switches(topology_, FaultUnit::switch_, FaultScope::all);
    const std::uint32_t faults = statement.limits.front().faults, most = faulty_among(switches.count());
    const std::uint64_t allowed = statement.limits.front().max_lost;
    std::uint64_t upper = 0;
    for (std::uint32_t failed = 0; failed <= most; ++failed) {
      const EveryFaultSet all = every(switches, failed);
      upper = std::clamp<std::uint64_t>(all.worst() + (faults - failed), upper, topology_->terminal_count());
      if (all.worst() > allowed) broken(0, switches, all.worst_set, all.worst_terminals);
    }
    result_.worst.push_back({faults, upper});
    if (result_.broken || upper <= allowed) result_.method = Method::dominance;
  }

  [[nodiscard]] bool can_dominate() const {
    const Statement& statement = result_.statement;
    const FaultComponents switches(topology_, FaultUnit::switch_, FaultScope::all);
    return statement.limits.size() == 1 && statement.units.contains(FaultUnit::switch_) &&
           !too_many(switches, faulty_among(switches.count()));
  }

  [[nodiscard]] double classes_of_dominance() const {
    if (!can_dominate()) return 0;
    const FaultComponents switches(topology_, FaultUnit::switch_, FaultScope::all);
    double classes = 0;
    for (std::uint32_t failed = 0; failed <= faulty_among(switches.count()); ++failed)
      classes += classes_of(switches, failed);
    return classes;
  }

  [[nodiscard]] std::vector<std::vector<std::uint32_t>> rings_that_fail() const {
    std::vector<std::vector<std::uint32_t>> rings;
    for (std::uint32_t row = 0; result_.statement.rows && row < made_.network.rows; ++row)
      rings.push_back(line(row, 1));
    for (std::uint32_t column = 0; result_.statement.columns && column < made_.network.columns; ++column)
      rings.push_back(line(column, 0));
    return rings;
  }

  /// Switches of a row, or of a column.
  [[nodiscard]] std::vector<std::uint32_t> line(std::uint32_t index, bool is_row) const {
    std::vector<std::uint32_t> at;
    for (std::uint32_t i = 0; i < (is_row ? made_.network.columns : made_.network.rows); ++i)
      at.push_back(is_row ? index * made_.network.columns + i : i * made_.network.columns + index);
    return at;
  }

  void try_rings(const FaultComponents& switches, const std::vector<std::vector<std::uint32_t>>& rings,
                 std::uint32_t missing, const std::vector<std::uint32_t>& failed, std::size_t next) {
    if (missing == 0 || next == rings.size()) {
      judge_rings(switches, failed);
      return;
    }
    for (std::size_t ring = next; ring + missing <= rings.size() && !is_set(spec_.stop); ++ring) {
      std::vector<std::uint32_t> more = failed;
      more.insert(more.end(), rings[ring].begin(), rings[ring].end());
      try_rings(switches, rings, missing - 1, more, ring + 1);
    }
  }

  void judge_rings(const FaultComponents& switches, std::vector<std::uint32_t> failed) {
    std::ranges::sort(failed);
    failed.erase(std::unique(failed.begin(), failed.end()), failed.end());
    const std::vector<TerminalId> lost = lost_terminals(switches, failed);
    ++result_.sets;
    ++result_.classes;
    const LossLimit& allowed = result_.statement.limits.front();
    result_.worst.front().max_lost = std::max<std::uint64_t>(result_.worst.front().max_lost, lost.size());
    if (lost.size() > allowed.max_lost) broken(0, switches, failed, lost);
  }

  const TopologyPtr& topology_;
  const SwitchedLabelling& made_;
  const StatementSpec& spec_;
  const Progress& progress_;
  CheckedStatement& result_;
};

}  // namespace

std::string_view to_string(CheckedStatement::Method method) {
  switch (method) {
    case Method::exhaustive:
      return "exhaustive";
    case Method::dominance:
      return "dominance";
    case Method::proof:
      return "proof";
    case Method::unchecked:
      break;
  }
  return "unchecked";
}

double classes_to_check(const TopologyPtr& topology, const Statement& statement, const StatementSpec& spec) {
  CheckedStatement checked{.statement = statement};
  const Progress silent;
  const Check check(topology, spec, silent, checked);
  switch (statement.about) {
    case Statement::About::components:
      return check.classes_of_components();
    case Statement::About::rings:
      return check.classes_of_rings();
    case Statement::About::proof:
      break;
  }
  return static_cast<double>(topology->switch_count());
}

CheckedStatement check_statement(const TopologyPtr& topology, const Statement& statement,
                                 const StatementSpec& spec, const Progress& progress) {
  CheckedStatement result{.statement = statement};
  Check check(topology, spec, progress, result);
  switch (statement.about) {
    case Statement::About::components:
      check.components();
      break;
    case Statement::About::rings:
      check.rings();
      break;
    case Statement::About::proof:
      check.proof();
      break;
  }
  if (is_set(spec.stop)) result.method = Method::unchecked;
  return result;
}

std::vector<LinkId> optimality_faults(const Topology& topology, std::uint32_t first) {
  const auto& made = topology.labelling<SwitchedLabelling>("the proof of optimality");
  const std::uint32_t n = made.network.switches();
  if (made.network.shape != SwitchNetwork::Shape::ring || n < 4 || first >= n)
    throw Error("topology", topology.name(), "must be a switch-ring with at least 4 switches");
  std::vector<std::uint64_t> before(n + 1);  // terminal links at the switches before that many
  for (const auto& attached : made.attachments)
    for (const std::uint32_t at : attached) ++before[(at + n - first) % n + 1];
  std::partial_sum(before.begin(), before.end(), before.begin());
  // Link i joins switches i and i + 1.
  std::vector<LinkId> links{LinkId((first + n - 1) % n)};
  std::uint32_t end = 0;
  for (std::uint64_t segment = 1; segment < 4; ++segment) {
    const auto misses_by = [&](std::uint32_t at) {
      return std::abs(static_cast<std::int64_t>(4 * before[at]) -
                      static_cast<std::int64_t>(segment * before[n]));
    };
    const std::uint32_t last = n - (4 - static_cast<std::uint32_t>(segment));  // later segments need a switch
    std::uint32_t best = ++end;
    for (std::uint32_t at = end; at <= last; ++at)
      if (misses_by(at) < misses_by(best)) best = at;
    end = best;
    links.emplace_back((first + end - 1) % n);
  }
  return links;
}

}  // namespace faultline
