// SPDX-License-Identifier: Apache-2.0
// The effect of single fault sets on terminals, in addition to the program's results for switches: plain
// arrays and plain functions, which the host and a GPU both run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "resilience/kernels/on_device.h"

namespace faultline::survival {

/// Lists of numbers, one behind another.
struct NumberLists {
  struct View {
    const std::uint32_t* offsets;
    const std::uint32_t* numbers;

    [[nodiscard]] FAULTLINE_ON_DEVICE const std::uint32_t* begin(std::uint32_t list) const {
      return numbers + offsets[list];
    }
    [[nodiscard]] FAULTLINE_ON_DEVICE const std::uint32_t* end(std::uint32_t list) const {
      return numbers + offsets[list + 1];
    }
  };

  std::vector<std::uint32_t> offsets{0}, numbers;

  void add(const std::vector<std::uint32_t>& list) {
    numbers.insert(numbers.end(), list.begin(), list.end());
    offsets.push_back(static_cast<std::uint32_t>(numbers.size()));
  }
  [[nodiscard]] View view() const { return {offsets.data(), numbers.data()}; }
};

/// A fault set among the rows of the components: bit `lane` of a row is 1 where its component is alive.
struct Lane {
  const std::uint64_t* values;
  std::uint32_t words;  ///< of a row
  std::uint32_t lane;

  static constexpr std::uint32_t none = ~std::uint32_t{0};

  [[nodiscard]] FAULTLINE_ON_DEVICE bool failed(std::uint32_t component) const {
    return (values[std::size_t{component} * words + lane / 64] >> (lane % 64) & 1U) == 0;
  }
  [[nodiscard]] FAULTLINE_ON_DEVICE bool all_failed(NumberLists::View components, std::uint32_t list) const {
    for (const std::uint32_t* c = components.begin(list); c != components.end(list); ++c)
      if (!failed(*c)) return false;
    return true;
  }
  [[nodiscard]] FAULTLINE_ON_DEVICE std::uint32_t first_failed(NumberLists::View components,
                                                               std::uint32_t list) const {
    for (const std::uint32_t* c = components.begin(list); c != components.end(list); ++c)
      if (failed(*c)) return *c;
    return none;
  }
};

/// Terminals that a failed switch leaves without a switch: groups of terminals that are attached alike.
struct LiveTables {
  struct View {
    NumberLists::View groups_of, switches, injecting, ejecting;
    const std::uint32_t* terminals;
    std::uint64_t all;
    bool constant;
  };

  NumberLists groups_of;                 ///< by component: groups attached to it
  NumberLists switches;                  ///< by group: components that are switches of it
  NumberLists injecting, ejecting;       ///< by group: those that it injects into, that eject to it
  std::vector<std::uint32_t> terminals;  ///< by group
  std::uint64_t all = 0;                 ///< terminals

  [[nodiscard]] View view() const {
    return {groups_of.view(), switches.view(), injecting.view(), ejecting.view(), terminals.data(), all,
            terminals.empty()};
  }
};

/// Ordered pairs whose source can inject into a living switch and whose destination has one that ejects.
/// `member`(i) is the i-th component of the lane's fault set (see FaultBlock).
template <class Member>
FAULTLINE_ON_DEVICE std::uint64_t live_pairs(const LiveTables::View& tables, Lane lane, std::uint32_t faults,
                                             Member member) {
  if (tables.constant) return tables.all * (tables.all - 1);
  std::uint64_t no_source = 0, no_destination = 0, neither = 0;
  for (std::uint32_t i = 0; i < faults; ++i) {
    const std::uint32_t component = member(i);
    if (i != 0 && component == member(0)) continue;
    for (const std::uint32_t* group = tables.groups_of.begin(component);
         group != tables.groups_of.end(component); ++group) {
      if (lane.first_failed(tables.switches, *group) != component) continue;  // counted with that one
      const bool cannot_send = lane.all_failed(tables.injecting, *group);
      const bool cannot_receive = lane.all_failed(tables.ejecting, *group);
      if (cannot_send) no_source += tables.terminals[*group];
      if (cannot_receive) no_destination += tables.terminals[*group];
      if (cannot_send && cannot_receive) neither += tables.terminals[*group];
    }
  }
  const std::uint64_t both = tables.all - no_source - no_destination + neither;
  return (tables.all - no_source) * (tables.all - no_destination) - both;
}

/// Terminals by which of their own channels survive (see Attachments).
struct AttachmentTables {
  struct Terminal {
    std::uint32_t first_port;  ///< its injection channels, and its ejection channels behind them
    std::uint32_t injections, ejections;
    std::uint32_t source_row, destination_row, self_row;  ///< the first of each
  };
  struct View {
    NumberLists::View terminals_of, components_of_port;
    const Terminal* terminals;
  };

  NumberLists terminals_of;        ///< by component: terminals whose own channels it removes
  NumberLists components_of_port;  ///< each of which takes the channel out of use
  std::vector<Terminal> terminals;
  std::vector<std::uint32_t> counts, selves;  ///< by row, while nothing failed

  [[nodiscard]] View view() const {
    return {terminals_of.view(), components_of_port.view(), terminals.data()};
  }
};

/// Terminals that lost every channel of a side.
struct CutOff {
  std::uint32_t sources = 0, destinations = 0, either = 0;

  /// Ordered pairs, of `all` terminals, that lost all channels of one of their terminals.
  [[nodiscard]] FAULTLINE_ON_DEVICE std::uint64_t pairs(std::uint64_t all) const {
    const std::uint64_t left = (all - sources) * (all - destinations) - (all - either);
    return all * (all - 1) - left;
  }
};

/// The tables of a block of lanes, in which terminals are moved from pattern to pattern.
struct PatternRows {
  std::uint64_t* masks;            ///< [row]: lanes in which a terminal has the pattern
  std::uint32_t words;             ///< of a row of masks
  std::uint32_t *counts, *selves;  ///< [row][lane]
  CutOff* cut_off;                 ///< [lane]
  std::uint32_t lanes;
};

/// A terminal's channels under a fault set.
struct PortsLeft {
  std::uint32_t out = 0, in = 0;  ///< bit i: the i-th is left
  std::uint32_t first_failed = Lane::none;
};

FAULTLINE_ON_DEVICE inline PortsLeft ports_left(const AttachmentTables::View& tables, Lane lane,
                                                const AttachmentTables::Terminal& terminal) {
  PortsLeft left;
  const auto look = [&](std::uint32_t first, std::uint32_t count) {
    std::uint32_t pattern = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t failed = lane.first_failed(tables.components_of_port, first + i);
      if (failed == Lane::none) pattern |= 1U << i;
      if (left.first_failed == Lane::none) left.first_failed = failed;
    }
    return pattern;
  };
  left.out = look(terminal.first_port, terminal.injections);
  left.in = look(terminal.first_port + terminal.injections, terminal.ejections);
  return left;
}

FAULTLINE_ON_DEVICE inline void move_within(const PatternRows& rows, std::uint32_t lane,
                                            std::uint32_t first_row, std::uint32_t ports, std::uint32_t left,
                                            std::uint32_t change) {
  const std::uint32_t full = (1U << ports) - 1;
  if (left == full) return;
  rows.counts[std::size_t{first_row + full - 1} * rows.lanes + lane] -= change;
  if (left == 0) return;
  const std::uint32_t row = first_row + left - 1;
  rows.counts[std::size_t{row} * rows.lanes + lane] += change;
  std::uint64_t& mask = rows.masks[std::size_t{row} * rows.words + lane / 64];
  const std::uint64_t bit = std::uint64_t{1} << (lane % 64);
  mask = change == 1 ? mask | bit : mask & ~bit;
}

/// Moves a terminal of a lane to the patterns that are left to it; `change` 1, or with `change` -1 back.
FAULTLINE_ON_DEVICE inline void move_terminal(const AttachmentTables::Terminal& terminal,
                                              const PatternRows& rows, std::uint32_t lane,
                                              const PortsLeft& left, std::uint32_t change) {
  const std::uint32_t out = left.out, in = left.in;
  move_within(rows, lane, terminal.source_row, terminal.injections, out, change);
  move_within(rows, lane, terminal.destination_row, terminal.ejections, in, change);
  const std::uint32_t whole_out = (1U << terminal.injections) - 1, whole_in = (1U << terminal.ejections) - 1;
  if (out != whole_out || in != whole_in) {
    const auto self = [&](std::uint32_t sending, std::uint32_t receiving) -> std::uint32_t& {
      return rows
          .selves[std::size_t{terminal.self_row + (sending - 1) * whole_in + receiving - 1} * rows.lanes +
                  lane];
    };
    self(whole_out, whole_in) -= change;
    if (out != 0 && in != 0) self(out, in) += change;
  }
  CutOff& cut_off = rows.cut_off[lane];
  if (out == 0) cut_off.sources += change;
  if (in == 0) cut_off.destinations += change;
  if (out == 0 || in == 0) cut_off.either += change;
}

/// visit(number, left) for each terminal of which a lane's fault set takes a channel.
template <class Member, class Visit>
FAULTLINE_ON_DEVICE void for_each_hit(const AttachmentTables::View& tables, Lane lane, std::uint32_t faults,
                                      Member member, Visit visit) {
  for (std::uint32_t i = 0; i < faults; ++i) {
    const std::uint32_t component = member(i);
    if (i != 0 && component == member(0)) continue;
    for (const std::uint32_t* number = tables.terminals_of.begin(component);
         number != tables.terminals_of.end(component); ++number) {
      const PortsLeft left = ports_left(tables, lane, tables.terminals[*number]);
      // One that lost several comes with the first of them.
      if (left.first_failed == component) visit(*number, left);
    }
  }
}

}  // namespace faultline::survival
