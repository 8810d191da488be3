// SPDX-License-Identifier: Apache-2.0
// What a group's switches receive in a cycle: read from the log, where their neighbours and terminals have
// written it. A byte for each port and lane: the low half is the code of the VC to which a flit comes, the
// high half of that to which a credit comes.
#pragma once

#include "simulate/kernels/vector_state.h"

namespace faultline::wormhole::planes {

template <class Simd>
class LogReader {
  using Word = typename Simd::Word;
  using Vector = typename Simd::Vector;
  using Coded = typename Simd::Coded;
  static constexpr std::uint32_t lanes = Simd::lanes;
  static constexpr std::uint32_t lines = sizeof(Word) * 8 * lanes / sizeof(Vector);  ///< registers of bytes
  static constexpr std::uint64_t all_lanes = ~std::uint64_t{0} >> (64 - lanes);

 public:
  LogReader(const VectorState<Word>& vectors, std::uint32_t group, Time now)
      : vectors_(vectors),
        ports_(vectors.ports),
        first_pull_(std::size_t{group} * ports_),
        group_(group),
        now_(now) {}

  /// Codes of flits and of credits, bit by bit.
  void read(Vector (&arrivals)[code_bits], Vector (&credits)[code_bits]) const {
    Vector moved[lines];
#pragma GCC unroll 8
    for (Vector& line : moved) line = Simd::zero();
    auto* const bytes = reinterpret_cast<std::uint8_t*>(moved);
    if constexpr (Simd::transposes) {
      if constexpr (Simd::permutes)
        for (std::uint32_t port = 0; port < ports_; ++port)
          if (is_permuted(port)) Simd::store_codes(bytes + std::size_t{port} * lanes, permuted(port));
      move_bytes(bytes);
      transpose(moved, arrivals, credits);
    } else {
      move_bytes(bytes);
      add_port_by_port(bytes, arrivals, credits);
    }
  }

 private:
  /// All ports at once, with what comes from terminals.
  void transpose(const Vector (&moved)[lines], Vector (&arrivals)[code_bits],
                 Vector (&credits)[code_bits]) const {
    Vector rows[lines];
#pragma GCC unroll 8
    for (Vector& line : rows) line = Simd::zero();
    for_each_terminal_pull([&](const TerminalPull& from, const std::uint8_t* line) {
      Simd::add_line(rows + from.first_port * lanes / sizeof(Vector), line, from.open, from.credits);
    });
#pragma GCC unroll 8
    for (std::uint32_t line = 0; line < lines; ++line) rows[line] |= moved[line];
    Simd::to_rows(rows);
#pragma GCC unroll 4
    for (std::uint32_t c = 0; c < code_bits; ++c) {
      arrivals[c] = rows[c];
      credits[c] = rows[code_bits + c];
    }
  }

  void add_port_by_port(const std::uint8_t* moved, Vector (&arrivals)[code_bits],
                        Vector (&credits)[code_bits]) const {
    for (std::uint32_t c = 0; c < code_bits; ++c) arrivals[c] = credits[c] = Simd::zero();
    const auto add = [&](std::uint32_t port, Coded codes) {
      const Vector bit = Simd::set1(static_cast<Word>(Word{1} << port));
#pragma GCC unroll 4
      for (std::uint32_t c = 0; c < code_bits; ++c) {
        arrivals[c] = Simd::add_where(arrivals[c], codes, 1U << c, bit);
        credits[c] = Simd::add_where(credits[c], codes, 16U << c, bit);
      }
    };
    for_each_terminal_pull([&](const TerminalPull& from, const std::uint8_t* line) {
      for (std::uint32_t byte = 0; byte < line_bytes; byte += lanes)
        if (const std::uint64_t open = from.open >> byte & all_lanes; open != 0) {
          const Coded codes = Simd::gathered(line + byte, open);
          add(from.first_port + byte / lanes, from.credits ? Simd::raised(codes) : codes);
        }
    });
    for (std::uint32_t port = 0; port < ports_; ++port) {
      if (is_permuted(port)) add(port, permuted(port));
      if (pulls(port).moved) add(port, Simd::gathered(moved + std::size_t{port} * lanes, all_lanes));
    }
  }

  void move_bytes(std::uint8_t* bytes) const {
    const MoveRun* const end = vectors_.move_runs + vectors_.first_move_run[group_ + 1];
    for (const MoveRun* run = vectors_.move_runs + vectors_.first_move_run[group_]; run != end; ++run) {
      const std::uint8_t* const log = vectors_.log_of(now_ - run->delay);
      const std::uint8_t keep = run->keep;
      const ByteMove* const single = vectors_.moves + run->first_single;
      const ByteMove* const last = vectors_.moves + run->end;
      for (const ByteMove* move = vectors_.moves + run->first; move != single; ++move)
        add_eight(bytes + move->to, log + move->from, keep * 0x0101010101010101U);
#pragma GCC unroll 4
      for (const ByteMove* move = single; move != last; ++move)
        bytes[move->to] |= static_cast<std::uint8_t>(log[move->from] & keep);
    }
  }
  static void add_eight(std::uint8_t* to, const std::uint8_t* from, std::uint64_t keep) {
    std::uint64_t before, here;
    __builtin_memcpy(&before, to, sizeof before);
    __builtin_memcpy(&here, from, sizeof here);
    before |= here & keep;
    __builtin_memcpy(to, &before, sizeof before);
  }

  /// visit(pull, its bytes)
  template <class Visit>
  void for_each_terminal_pull(Visit visit) const {
    const TerminalPull* const end = vectors_.terminal_pulls + vectors_.first_terminal_pull[group_ + 1];
    for (const TerminalPull* from = vectors_.terminal_pulls + vectors_.first_terminal_pull[group_];
         from != end; ++from)
      visit(*from, vectors_.log_of(now_ - from->delay) + from->offset);
  }

  [[nodiscard]] const PortPulls& pulls(std::uint32_t port) const {
    return vectors_.pulls[first_pull_ + port];
  }
  [[nodiscard]] bool is_permuted(std::uint32_t port) const {
    return (pulls(port).flits.open | pulls(port).credits.open) != 0;
  }
  [[nodiscard]] Coded permuted(std::uint32_t port) const {
    Coded codes = Simd::no_bytes();
    if constexpr (Simd::permutes) {
      const PortPulls& from = pulls(port);
      const std::uint8_t* const index =
          vectors_.pull_indices + (first_pull_ + port) * kinds_of_pulls * index_bytes(lanes);
      if (from.flits.open != 0) {
        codes = permuted(from.flits, index);
        if (from.apart) codes = Simd::low_halves(codes);
      }
      if (from.credits.open != 0)
        codes |= Simd::high_halves(permuted(from.credits, index + index_bytes(lanes)));
    }
    return codes;
  }
  [[nodiscard]] Coded permuted(const Pull& from, const std::uint8_t* index) const {
    return Simd::permute(vectors_.log_of(now_ - from.first_delay) + from.first,
                         vectors_.log_of(now_ - from.second_delay) + from.second, index, from.open);
  }

  const VectorState<Word>& vectors_;
  const std::uint32_t ports_;
  const std::size_t first_pull_;
  const std::uint32_t group_;
  const Time now_;
};

}  // namespace faultline::wormhole::planes
