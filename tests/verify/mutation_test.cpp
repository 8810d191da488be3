// SPDX-License-Identifier: Apache-2.0
// A certificate whose meaning has been changed is never accepted.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>

#include "faultline/base/random.h"
#include "support/effort.h"
#include "support/weekly_seed.h"
#include "verify/certificate_lines.h"
#include "verify/examples.h"

namespace faultline {
namespace {

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
  [[nodiscard]] std::size_t first(std::string_view keyword) const {
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (const Words words = words_of(lines_[i]); words[0] == keyword) return i;
    return lines_.size();
  }
  /// Whether the line of this keyword says so.
  [[nodiscard]] bool says(std::string_view keyword, std::string_view word) const {
    return words(first(keyword))[1] == word;
  }
  void insert(std::size_t line, const std::string& text) {
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(line), text);
  }
  /// FROM and TO of a channel of the relation, its role first.
  [[nodiscard]] Words channel(std::size_t number) const { return words(first("channels") + 1 + number); }
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

/// Another number in one word of the first line with this keyword.
bool change_number(Mutant& mutant, std::string_view keyword) {
  const std::size_t line = mutant.first(keyword);
  Words words = mutant.words(line);
  std::string& word = words[1 + mutant.below(words.size() - 1)];
  if (word == "unbounded") return false;
  const std::uint64_t value = std::stoull(word);
  const std::uint64_t by = 1 + mutant.below(3);
  word = std::to_string(value >= by && mutant.below(2) == 0 ? value - by : value + by);
  mutant.replace(line, words);
  return true;
}

/// The channel that an option names.
std::size_t channel_in(const std::string& option) { return std::stoull(option.substr(0, option.find('/'))); }

/// Where options begin on a line `s` (the relations used tell states apart by tag) or `from`.
std::size_t first_option(const Words& words) { return words[0] == "s" ? 3 : 2; }

std::optional<std::size_t> pick_options(Mutant& mutant, std::string_view keyword) {
  return mutant.pick(keyword, keyword == "s" ? 4 : 3);
}

bool drop_option(Mutant& mutant) {
  if (!mutant.says("dead", "-")) return false;  // one that is ruled out anyway would not be missed
  const auto line = pick_options(mutant, "s");
  Words words = mutant.words(*line);
  const std::size_t first = first_option(words);
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(first + mutant.below(words.size() - first)));
  mutant.replace(*line, words);
  return true;
}

bool repeat_option(Mutant& mutant) {
  if (!mutant.says("dead", "-")) return false;
  const auto line = pick_options(mutant, "s");
  Words words = mutant.words(*line);
  const std::size_t first = first_option(words);
  words.push_back(words[first + mutant.below(words.size() - first)]);
  mutant.replace(*line, words);
  return true;
}

/// A living injection channel is no longer offered.
bool drop_injection(Mutant& mutant) {
  if (!mutant.says("dead", "-")) return false;
  const auto line = pick_options(mutant, "from");
  Words words = mutant.words(*line);
  const std::size_t gone = channel_in(words[2]);
  std::erase_if(words,
                [&](const std::string& word) { return &word >= &words[2] && channel_in(word) == gone; });
  mutant.replace(*line, words);
  return true;
}

bool eject_elsewhere(Mutant& mutant) {
  const auto line = pick_options(mutant, "s");
  Words words = mutant.words(*line);
  for (std::size_t i = 3; i < words.size(); ++i) {
    const std::size_t channel = channel_in(words[i]);
    if (mutant.channel(channel)[0] != "e") continue;
    const bool is_next = mutant.channel(channel + 1)[0] == "e";
    words[i] = std::to_string(is_next ? channel + 1 : channel - 1);
    mutant.replace(*line, words);
    return true;
  }
  return false;
}

bool leave_from_elsewhere(Mutant& mutant) {
  const auto line = pick_options(mutant, "s");
  Words words = mutant.words(*line);
  const std::string here = words[1];
  for (std::size_t channel = 0; mutant.channel(channel)[0] == "n"; ++channel)
    if (mutant.channel(channel)[1] != here && mutant.below(3) == 0) {
      words.push_back(std::to_string(channel));
      mutant.replace(*line, words);
      return true;
    }
  return false;
}

bool move_state_elsewhere(Mutant& mutant) {
  const auto line = pick_options(mutant, "s");
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

bool repeat_line(Mutant& mutant, std::string_view keyword) {
  const auto line = mutant.pick(keyword);
  if (line) mutant.insert(*line, line_of(mutant.words(*line)));
  return line.has_value();
}

bool turn_channel_round(Mutant& mutant) {
  const auto line = mutant.pick("n");
  Words words = mutant.words(*line);
  std::swap(words[1], words[2]);
  mutant.replace(*line, words);
  return true;
}

/// A channel that some state offers, with nothing dead before: the possible moves then differ from the stated
/// ones.
bool kill_channel(Mutant& mutant) {
  if (!mutant.says("dead", "-")) return false;
  const auto line = pick_options(mutant, mutant.below(3) == 0 ? "from" : "s");
  const Words words = mutant.words(*line);
  mutant.replace(mutant.first("dead"), {"dead", std::to_string(channel_in(words[first_option(words)]))});
  return true;
}

bool change_class(Mutant& mutant) {
  const auto line = mutant.pick("classes");
  Words words = mutant.words(*line);
  char& letter = words[2][mutant.below(words[2].size())];
  constexpr std::string_view letters = "spltr-";
  const char before = letter;
  while (letter == before) letter = letters[mutant.below(letters.size())];
  mutant.replace(*line, words);
  return true;
}

/// The buffers of an option of some state and of one that follows it, to one destination.
std::optional<std::pair<std::size_t, std::size_t>> dependent_buffers(Mutant& mutant) {
  const std::size_t vcs = std::stoull(mutant.words(mutant.first("virtual-channels"))[1]);
  const auto buffer = [&](const std::string& option) {
    const std::size_t slash = option.find('/');
    std::uint32_t mask =
        slash == std::string::npos ? 1 : static_cast<std::uint32_t>(std::stoul(option.substr(slash + 1)));
    return channel_in(option) * vcs + static_cast<std::size_t>(std::countr_zero(mask));
  };
  const auto line = pick_options(mutant, "s");
  const std::string option = mutant.words(*line)[3];
  if (mutant.channel(channel_in(option))[0] != "n") return std::nullopt;
  const std::size_t second = option.find('/', option.find('/') + 1);
  const std::string tag = second == std::string::npos
                              ? "0"
                              : option.substr(second + 1, option.find('/', second + 1) - second - 1);
  const std::string to = mutant.channel(channel_in(option))[2];
  std::size_t at = *line;
  while (mutant.words(at)[0] != "destination") --at;
  for (++at; mutant.words(at)[0] == "from" || mutant.words(at)[0] == "s"; ++at) {
    const Words words = mutant.words(at);
    if (words[0] != "s" || words[1] != to || words[2] != tag || words.size() < 4) continue;
    if (mutant.channel(channel_in(words[3]))[0] != "n") return std::nullopt;
    return std::pair(buffer(option), buffer(words[3]));
  }
  return std::nullopt;
}

bool raise_dependent_rank(Mutant& mutant) {
  if (!mutant.says("verdict", "acyclic-dependencies") || !mutant.says("dead", "-")) return false;
  const auto buffers = dependent_buffers(mutant);
  if (!buffers) return false;
  const std::size_t line = mutant.first("ranks");
  Words words = mutant.words(line);
  std::string& held = words[1 + buffers->first];
  std::string& asked = words[1 + buffers->second];
  switch (mutant.below(3)) {
    case 0:
      std::swap(held, asked);
      break;
    case 1:
      asked = held;
      break;
    default:
      asked = "-";
  }
  mutant.replace(line, words);
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

bool break_ring(Mutant& mutant) {
  const auto line = mutant.pick("ring");
  if (!line) return false;
  Words words = mutant.words(*line);
  words.erase(words.begin() + 1 + mutant.below(words.size() - 1));
  mutant.replace(*line, words);
  return true;
}

/// Without one of its steps a packet does not reach the buffer where it waits.
bool drop_step(Mutant& mutant) { return drop_line(mutant, "step"); }

bool change_step(Mutant& mutant) {
  const auto line = mutant.pick("step");
  if (!line) return false;
  Words words = mutant.words(*line);
  std::uint64_t value = std::stoull(words[2]);
  words[2] = std::to_string(value == 0 ? value + 1 : value - 1);
  mutant.replace(*line, words);
  return true;
}

/// A verdict that the relation does not have: the verifier gives the strongest one.
bool rename_verdict(Mutant& mutant) {
  const std::size_t line = mutant.first("verdict");
  const std::string before = mutant.words(line)[1];
  mutant.replace(line, {"verdict", before == "acyclic-dependencies" ? "deadlock"
                                   : before == "bubble"             ? "escape"
                                                                    : "acyclic-dependencies"});
  return true;
}

/// An escape proof does not hold for a selection that commits, nor for faults that come and go.
bool claim_more(Mutant& mutant) {
  if (mutant.says("verdict", "acyclic-dependencies")) return false;
  if (mutant.below(2) == 0)
    mutant.replace(mutant.first("time"), {"time", "any"});
  else if (mutant.says("verdict", "escape"))  // some bubbles prove as much (Committing, certificate_test.cpp)
    mutant.replace(mutant.first("selection"), {"selection", "commits"});
  else
    return false;
  return true;
}

bool rename_network(Mutant& mutant) {
  mutant.replace(mutant.first("topology"), {"topology", "mesh:radix=2x2"});
  return true;
}

bool swap_destinations(Mutant& mutant) {
  const auto line = mutant.pick("destination");
  Words words = mutant.words(*line);
  words[1] = words[1] == "0" ? "1" : "0";
  mutant.replace(*line, words);
  return true;
}

const std::vector<Mutation>& mutations() {
  static const std::vector<Mutation> all{
      {"states", [](Mutant& m) { return change_number(m, "states"); }},
      {"moves", [](Mutant& m) { return change_number(m, "moves"); }},
      {"dependencies", [](Mutant& m) { return change_number(m, "dependencies"); }},
      {"pairs", [](Mutant& m) { return change_number(m, "pairs"); }},
      {"unreachable pairs", [](Mutant& m) { return change_number(m, "unreachable-pairs"); }},
      {"max-hops", [](Mutant& m) { return change_number(m, "max-hops"); }},
      {"switches", [](Mutant& m) { return drop_line(m, "switches"); }},
      {"terminals", [](Mutant& m) { return change_number(m, "terminals"); }},
      {"channels", [](Mutant& m) { return change_number(m, "channels"); }},
      {"drop an option", drop_option},
      {"repeat an option", repeat_option},
      {"drop an injection", drop_injection},
      {"eject to another terminal", eject_elsewhere},
      {"leave from another switch", leave_from_elsewhere},
      {"move a state elsewhere", move_state_elsewhere},
      {"drop a state", [](Mutant& m) { return drop_line(m, "s"); }},
      {"repeat a state", [](Mutant& m) { return repeat_line(m, "s"); }},
      {"drop a pair", [](Mutant& m) { return drop_line(m, "from"); }},
      {"repeat a pair", [](Mutant& m) { return repeat_line(m, "from"); }},
      {"drop a destination", [](Mutant& m) { return drop_line(m, "destination"); }},
      {"swap destinations", swap_destinations},
      {"drop a channel", [](Mutant& m) { return drop_line(m, "n"); }},
      {"drop an injection channel", [](Mutant& m) { return drop_line(m, "i"); }},
      {"drop the classes of a destination", [](Mutant& m) { return drop_line(m, "classes"); }},
      {"another class", change_class},
      {"drop a ring", [](Mutant& m) { return drop_line(m, "ring"); }},
      {"break a ring", break_ring},
      {"drop a packet", [](Mutant& m) { return drop_line(m, "packet"); }},
      {"drop a step", drop_step},
      {"another step", change_step},
      {"turn a channel round", turn_channel_round},
      {"kill a channel", kill_channel},
      {"raise a dependent rank", raise_dependent_rank},
      {"drop a rank", drop_rank},
      {"another verdict", rename_verdict},
      {"claim more", claim_more},
      {"another network", rename_network},
      {"cut off", [](Mutant& m) { return drop_line(m, "end"); }},
  };
  return all;
}

std::vector<std::string> certificates() {
  std::vector<std::string> all{
      certificate_of(verified("mesh:radix=3x3", "dimension-order", Switching::wormhole), Switching::wormhole),
      certificate_of(verified("torus:radix=5x3", "dimension-order", Switching::wormhole),
                     Switching::wormhole),
      certificate_of(verified("torus:radix=5", "dimension-order", Switching::cut_through),
                     Switching::cut_through),
      certificate_of(verified("torus:radix=4x3", "duato", Switching::wormhole), Switching::wormhole),
      certificate_of(verified("torus:radix=5", "duato", Switching::cut_through), Switching::cut_through),
      certificate_of(verified("mesh:radix=3x3", "duato", Switching::cut_through), Switching::cut_through),
      certificate_of(verified("torus:radix=5", "shortest-path", Switching::wormhole), Switching::wormhole),
      certificate_of(verified("mesh:radix=3x3", "minimal-adaptive", Switching::wormhole),
                     Switching::wormhole),
      certificate_of(verified("fat-tree:k=2,n=3", "fta", Switching::wormhole), Switching::wormhole)};
  const TopologyPtr mesh = build_topology(parse_compact("topology", "mesh:radix=3x3"));
  FaultSet dead(*mesh);
  dead.fail(ChannelId(3));
  for (const Knowledge knowledge : {Knowledge::none(), Knowledge::neighbours(), Knowledge::all()})
    all.push_back(
        certificate_of(verified_under(mesh, {dead, knowledge}, parse_compact("routing", "dimension-order"),
                                      Switching::wormhole),
                       Switching::wormhole));
  return all;
}

/// FAULTLINE_MUTATIONS asks for more.
std::size_t mutation_count() {
  const char* asked = std::getenv("FAULTLINE_MUTATIONS");
  return asked == nullptr ? effort(std::size_t{10'000}, std::size_t{1'500}) : std::stoul(asked);
}

TEST(Certificate, MutationsOfTheMeaningAreRejected) {
  const std::vector<std::string> all = certificates();
  for (const std::string& certificate : all) ASSERT_EQ(rejection(certificate), "");
  const std::uint64_t seed = weekly_seed();
  RandomStream random(seed, 0);
  std::vector<std::size_t> applied(mutations().size());
  for (std::size_t done = 0; done < mutation_count();) {
    const std::string& certificate = all[random.next_below(static_cast<std::uint32_t>(all.size()))];
    const std::size_t which = random.next_below(static_cast<std::uint32_t>(mutations().size()));
    Mutant mutant(certificate, random);
    if (!mutations()[which].apply(mutant)) continue;
    ++done;
    ++applied[which];
    ASSERT_NE(rejection(mutant.text()), "")
        << mutations()[which].name << ", FAULTLINE_ORACLE_SEED=" << seed << "\n"
        << mutant.text();
  }
  for (std::size_t which = 0; which < applied.size(); ++which)
    EXPECT_GT(applied[which], 0U) << mutations()[which].name;
}

}  // namespace
}  // namespace faultline
