// SPDX-License-Identifier: Apache-2.0
#include "compare.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace checker {
namespace {

std::string text_of(const Channel& channel) {
  return std::string(1, static_cast<char>(channel.role)) + " " + std::to_string(channel.from) + " " +
         std::to_string(channel.to);
}

bool same_ends(const Channel& a, const Channel& b) {
  return a.role == b.role && a.from == b.from && a.to == b.to;
}

/// Whether two lists of channels are divided into links alike, whatever numbers the links have. A channel
/// without a number is a link of its own.
class SameLinks {
 public:
  /// False for the first channel, in order, that joins others in one of the lists only.
  bool add(Number channel, std::optional<Number> ours, std::optional<Number> theirs) {
    const Number in_ours = ours ? first_of_ours_.try_emplace(*ours, channel).first->second : channel;
    const Number in_theirs = theirs ? first_of_theirs_.try_emplace(*theirs, channel).first->second : channel;
    return in_ours == in_theirs;
  }

 private:
  std::map<Number, Number> first_of_ours_, first_of_theirs_;  ///< by link: its first channel
};

/// An option on one virtual channel, where the state behind it follows from the rest. Which moves are escapes
/// is part of a proof, not of what packets do. `option`: its position among those of its state, or 0 where
/// that does not count.
auto key_of(const Move& move, bool options_count) {
  return std::tuple(options_count ? move.option : 0, move.channel, move.vc, move.tag, move.tier);
}

/// Whether two states, or sources, offer the same options in the same order. A renaming changes the order,
/// and moves are then compared in any order: where an option ends does not matter there, because only acyclic
/// dependencies are carried to other destinations.
bool same_moves(std::vector<Move> ours, std::vector<Move> theirs, bool are_renamed) {
  const auto key = [&](const Move& move) { return key_of(move, !are_renamed); };
  if (are_renamed)
    for (auto* moves : {&ours, &theirs}) std::ranges::sort(*moves, {}, key);
  return std::ranges::equal(ours, theirs, {}, key, key);
}

/// By state: whether packets reach it by options of any tier, over whatever channels.
std::vector<bool> reached(const Destination& destination) {
  std::vector<bool> found(destination.keys.size());
  std::vector<std::size_t> open;
  const auto enter = [&](const std::vector<Move>& moves) {
    for (const Move& move : moves) {
      if (move.ejects || found[move.next]) continue;
      found[move.next] = true;
      open.push_back(move.next);
    }
  };
  for (const auto& moves : destination.starts) enter(moves);
  while (!open.empty()) {
    const std::size_t state = open.back();
    open.pop_back();
    enter(destination.states[state]);
  }
  return found;
}

/// The same options of sources, and in every state that packets reach.
void compare_destination(const Destination& ours, const Destination& theirs, bool are_renamed) {
  const auto refuse = [&](const std::string& what) {
    throw Refused(theirs.line, "destination " + std::to_string(theirs.terminal) + ": " + what +
                                   " is not as in the certificate");
  };
  for (std::size_t source = 0; source < theirs.starts.size(); ++source)
    if (!same_moves(ours.starts[source], theirs.starts[source], are_renamed))
      refuse("source " + std::to_string(source));
  // The same sources and states lead to the same states: those that only one of the two reaches lie behind a
  // difference.
  const std::vector<bool> is_reached = reached(theirs);
  for (std::size_t s = 0; s < theirs.states.size(); ++s) {
    if (!is_reached[s]) continue;
    const Key& key = theirs.keys[s];
    const auto state = ours.find(key);
    if (!state || !same_moves(ours.states[*state], theirs.states[s], are_renamed))
      refuse("state (" + std::to_string(key.at) + ", " + std::to_string(key.vc) + ", " +
             std::to_string(key.tag) + ")");
  }
}

/// The stated destination that a word maps to another one.
struct Origin {
  std::size_t stated = 0;
  Number word = 0;
};

std::vector<Origin> origins_of_destinations(const Certificate& certificate) {
  std::vector<Origin> origins(certificate.relation.terminals);
  for (Number word = 0; word < certificate.orbits.words(); ++word) {
    const Renaming whole = certificate.orbits.word(word, certificate.relation);
    for (std::size_t i = 0; i < certificate.stated.size(); ++i)
      origins[whole.terminals[certificate.stated[i]]] = {i, word};
  }
  return origins;
}

}  // namespace

void compare_network(const Certificate& certificate, std::string_view text) {
  const Relation& relation = certificate.relation;
  std::size_t number = 0;
  SameLinks links;  // of the channels whose link is known
  for (Lines lines(text); !lines.at_end();) {
    if (lines.begins("#")) {
      lines.skip_line();
      continue;
    }
    if (number == relation.channels.size()) lines.refuse("the certificate has fewer channels");
    const std::size_t line = lines.line();
    bool are_cycles_given = false;
    const Channel theirs = read_channel(lines, relation, &are_cycles_given);
    const Channel& ours = relation.channels[number++];
    if (!same_ends(ours, theirs) || (theirs.link && !links.add(number - 1, ours.link, theirs.link)) ||
        (are_cycles_given && theirs.cycles != ours.cycles))
      throw Refused(line, "channel " + std::to_string(number - 1) + " is '" + text_of(theirs) +
                              "'; the certificate's is '" + text_of(ours) + "'");
  }
  if (number != relation.channels.size())
    throw Refused(0, "the certificate has " + std::to_string(relation.channels.size()) +
                         " channels, the list of cables " + std::to_string(number));
}

void compare_relation(const Certificate& certificate, std::string_view text) {
  Lines lines(text);
  const Relation theirs = read_relation(lines);
  const Relation& ours = certificate.relation;
  const auto same = [&](bool is_same, const std::string& what) {
    if (!is_same) throw Refused(lines.line(), what + " is not as in the certificate");
  };
  same(theirs.network == ours.network, "the network's name");
  same(theirs.switches == ours.switches, "the number of switches");
  same(theirs.terminals == ours.terminals, "the number of terminals");
  same(theirs.virtual_channels == ours.virtual_channels, "the number of virtual channels");
  same(theirs.tags == ours.tags && theirs.reads_held == ours.reads_held, "what distinguishes states");
  SameLinks links;
  for (std::size_t c = 0; c < std::min(theirs.channels.size(), ours.channels.size()); ++c) {
    const Channel &channel = ours.channels[c], &other = theirs.channels[c];
    same(
        same_ends(channel, other) && channel.cycles == other.cycles && links.add(c, channel.link, other.link),
        "channel " + std::to_string(c));
  }
  same(theirs.channels.size() == ours.channels.size(), "the number of channels");
  same(theirs.rings == ours.rings, "a ring");
  const std::vector<Origin> origins = origins_of_destinations(certificate);
  for (Number d = 0; d < theirs.terminals; ++d) {
    Lines quoted = certificate.destinations[origins[d].stated];
    Destination stated = read_destination(quoted, ours, certificate.stated[origins[d].stated]);
    const Destination installed = read_destination(lines, theirs, d);
    const bool is_renamed = origins[d].word != 0;
    if (is_renamed) stated = certificate.orbits.word(origins[d].word, ours).image(stated, ours);
    compare_destination(stated, installed, is_renamed);
  }
  lines.end_text();
}

void compare_dead(const Certificate& certificate, std::string_view text) {
  const std::set<Number> ours(certificate.dead.begin(), certificate.dead.end());
  std::set<Number> theirs;
  for (Lines lines(text); !lines.at_end();) {
    if (lines.begins("#")) {
      lines.skip_line();
      continue;
    }
    const Number channel = lines.number(0, certificate.relation.channels.size() - 1);
    if (!ours.contains(channel))
      lines.refuse("channel " + std::to_string(channel) + " is not dead in the certificate");
    theirs.insert(channel);
    lines.end_line();
  }
  for (const Number channel : certificate.dead)
    if (!theirs.contains(channel))
      throw Refused(0, "channel " + std::to_string(channel) + " is dead in the certificate only");
}

}  // namespace checker
