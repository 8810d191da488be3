// SPDX-License-Identifier: Apache-2.0
// Small random networks with random relations: parallel channels, several injection and ejection options,
// tags, tiers, held channels, escapes, options that do not depend on the destination.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>

#include "faultline/base/random.h"
#include "faultline/formats/relation_file.h"

namespace faultline {

class RandomRelation {
 public:
  explicit RandomRelation(std::uint64_t seed) : random_(seed, 0) {}

  [[nodiscard]] formats::RelationFile draw() {
    file_ = {};
    file_.reads_held = below(3) == 0;
    file_.switches = 3 + below(file_.reads_held ? 2 : 4);
    file_.virtual_channels = 1 + below(2);
    file_.tags = 1 + below(3);
    wild_ = below(6);
    tiers_ = 1 + below(3);
    width_ = 1 + below(3);
    escapes_ = below(2) == 0;
    draw_network();
    draw_terminals();
    for (std::uint32_t terminal = 0; terminal < file_.terminals; ++terminal) draw_destination(terminal);
    return file_;
  }

 private:
  using Role = ChannelRole;
  using Key = std::tuple<std::uint32_t, std::uint8_t, std::uint64_t>;

  std::uint32_t below(std::uint32_t count) { return random_.next_below(count); }
  bool often() { return below(6) > 0; }

  void draw_network() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
    const std::uint32_t n = file_.switches;
    for (std::uint32_t at = 0; at < n; ++at) {
      if (often()) ends.emplace_back(at, (at + 1) % n);
      if (below(2) == 0) ends.emplace_back((at + 1) % n, at);
    }
    for (std::uint32_t more = below(n + 1); more > 0; --more) {
      const std::uint32_t from = below(n);
      ends.emplace_back(from, (from + 1 + below(n - 1)) % n);
    }
    if (!ends.empty() && below(2) == 0) ends.push_back(ends[below(static_cast<std::uint32_t>(ends.size()))]);
    std::ranges::sort(ends);
    for (const auto& [from, to] : ends) file_.channels.push_back({Role::network, from, to});
  }

  void draw_terminals() {
    std::vector<formats::RelationChannel> in, out;
    file_.terminals = 2 + below(file_.switches);
    for (std::uint32_t terminal = 0; terminal < file_.terminals; ++terminal) {
      const std::uint32_t home = below(file_.switches);
      in.push_back({Role::injection, terminal, home});
      out.push_back({Role::ejection, home, terminal});
      if (below(2) == 0) in.push_back({Role::injection, terminal, below(file_.switches)});
      if (below(3) == 0) out.push_back({Role::ejection, below(file_.switches), terminal});
    }
    file_.channels.insert(file_.channels.end(), in.begin(), in.end());
    file_.channels.insert(file_.channels.end(), out.begin(), out.end());
  }

  /// Network channels from each switch to one that ejects.
  [[nodiscard]] std::vector<std::uint32_t> distances(std::uint32_t terminal) const {
    std::vector<std::uint32_t> far(file_.switches, std::numeric_limits<std::uint32_t>::max() - 1);
    for (const auto& channel : file_.channels)
      if (channel.role == Role::ejection && channel.to == terminal) far[channel.from] = 0;
    for (std::uint32_t round = 0; round < file_.switches; ++round)
      for (const auto& channel : file_.channels)
        if (channel.role == Role::network)
          far[channel.from] = std::min(far[channel.from], far[channel.to] + 1);
    return far;
  }

  formats::RelationOption option(std::uint32_t channel) {
    formats::RelationOption drawn{.channel = channel};
    drawn.vcs = 1 + below((1U << file_.virtual_channels) - 1);
    const bool ejects = file_.channels[channel].role == Role::ejection;
    drawn.tag = ejects ? 0 : below(static_cast<std::uint32_t>(file_.tags));
    drawn.tier = static_cast<std::uint8_t>(below(tiers_));
    const bool network = file_.channels[channel].role == Role::network;
    drawn.escapes = escapes_ && network ? drawn.vcs & below(4) : drawn.vcs;
    return drawn;
  }

  void draw_destination(std::uint32_t terminal) {
    const std::vector<std::uint32_t> far = distances(terminal);
    formats::RelationDestination rows;
    std::map<Key, std::vector<formats::RelationOption>> states;
    std::vector<Key> todo;
    const auto reach = [&](const formats::RelationOption& taken) {
      if (file_.channels[taken.channel].role == Role::ejection) return;
      for (std::uint8_t vc = 0; vc < file_.virtual_channels; ++vc) {
        if ((taken.vcs >> vc & 1) == 0) continue;
        const Key key{file_.at_end_of(taken.channel), file_.reads_held ? vc : std::uint8_t{0}, taken.tag};
        if (states.try_emplace(key).second) todo.push_back(key);
      }
    };
    const auto add = [&](std::vector<formats::RelationOption> options) {
      const formats::OptionRange range{static_cast<std::uint32_t>(rows.options.size()),
                                       static_cast<std::uint32_t>(options.size())};
      rows.options.insert(rows.options.end(), options.begin(), options.end());
      return range;
    };
    for (std::uint32_t source = 0; source < file_.terminals; ++source) {
      std::vector<formats::RelationOption> options;
      for (std::uint32_t c = 0; c < file_.channels.size(); ++c)
        if (source != terminal && file_.channels[c].role == Role::injection &&
            file_.channels[c].from == source && below(4) > 0)
          for (std::uint32_t copies = 1 + below(2); copies > 0; --copies) options.push_back(option(c));
      std::ranges::for_each(options, reach);
      rows.from.push_back(add(std::move(options)));
    }
    while (!todo.empty()) {
      const Key key = todo.back();
      todo.pop_back();
      states[key] = options_at(file_.reads_held ? file_.channels[std::get<0>(key)].to : std::get<0>(key),
                               terminal, far);
      std::ranges::for_each(states[key], reach);
    }
    for (auto& [key, options] : states)
      rows.states.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), add(std::move(options))});
    file_.destinations.push_back(std::move(rows));
  }

  std::vector<formats::RelationOption> options_at(std::uint32_t at, std::uint32_t terminal,
                                                  const std::vector<std::uint32_t>& far) {
    std::vector<formats::RelationOption> options;
    for (std::uint32_t c = 0; c < file_.channels.size(); ++c) {
      const auto& channel = file_.channels[c];
      if (channel.role == Role::injection || channel.from != at) continue;
      const bool useful = channel.role == Role::ejection ? channel.to == terminal && often()
                                                         : far[channel.to] < far[at] || below(10) < wild_;
      if (useful)
        for (std::uint32_t copies = 1 + below(5) / 4; copies > 0; --copies) options.push_back(option(c));
    }
    while (options.size() > width_ + tiers_)
      options.erase(options.begin() + below(static_cast<std::uint32_t>(options.size())));
    return options;
  }

  RandomStream random_;
  formats::RelationFile file_;
  std::uint32_t wild_ = 0, tiers_ = 1, width_ = 1;
  bool escapes_ = false;
};

}  // namespace faultline
