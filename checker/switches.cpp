// SPDX-License-Identifier: Apache-2.0
#include "switches.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace checker {
namespace {

using Numbers = std::vector<Number>;

constexpr Number max_ports = 100'000, max_claims = 64;

struct Claim {
  Number faults = 0, lost = 0, worst_sets = 0;
  Numbers set;  ///< a set with this loss
};

struct Design {
  bool switches_fail = false, links_fail = false;
  Number switches = 0, ports = 0;
  std::vector<std::pair<Number, Number>> links;
  std::vector<Numbers> terminals;
  std::vector<Claim> claims;
};

void read_network(Lines& lines, Design& design) {
  lines.expect(switches_keyword);
  lines.expect("1");
  lines.end_line();
  lines.expect("network");
  lines.skip_line();
  const std::string unit = lines.choice("unit", {"switch", "link", "switch+link", "link+switch"});
  design.switches_fail = unit != "link";
  design.links_fail = unit != "switch";
  design.switches = lines.entry("switches", 0, lines.left());
  design.ports = lines.entry("ports", 0, max_ports);
  design.links.resize(lines.entry("links", 0, design.switches < 2 ? 0 : lines.left()));
  for (auto& [a, b] : design.links) {
    lines.expect("l");
    a = lines.number(0, design.switches - 1);
    b = lines.number(0, design.switches - 1);
    if (a == b) lines.refuse("a link needs two switches");
    lines.end_line();
  }
  design.terminals.resize(lines.entry("terminals", 0, lines.left()));
  for (Numbers& terminal : design.terminals) {
    lines.expect("t");
    terminal = lines.list(design.switches);
    Numbers sorted = terminal;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) lines.refuse("a switch comes twice");
    lines.end_line();
  }
}

/// The number of sets of `size`, or most + 1 if there are more.
Number sets_of(Number components, Number size, Number most) {
  Number sets = 1;
  for (Number i = 0; i < std::min(size, components - size); ++i) {
    if (components - i > std::numeric_limits<Number>::max() / sets) return most + 1;
    sets = sets * (components - i) / (i + 1);
    if (sets > most) return most + 1;
  }
  return sets;
}

void read_claims(Lines& lines, Design& design, Number components, Number max_sets) {
  design.claims.resize(lines.entry("worst-cases", 1, std::min(max_claims, lines.left())));
  for (std::size_t i = 0; i < design.claims.size(); ++i) {
    Claim& claim = design.claims[i];
    lines.expect("w");
    claim.faults = lines.number(0, components);
    if (claim.faults != i) lines.refuse("numbers of faults are not 0, 1, 2 …");
    const Number sets = sets_of(components, claim.faults, max_sets);
    if (sets > max_sets) lines.refuse("there are more than " + std::to_string(max_sets) + " sets to try");
    lines.expect("lost");
    claim.lost = lines.number(0, design.terminals.size());
    lines.expect("sets");
    claim.worst_sets = lines.number(0, sets);
    lines.expect("of");
    if (lines.number(0, max_sets) != sets) lines.refuse("there are " + std::to_string(sets) + " sets");
    lines.expect("such");
    claim.set = lines.list(components);
    if (claim.set.size() != claim.faults ||
        std::ranges::adjacent_find(claim.set, std::greater_equal<>{}) != claim.set.end())
      lines.refuse("the set does not have that many different members, in rising order");
    lines.end_line();
  }
  lines.end_text();
}

/// What faults leave of a network, and the largest set of terminals of which every two share a connected
/// component.
class Remains {
 public:
  explicit Remains(const Design& design) : design_(design) {
    for (const Numbers& terminal : design.terminals) terminal_links_ += terminal.size();
  }

  /// Links between switches first, then those of terminals in their order, then switches.
  [[nodiscard]] Number components() const {
    return (design_.links_fail ? design_.links.size() + terminal_links_ : 0) +
           (design_.switches_fail ? design_.switches : 0);
  }

  [[nodiscard]] Number lost(const Numbers& set) {
    find_pieces(set);
    std::map<Numbers, Number> attached;  // terminals by the connected components that they are attached to
    Number link = design_.links.size();
    for (const Numbers& terminal : design_.terminals) {
      Numbers pieces;
      for (const Number at : terminal)
        if (alive(set, link++) && piece_[at] != none) pieces.push_back(piece_[at]);
      std::ranges::sort(pieces);
      pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
      if (!pieces.empty()) ++attached[pieces];
    }
    std::vector<std::pair<Numbers, Number>> groups(attached.begin(), attached.end());
    std::ranges::sort(groups, std::greater<>{}, [](const auto& group) { return group.second; });
    best_ = design_.terminals.empty() ? 0 : 1;  // a single terminal also is a set
    grow(groups, 0);
    return design_.terminals.size() - best_;
  }

 private:
  static constexpr Number none = ~Number{0};

  [[nodiscard]] bool alive(const Numbers& set, Number link) const {
    return !design_.links_fail || !std::ranges::binary_search(set, link);
  }

  void find_pieces(const Numbers& set) {
    const Number first_switch = design_.links_fail ? design_.links.size() + terminal_links_ : 0;
    piece_.assign(design_.switches, none);
    std::vector<bool> dead(design_.switches);
    if (design_.switches_fail)
      for (const Number component : set)
        if (component >= first_switch) dead[component - first_switch] = true;
    for (Number at = 0; at < design_.switches; ++at)
      if (!dead[at]) piece_[at] = at;
    // Propagates the smallest number through every connected component.
    for (bool changed = true; changed;) {
      changed = false;
      for (Number link = 0; link < design_.links.size(); ++link) {
        const auto [a, b] = design_.links[link];
        if (dead[a] || dead[b] || piece_[a] == piece_[b] || !alive(set, link)) continue;
        piece_[a] = piece_[b] = std::min(piece_[a], piece_[b]);
        changed = true;
      }
    }
  }

  static bool meet(const Numbers& a, const Numbers& b) { return std::ranges::find_first_of(a, b) != a.end(); }

  /// Adds one of the groups, heaviest first, or none of those before it.
  void grow(const std::vector<std::pair<Numbers, Number>>& groups, Number size) {
    best_ = std::max(best_, size);
    Number left = 0;
    for (const auto& group : groups) left += group.second;
    for (std::size_t i = 0; i < groups.size() && size + left > best_; ++i) {
      std::vector<std::pair<Numbers, Number>> compatible;
      for (std::size_t j = i + 1; j < groups.size(); ++j)
        if (meet(groups[i].first, groups[j].first)) compatible.push_back(groups[j]);
      grow(compatible, size + groups[i].second);
      left -= groups[i].second;
    }
  }

  const Design& design_;
  Number terminal_links_ = 0;
  Numbers piece_;
  Number best_ = 0;
};

void check_ports(const Design& design, std::size_t line) {
  Numbers used(design.switches);
  for (const auto& [a, b] : design.links) {
    ++used[a];
    ++used[b];
  }
  for (const Numbers& terminal : design.terminals)
    for (const Number at : terminal) ++used[at];
  for (Number at = 0; at < design.switches; ++at)
    if (used[at] > design.ports)
      throw Refused(
          line, "switch " + std::to_string(at) + " has more than " + std::to_string(design.ports) + " ports");
}

bool next_set(Numbers& set, Number components) {
  for (std::size_t i = set.size(); i-- > 0;) {
    if (set[i] + (set.size() - i) >= components) continue;
    ++set[i];
    for (std::size_t j = i + 1; j < set.size(); ++j) set[j] = set[j - 1] + 1;
    return true;
  }
  return false;
}

void try_all(const Claim& claim, Remains& remains, std::size_t line) {
  const auto refuse = [&](const std::string& reason) {
    throw Refused(line, std::to_string(claim.faults) + " faults: " + reason);
  };
  if (remains.lost(claim.set) != claim.lost)
    refuse("the set that is named loses another number of terminals");
  Numbers set(claim.faults);
  for (Number i = 0; i < claim.faults; ++i) set[i] = i;
  Number worst_sets = 0;
  do {
    const Number lost = remains.lost(set);
    if (lost > claim.lost) {
      std::string names;
      for (const Number component : set) names += " " + std::to_string(component);
      refuse("components" + names + " lose " + std::to_string(lost) + " terminals, not " +
             std::to_string(claim.lost));
    }
    if (lost == claim.lost) ++worst_sets;
  } while (next_set(set, remains.components()));
  if (worst_sets != claim.worst_sets) refuse(std::to_string(worst_sets) + " sets lose that many terminals");
}

}  // namespace

std::string check_switches(std::string_view text, Number max_sets) {
  Lines lines(text);
  Design design;
  read_network(lines, design);
  check_ports(design, lines.line());
  Remains remains(design);
  read_claims(lines, design, remains.components(), max_sets);
  for (const Claim& claim : design.claims) try_all(claim, remains, lines.line());
  std::string found = std::to_string(design.terminals.size()) + " terminals on " +
                      std::to_string(design.switches) + " switches; terminals lost at most:";
  for (const Claim& claim : design.claims)
    found += (claim.faults == 0 ? " " : ", ") + std::to_string(claim.lost) + " after " +
             std::to_string(claim.faults) + (claim.faults == 1 ? " fault" : " faults");
  return found;
}

}  // namespace checker
