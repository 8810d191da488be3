// SPDX-License-Identifier: Apache-2.0
#include "simulate/planes/pulls.h"

#include <algorithm>
#include <optional>
#include <span>

#include "simulate/planes/sender_layout.h"

namespace faultline::wormhole::planes {
namespace {

/// One lane's view of a port: the byte of the log that it reads, as an offset within a slot, and how old.
struct LanePull {
  std::uint32_t offset = 0;
  Time delay = 0;
  friend bool operator==(const LanePull&, const LanePull&) = default;
};
using LanePulls = std::vector<std::optional<LanePull>>;

/// Looks things up while pulls are made.
struct Lookup {
  const Topology& topology;
  const Wiring& wiring;
  const Timing& timing;
  std::uint32_t lanes;
  std::span<const std::uint32_t> sender_of;  ///< by injection channel
  std::uint32_t first_sender;                ///< offset of its byte within a slot of the log

  [[nodiscard]] std::uint32_t byte_of(SwitchId at, std::uint32_t port) const {
    return (at.value() / lanes * wiring.ports + port) * lanes + at.value() % lanes;
  }

  /// What arrives at an input is what the switch, or the terminal, at its other end sent.
  [[nodiscard]] std::optional<LanePull> flits(std::size_t position) const {
    const ChannelId channel = wiring.input[position];
    if (!channel.valid() || topology.role(channel) != ChannelRole::network) return {};
    return LanePull{byte_of(topology.source(channel), wiring.output_port[channel.index()]),
                    timing.flit_delay(topology, channel)};
  }
  [[nodiscard]] std::optional<LanePull> injections(std::size_t position) const {
    const ChannelId channel = wiring.input[position];
    if (!channel.valid() || topology.role(channel) != ChannelRole::injection) return {};
    return LanePull{first_sender + sender_of[channel.index() - topology.network_channel_count()], 0};
  }
  /// Credits of an output are the flits that left the input of the switch at its other end.
  [[nodiscard]] std::optional<LanePull> credits(std::size_t position) const {
    const ChannelId channel = wiring.output[position];
    if (!channel.valid() || topology.role(channel) != ChannelRole::network) return {};
    return LanePull{byte_of(topology.target(channel), wiring.input_port[channel.index()]),
                    timing.credit_delay(topology, channel)};
  }
  /// A terminal takes everything that it is sent.
  [[nodiscard]] std::optional<LanePull> ejections(std::size_t position) const {
    const ChannelId channel = wiring.output[position];
    if (!channel.valid() || topology.role(channel) != ChannelRole::ejection) return {};
    return LanePull{byte_of(topology.source(channel), wiring.output_port[channel.index()]),
                    timing.flit_delay(topology, channel) + timing.credit_delay(topology, channel)};
  }
};

/// Whether one or two stretches of the log cover all that the lanes read: where they begin.
bool find_stretches(const LanePulls& from, std::uint32_t lanes, Pull& pull) {
  std::vector<LanePull> begins;
  const auto covered = [&](const LanePull& lane) {
    return std::ranges::any_of(begins, [&](const LanePull& begin) {
      return begin.delay == lane.delay && lane.offset >= begin.offset && lane.offset - begin.offset < lanes;
    });
  };
  while (begins.size() <= 2) {
    std::optional<LanePull> lowest;
    for (const auto& lane : from)
      if (lane && !covered(*lane) &&
          (!lowest || std::pair(lane->delay, lane->offset) < std::pair(lowest->delay, lowest->offset)))
        lowest = lane;
    if (!lowest) break;
    begins.push_back(*lowest);
  }
  if (begins.empty() || begins.size() > 2) return false;
  pull.first = begins.front().offset;
  pull.first_delay = begins.front().delay;
  pull.second = begins.back().offset;
  pull.second_delay = begins.back().delay;
  return true;
}

/// Where a lane's byte is once the two stretches lie side by side, in registers of at least 16 bytes.
std::uint8_t index_of(const LanePull& lane, const Pull& pull, std::uint32_t lanes) {
  const bool first =
      lane.delay == pull.first_delay && lane.offset >= pull.first && lane.offset - pull.first < lanes;
  return static_cast<std::uint8_t>(first ? lane.offset - pull.first
                                         : index_bytes(lanes) + lane.offset - pull.second);
}

/// Adds what one group receives.
class GroupPulls {
 public:
  GroupPulls(Pulls& pulls, const Lookup& lookup, std::uint32_t group, bool permutes)
      : pulls_(pulls), lookup_(lookup), lanes_(lookup.lanes), group_(group), permutes_(permutes) {}

  void add() {
    for (std::uint32_t port = 0; port < lookup_.wiring.ports; ++port) add_port(port);
    add_moves();
    for (std::uint32_t port = 0; port < lookup_.wiring.ports; ++port)
      for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
        const auto position = position_of(port, lane);
        if (!position) continue;
        const std::uint32_t byte = port * lanes_ + lane;
        if (const auto from = lookup_.injections(*position)) add_terminal(*from, byte, false);
        if (const auto from = lookup_.ejections(*position)) add_terminal(*from, byte, true);
      }
    pulls_.first_move_run.push_back(static_cast<std::uint32_t>(pulls_.move_runs.size()));
    pulls_.first_terminal_pull.push_back(static_cast<std::uint32_t>(pulls_.terminal_pulls.size()));
  }

 private:
  struct Move {
    Time delay;
    std::uint8_t keep;
    ByteMove bytes;
  };

  [[nodiscard]] std::optional<std::size_t> position_of(std::uint32_t port, std::uint32_t lane) const {
    const std::size_t at = std::size_t{group_} * lanes_ + lane;
    if (at >= lookup_.topology.switch_count()) return {};
    return at * lookup_.wiring.ports + port;
  }

  void add_port(std::uint32_t port) {
    LanePulls flits(lanes_), credits(lanes_);
    const std::size_t number = std::size_t{group_} * lookup_.wiring.ports + port;
    PortPulls& here = pulls_.pulls[number];
    for (std::uint32_t lane = 0; lane < lanes_; ++lane)
      if (const auto position = position_of(port, lane)) {
        flits[lane] = lookup_.flits(*position);
        credits[lane] = lookup_.credits(*position);
        here.apart |= flits[lane] != credits[lane];
      }
    std::uint8_t* const index = pulls_.indices.data() + number * kinds_of_pulls * index_bytes(lanes_);
    constexpr std::uint8_t all = low_half | high_half;
    here.moved =
        !add_pull(flits, here.flits, index) && add_moves_of(flits, port, here.apart ? low_half : all);
    if (here.apart)
      here.moved |= !add_pull(credits, here.credits, index + index_bytes(lanes_)) &&
                    add_moves_of(credits, port, high_half);
  }
  /// False if no permutation does it.
  bool add_pull(const LanePulls& from, Pull& pull, std::uint8_t* index) {
    Pull found;
    if (!permutes_ || !find_stretches(from, lanes_, found)) return false;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      if (!from[lane]) continue;
      found.open |= std::uint64_t{1} << lane;
      index[lane] = index_of(*from[lane], found, lanes_);
      pulls_.longest = std::max(pulls_.longest, from[lane]->delay);
    }
    pull = found;
    return true;
  }
  /// Whether there are any.
  bool add_moves_of(const LanePulls& from, std::uint32_t port, std::uint8_t keep) {
    bool any = false;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      if (!from[lane]) continue;
      moves_.push_back({from[lane]->delay, keep, {from[lane]->offset, port * lanes_ + lane}});
      pulls_.longest = std::max(pulls_.longest, from[lane]->delay);
      any = true;
    }
    return any;
  }
  void add_moves() {
    const auto run_of = [](const Move& move) { return std::pair(move.delay, move.keep); };
    std::ranges::stable_sort(moves_, {}, run_of);
    for (auto first = moves_.begin(); first != moves_.end();) {
      const auto end =
          std::find_if(first, moves_.end(), [&](const Move& move) { return run_of(move) != run_of(*first); });
      add_run({first, end});
      first = end;
    }
  }
  /// Moves with the same delay and bits to keep. Eight in a row become one if the bytes that they read are
  /// neighbours, and those that they write.
  void add_run(std::span<const Move> moves) {
    const auto begins_eight = [&](std::size_t at) {
      for (std::uint32_t i = 0; i < 8; ++i)
        if (at + i >= moves.size() || moves[at + i].bytes.from != moves[at].bytes.from + i ||
            moves[at + i].bytes.to != moves[at].bytes.to + i)
          return false;
      return true;
    };
    const auto count = [&] { return static_cast<std::uint32_t>(pulls_.moves.size()); };
    MoveRun run{.delay = moves.front().delay, .keep = moves.front().keep, .first = count()};
    std::vector<ByteMove> single;
    for (std::size_t at = 0; at < moves.size();) {
      const bool eight = begins_eight(at);
      (eight ? pulls_.moves : single).push_back(moves[at].bytes);
      at += eight ? 8 : 1;
    }
    run.first_single = count();
    pulls_.moves.insert(pulls_.moves.end(), single.begin(), single.end());
    run.end = count();
    pulls_.move_runs.push_back(run);
  }

  /// `byte`: of the group's ports and lanes.
  void add_terminal(const LanePull& from, std::uint32_t byte, bool credits) {
    pulls_.longest = std::max(pulls_.longest, from.delay);
    const std::uint32_t in_line = byte % line_bytes;
    const TerminalPull wanted{.first_port = (byte - in_line) / lanes_,
                              .offset = from.offset - in_line,
                              .delay = from.delay,
                              .open = std::uint64_t{1} << in_line,
                              .credits = credits};
    const auto first = pulls_.terminal_pulls.begin() + pulls_.first_terminal_pull.back();
    const auto same = std::find_if(first, pulls_.terminal_pulls.end(), [&](const TerminalPull& other) {
      return other.first_port == wanted.first_port && other.offset == wanted.offset &&
             other.delay == wanted.delay && other.credits == credits;
    });
    if (same != pulls_.terminal_pulls.end())
      same->open |= wanted.open;
    else
      pulls_.terminal_pulls.push_back(wanted);
  }

  Pulls& pulls_;
  const Lookup& lookup_;
  const std::uint32_t lanes_, group_;
  const bool permutes_;
  std::vector<Move> moves_;
};

}  // namespace

Pulls::Pulls(const Topology& topology, const Wiring& wiring, const Timing& timing, std::uint32_t lanes,
             bool permutes, const SenderLayout& senders) {
  const auto groups = static_cast<std::uint32_t>((topology.switch_count() + lanes - 1) / lanes);
  const Lookup lookup{topology, wiring, timing, lanes, senders.sender_of, groups * wiring.ports * lanes};
  pulls.resize(std::size_t{groups} * wiring.ports);
  indices.resize(pulls.size() * kinds_of_pulls * index_bytes(lanes));
  first_move_run.push_back(0);
  first_terminal_pull.push_back(0);
  for (std::uint32_t group = 0; group < groups; ++group) GroupPulls(*this, lookup, group, permutes).add();
}

}  // namespace faultline::wormhole::planes
