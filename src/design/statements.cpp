// SPDX-License-Identifier: Apache-2.0
#include "faultline/design/statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>

#include "base/combinations.h"
#include "faultline/topology/attachments.h"
#include "faultline/topology/switched.h"

namespace faultline {
namespace {

using Shape = SwitchNetwork::Shape;
using About = Statement::About;

constexpr FaultUnits any_type = FaultUnit::switch_ | FaultUnit::link | FaultUnit::terminal;

/// The constants of the statements.
struct Numbers {
  std::uint32_t degree, switches, terminals;
  std::uint32_t share;  ///< terminals a position, rounded up
};

Numbers numbers_of(const SwitchedLabelling& made) {
  const auto terminals = static_cast<std::uint32_t>(made.attachments.size());
  const std::uint32_t switches = made.network.switches();
  const auto degree = static_cast<std::uint32_t>(made.attachments.front().size());
  return {degree, switches, terminals, (terminals + switches - 1) / switches};
}

std::string losing(const Numbers& n, std::uint32_t faults, std::string_view what, std::uint64_t most) {
  return fmt::format("{} {} lose{} at most {} of {} terminals", faults, what, faults == 1 ? "s" : "", most,
                     n.terminals);
}

class Ring {
 public:
  explicit Ring(const Numbers& n) : n_(n) {}

  [[nodiscard]] std::vector<Statement> diameters() && {
    const std::uint32_t k = 2 * n_.degree - 1;
    const std::uint64_t most = std::min<std::uint64_t>(n_.terminals, std::uint64_t{k} * n_.degree * n_.share);
    const std::string theorem = n_.degree == 2 ? "1" : "2", claim = theorem;
    add("theorem-" + theorem, "Theorem " + theorem, "faults of any kind", any_type, FaultScope::all, k, most);
    add("theorem-" + theorem + "-switches", "Theorem " + theorem, "failed switches", FaultUnit::switch_,
        FaultScope::all, k, most);
    std::uint32_t item = 0;
    const auto claims = [&](std::string_view what, FaultUnits units, FaultScope scope, std::uint32_t faults,
                            std::uint32_t lost) {
      ++item;
      add(fmt::format("claim-{}.{}", claim, item), fmt::format("Claim {}, item {}", claim, item), what, units,
          scope, faults, std::uint64_t{lost} * n_.share);
    };
    if (n_.degree == 2) {
      claims("failed switch", FaultUnit::switch_, FaultScope::all, 1, 0);
      claims("failed switches", FaultUnit::switch_, FaultScope::all, 2, 1);
    }
    claims("failed links between switches", FaultUnit::link, FaultScope::network, k, 0);
    claims("failed links of terminals", FaultUnit::link, FaultScope::terminal, k, 1);
    claims("failed links of any kind", FaultUnit::link, FaultScope::all, k, 1);
    return std::move(all_);
  }

 private:
  void add(std::string name, std::string source, std::string_view what, FaultUnits units, FaultScope scope,
           std::uint32_t faults, std::uint64_t most) {
    all_.push_back({.name = std::move(name),
                    .source = std::move(source),
                    .text = losing(n_, faults, what, most),
                    .units = units,
                    .scope = scope,
                    .limits = {{faults, most}}});
  }

  Numbers n_;
  std::vector<Statement> all_;
};

Statement optimality(const Numbers& n) {
  const std::uint64_t least = (std::uint64_t{n.terminals} + 3) / 4;
  return {
      .name = "theorem-1-optimal",
      .source = "Theorem 1, section 3.4",
      .text = fmt::format("some 4 failed links between switches, placed as in the proof, lose at least {} "
                          "of {} terminals",
                          least, n.terminals),
      .about = About::proof,
      .units = FaultUnit::link,
      .scope = FaultScope::network,
      .limits = {{4, least}}};
}

/// All switches have as many channels to terminals.
bool has_equal_switches(const SwitchedLabelling& made, const Numbers& n) {
  std::vector<std::uint32_t> uses(n.switches);
  for (const auto& attached : made.attachments)
    for (const std::uint32_t at : attached) ++uses[at];
  return std::ranges::adjacent_find(uses, std::ranges::not_equal_to()) == uses.end();
}

bool runs_around(const SwitchedLabelling& made, const Numbers& n) {
  if (n.degree > 1 && n.degree >= n.switches) return false;
  return made.attachments == attach_around(n.switches, diameter_offsets(n.switches, n.degree), n.terminals);
}

/// Sets of `k` of `n` switches.
std::uint64_t sets_of(std::uint64_t n, std::uint64_t k) {
  constexpr std::uint64_t enough = std::uint64_t{1} << 40;  // no network has that many terminals
  return choose_up_to(n, k, enough);
}

/// No set of switches is used by more than one terminal more than another, the unused ones included.
bool is_uniform(const SwitchedLabelling& made, const Numbers& n) {
  std::map<std::vector<std::uint32_t>, std::uint64_t> uses;
  for (auto attached : made.attachments) {
    std::ranges::sort(attached);
    ++uses[attached];
  }
  const auto by_use = [](const auto& use) { return use.second; };
  const auto [least, most] = std::ranges::minmax(uses | std::views::transform(by_use));
  return most - (uses.size() == sets_of(n.switches, n.degree) ? least : 0) <= 1;
}

Statement clique_limit(const Numbers& n, const Topology& topology) {
  std::uint64_t ports = 0;  // of a switch, to terminals
  for (const SwitchId at : topology.switches())
    ports = std::max<std::uint64_t>(ports, topology.outputs(at).size() - (n.switches - 1));
  Statement statement{
      .name = "clique-limit",
      .source = "section 5",
      .text = fmt::format("l failed switches lose at most l * {} / {} terminals", ports, n.degree)};
  for (std::uint32_t lost = 1; lost <= n.switches; ++lost)
    statement.limits.push_back({lost, lost * ports / n.degree});
  return statement;
}

Statement theorem_3(const Numbers& n) {
  const std::uint64_t sets = sets_of(n.switches, n.degree), each = (n.terminals + sets - 1) / sets;
  Statement statement{
      .name = "theorem-3",
      .source = "Theorem 3",
      .text = fmt::format("l failed switches lose at most {} for each set of {} of them", each, n.degree)};
  for (std::uint32_t lost = 1; lost <= n.switches; ++lost)
    statement.limits.push_back({lost, sets_of(lost, n.degree) * each});
  return statement;
}

/// The paper gives no constant: that of the ring, times the switches of a ring that fails.
Statement cuts(const SwitchNetwork& network, const Numbers& n, bool rows, bool columns) {
  const std::uint32_t k = 2 * n.degree - 1;
  const std::uint64_t across = std::max(rows ? network.columns : 0, columns ? network.rows : 0);
  const std::uint64_t most = std::min<std::uint64_t>(n.terminals, across * k * n.degree * n.share);
  const char* what = rows && columns ? "failed rows and columns" : rows ? "failed rows" : "failed columns";
  return {.name = rows && columns ? "cuts"
                  : rows          ? "cuts-rows"
                                  : "cuts-columns",
          .source = "section 6",
          .text = losing(n, k, what, most),
          .about = About::rings,
          .rows = rows,
          .columns = columns,
          .limits = {{k, most}}};
}

}  // namespace

std::vector<Statement> statements_about(const Topology& topology) {
  const auto* made = topology.find_labelling<SwitchedLabelling>();
  if (made == nullptr) return {};
  const Numbers n = numbers_of(*made);
  std::vector<Statement> all;
  if (made->network.shape == Shape::ring) {
    if (n.degree >= 2 && runs_around(*made, n)) all = Ring(n).diameters();
    // The theorem is on switches of one degree.
    if (n.degree == 2 && n.switches >= 4 && n.terminals >= 3 && has_equal_switches(*made, n))
      all.push_back(optimality(n));
  } else if (made->network.shape == Shape::clique) {
    all.push_back(clique_limit(n, topology));
    if (is_uniform(*made, n)) all.push_back(theorem_3(n));
  } else {
    all = {cuts(made->network, n, false, true), cuts(made->network, n, true, false),
           cuts(made->network, n, true, true)};
  }
  return all;
}

}  // namespace faultline
