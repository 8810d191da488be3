// SPDX-License-Identifier: Apache-2.0
// The text format `faultline-relation 1`: a network's channels and, for every destination, what packets may
// do in each state. Plain numbers, in the file's own numbering; src/formats/RELATION.md describes the lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "faultline/base/channel_role.h"
#include "faultline/base/error.h"

#pragma GCC visibility push(default)
namespace faultline::formats {

struct RelationChannel {
  static constexpr std::uint32_t own_link = ~std::uint32_t{0};
  ChannelRole role = ChannelRole::network;
  std::uint32_t from = 0, to = 0;  ///< switch or terminal, as the role says
  std::uint32_t link = own_link;   ///< channels of one number fail together
  std::uint32_t cycles = 1;        ///< flight time
  friend bool operator==(const RelationChannel&, const RelationChannel&) = default;
};

struct RelationOption {
  std::uint32_t channel = 0;
  std::uint32_t vcs = 1;      ///< bit v: virtual channel v may be taken
  std::uint64_t tag = 0;      ///< of the next state; no meaning for an ejection channel
  std::uint32_t escapes = 1;  ///< of `vcs`, those that belong to the escape subrelation
  std::uint8_t tier = 0;
  friend bool operator==(const RelationOption&, const RelationOption&) = default;
};

/// Some options of a destination, in the order in which they are listed.
struct OptionRange {
  std::uint32_t first = 0, count = 0;
};

struct RelationState {
  std::uint32_t at = 0;  ///< a switch or, if the relation reads the held channel, a channel
  std::uint8_t vc = 0;   ///< 0 unless the relation reads the held channel
  std::uint64_t tag = 0;
  OptionRange options;
};

struct RelationDestination {
  std::vector<OptionRange> from;      ///< by source; empty for the destination itself
  std::vector<RelationState> states;  ///< in the order (at, vc, tag), each once
  std::vector<RelationOption> options;

  [[nodiscard]] const RelationOption* begin(OptionRange range) const { return options.data() + range.first; }
  [[nodiscard]] const RelationOption* end(OptionRange range) const { return begin(range) + range.count; }
  /// Null if the state is not listed.
  [[nodiscard]] const RelationState* find(std::uint32_t at, std::uint8_t vc, std::uint64_t tag) const;
};

struct RelationBuffer {
  std::uint32_t channel = 0;
  std::uint8_t vc = 0;
  friend bool operator==(const RelationBuffer&, const RelationBuffer&) = default;
};

struct RelationFile {
  std::string network = "-";  ///< the topology's description, or "-"
  std::uint32_t switches = 0, terminals = 0;
  std::uint32_t virtual_channels = 1;
  std::uint64_t tags = 1;
  bool reads_held = false;  ///< states are (held channel, virtual channel, tag), not (switch, tag)
  std::vector<RelationChannel> channels;           ///< network, then injection, then ejection
  std::vector<std::vector<RelationBuffer>> rings;  ///< that keep a bubble
  std::vector<RelationDestination> destinations;

  /// RelationState::at of packets that a network or injection channel brings.
  [[nodiscard]] std::uint32_t at_end_of(std::uint32_t channel) const {
    return reads_held ? channel : channels[channel].to;
  }
};

/// Limits on input: more does not fit the memory of the intended machines.
inline constexpr std::uint32_t max_relation_switches = std::uint32_t{1} << 20;
inline constexpr std::uint32_t max_relation_virtual_channels = 32;

/// Reads the whole text, `path` for errors only. Throws Error(field, value, what is allowed, line) for
/// anything that the format does not allow, and for an option that breaks the contract of a routing relation.
[[nodiscard]] RelationFile parse_relation(std::string_view text, const std::string& path,
                                          const std::string& field);

/// States that are listed but not reachable by any packet.
[[nodiscard]] std::uint64_t unreached_states(const RelationFile& file);

/// A name as the lines of relation files and certificates hold it: runs of white space and control characters
/// become single spaces, none remain at its ends, and "-" stands for an empty one.
[[nodiscard]] std::string label_text(std::string_view name);

/// Everything before the first destination. Relations are written one destination at a time, so that only the
/// text is held in memory. `append_relation_end` completes it.
void append_relation_head(std::string& text, const RelationFile& file);
void append_relation_destination(std::string& text, const RelationFile& file, std::uint32_t number,
                                 const RelationDestination& destination);
void append_relation_end(std::string& text);

/// The inverse of parse_relation, with the label_text() of the network's name.
[[nodiscard]] std::string relation_text(const RelationFile& file);

}  // namespace faultline::formats
#pragma GCC visibility pop
