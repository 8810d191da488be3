// SPDX-License-Identifier: Apache-2.0
// Which virtual channel a packet may hold while it asks for which other.
#pragma once

#include <span>

#include "faultline/routing/destination_orbits.h"
#include "faultline/routing/states.h"
#include "verify/buffers.h"

namespace faultline {

/// Successors of each buffer, CSR.
struct DependencyGraph {
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> successors;

  [[nodiscard]] std::size_t count() const { return offsets.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t node) const {
    return std::span(successors).subspan(offsets[node], offsets[node + 1] - offsets[node]);
  }
};

/// Direct dependencies, gathered destination by destination: a buffer's successors leave the switch to which
/// it leads, so that a row of bits over that switch's outputs holds them.
class DirectDependencies {
 public:
  explicit DirectDependencies(const Buffers& buffers);

  /// Adds (held, asked for) for each move into a state and each move out of it that `asked` accepts.
  template <class Asked>
  void add(const DestinationStates& states, Asked asked);

  /// Adds those that another one for the same buffers has gathered.
  void absorb(const DirectDependencies& other) {
    for (std::size_t word = 0; word < bits_.size(); ++word) bits_[word] |= other.bits_[word];
  }

  /// Adds the images of each dependency under the words of `orbits`.
  void close_under(const DestinationOrbits& orbits);

  [[nodiscard]] DependencyGraph graph() const;

 private:
  /// Adds the image of each dependency under every power of `one`.
  void close_under(const Automorphism& one);
  /// The row of a virtual channel: which of the outputs of the switch where it ends are asked for.
  [[nodiscard]] std::span<std::uint64_t> row(ChannelId channel, std::uint32_t vc) {
    return std::span(bits_).subspan(row_[channel.index()] + std::uint64_t{words_[channel.index()]} * vc,
                                    words_[channel.index()]);
  }

  const Buffers& buffers_;
  std::vector<std::uint32_t> position_;  ///< by channel: its index among its switch's network outputs
  std::vector<std::uint64_t> row_;       ///< by channel: where the first of its buffers' rows starts
  std::vector<std::uint32_t> words_;     ///< by channel: length of a row
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint64_t> asked_bits_;     // scratch: a row for each state
  std::vector<std::uint32_t> asked_offsets_;  // scratch
};

template <class Asked>
void DirectDependencies::add(const DestinationStates& states, Asked asked) {
  const std::uint32_t vcs = buffers_.virtual_channels();
  asked_offsets_.assign(1, 0);
  asked_bits_.clear();
  for (std::size_t state = 0; state < states.count(); ++state) {
    for (const DestinationStates::Move& move : states.moves_of(state)) {
      if (move.next == DestinationStates::ejected || !asked(move)) continue;
      const std::uint32_t bit = position_[move.channel.index()] * vcs + move.vc;
      const std::size_t word = asked_offsets_[state] + bit / 64;
      if (asked_bits_.size() <= word) asked_bits_.resize(word + 1);
      asked_bits_[word] |= std::uint64_t{1} << (bit % 64);
    }
    asked_offsets_.push_back(static_cast<std::uint32_t>(asked_bits_.size()));
  }
  for (const DestinationStates::Move& move : states.moves) {
    if (move.next == DestinationStates::ejected) continue;
    std::uint64_t* const row =
        bits_.data() + row_[move.channel.index()] + std::size_t{words_[move.channel.index()]} * move.vc;
    const std::uint32_t first = asked_offsets_[move.next];
    for (std::uint32_t i = first; i < asked_offsets_[move.next + 1]; ++i) row[i - first] |= asked_bits_[i];
  }
}

}  // namespace faultline
