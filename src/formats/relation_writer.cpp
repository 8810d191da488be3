// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "faultline/formats/relation_file.h"

namespace faultline::formats {
namespace {

template <class... Args>
void add(std::string& text, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

/// Fields that have their default value at the end of an option are left out.
void append_option(std::string& text, const RelationOption& option) {
  add(text, " {}", option.channel);
  const bool escapes = option.escapes != option.vcs;
  const bool tier = escapes || option.tier != 0;
  const bool tag = tier || option.tag != 0;
  if (tag || option.vcs != 1) add(text, "/{}", option.vcs);
  if (tag) add(text, "/{}", option.tag);
  if (tier) add(text, "/{}", option.tier);
  if (escapes) add(text, "/{}", option.escapes);
}

void append_options(std::string& text, const RelationDestination& destination, OptionRange range) {
  std::for_each(destination.begin(range), destination.end(range),
                [&](const RelationOption& option) { append_option(text, option); });
  text += '\n';
}

/// A flight time stands behind the number of a link: a channel with a link of its own gets an unused one.
void append_channels(std::string& text, const std::vector<RelationChannel>& channels) {
  constexpr std::string_view letters = "nie";
  std::uint32_t unused = 0;
  for (const RelationChannel& channel : channels)
    if (channel.link != RelationChannel::own_link) unused = std::max(unused, channel.link + 1);
  for (const RelationChannel& channel : channels) {
    add(text, "{} {} {}", letters[static_cast<std::size_t>(channel.role)], channel.from, channel.to);
    if (channel.link != RelationChannel::own_link)
      add(text, " {}", channel.link);
    else if (channel.cycles != 1)
      add(text, " {}", unused++);
    if (channel.cycles != 1) add(text, " {}", channel.cycles);
    text += '\n';
  }
}

}  // namespace

std::string label_text(std::string_view name) {
  const auto separates = [](char c) { return c == ' ' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::string label;
  for (const char c : name)
    if (!separates(c))
      label += c;
    else if (!label.empty() && label.back() != ' ')
      label += ' ';
  if (label.ends_with(' ')) label.pop_back();
  return label.empty() ? "-" : label;
}

void append_relation_head(std::string& text, const RelationFile& file) {
  add(text, "faultline-relation 1\nnetwork {}\nswitches {}\nterminals {}\nvirtual-channels {}\ntags {}\n",
      label_text(file.network), file.switches, file.terminals, file.virtual_channels, file.tags);
  add(text, "reads {}\nchannels {}\n", file.reads_held ? "held" : "tag", file.channels.size());
  append_channels(text, file.channels);
  for (const auto& ring : file.rings) {
    text += "ring";
    for (const RelationBuffer& buffer : ring) add(text, " {}/{}", buffer.channel, buffer.vc);
    text += '\n';
  }
}

void append_relation_destination(std::string& text, const RelationFile& file, std::uint32_t number,
                                 const RelationDestination& destination) {
  add(text, "destination {}\n", number);
  for (std::uint32_t source = 0; source < file.terminals; ++source) {
    if (source == number) continue;
    add(text, "from {}", source);
    append_options(text, destination, destination.from[source]);
  }
  for (const RelationState& state : destination.states) {
    add(text, "s {}", state.at);
    if (file.reads_held) add(text, " {}", state.vc);
    add(text, " {}", state.tag);
    append_options(text, destination, state.options);
  }
}

void append_relation_end(std::string& text) { text += "end\n"; }

std::string relation_text(const RelationFile& file) {
  std::string text;
  append_relation_head(text, file);
  for (std::uint32_t number = 0; number < file.destinations.size(); ++number)
    append_relation_destination(text, file, number, file.destinations[number]);
  append_relation_end(text);
  return text;
}

}  // namespace faultline::formats
