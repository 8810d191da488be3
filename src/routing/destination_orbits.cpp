// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/destination_orbits.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>

#include "base/arena.h"
#include "faultline/routing/alike.h"

namespace faultline {

DestinationOrbits::DestinationOrbits(const Topology& topology) {
  const auto most = static_cast<std::uint64_t>(topology.terminal_count());
  for (Automorphism& one : topology.automorphisms()) {
    const std::uint64_t order = order_of(one, most);
    if (order == 0 || words_ * order > most) continue;
    generators_.push_back(std::move(one));
    orders_.push_back(static_cast<std::uint32_t>(order));
    words_ *= order;
    if (is_regular(topology)) continue;
    words_ /= order;
    orders_.pop_back();
    generators_.pop_back();
  }
}

bool DestinationOrbits::is_regular(const Topology& topology) const {
  std::vector<bool> seen(topology.terminal_count());
  for (const TerminalId terminal : topology.terminals()) {
    if (seen[terminal.index()]) continue;
    for (const TerminalId member : members(terminal)) {
      if (seen[member.index()]) return false;
      seen[member.index()] = true;
    }
  }
  return true;
}

std::vector<TerminalId> DestinationOrbits::representatives(const Topology& topology) const {
  std::vector<bool> seen(topology.terminal_count());
  std::vector<TerminalId> firsts;
  for (const TerminalId terminal : topology.terminals()) {
    if (seen[terminal.index()]) continue;
    firsts.push_back(terminal);
    for (const TerminalId member : members(terminal)) seen[member.index()] = true;
  }
  return firsts;
}

DestinationOrbits::Step DestinationOrbits::step_to(std::size_t word) const {
  std::size_t stride = 1;
  for (std::size_t generator = 0;; stride *= orders_[generator++])
    if (word / stride % orders_[generator] != 0) return {word - stride, generator};
}

std::vector<TerminalId> DestinationOrbits::members(TerminalId representative) const {
  std::vector<TerminalId> all{representative};
  for (std::size_t word = 1; word < words_; ++word) {
    const Step step = step_to(word);
    all.push_back(generators_[step.generator].terminals[all[step.from].index()]);
  }
  return all;
}

namespace {

/// What a generator does to a switch's answers as bits: tables by byte, one for each way in which it permutes
/// the ports of some switch.
class ImageOfBits {
 public:
  ImageOfBits(const RoutingRelation& relation, const Automorphism& one) {
    const Topology& topology = relation.topology();
    std::map<std::vector<std::uint32_t>, std::uint32_t> known;
    for (const SwitchId at : topology.switches()) {
      const std::vector<std::uint32_t> ports = ports_of(topology, one, at);
      if (std::ranges::is_sorted(ports)) {
        table_.push_back(none);
        continue;
      }
      const auto [entry, is_new] = known.emplace(ports, static_cast<std::uint32_t>(tables_.size()));
      if (is_new) tables_.push_back(table_of(ports, relation.virtual_channels()));
      table_.push_back(entry->second);
    }
  }

  [[nodiscard]] std::uint64_t operator()(std::size_t at, std::uint64_t bits) const {
    if (table_[at] == none) return bits;
    const Table& table = tables_[table_[at]];
    std::uint64_t image = 0;
    for (std::size_t byte = 0; bits != 0; ++byte, bits >>= 8) image |= table[byte][bits & 0xFF];
    return image;
  }

 private:
  using Table = std::array<std::array<std::uint64_t, 256>, 8>;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  static std::vector<std::uint32_t> ports_of(const Topology& topology, const Automorphism& one, SwitchId at) {
    const auto images = topology.outputs(one.switches[at.index()]);
    std::vector<std::uint32_t> ports;
    for (const ChannelId channel : topology.outputs(at))
      ports.push_back(static_cast<std::uint32_t>(std::ranges::find(images, one.channels[channel.index()]) -
                                                 images.begin()));
    return ports;
  }

  static Table table_of(const std::vector<std::uint32_t>& ports, std::uint32_t vcs) {
    Table table{};
    for (std::size_t byte = 0; byte < 8; ++byte)
      for (std::uint32_t value = 0; value < 256; ++value)
        for (std::uint32_t rest = value; rest != 0; rest &= rest - 1) {
          const std::size_t bit = 8 * byte + static_cast<std::size_t>(std::countr_zero(rest));
          if (bit / vcs < ports.size())
            table[byte][value] |= std::uint64_t{1} << (ports[bit / vcs] * vcs + bit % vcs);
        }
    return table;
  }

  std::vector<std::uint32_t> table_;  ///< by switch
  std::vector<Table> tables_;
};

class Comparison {
 public:
  Comparison(const RoutingRelation& relation, const DestinationOrbits& orbits,
             const std::vector<TerminalId>& members)
      : relation_(relation), orbits_(orbits), members_(members) {
    for (const Automorphism& one : orbits.generators()) images_.emplace_back(relation, one);
  }

  /// Words first … first + orders[0] - 1, each against the one from which its last step comes.
  [[nodiscard]] bool row_follows(std::size_t first) const {
    std::vector<std::uint64_t> answers;
    if (first != 0) {
      const DestinationOrbits::Step step = orbits_.step_to(first);
      answers = answers_for(step.from);
      if (!moves_to(answers, first, step.generator)) return false;
    } else {
      answers = answers_for(0);
    }
    for (std::size_t word = first + 1; word < first + orbits_.orders().front(); ++word)
      if (!moves_to(answers, word, 0)) return false;
    return true;
  }

 private:
  [[nodiscard]] std::vector<std::uint64_t> answers_for(std::size_t word) const {
    std::vector<std::uint64_t> answers;
    for (const SwitchId at : relation_.topology().switches())
      answers.push_back(relation_.output_bits(at, members_[word]));
    return answers;
  }

  /// Whether the generator maps `answers` to those for `word`, which then replace them.
  [[nodiscard]] bool moves_to(std::vector<std::uint64_t>& answers, std::size_t word,
                              std::size_t generator) const {
    std::vector<std::uint64_t> next(answers.size());
    const Automorphism& one = orbits_.generators()[generator];
    const ImageOfBits& image = images_[generator];
    for (std::size_t at = 0; at < answers.size(); ++at) {
      const SwitchId there = one.switches[at];
      const std::uint64_t answer = relation_.output_bits(there, members_[word]);
      if (answer != image(at, answers[at])) return false;
      next[there.index()] = answer;
    }
    answers.swap(next);
    return true;
  }

  const RoutingRelation& relation_;
  const DestinationOrbits& orbits_;
  const std::vector<TerminalId>& members_;
  std::vector<ImageOfBits> images_;
};

}  // namespace

bool follows(const RoutingRelation& relation, const DestinationOrbits& orbits,
             const std::vector<TerminalId>& members, std::uint32_t threads, StopFlag stop) {
  if (members.size() == 1) return true;
  if (!compares_by_output_bits(relation)) return false;
  const Comparison comparison(relation, orbits, members);
  std::atomic<bool> differs = false;
  const std::size_t row = orbits.orders().front();
  tbb::task_arena arena(arena_threads(threads));
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, members.size() / row, [&](std::size_t i) {
      if (differs) return;
      end_if_set(stop);
      if (!comparison.row_follows(i * row)) differs = true;
    });
  });
  return !differs;
}

}  // namespace faultline
