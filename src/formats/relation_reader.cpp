// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <tuple>

#include "faultline/base/file.h"
#include "faultline/formats/limits.h"
#include "faultline/formats/relation_file.h"
#include "formats/relation_lines.h"

namespace faultline::formats {
namespace {

constexpr std::uint32_t max_links = std::uint32_t{1} << 28;

std::tuple<std::uint32_t, std::uint8_t, std::uint64_t> key(const RelationState& state) {
  return {state.at, state.vc, state.tag};
}

/// Network, injection and ejection channels as a line starts.
constexpr std::array<std::string_view, 3> role_letters{"n", "i", "e"};

class Reader {
 public:
  Reader(std::string_view text, const std::string& path, const std::string& field)
      : lines_(text, path, field) {}

  RelationFile read() && {
    read_head();
    read_channels();
    while (lines_.next_is("ring")) read_ring();
    for (std::uint32_t number = 0; number < file_.terminals; ++number) read_destination(number);
    lines_.next("'end'");
    if (const auto word = lines_.word("'end'"); word != "end")
      lines_.refuse(word, "must be 'end', or a line 'from' or 's' of the last destination");
    lines_.end_line();
    if (!lines_.at_end()) lines_.refuse("end", "must be the last line");
    return std::move(file_);
  }

 private:
  void read_head() {
    (void)lines_.entry("faultline-relation", 1, 1);
    lines_.next("'network TEXT'");
    if (const auto word = lines_.word("'network'"); word != "network")
      lines_.refuse(word, "must be 'network TEXT'");
    file_.network = lines_.rest_of_line();
    if (file_.network.empty() || file_.network.front() == ' ' || file_.network.back() == ' ' ||
        file_.network.find("  ") != std::string::npos)
      lines_.refuse(file_.network,
                    "must be 'network TEXT', words separated by single spaces; '-' where it has no name");
    file_.switches = static_cast<std::uint32_t>(lines_.entry("switches", 1, max_relation_switches));
    file_.terminals = static_cast<std::uint32_t>(lines_.entry("terminals", 0, max_relation_switches));
    file_.virtual_channels =
        static_cast<std::uint32_t>(lines_.entry("virtual-channels", 1, max_relation_virtual_channels));
    file_.tags = lines_.entry("tags", 1, ~std::uint64_t{0});
    lines_.next("'reads tag' or 'reads held'");
    if (const auto word = lines_.word("'reads'"); word != "reads")
      lines_.refuse(word, "must be 'reads tag' or 'reads held'");
    const std::string_view what = lines_.word("'tag' or 'held'");
    if (what != "tag" && what != "held") lines_.refuse(what, "must be 'tag' or 'held'");
    file_.reads_held = what == "held";
    lines_.end_line();
  }

  void read_channels() {
    const std::uint64_t count = lines_.entry("channels", 0, max_links);
    for (std::uint64_t i = 0; i < count; ++i) {
      lines_.next("a channel: 'n FROM TO', 'i TERMINAL SWITCH' or 'e SWITCH TERMINAL'");
      const std::string_view word = lines_.word("'n', 'i' or 'e'");
      const auto found = std::ranges::find(role_letters, word);
      if (found == role_letters.end()) lines_.refuse(word, "must be a channel: 'n', 'i' or 'e'");
      RelationChannel channel;
      channel.role = static_cast<ChannelRole>(found - role_letters.begin());
      if (i > 0 && channel.role < file_.channels.back().role)
        lines_.refuse(word, "is out of order; must come in the order n, i, e");
      channel.from = end_of_channel(channel.role == ChannelRole::injection);
      channel.to = end_of_channel(channel.role == ChannelRole::ejection);
      if (channel.role == ChannelRole::network && channel.to == channel.from)
        lines_.refuse(std::to_string(channel.to),
                      "must be another switch than the one that the channel leaves");
      if (!lines_.at_line_end())
        channel.link = static_cast<std::uint32_t>(lines_.number_word("link", 0, max_links - 1));
      if (!lines_.at_line_end())
        channel.cycles =
            static_cast<std::uint32_t>(lines_.number_word("cycles of flight", 1, max_flight_cycles));
      lines_.end_line();
      file_.channels.push_back(channel);
    }
  }

  std::uint32_t end_of_channel(bool is_terminal) {
    return is_terminal ? lines_.id_word("terminal", file_.terminals)
                       : lines_.id_word("switch", file_.switches);
  }

  void read_ring() {
    lines_.next("'ring'");
    (void)lines_.word("'ring'");
    auto& ring = file_.rings.emplace_back();
    while (!lines_.at_line_end()) ring.push_back(ring_member(lines_.word("CHANNEL/VC")));
    if (ring.size() < 2) lines_.refuse("ring", "must have two or more members");
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const RelationBuffer next = ring[(i + 1) % ring.size()];
      if (file_.channels[ring[i].channel].to != file_.channels[next.channel].from)
        lines_.refuse(fmt::format("{}/{}", next.channel, next.vc),
                      fmt::format("leaves the ring open; must start where channel {} ends", ring[i].channel));
    }
  }

  RelationBuffer ring_member(std::string_view word) {
    const std::size_t slash = word.find('/');
    if (slash == std::string_view::npos) lines_.refuse(word, "must be CHANNEL/VC");
    RelationBuffer member;
    member.channel = lines_.id(word.substr(0, slash), "channel", file_.channels.size());
    member.vc = static_cast<std::uint8_t>(
        lines_.id(word.substr(slash + 1), "virtual channel", file_.virtual_channels));
    if (file_.channels[member.channel].role != ChannelRole::network)
      lines_.refuse(word, "must be a network channel: rings lead from switch to switch");
    if (!in_rings_.insert({member.channel, member.vc}).second)
      lines_.refuse(word, "is in a ring already; rings must not meet");
    return member;
  }

  void read_destination(std::uint32_t number) {
    if (lines_.entry("destination", 0, max_relation_switches) != number)
      lines_.refuse("destination", fmt::format("must be destination {}, the next in order", number));
    const int line = lines_.line();
    destination_ = {};
    destination_.from.resize(file_.terminals);
    source_seen_.assign(file_.terminals, false);
    state_lines_.clear();
    option_lines_.clear();
    number_ = number;
    while (true) {
      if (lines_.next_is("from"))
        read_source();
      else if (lines_.next_is("s"))
        read_state();
      else
        break;
    }
    source_seen_[number] = true;
    const auto missing = std::ranges::find(source_seen_, false);
    if (missing != source_seen_.end())
      lines_.refuse_at(line, fmt::format("destination {}", number),
                       fmt::format("has no line 'from {}'; must have one for every other terminal",
                                   missing - source_seen_.begin()));
    sort_states();
    check_next_states();
    file_.destinations.push_back(std::move(destination_));
  }

  void read_source() {
    lines_.next("'from'");
    (void)lines_.word("'from'");
    const std::string_view word = lines_.word("source terminal");
    const std::uint32_t source = lines_.id(word, "source terminal", file_.terminals);
    if (source == number_) lines_.refuse(word, "is the destination; must be another terminal");
    if (source_seen_[source]) lines_.refuse(word, "comes twice; must have one line 'from' a destination");
    source_seen_[source] = true;
    destination_.from[source] = read_options([&](const RelationChannel& channel, std::string_view option) {
      if (channel.role != ChannelRole::injection || channel.from != source)
        lines_.refuse(option, fmt::format("must start at terminal {}: its injection channel", source));
    });
  }

  void read_state() {
    lines_.next("'s'");
    (void)lines_.word("'s'");
    RelationState state;
    std::uint32_t where = 0;  // the switch
    if (file_.reads_held) {
      const std::string_view word = lines_.word("held channel");
      state.at = lines_.id(word, "held channel", file_.channels.size());
      if (file_.channels[state.at].role == ChannelRole::ejection)
        lines_.refuse(word, "must be a network or injection channel: an ejection channel ends at a terminal");
      state.vc = static_cast<std::uint8_t>(lines_.id_word("virtual channel", file_.virtual_channels));
      where = file_.channels[state.at].to;
    } else {
      where = state.at = lines_.id_word("switch", file_.switches);
    }
    state.tag = lines_.number_word("tag", 0, file_.tags - 1);
    state.options = read_options([&](const RelationChannel& channel, std::string_view option) {
      if (channel.role == ChannelRole::injection || channel.from != where)
        lines_.refuse(option, fmt::format("must start at switch {}, where its state is", where));
      if (channel.role == ChannelRole::ejection && channel.to != number_)
        lines_.refuse(option,
                      fmt::format("ejects to terminal {}; must lead to destination {}", channel.to, number_));
    });
    state_lines_.push_back(lines_.line());
    destination_.states.push_back(state);
  }

  template <class Check>
  OptionRange read_options(Check check) {
    const auto first = static_cast<std::uint32_t>(destination_.options.size());
    while (!lines_.at_line_end()) {
      const std::string_view word = lines_.word("option");
      const RelationOption option = option_of(word);
      check(file_.channels[option.channel], word);
      destination_.options.push_back(option);
      option_lines_.push_back(lines_.line());
    }
    return {first, static_cast<std::uint32_t>(destination_.options.size()) - first};
  }

  /// CHANNEL[/VCS[/TAG[/TIER[/ESCAPES]]]]
  RelationOption option_of(std::string_view word) const {
    std::array<std::string_view, 5> parts;
    std::size_t count = 0;
    for (std::size_t start = 0; start <= word.size();) {
      const std::size_t slash = std::min(word.find('/', start), word.size());
      if (count == parts.size()) lines_.refuse(word, "must be CHANNEL[/VCS[/TAG[/TIER[/ESCAPES]]]]");
      parts[count++] = word.substr(start, slash - start);
      start = slash + 1;
    }
    const std::uint64_t all_vcs = (std::uint64_t{1} << file_.virtual_channels) - 1;
    RelationOption option;
    option.channel = lines_.id(parts[0], "channel", file_.channels.size());
    if (count > 1)
      option.vcs =
          static_cast<std::uint32_t>(lines_.number(parts[1], "virtual channels, as a mask", 1, all_vcs));
    if (count > 2) option.tag = lines_.number(parts[2], "tag", 0, file_.tags - 1);
    if (count > 3) option.tier = static_cast<std::uint8_t>(lines_.number(parts[3], "tier", 0, 255));
    option.escapes = option.vcs;
    if (count > 4)
      option.escapes = static_cast<std::uint32_t>(lines_.number(parts[4], "escapes, as a mask", 0, all_vcs));
    if ((option.escapes & ~option.vcs) != 0)
      lines_.refuse(word, "has an escape outside of its virtual channels; must be among them");
    return option;
  }

  void sort_states() {
    auto& states = destination_.states;
    std::vector<std::uint32_t> order(states.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return key(states[i]); });
    std::vector<RelationState> sorted;
    sorted.reserve(states.size());
    for (const std::uint32_t i : order) {
      if (!sorted.empty() && key(sorted.back()) == key(states[i]))
        lines_.refuse_at(state_lines_[i], fmt::format("s {}", states[i].at),
                         "is a state that is listed already; must be listed once");
      sorted.push_back(states[i]);
    }
    states = std::move(sorted);
  }

  void check_next_states() const {
    for (std::size_t i = 0; i < destination_.options.size(); ++i) {
      const RelationOption& option = destination_.options[i];
      if (file_.channels[option.channel].role == ChannelRole::ejection) continue;
      const std::uint32_t at = file_.at_end_of(option.channel);
      for (std::uint8_t vc = 0; vc < file_.virtual_channels; ++vc)
        if ((option.vcs >> vc & 1) != 0 &&
            destination_.find(at, file_.reads_held ? vc : std::uint8_t{0}, option.tag) == nullptr)
          lines_.refuse_at(
              option_lines_[i], fmt::format("{}/{}/{}", option.channel, option.vcs, option.tag),
              fmt::format("leads into a state that is not listed; destination {} must have a line 's {}'",
                          number_,
                          file_.reads_held ? fmt::format("{} {} {}", at, vc, option.tag)
                                           : fmt::format("{} {}", at, option.tag)));
    }
  }

  RelationLines lines_;
  RelationFile file_;
  std::set<std::pair<std::uint32_t, std::uint8_t>> in_rings_;
  // Of the destination that is being read:
  RelationDestination destination_;
  std::uint32_t number_ = 0;
  std::vector<bool> source_seen_;
  std::vector<int> state_lines_, option_lines_;
};

}  // namespace

const RelationState* RelationDestination::find(std::uint32_t at, std::uint8_t vc, std::uint64_t tag) const {
  const auto wanted = std::tuple(at, vc, tag);
  const auto found = std::ranges::lower_bound(states, wanted, {}, key);
  return found == states.end() || key(*found) != wanted ? nullptr : &*found;
}

RelationFile parse_relation(std::string_view text, const std::string& path, const std::string& field) {
  return Reader(text, path, field).read();
}

std::uint64_t unreached_states(const RelationFile& file) {
  std::uint64_t unreached = 0;
  for (const RelationDestination& destination : file.destinations) {
    std::vector<bool> reached(destination.states.size());
    std::vector<OptionRange> todo = destination.from;
    while (!todo.empty()) {
      const OptionRange range = todo.back();
      todo.pop_back();
      for (const RelationOption* option = destination.begin(range); option != destination.end(range);
           ++option) {
        if (file.channels[option->channel].role == ChannelRole::ejection) continue;
        for (std::uint8_t vc = 0; vc < file.virtual_channels; ++vc) {
          if ((option->vcs >> vc & 1) == 0) continue;
          const RelationState* next = destination.find(file.at_end_of(option->channel),
                                                       file.reads_held ? vc : std::uint8_t{0}, option->tag);
          const auto index = static_cast<std::size_t>(next - destination.states.data());
          if (!reached[index]) todo.push_back(next->options);
          reached[index] = true;
        }
      }
    }
    unreached += static_cast<std::uint64_t>(std::ranges::count(reached, false));
  }
  return unreached;
}

}  // namespace faultline::formats
