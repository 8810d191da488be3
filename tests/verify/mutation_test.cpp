// SPDX-License-Identifier: Apache-2.0
// A certificate whose meaning has been changed is never accepted.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <sstream>

#include "faultline/base/random.h"
#include "verify/examples.h"

namespace faultline {
namespace {

using Lines = std::vector<std::string>;
using Words = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string text_of(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Words words_of(const std::string& line) {
  Words words;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string line_of(const Words& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

/// A certificate to be changed in one place.
class Mutant {
 public:
  Mutant(const std::string& certificate, RandomStream& random)
      : lines_(lines_of(certificate)), random_(random) {}

  /// A random line with this first word, or nothing.
  std::optional<std::size_t> pick(std::string_view keyword, std::size_t least_words = 0) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (const Words words = words_of(lines_[i]);
          !words.empty() && words[0] == keyword && words.size() >= least_words)
        found.push_back(i);
    if (found.empty()) return std::nullopt;
    return found[below(found.size())];
  }
  std::uint32_t below(std::size_t count) { return random_.next_below(static_cast<std::uint32_t>(count)); }
  Words words(std::size_t line) const { return words_of(lines_[line]); }
  void replace(std::size_t line, const Words& words) { lines_[line] = line_of(words); }
  void erase(std::size_t line) { lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(line)); }
  [[nodiscard]] std::string text() const { return text_of(lines_); }
  [[nodiscard]] const Lines& lines() const { return lines_; }

 private:
  Lines lines_;
  RandomStream& random_;
};

/// Changes the meaning in one place; false where the certificate has no such place.
struct Mutation {
  std::string_view name;
  std::function<bool(Mutant&)> apply;
};

bool change_total(Mutant& mutant, std::string_view keyword) {
  const auto line = mutant.pick(keyword);
  Words words = mutant.words(*line);
  const std::uint64_t value = std::stoull(words[1]);
  const std::uint64_t by = 1 + mutant.below(3);
  words[1] = std::to_string(value >= by && mutant.below(2) == 0 ? value - by : value + by);
  mutant.replace(*line, words);
  return true;
}

bool drop_move(Mutant& mutant) {
  const auto line = mutant.pick("s", 3);
  Words words = mutant.words(*line);
  words.erase(words.begin() + 2 + mutant.below(words.size() - 2));
  mutant.replace(*line, words);
  return true;
}

bool repeat_move(Mutant& mutant) {
  const auto line = mutant.pick("s", 3);
  Words words = mutant.words(*line);
  words.push_back(words[2 + mutant.below(words.size() - 2)]);
  mutant.replace(*line, words);
  return true;
}

bool move_state_elsewhere(Mutant& mutant) {
  const auto line = mutant.pick("s", 3);
  Words words = mutant.words(*line);
  words[1] = words[1] == "0" ? "1" : "0";
  mutant.replace(*line, words);
  return true;
}

bool drop_line(Mutant& mutant, std::string_view keyword) {
  const auto line = mutant.pick(keyword);
  if (line) mutant.erase(*line);
  return line.has_value();
}

bool redirect_channel(Mutant& mutant) {
  const auto line = mutant.pick("c");
  Words words = mutant.words(*line);
  std::swap(words[1], words[2]);
  mutant.replace(*line, words);
  return true;
}

/// Two buffers of which one depends on the other, with the ranks of each.
bool swap_dependent_ranks(Mutant& mutant) {
  const auto verdict = mutant.pick("verdict");
  if (mutant.words(*verdict)[1] != "acyclic-dependencies") return false;
  const auto line = mutant.pick("s", 3);
  // A move into some state and one out of it, of the same destination.
  std::size_t first = *line;
  while (mutant.words(first)[0] == "s") --first;
  const Words from = mutant.words(*line);
  const std::string& into = from[2 + mutant.below(from.size() - 2)];
  if (into == "e") return false;
  const std::size_t mark = into.find_first_of("!>");
  const Words next = mutant.words(first + 1 + std::stoull(into.substr(mark + 1)));
  if (next.size() < 3 || next[2] == "e") return false;
  const auto ranks = mutant.pick("ranks");
  Words words = mutant.words(*ranks);
  std::swap(words[1 + std::stoull(into.substr(0, mark))],
            words[1 + std::stoull(next[2].substr(0, next[2].find_first_of("!>")))]);
  mutant.replace(*ranks, words);
  return true;
}

bool reverse_ranks(Mutant& mutant) {
  const auto line = mutant.pick("ranks");
  if (!line) return false;
  Words words = mutant.words(*line);
  std::uint64_t most = 0;
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i] != "-") most = std::max<std::uint64_t>(most, std::stoull(words[i]));
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i] != "-") words[i] = std::to_string(most - std::stoull(words[i]));
  mutant.replace(*line, words);
  return true;
}

bool drop_rank(Mutant& mutant) {
  const auto line = mutant.pick("ranks");
  if (!line) return false;
  Words words = mutant.words(*line);
  words.erase(words.begin() + 1 + mutant.below(words.size() - 1));
  mutant.replace(*line, words);
  return true;
}

/// The only escape of a state becomes an adaptive move.
bool close_escape(Mutant& mutant) {
  if (mutant.words(*mutant.pick("verdict"))[1] != "escape" ||
      mutant.words(*mutant.pick("switching"))[1] != "wormhole")
    return false;
  const auto line = mutant.pick("s", 3);
  Words words = mutant.words(*line);
  for (std::size_t i = 2; i < words.size(); ++i)
    if (words[i] == "e")
      return false;
    else
      std::ranges::replace(words[i], '!', '>');
  mutant.replace(*line, words);
  return true;
}

bool break_ring(Mutant& mutant) {
  const auto line = mutant.pick("ring");
  if (!line) return false;
  Words words = mutant.words(*line);
  words.erase(words.begin() + 1 + mutant.below(words.size() - 1));
  mutant.replace(*line, words);
  return true;
}

bool change_packet(Mutant& mutant) {
  const auto line = mutant.pick("packet");
  if (!line) return false;
  Words words = mutant.words(*line);
  switch (mutant.below(4)) {
    case 0:
      words[1] = words[2];
      break;  // from the destination itself
    case 1:
      words[3] = words[5];
      break;  // in the buffer that it waits for
    case 2:
      words[5] = words[3];
      break;  // waits for itself
    default:
      words.resize(5);
      break;  // waits for nothing
  }
  mutant.replace(*line, words);
  return true;
}

bool rename_verdict(Mutant& mutant) {
  const auto line = mutant.pick("verdict");
  mutant.replace(*line,
                 {"verdict", mutant.words(*line)[1] == "deadlock" ? "acyclic-dependencies" : "deadlock"});
  return true;
}

const std::vector<Mutation>& mutations() {
  static const std::vector<Mutation> all{
      {"states", [](Mutant& m) { return change_total(m, "states"); }},
      {"moves", [](Mutant& m) { return change_total(m, "moves"); }},
      {"dependencies", [](Mutant& m) { return change_total(m, "dependencies"); }},
      {"unreachable pairs", [](Mutant& m) { return change_total(m, "unreachable-pairs"); }},
      {"max-hops", [](Mutant& m) { return change_total(m, "max-hops"); }},
      {"virtual channels", [](Mutant& m) { return change_total(m, "virtual-channels"); }},
      {"drop a move", drop_move},
      {"repeat a move", repeat_move},
      {"move a state elsewhere", move_state_elsewhere},
      {"drop a state", [](Mutant& m) { return drop_line(m, "s"); }},
      {"drop an injection", [](Mutant& m) { return drop_line(m, "i"); }},
      {"drop a destination", [](Mutant& m) { return drop_line(m, "destination"); }},
      {"drop a channel", [](Mutant& m) { return drop_line(m, "c"); }},
      {"drop a ring", [](Mutant& m) { return drop_line(m, "ring"); }},
      {"drop a packet", [](Mutant& m) { return drop_line(m, "packet"); }},
      {"turn a channel round", redirect_channel},
      {"swap dependent ranks", swap_dependent_ranks},
      {"reverse the ranks", reverse_ranks},
      {"drop a rank", drop_rank},
      {"close an escape", close_escape},
      {"break a ring", break_ring},
      {"change a packet", change_packet},
      {"another verdict", rename_verdict},
  };
  return all;
}

TEST(Certificate, ThousandMutationsAreRejected) {
  constexpr auto wormhole = Switching::wormhole;
  constexpr auto cut_through = Switching::cut_through;
  const std::vector<std::string> certificates{
      certificate_of(verified("mesh:radix=3x3", "dimension-order", wormhole), wormhole),
      certificate_of(verified("torus:radix=5x3", "dimension-order", wormhole), wormhole),
      certificate_of(verified("torus:radix=4x4", "dimension-order", cut_through), cut_through),
      certificate_of(verified("torus:radix=4x4", "duato", wormhole), wormhole),
      certificate_of(verified("torus:radix=4x4", "duato", cut_through), cut_through),
      certificate_of(verified("mesh:radix=3x3", "duato", cut_through), cut_through),
      certificate_of(verified("torus:radix=5", "shortest-path", wormhole), wormhole),
      certificate_of(verified("mesh:radix=3x3", "minimal-adaptive", wormhole), wormhole),
      certificate_of(verified("fat-tree:k=2,n=3", "fta", wormhole), wormhole)};
  for (const std::string& certificate : certificates) ASSERT_EQ(rejection(certificate), "");

  const auto seed = static_cast<std::uint64_t>(testing::UnitTest::GetInstance()->random_seed());
  RandomStream random(seed, 0);
  std::vector<std::size_t> applied(mutations().size());
  for (std::size_t done = 0; done < 1000;) {
    const std::string& certificate =
        certificates[random.next_below(static_cast<std::uint32_t>(certificates.size()))];
    const std::size_t which = random.next_below(static_cast<std::uint32_t>(mutations().size()));
    Mutant mutant(certificate, random);
    if (!mutations()[which].apply(mutant)) continue;
    ++done;
    ++applied[which];
    ASSERT_NE(rejection(mutant.text()), "")
        << mutations()[which].name << ", --gtest_random_seed=" << seed << "\n"
        << mutant.text();
  }
  for (std::size_t which = 0; which < applied.size(); ++which)
    EXPECT_GT(applied[which], 0U) << mutations()[which].name;
}

}  // namespace
}  // namespace faultline
