// SPDX-License-Identifier: Apache-2.0
// The code of a program. Plain declarations only: kernels for newer processors include this.
#pragma once

#include <cstddef>
#include <cstdint>

namespace faultline::survival {

/// Values live in numbered slots, one bit a fault set: slot c is component c (1: alive), slot `components`
/// all ones. The code is runs of gates of one form:
///   operation, arity m, gates, index of the pairs of each output; then for each gate its words as named
///   below.
struct Code {
  enum Operation : std::uint32_t {
    negate,    ///< out, in
    clear,     ///< out
    any,       ///< out, m operands
    products,  ///< out, m times (a, b): the OR of the products
    any_grow,  ///< as any, in a repeated section: notes whether out changed
    products_grow,
    any_counted,  ///< as any, of a value that is an output as well
    products_counted,
    any_output,  ///< m operands: an output is not stored
    products_output,
    any_pattern,  ///< left row, right row, self row, m operands: an output by pattern
    products_pattern,
  };
  static constexpr std::uint32_t header_words = 4;
  /// A gate of more terms than this keeps its first `head` ones in the code; an offset behind them leads to
  /// the others, among the tails, because they are seldom read: with few faults the first ones make all lanes
  /// ones.
  static constexpr std::uint32_t widest = 4;
  static constexpr std::uint32_t head = 2;
  static constexpr std::uint32_t no_row = ~std::uint32_t{0};

  struct Section {
    std::uint32_t begin, end;  ///< words of code
    bool repeat;               ///< until nothing grows
  };
};

}  // namespace faultline::survival
