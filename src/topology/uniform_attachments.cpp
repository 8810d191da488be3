// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <set>

#include "base/combinations.h"
#include "faultline/topology/attachments.h"
#include "topology/degree.h"

namespace faultline {
namespace {

using Subset = std::vector<std::uint32_t>;

Subset first_subset(std::uint32_t size) {
  Subset subset(size);
  std::iota(subset.begin(), subset.end(), 0U);
  return subset;
}

/// `count` different subsets, rotations of one another as far as that goes, so that the switches are used
/// nearly equally often.
std::set<Subset> rotated_subsets(std::uint32_t switches, std::uint32_t degree, std::uint64_t count) {
  std::set<Subset> chosen;
  Subset base = first_subset(degree);
  do {
    for (std::uint32_t turn = 0; turn < switches && chosen.size() < count; ++turn) {
      Subset rotated;
      for (const std::uint32_t at : base) rotated.push_back((at + turn) % switches);
      std::ranges::sort(rotated);
      chosen.insert(std::move(rotated));
    }
  } while (chosen.size() < count && next_combination(base, switches));
  return chosen;
}

/// Replaces `from` by `to` in one of the subsets. More of them hold `from` without `to` than the other way
/// round, so one of the replacements is new.
void move_use(std::set<Subset>& subsets, std::uint32_t from, std::uint32_t to) {
  for (const Subset& subset : subsets) {
    if (!std::ranges::binary_search(subset, from) || std::ranges::binary_search(subset, to)) continue;
    Subset replaced = subset;
    *std::ranges::find(replaced, from) = to;
    std::ranges::sort(replaced);
    if (!subsets.insert(replaced).second) continue;
    subsets.erase(subset);
    return;
  }
}

/// `count` different subsets that use every switch as often as any other, or once more. Each replacement
/// lowers the sum of the squares of the uses, so there is an end.
std::set<Subset> balanced_subsets(std::uint32_t switches, std::uint32_t degree, std::uint64_t count) {
  std::set<Subset> subsets = rotated_subsets(switches, degree, count);
  std::vector<std::uint64_t> uses(switches);
  for (const Subset& subset : subsets)
    for (const std::uint32_t at : subset) ++uses[at];
  for (;;) {
    const auto [least, most] = std::ranges::minmax_element(uses);
    if (*most - *least < 2) return subsets;
    move_use(subsets, static_cast<std::uint32_t>(most - uses.begin()),
             static_cast<std::uint32_t>(least - uses.begin()));
    --*most;
    ++*least;
  }
}

}  // namespace

Attachments uniform_attachments(std::uint32_t switches, std::uint32_t degree, std::uint32_t terminals) {
  require_degree(degree, switches);
  require_fitting_ports(degree, terminals);
  Attachments attachments;
  const std::uint64_t all = choose_up_to(switches, degree, std::uint64_t{terminals} + 1);
  for (std::uint64_t round = 0; round < terminals / all; ++round) {
    Subset subset = first_subset(degree);
    do attachments.push_back(subset);
    while (next_combination(subset, switches));
  }
  for (const Subset& subset : balanced_subsets(switches, degree, terminals % all))
    attachments.push_back(subset);
  return attachments;
}

}  // namespace faultline
