// SPDX-License-Identifier: Apache-2.0
// A certificate that states its relation for some destinations, and automorphisms of the network that map it
// to the others.
#pragma once

#include "relation.h"

namespace checker {

/// An automorphism of the network: the image of each channel, switch and terminal.
struct Renaming {
  std::vector<Number> channels, switches, terminals;
  Number order = 0;  ///< this many applications bring every channel back

  /// The possible moves of packets to the image of `destination`.
  [[nodiscard]] Destination image(const Destination& destination, const Relation& relation) const;
};

/// The words g0^e0 g1^e1 … of some automorphisms, ei below the order of gi. Together they map the stated
/// destinations to every destination exactly once.
class Orbits {
 public:
  /// Every destination is stated.
  Orbits() = default;
  /// Reads the lines `automorphism IMAGE …`. Refused: a line that is not an automorphism; words that leave a
  /// destination out or reach one twice.
  Orbits(Lines& lines, const Relation& relation, const std::vector<Number>& stated);

  [[nodiscard]] Number words() const { return words_; }
  [[nodiscard]] const std::vector<Renaming>& renamings() const { return renamings_; }
  /// A whole word as one automorphism.
  [[nodiscard]] Renaming word(Number number, const Relation& relation) const;

 private:
  void require_each_once(const std::vector<Number>& stated, const Relation& relation, std::size_t line) const;

  std::vector<Renaming> renamings_;
  Number words_ = 1;
};

/// Pairs of buffers of which a packet may hold the first and request the second.
class Dependencies {
 public:
  explicit Dependencies(const Relation& relation) : relation_(&relation), asked_(relation.buffers()) {}

  void add(Number held, Number asked);
  /// Adds the images of all under the words.
  void close_under(const Orbits& orbits);
  [[nodiscard]] Number count() const { return count_; }
  [[nodiscard]] const std::vector<std::vector<Number>>& asked() const { return asked_; }  ///< by buffer held

 private:
  const Relation* relation_;
  std::vector<std::vector<Number>> asked_;  ///< in rising order
  Number count_ = 0;
};

}  // namespace checker
