// SPDX-License-Identifier: Apache-2.0
// The relation file as the checker reads it, with its own code: src/formats/RELATION.md describes the lines.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lines.h"

namespace checker {

enum class Role : char { network = 'n', injection = 'i', ejection = 'e' };

struct Channel {
  Role role;
  Number from, to;
  std::optional<Number> link;
  Number cycles = 1;
};

/// One option on one virtual channel.
struct Move {
  Number channel = 0, vc = 0, tag = 0, tier = 0;
  bool escape = true;
  bool ejects = false;
  std::size_t next = 0;  ///< index of a state; no meaning if it ejects
  Number option = 0;     ///< position of the option among those of its state
};

/// (switch, 0, tag) or, if the held channel is read, (channel, virtual channel, tag).
struct Key {
  Number at, vc, tag;
  friend auto operator<=>(const Key&, const Key&) = default;
};

struct Destination {
  std::size_t line = 0;
  Number terminal = 0;
  std::vector<Key> keys;                  ///< of the states, in rising order
  std::vector<std::vector<Move>> states;  ///< possible moves in each
  std::vector<std::vector<Move>> starts;  ///< by source

  [[nodiscard]] std::optional<std::size_t> find(const Key& key) const;
};

/// Everything but the destinations.
struct Relation {
  std::string network;
  Number switches = 0, terminals = 0, virtual_channels = 0, tags = 0;
  bool reads_held = false;
  std::vector<Channel> channels;
  std::vector<std::vector<Number>> rings;  ///< of buffers: channel * virtual channels + virtual channel

  [[nodiscard]] Number network_channels() const;
  [[nodiscard]] Number buffers() const { return network_channels() * virtual_channels; }
  [[nodiscard]] Number buffer(const Move& move) const { return move.channel * virtual_channels + move.vc; }
  /// The state behind a move that does not eject.
  [[nodiscard]] Key behind(const Move& move) const {
    return reads_held ? Key{move.channel, move.vc, move.tag} : Key{channels[move.channel].to, 0, move.tag};
  }
};

/// Reads a line `n`, `i` or `e`.
/// `are_cycles_given`, if not null, says whether the line has them.
[[nodiscard]] Channel read_channel(Lines& lines, const Relation& relation, bool* are_cycles_given = nullptr);

/// Reads up to the first destination. Refuses everything that the format does not allow.
[[nodiscard]] Relation read_relation(Lines& lines);

/// Reads destination `number` with its sources and states, which keep the contract of a relation.
[[nodiscard]] Destination read_destination(Lines& lines, const Relation& relation, Number number);

/// Skips the lines of the destinations, and `end`; returns where each destination begins. There may be fewer
/// than terminals.
[[nodiscard]] std::vector<Lines> skip_destinations(Lines& lines);

}  // namespace checker
