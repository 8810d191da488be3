// SPDX-License-Identifier: Apache-2.0
#include "compare.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace checker {
namespace {

std::string text_of(const Channel& channel) {
  return std::string(1, static_cast<char>(channel.role)) + " " + std::to_string(channel.from) + " " +
         std::to_string(channel.to);
}

/// The same lines of one destination; options in the same order.
void compare_destination(const Destination& ours, const Destination& theirs) {
  const auto refuse = [&](const std::string& what) {
    throw Refused(theirs.line, "destination " + std::to_string(theirs.terminal) + ": " + what +
                                   " is not as in the certificate");
  };
  for (std::size_t source = 0; source < theirs.starts.size(); ++source)
    if (ours.starts[source] != theirs.starts[source]) refuse("source " + std::to_string(source));
  if (ours.keys != theirs.keys) refuse("the list of states");
  for (std::size_t s = 0; s < theirs.states.size(); ++s)
    if (ours.states[s] != theirs.states[s])
      refuse("state (" + std::to_string(theirs.keys[s].at) + ", " + std::to_string(theirs.keys[s].vc) + ", " +
             std::to_string(theirs.keys[s].tag) + ")");
}

/// A renaming changes the order of options.
void sort_options(Destination& destination) {
  const auto key = [](const Move& move) { return std::tuple(move.channel, move.vc, move.tag, move.tier); };
  for (auto* table : {&destination.states, &destination.starts})
    for (auto& moves : *table) std::ranges::sort(moves, {}, key);
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
    if (theirs.role != ours.role || theirs.from != ours.from || theirs.to != ours.to ||
        (theirs.link && theirs.link != ours.link) || (are_cycles_given && theirs.cycles != ours.cycles))
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
  for (std::size_t c = 0; c < std::min(theirs.channels.size(), ours.channels.size()); ++c)
    same(theirs.channels[c] == ours.channels[c], "channel " + std::to_string(c));
  same(theirs.channels.size() == ours.channels.size(), "the number of channels");
  same(theirs.rings == ours.rings, "a ring");
  const std::vector<Origin> origins = origins_of_destinations(certificate);
  for (Number d = 0; d < theirs.terminals; ++d) {
    Lines quoted = certificate.destinations[origins[d].stated];
    Destination stated = read_destination(quoted, ours, certificate.stated[origins[d].stated]);
    Destination installed = read_destination(lines, theirs, d);
    if (origins[d].word != 0) {
      stated = certificate.orbits.word(origins[d].word, ours).image(stated, ours);
      sort_options(stated);
      sort_options(installed);
    }
    compare_destination(stated, installed);
  }
  lines.expect("end");
  lines.end_line();
  if (!lines.at_end()) lines.refuse("text follows the end");
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
