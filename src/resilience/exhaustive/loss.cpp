// SPDX-License-Identifier: Apache-2.0
#include "faultline/resilience/loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "base/sort_unique.h"
#include "faultline/base/error.h"
#include "resilience/connections/largest_set.h"

namespace faultline::survival {
namespace {

/// Families of up to this many components are looked up in a table.
constexpr std::uint32_t max_table_pieces = 8;
/// Enough that no fault set of the networks of paper 4 comes near it.
constexpr std::uint64_t max_branchings = 10'000'000;

}  // namespace

LossCounter::LossCounter(const SwitchGraph& network, std::vector<FailedPart> failed_parts)
    : network_(network),
      failed_parts_(std::move(failed_parts)),
      neighbours_(network.switches),
      dead_terminal_(network.terminals.size()),
      dead_switch_(network.switches),
      piece_(network.switches),
      small_counts_(std::size_t{1} << max_table_pieces) {
  std::size_t links = network.links.size();
  for (std::uint32_t link = 0; link < network.links.size(); ++link) {
    const auto [a, b] = network.links[link];
    neighbours_[a].emplace_back(b, link);
    neighbours_[b].emplace_back(a, link);
  }
  std::map<std::vector<std::uint32_t>, std::uint32_t> found;
  for (const auto& attached : network.terminals) {
    std::vector<std::uint32_t> at;
    for (const auto& attachment : attached) {
      at.push_back(attachment.at);
      links = std::max<std::size_t>(links, attachment.link + 1);
    }
    const auto [entry, is_new] = found.emplace(at, static_cast<std::uint32_t>(types_.size()));
    if (is_new) types_.push_back({at, 0});
    ++types_[entry->second].members;
    type_of_.push_back(entry->second);
  }
  dead_link_.resize(links);
  parts_without_faults_ = mark_pieces();
}

bool LossCounter::fits(std::uint32_t faults) const {
  std::size_t max_links = 1, fewest_neighbours = network_.switches;
  for (const auto& links : neighbours_) {
    max_links = std::max(max_links, links.size());
    std::set<std::uint32_t> others;
    for (const auto& [other, link] : links) others.insert(other);
    fewest_neighbours = std::min(fewest_neighbours, others.size());
  }
  // A failed switch leaves at most as many components as it had links, a failed link at most two in place of
  // one. With fewer faults than any switch has neighbours, it keeps the others in its component.
  std::uint64_t most =
      std::min<std::uint64_t>(network_.switches, parts_without_faults_ + std::uint64_t{faults} * max_links);
  if (faults < fewest_neighbours)
    most = std::min<std::uint64_t>(most, network_.switches / (fewest_neighbours - faults + 1));
  return most <= max_pieces;
}

void LossCounter::apply(std::span<const std::uint32_t> set) {
  for (const std::uint32_t link : dead_links_) dead_link_[link] = false;
  for (const std::uint32_t terminal : affected_terminals_) dead_terminal_[terminal] = false;
  dead_switch_.assign(network_.switches, false);
  dead_links_.clear();
  affected_terminals_.clear();
  for (const std::uint32_t component : set) {
    const FailedPart& part = failed_parts_[component];
    if (part.what == FailedPart::What::at_switch) {
      dead_switch_[part.index] = true;
      continue;
    }
    if (part.what == FailedPart::What::terminal) {
      dead_terminal_[part.index] = true;
    } else {
      dead_link_[part.index] = true;
      dead_links_.push_back(part.index);
    }
    if (part.what != FailedPart::What::network_link) affected_terminals_.push_back(part.terminal);
  }
  sort_unique(affected_terminals_);
}

void LossCounter::find_pieces() {
  piece_count_ = mark_pieces();
  if (piece_count_ > max_pieces)
    throw Error("resilience.lost", fmt::format("{} switches", network_.switches),
                fmt::format("must not fall into more than {} parts", max_pieces));
}

std::uint32_t LossCounter::mark_pieces() {
  std::ranges::fill(piece_, no_piece);
  std::uint32_t count = 0;
  for (std::uint32_t start = 0; start < network_.switches; ++start) {
    if (dead_switch_[start] || piece_[start] != no_piece) continue;
    if (++count > max_pieces) return count;
    const auto piece = static_cast<std::uint8_t>(count - 1);
    piece_[start] = piece;
    queue_.assign(1, start);
    while (!queue_.empty()) {
      const std::uint32_t at = queue_.back();
      queue_.pop_back();
      for (const auto& [next, link] : neighbours_[at]) {
        if (piece_[next] != no_piece || dead_switch_[next] || dead_link_[link]) continue;
        piece_[next] = piece;
        queue_.push_back(next);
      }
    }
  }
  return count;
}

LossCounter::Pieces LossCounter::pieces_of(std::uint32_t terminal) const {
  Pieces pieces = 0;
  if (dead_terminal_[terminal]) return pieces;
  for (const auto& [at, link] : network_.terminals[terminal])
    if (piece_[at] != no_piece && !dead_link_[link]) pieces |= Pieces{1} << piece_[at];
  return pieces;
}

void LossCounter::count(Pieces pieces, std::uint32_t members) {
  if (pieces == 0 || members == 0) return;
  if (piece_count_ <= max_table_pieces) {
    std::uint32_t& entry = small_counts_[pieces];
    if (entry == 0) families_.push_back({pieces, 0});
    entry += members;
    return;
  }
  const auto found = std::ranges::find(families_, pieces, &Family::pieces);
  if (found != families_.end())
    found->members += members;
  else
    families_.push_back({pieces, members});
}

void LossCounter::find_families() {
  families_.clear();
  live_terminals_ = 0;
  healthy_members_.clear();
  for (const Type& type : types_) healthy_members_.push_back(type.members);
  for (const std::uint32_t terminal : affected_terminals_) {
    --healthy_members_[type_of_[terminal]];
    count(pieces_of(terminal), 1);
  }
  for (std::size_t i = 0; i < types_.size(); ++i) {
    Pieces pieces = 0;
    for (const std::uint32_t at : types_[i].at)
      if (piece_[at] != no_piece) pieces |= Pieces{1} << piece_[at];
    count(pieces, healthy_members_[i]);
    if (pieces != 0) live_terminals_ += types_[i].members;
  }
  if (piece_count_ <= max_table_pieces)
    for (Family& family : families_) {
      family.members = small_counts_[family.pieces];
      small_counts_[family.pieces] = 0;
    }
}

std::uint64_t LossCounter::connected_pairs() const {
  std::uint64_t pairs = 0;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const std::uint64_t members = families_[i].members;
    pairs += members * (members - 1);
    for (std::size_t j = 0; j < i; ++j)
      if ((families_[i].pieces & families_[j].pieces) != 0) pairs += 2 * members * families_[j].members;
  }
  return pairs;
}

std::uint64_t LossCounter::largest(std::span<const Family> families, bool& exact) const {
  // All terminals of one piece; with three pieces also all that are attached to two of them.
  std::uint64_t all = 0, best = 0;
  for (const Family& family : families) all += family.members;
  for (std::uint32_t piece = 0; piece < piece_count_; ++piece) {
    std::uint64_t here = 0;
    for (const Family& family : families)
      if ((family.pieces >> piece & 1U) != 0) here += family.members;
    best = std::max(best, here);
  }
  if (best == all || piece_count_ < 3) return best;
  if (piece_count_ == 3) {
    std::uint64_t majority = 0;
    for (const Family& family : families)
      if (std::popcount(family.pieces) >= 2) majority += family.members;
    return std::max(best, majority);
  }
  std::vector<std::uint64_t> weights;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> apart;
  for (std::uint32_t i = 0; i < families.size(); ++i) {
    weights.push_back(families[i].members);
    for (std::uint32_t j = 0; j < i; ++j)
      if ((families[i].pieces & families[j].pieces) == 0) apart.emplace_back(j, i);
  }
  const LargestSet found = largest_independent_set(weights, apart, max_branchings);
  exact = exact && found.exact;
  return found.weight;
}

Loss LossCounter::loss(std::span<const std::uint32_t> set) {
  if (network_.terminals.empty()) return {};
  apply(set);
  find_pieces();
  find_families();
  Loss loss{.connected_pairs = connected_pairs(),
            .live_pairs = live_terminals_ == 0 ? 0 : live_terminals_ * (live_terminals_ - 1)};
  const std::uint64_t kept = std::max<std::uint64_t>(largest(families_, loss.exact), 1);
  loss.terminals = static_cast<std::uint32_t>(network_.terminals.size() - kept);
  return loss;
}

std::vector<std::uint32_t> LossCounter::lost(std::span<const std::uint32_t> set) {
  if (network_.terminals.empty()) return {};
  apply(set);
  find_pieces();
  find_families();
  bool exact = true;
  std::uint64_t wanted = largest(families_, exact);
  std::vector<Family> left = families_;
  std::vector<Pieces> kept;
  // A family belongs to a largest set if the largest set of those that meet it is as large.
  for (const Family& family : families_) {
    if (std::ranges::find(left, family.pieces, &Family::pieces) == left.end()) continue;
    std::vector<Family> others;
    for (const Family& other : left)
      if (other.pieces != family.pieces && (other.pieces & family.pieces) != 0) others.push_back(other);
    if (family.members + largest(others, exact) != wanted) {
      std::erase_if(left, [&](const Family& other) { return other.pieces == family.pieces; });
      continue;
    }
    kept.push_back(family.pieces);
    wanted -= family.members;
    left = std::move(others);
  }
  std::vector<std::uint32_t> lost;
  for (std::uint32_t terminal = 0; terminal < network_.terminals.size(); ++terminal)
    if (std::ranges::find(kept, pieces_of(terminal)) == kept.end()) lost.push_back(terminal);
  if (kept.empty()) lost.erase(lost.begin());  // a terminal alone is a set as well
  return lost;
}

}  // namespace faultline::survival
