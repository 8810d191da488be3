// SPDX-License-Identifier: Apache-2.0
#include "orbits.h"

#include <algorithm>
#include <numeric>

namespace checker {
namespace {

constexpr Number nothing = ~Number{0};

/// Notes that `from` becomes `to`; false where it becomes something else already.
bool note(std::vector<Number>& images, Number from, Number to) {
  if (images[from] == nothing) images[from] = to;
  return images[from] == to;
}

/// A switch or terminal at the end of no channel maps to itself; false if two have one image.
bool complete(std::vector<Number>& images) {
  std::vector<bool> seen(images.size());
  for (const Number image : images) {
    if (image == nothing) continue;
    if (seen[image]) return false;
    seen[image] = true;
  }
  for (Number i = 0; i < images.size(); ++i) {
    if (images[i] != nothing) continue;
    if (seen[i]) return false;
    images[i] = i;
  }
  return true;
}

Number order_of(const std::vector<Number>& images, Number most) {
  Number order = 1;
  std::vector<bool> seen(images.size());
  for (Number first = 0; first < images.size(); ++first) {
    Number length = 0;
    for (Number at = first; !seen[at]; at = images[at], ++length) seen[at] = true;
    if (length > most) return nothing;
    if (length != 0) order = std::lcm(order, length);
    if (order > most) return nothing;
  }
  return order;
}

Renaming read_renaming(Lines& lines, const Relation& relation) {
  Renaming one;
  std::vector<bool> seen(relation.channels.size());
  while (!lines.at_line_end()) {
    if (one.channels.size() == relation.channels.size()) lines.refuse("more images than channels");
    const Number image = lines.number(0, relation.channels.size() - 1);
    if (seen[image]) lines.refuse("channel " + std::to_string(image) + " is the image of two channels");
    seen[image] = true;
    one.channels.push_back(image);
  }
  if (one.channels.size() != relation.channels.size()) lines.refuse("fewer images than channels");
  one.switches.assign(relation.switches, nothing);
  one.terminals.assign(relation.terminals, nothing);
  for (Number c = 0; c < relation.channels.size(); ++c) {
    const Channel &channel = relation.channels[c], &image = relation.channels[one.channels[c]];
    auto& from = channel.role == Role::injection ? one.terminals : one.switches;
    auto& to = channel.role == Role::ejection ? one.terminals : one.switches;
    if (channel.role != image.role || !note(from, channel.from, image.from) ||
        !note(to, channel.to, image.to))
      lines.refuse("channel " + std::to_string(c) + " and its image do not join what corresponds");
  }
  if (!complete(one.switches) || !complete(one.terminals))
    lines.refuse("two switches or terminals have one image");
  one.order = order_of(one.channels, relation.terminals);
  if (one.order == nothing) lines.refuse("the automorphism has a longer period than there are terminals");
  return one;
}

}  // namespace

Destination Renaming::image(const Destination& destination, const Relation& relation) const {
  Destination result;
  result.line = destination.line;
  result.terminal = terminals[destination.terminal];
  std::map<Key, std::size_t> sorted;
  for (std::size_t s = 0; s < destination.keys.size(); ++s) {
    Key key = destination.keys[s];
    key.at = relation.reads_held ? channels[key.at] : switches[key.at];
    sorted.emplace(key, s);
  }
  for (const auto& [key, s] : sorted) {
    result.keys.push_back(key);
    result.states.push_back(destination.states[s]);
  }
  result.starts.resize(destination.starts.size());
  for (Number source = 0; source < destination.starts.size(); ++source)
    result.starts[terminals[source]] = destination.starts[source];
  for (auto* table : {&result.states, &result.starts})
    for (auto& moves : *table)
      for (Move& move : moves) {
        move.channel = channels[move.channel];
        if (!move.ejects) move.next = *result.find(relation.behind(move));
      }
  return result;
}

Orbits::Orbits(Lines& lines, const Relation& relation, const std::vector<Number>& stated) {
  const std::size_t line = lines.line();
  for (; lines.take("automorphism"); lines.end_line()) {
    renamings_.push_back(read_renaming(lines, relation));
    words_ *= renamings_.back().order;
    if (words_ > relation.terminals) lines.refuse("there are more words than destinations");
  }
  require_each_once(stated, relation, line);
}

void Orbits::require_each_once(const std::vector<Number>& stated, const Relation& relation,
                               std::size_t line) const {
  std::vector<bool> seen(relation.terminals);
  Number reached = 0;
  for (const Number first : stated) {
    std::vector<Number> members{first};
    for (std::size_t i = renamings_.size(); i-- > 0;) {  // the word's last letter acts first
      const std::size_t so_far = members.size();
      for (std::size_t j = 0; members.size() < so_far * renamings_[i].order; ++j)
        members.push_back(renamings_[i].terminals[members[j]]);
    }
    for (const Number member : members) {
      if (seen[member]) throw Refused(line, "two words lead to destination " + std::to_string(member));
      seen[member] = true;
      ++reached;
    }
  }
  if (reached != relation.terminals) throw Refused(line, "no word leads to some destination");
}

Renaming Orbits::word(Number number, const Relation& relation) const {
  Renaming whole;
  const auto identity = [](std::vector<Number>& images, std::size_t count) {
    images.resize(count);
    std::iota(images.begin(), images.end(), Number{0});
  };
  identity(whole.channels, relation.channels.size());
  identity(whole.switches, relation.switches);
  identity(whole.terminals, relation.terminals);
  std::vector<Number> times;
  for (const Renaming& one : renamings_) {
    times.push_back(number % one.order);
    number /= one.order;
  }
  for (std::size_t i = renamings_.size(); i-- > 0;)
    for (; times[i] != 0; --times[i]) {
      for (Number& image : whole.channels) image = renamings_[i].channels[image];
      for (Number& image : whole.switches) image = renamings_[i].switches[image];
      for (Number& image : whole.terminals) image = renamings_[i].terminals[image];
    }
  return whole;
}

void Dependencies::add(Number held, Number asked) {
  auto& all = asked_[held];
  const auto position = std::ranges::lower_bound(all, asked);
  if (position != all.end() && *position == asked) return;
  all.insert(position, asked);
  ++count_;
}

void Dependencies::close_under(const Orbits& orbits) {
  const Number vcs = relation_->virtual_channels;
  for (std::size_t i = orbits.renamings().size(); i-- > 0;) {
    const Renaming& one = orbits.renamings()[i];
    const auto image = [&](Number buffer) { return one.channels[buffer / vcs] * vcs + buffer % vcs; };
    for (Number before = nothing; before != count_;) {
      before = count_;
      for (Number held = 0; held < asked_.size(); ++held)
        for (const Number asked : std::vector<Number>(asked_[held])) add(image(held), image(asked));
    }
  }
}

}  // namespace checker
