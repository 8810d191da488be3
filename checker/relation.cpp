// SPDX-License-Identifier: Apache-2.0
#include "relation.h"

#include <algorithm>
#include <limits>
#include <set>

namespace checker {
namespace {

constexpr Number max_tags = std::numeric_limits<Number>::max();
constexpr Number most_virtual_channels = 32;
constexpr Number max_tier = 255;
constexpr Number max_link = (Number{1} << 28) - 1;
constexpr Number max_cycles = 65'536;

void read_channels(Lines& lines, Relation& relation) {
  const Number count = lines.entry("channels", 0, lines.left());
  constexpr std::string_view order = "nie";
  for (Number i = 0; i < count; ++i) {
    const Channel channel = read_channel(lines, relation);
    const auto rank = [&](Role role) { return order.find(static_cast<char>(role)); };
    if (!relation.channels.empty() && rank(channel.role) < rank(relation.channels.back().role))
      throw Refused(lines.line() - 1, "channels must come in the order n, i, e");
    relation.channels.push_back(channel);
  }
}

void read_rings(Lines& lines, Relation& relation) {
  std::set<Number> members;
  for (; lines.take("ring"); lines.end_line()) {
    auto& ring = relation.rings.emplace_back();
    while (!lines.at_line_end()) {
      const std::string_view word = lines.word();
      const std::size_t slash = word.find('/');
      if (slash == std::string_view::npos || relation.network_channels() == 0)
        lines.refuse("a ring's members are CHANNEL/VC");
      ring.push_back(lines.number_of(word.substr(0, slash), 0, relation.network_channels() - 1) *
                         relation.virtual_channels +
                     lines.number_of(word.substr(slash + 1), 0, relation.virtual_channels - 1));
      if (!members.insert(ring.back()).second) lines.refuse("rings meet");
    }
    if (ring.size() < 2) lines.refuse("a ring has fewer than two members");
    const auto channel = [&](std::size_t i) -> const Channel& {
      return relation.channels[ring[i % ring.size()] / relation.virtual_channels];
    };
    for (std::size_t i = 0; i < ring.size(); ++i)
      if (channel(i).to != channel(i + 1).from) lines.refuse("a ring is not closed");
  }
}

/// Reads a line of options onto one destination.
class OptionReader {
 public:
  OptionReader(Lines& lines, const Relation& relation, Number destination)
      : lines_(lines), relation_(relation), destination_(destination) {}

  /// The options of a source: injection channels of it.
  std::vector<Move> of_source(Number source) {
    return options([&](const Channel& channel) {
      if (channel.role != Role::injection || channel.from != source)
        lines_.refuse("an option is not an injection channel of its source");
    });
  }

  std::vector<Move> of_switch(Number at) {
    return options([&](const Channel& channel) {
      if (channel.role == Role::injection || channel.from != at)
        lines_.refuse("an option does not start where its state is");
      if (channel.role == Role::ejection && channel.to != destination_)
        lines_.refuse("ejection to another terminal than the destination");
    });
  }

 private:
  template <class Check>
  std::vector<Move> options(Check check) {
    std::vector<Move> moves;
    for (Number option = 0; !lines_.at_line_end(); ++option) {
      const std::vector<std::string_view> parts = split(lines_.word());
      if (relation_.channels.empty()) lines_.refuse("there is no channel");
      const Number all = (Number{1} << relation_.virtual_channels) - 1;
      Move move;
      move.option = option;
      move.channel = lines_.number_of(parts[0], 0, relation_.channels.size() - 1);
      const Number vcs = parts.size() > 1 ? lines_.number_of(parts[1], 1, all) : 1;
      if (parts.size() > 2) move.tag = lines_.number_of(parts[2], 0, relation_.tags - 1);
      if (parts.size() > 3) move.tier = lines_.number_of(parts[3], 0, max_tier);
      const Number escapes = parts.size() > 4 ? lines_.number_of(parts[4], 0, all) : vcs;
      if ((escapes & ~vcs) != 0) lines_.refuse("an escape is not a virtual channel of its option");
      check(relation_.channels[move.channel]);
      move.ejects = relation_.channels[move.channel].role == Role::ejection;
      if (move.ejects) move.tag = 0;
      for (move.vc = 0; move.vc < relation_.virtual_channels; ++move.vc) {
        move.escape = move.ejects || (escapes >> move.vc & 1) != 0;
        if ((vcs >> move.vc & 1) != 0) moves.push_back(move);
      }
    }
    return moves;
  }

  std::vector<std::string_view> split(std::string_view word) const {
    std::vector<std::string_view> parts{word.substr(0, word.find('/'))};
    while (parts.back().size() < word.size()) {
      word.remove_prefix(parts.back().size() + 1);
      parts.push_back(word.substr(0, word.find('/')));
    }
    if (parts.size() > 5) lines_.refuse("an option has too many parts");
    return parts;
  }

  Lines& lines_;
  const Relation& relation_;
  Number destination_;
};

class DestinationReader {
 public:
  DestinationReader(Lines& lines, const Relation& relation, Number number)
      : lines_(lines), relation_(relation), options_(lines, relation, number) {
    result_.line = lines.line();
    result_.terminal = number;
    result_.starts.resize(relation.terminals);
  }

  Destination read() && {
    if (lines_.entry("destination", 0, relation_.terminals - 1) != result_.terminal)
      throw Refused(result_.line, "destinations are not in order");
    std::vector<bool> seen(relation_.terminals);
    seen[result_.terminal] = true;
    while (true)
      if (lines_.take("from"))
        read_source(seen);
      else if (lines_.take("s"))
        read_state();
      else
        break;
    if (std::find(seen.begin(), seen.end(), false) != seen.end())
      throw Refused(result_.line, "a source has no line");
    for (auto& [key, moves] : states_) {
      result_.keys.push_back(key);
      result_.states.push_back(std::move(moves));
    }
    for (auto& moves : result_.states) link(moves);
    for (auto& moves : result_.starts) link(moves);
    return std::move(result_);
  }

 private:
  void read_source(std::vector<bool>& seen) {
    const Number source = lines_.number(0, relation_.terminals - 1);
    if (seen[source]) lines_.refuse("a source comes twice, or is its destination");
    seen[source] = true;
    result_.starts[source] = options_.of_source(source);
    lines_.end_line();
  }

  void read_state() {
    Key key{0, 0, 0};
    Number where = 0;  // the switch
    if (relation_.reads_held) {
      if (relation_.channels.empty()) lines_.refuse("there is no channel");
      key.at = lines_.number(0, relation_.channels.size() - 1);
      key.vc = lines_.number(0, relation_.virtual_channels - 1);
      if (relation_.channels[key.at].role == Role::ejection)
        lines_.refuse("an ejection channel holds no packet at a switch");
      where = relation_.channels[key.at].to;
    } else {
      where = key.at = lines_.number(0, relation_.switches - 1);
    }
    key.tag = lines_.number(0, relation_.tags - 1);
    if (!states_.emplace(key, options_.of_switch(where)).second) lines_.refuse("a state comes twice");
    lines_.end_line();
  }

  void link(std::vector<Move>& moves) const {
    for (Move& move : moves) {
      if (move.ejects) continue;
      const auto next = result_.find(relation_.behind(move));
      if (!next) throw Refused(result_.line, "an option leads into a state that is not listed");
      move.next = *next;
    }
  }

  Lines& lines_;
  const Relation& relation_;
  OptionReader options_;
  Destination result_;
  std::map<Key, std::vector<Move>> states_;
};

}  // namespace

Channel read_channel(Lines& lines, const Relation& relation, bool* are_cycles_given) {
  const std::string_view word = lines.word();
  if (word != "n" && word != "i" && word != "e") lines.refuse("a channel must be n, i or e");
  Channel channel{static_cast<Role>(word.front()), 0, 0, {}, 1};
  const auto end = [&](bool is_terminal) {
    const Number count = is_terminal ? relation.terminals : relation.switches;
    if (count == 0) lines.refuse("a channel ends nowhere");
    return lines.number(0, count - 1);
  };
  channel.from = end(channel.role == Role::injection);
  channel.to = end(channel.role == Role::ejection);
  if (!lines.at_line_end()) channel.link = lines.number(0, max_link);
  if (are_cycles_given != nullptr) *are_cycles_given = !lines.at_line_end();
  if (!lines.at_line_end()) channel.cycles = lines.number(1, max_cycles);
  lines.end_line();
  return channel;
}

std::optional<std::size_t> Destination::find(const Key& key) const {
  const auto found = std::lower_bound(keys.begin(), keys.end(), key);
  if (found == keys.end() || *found != key) return std::nullopt;
  return static_cast<std::size_t>(found - keys.begin());
}

Number Relation::network_channels() const {
  const auto is_network = [](const Channel& channel) { return channel.role == Role::network; };
  return static_cast<Number>(std::partition_point(channels.begin(), channels.end(), is_network) -
                             channels.begin());
}

Relation read_relation(Lines& lines) {
  Relation relation;
  (void)lines.entry("faultline-relation", 1, 1);
  lines.expect("network");
  relation.network = lines.rest_of_line();
  lines.end_line();
  relation.switches = lines.entry("switches", 1, Number{1} << 20);
  relation.terminals = lines.entry("terminals", 0, lines.left());
  relation.virtual_channels = lines.entry("virtual-channels", 1, most_virtual_channels);
  relation.tags = lines.entry("tags", 1, max_tags);
  relation.reads_held = lines.choice("reads", {"tag", "held"}) == "held";
  read_channels(lines, relation);
  read_rings(lines, relation);
  return relation;
}

Destination read_destination(Lines& lines, const Relation& relation, Number number) {
  return DestinationReader(lines, relation, number).read();
}

std::vector<Lines> skip_destinations(Lines& lines) {
  std::vector<Lines> starts;
  while (true) {
    const Lines here = lines;
    if (lines.take("end")) break;
    if (lines.take("destination")) starts.push_back(here);
    if (starts.empty()) lines.refuse("'destination' is missing");
    lines.skip_line();
  }
  lines.end_line();
  return starts;
}

}  // namespace checker
