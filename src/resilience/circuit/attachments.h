// SPDX-License-Identifier: Apache-2.0
// If the channels of single terminals may fail: terminals that are attached alike are counted by which of
// their own channels survive, so that the circuit holds a few outputs for each pair of classes instead of one
// for each pair.
#pragma once

#include <map>
#include <vector>

#include "resilience/circuit/components_of_channel.h"
#include "resilience/circuit/paths.h"

namespace faultline::survival {

/// A set of a terminal's channels on one side, bit i: the i-th in the order of Side::channels.
using Pattern = std::uint32_t;

class Attachments {
 public:
  static constexpr std::size_t max_ports = 3;
  static constexpr std::uint32_t no_row = ~std::uint32_t{0};

  struct Class {
    std::vector<TerminalId> terminals;
    std::uint32_t ports = 0;
    std::uint32_t first_row = 0;  ///< of pattern 1; the others follow

    [[nodiscard]] Pattern full() const { return (Pattern{1} << ports) - 1; }
    [[nodiscard]] std::uint32_t row(Pattern pattern) const { return first_row + pattern - 1; }
  };
  struct Side {
    std::vector<std::uint32_t> class_of;  ///< by terminal
    std::vector<std::vector<ChannelId>>
        channels;  ///< by terminal: by switch, then as the topology lists them
    std::vector<Class> classes;

    [[nodiscard]] const Class& class_at(TerminalId terminal) const {
      return classes[class_of[terminal.index()]];
    }
  };
  /// Terminals that are both of a source and of a destination class, by both patterns: pairs of a terminal
  /// with itself.
  struct Self {
    std::uint32_t first_row = 0;  ///< among the self rows
    std::uint32_t terminals = 0;
  };

  explicit Attachments(const Topology& topology);

  /// False for a terminal with more channels than patterns are supported for, or with none.
  [[nodiscard]] bool applicable() const;
  std::uint32_t add_destinations(const std::vector<TerminalId>& members);

  /// The first row of the terminal's own pair of classes.
  [[nodiscard]] std::uint32_t first_self_row(TerminalId terminal) const {
    return first_self_row_of_[terminal.index()];
  }

  [[nodiscard]] const Side& sources() const { return sources_; }
  [[nodiscard]] const Side& destinations() const { return destinations_; }
  [[nodiscard]] const std::map<std::pair<std::uint32_t, std::uint32_t>, Self>& selves() const {
    return selves_;
  }
  /// no_row where no terminal is of both classes.
  [[nodiscard]] std::uint32_t self_row(std::uint32_t source_class, Pattern left,
                                       std::uint32_t destination_class, Pattern right) const;
  /// Rows of the patterns of both sides; self rows are numbered on their own.
  [[nodiscard]] std::uint32_t row_count() const { return row_count_; }
  [[nodiscard]] std::uint32_t self_row_count() const { return self_row_count_; }

 private:
  std::uint32_t add_class(Side& side, std::vector<TerminalId> terminals);

  Side sources_, destinations_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Self> selves_;
  std::vector<std::uint32_t> first_self_row_of_;  // by terminal
  std::uint32_t row_count_ = 0, self_row_count_ = 0;
};

}  // namespace faultline::survival
