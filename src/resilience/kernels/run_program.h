// SPDX-License-Identifier: Apache-2.0
// The interpreter that every kernel instantiates for its own lanes. Included once by each kernel, in an
// unnamed namespace: no symbol of it may be shared between translation units that are compiled for different
// processors.

#include "resilience/kernels/count_pairs.h"

/// Lanes has: Vector, words (of a row), held (words of a Vector: all of the row, or one thread's), load,
/// store, ones, zero, both, either, sum_of_product (r | a & b), without (a & ~b), differ (a ^ b), differ3 (a
/// ^ b ^ c), majority (of three), is_zero, is_ones; and for each 64-bit lane same (broadcast), high (its
/// upper half), multiply_low (the product of the lower halves).
template <class Lanes, bool counting>
class Run {
  using Vector = typename Lanes::Vector;
  static constexpr std::uint32_t saturation_step = 4;
  using Counter = PairCounter<Lanes>;

 public:
  FAULTLINE_ON_DEVICE explicit Run(const KernelData& data)
      : data_(data), values_(data.values), intact_(Lanes::load(data.intact)), counter_(data.lost) {}

  FAULTLINE_ON_DEVICE void run(const ProgramView& program) {
    tails_ = program.tails;
    for (const auto* section = program.sections; section != program.sections + program.section_count;
         ++section) {
      do {
        grown_ = Lanes::zero();
        run_section(program, *section);
      } while (section->repeat && !Lanes::is_zero(grown_));
      if (!counting && Lanes::is_zero(intact_)) break;
    }
    if constexpr (counting) counter_.finish();
    Lanes::store(data_.intact, intact_);
  }

 private:
  FAULTLINE_ON_DEVICE void run_section(const ProgramView& program, const Code::Section& section) {
    const std::uint32_t* code = program.code + section.begin;
    const std::uint32_t* const end = program.code + section.end;
    while (code != end) {
      const std::uint32_t operation = code[0], arity = code[1], gates = code[2];
      if constexpr (counting)
        if (operation >= Code::any_counted) counter_.set_pairs(program.pairs[code[3]]);
      code += Code::header_words;
      switch (operation) {
        case Code::negate:
          code = negate(code, gates);
          break;
        case Code::clear:
          code = clear(code, gates);
          break;
        case Code::any:
          code = gates_of_arity<false, Code::any>(code, arity, gates);
          break;
        case Code::products:
          code = gates_of_arity<true, Code::any>(code, arity, gates);
          break;
        case Code::any_grow:
          code = gates_of_arity<false, Code::any_grow>(code, arity, gates);
          break;
        case Code::products_grow:
          code = gates_of_arity<true, Code::any_grow>(code, arity, gates);
          break;
        case Code::any_counted:
          code = gates_of_arity<false, Code::any_counted>(code, arity, gates);
          break;
        case Code::products_counted:
          code = gates_of_arity<true, Code::any_counted>(code, arity, gates);
          break;
        case Code::any_output:
          code = gates_of_arity<false, Code::any_output>(code, arity, gates);
          break;
        case Code::products_output:
          code = gates_of_arity<true, Code::any_output>(code, arity, gates);
          break;
        case Code::any_pattern:
          code = gates_of_arity<false, Code::any_pattern>(code, arity, gates);
          break;
        default:
          code = gates_of_arity<true, Code::any_pattern>(code, arity, gates);
          break;
      }
    }
  }

  FAULTLINE_ON_DEVICE const std::uint32_t* negate(const std::uint32_t* code, std::uint32_t gates) {
    for (; gates != 0; --gates, code += 2)
      Lanes::store(slot(code[0]), Lanes::without(Lanes::ones(), value(code[1])));
    return code;
  }

  FAULTLINE_ON_DEVICE const std::uint32_t* clear(const std::uint32_t* code, std::uint32_t gates) {
    for (; gates != 0; --gates, ++code) Lanes::store(slot(*code), Lanes::zero());
    return code;
  }

  template <bool products, std::uint32_t use>
  FAULTLINE_ON_DEVICE const std::uint32_t* gates_of_arity(const std::uint32_t* code, std::uint32_t arity,
                                                          std::uint32_t gates) {
    switch (arity) {
      case 1:
        return gates_of_form<products, use, 1>(code, gates);
      case 2:
        return gates_of_form<products, use, 2>(code, gates);
      case 3:
        return gates_of_form<products, use, 3>(code, gates);
      case 4:
        return gates_of_form<products, use, 4>(code, gates);
      default:
        return wide_gates<products, use>(code, arity, gates);
    }
  }

  template <std::uint32_t use>
  static constexpr bool is_output = use == Code::any_output || use == Code::any_counted;
  template <std::uint32_t use>
  static constexpr std::uint32_t target_words = use == Code::any_output    ? 0
                                                : use == Code::any_pattern ? 3
                                                                           : 1;

  template <bool products, std::uint32_t use, std::uint32_t arity>
  FAULTLINE_ON_DEVICE const std::uint32_t* gates_of_form(const std::uint32_t* code, std::uint32_t gates) {
    constexpr std::uint32_t gate_words = target_words<use> + (products ? 2 * arity : arity);
    if constexpr (counting && is_output<use>)
      for (; gates >= Counter::step; gates -= Counter::step) code = outputs<products, use, arity>(code);
    for (; gates != 0; --gates, code += gate_words)
      finish<use>(code, sum<products>(code + target_words<use>, 0, arity, Lanes::zero()));
    return code;
  }

  /// As many gates as are counted at a time.
  template <bool products, std::uint32_t use, std::uint32_t arity>
  FAULTLINE_ON_DEVICE const std::uint32_t* outputs(const std::uint32_t* code) {
    Vector failed[Counter::step], all = Lanes::ones();
    for (Vector& one : failed) {
      const Vector result = sum<products>(code + target_words<use>, 0, arity, Lanes::zero());
      if constexpr (use == Code::any_counted) Lanes::store(slot(*code), result);
      all = Lanes::both(all, result);
      one = Lanes::without(Lanes::ones(), result);
      code += target_words<use> + (products ? 2 * arity : arity);
    }
    if (Lanes::is_ones(all)) return code;
    intact_ = Lanes::both(intact_, all);
    counter_.add(failed);
    return code;
  }

  /// Once all lanes are ones, further terms change nothing.
  template <bool products, std::uint32_t use>
  FAULTLINE_ON_DEVICE const std::uint32_t* wide_gates(const std::uint32_t* code, std::uint32_t arity,
                                                      std::uint32_t gates) {
    const std::uint32_t head = arity == 0 ? 0 : Code::head;
    for (; gates != 0; --gates) {
      const std::uint32_t* const target = code;
      code += target_words<use>;
      Vector result = sum<products>(code, 0, head, Lanes::zero());
      code += products ? 2 * head : head;
      if (arity != 0) {
        if (!Lanes::is_ones(result)) result = tail_sum<products>(tails_ + *code, arity - head, result);
        ++code;
      }
      finish<use>(target, result);
    }
    return code;
  }

  template <bool products>
  FAULTLINE_ON_DEVICE Vector tail_sum(const std::uint32_t* tail, std::uint32_t terms, Vector result) {
    for (std::uint32_t first = 0; first < terms && !Lanes::is_ones(result); first += saturation_step)
      result = sum<products>(tail, first, terms - first > saturation_step ? first + saturation_step : terms,
                             result);
    return result;
  }

  template <bool products>
  FAULTLINE_ON_DEVICE Vector sum(const std::uint32_t* code, std::uint32_t first, std::uint32_t end,
                                 Vector result) {
    for (std::uint32_t term = first; term < end; ++term)
      result = products ? Lanes::sum_of_product(result, value(code[2 * std::size_t{term}]),
                                                value(code[2 * std::size_t{term} + 1]))
                        : Lanes::either(result, value(code[term]));
    return result;
  }

  template <std::uint32_t use>
  FAULTLINE_ON_DEVICE void finish(const std::uint32_t* target, Vector result) {
    if constexpr (is_output<use>) {
      if constexpr (use == Code::any_counted) Lanes::store(slot(*target), result);
      if (Lanes::is_ones(result)) return;
      intact_ = Lanes::both(intact_, result);
      if constexpr (counting) counter_.add_one(Lanes::without(Lanes::ones(), result));
    } else if constexpr (use == Code::any_pattern) {
      if (!Lanes::is_ones(result))
        count_patterns(target[0], target[1], target[2], Lanes::without(Lanes::ones(), result));
    } else {
      if constexpr (use == Code::any_grow)
        grown_ = Lanes::either(grown_, Lanes::differ(result, value(*target)));
      Lanes::store(slot(*target), result);
    }
  }

  FAULTLINE_ON_DEVICE void count_patterns(std::uint32_t left, std::uint32_t right, std::uint32_t self,
                                          Vector failed) {
    failed = Lanes::both(
        failed, Lanes::both(value(data_.first_row_slot + left), value(data_.first_row_slot + right)));
    if (Lanes::is_zero(failed)) return;
    constexpr std::size_t lanes = 64 * std::size_t{Lanes::words};
    alignas(64) std::uint64_t words[Lanes::held];
    Lanes::store(words, failed);
    for (std::uint32_t word = 0; word < Lanes::held; ++word)
      for (std::uint64_t bits = words[word]; bits != 0; bits &= bits - 1) {
        const std::size_t lane = 64 * std::size_t{word} + lowest_bit(bits);
        std::uint64_t pairs =
            std::uint64_t{data_.counts[left * lanes + lane]} * data_.counts[right * lanes + lane];
        if (self != Code::no_row) pairs -= data_.self_counts[self * lanes + lane];
        data_.lost_by_lane[lane] += pairs;
      }
  }

  FAULTLINE_ON_DEVICE std::uint64_t* slot(std::uint32_t index) {
    return values_ + std::size_t{index} * Lanes::words;
  }
  FAULTLINE_ON_DEVICE Vector value(std::uint32_t index) { return Lanes::load(slot(index)); }

  const KernelData& data_;
  std::uint64_t* values_;
  Vector intact_;
  Vector grown_ = Lanes::zero();
  Counter counter_;
  const std::uint32_t* tails_ = nullptr;
};

template <class Lanes>
FAULTLINE_ON_DEVICE void run_program(const ProgramView& program, const KernelData& data) {
  if (data.lost == nullptr)
    Run<Lanes, false>(data).run(program);
  else
    Run<Lanes, true>(data).run(program);
}

/// Philox4x32-10 (Salmon et al., SC'11), a stream in each 64-bit lane. Of the lanes only the low halves
/// count: multiply_low reads no others.
template <class Lanes>
void philox_of_16_streams(std::uint64_t seed, std::uint64_t first, std::uint64_t index,
                          std::uint32_t* words) {
  using Vector = typename Lanes::Vector;
  constexpr std::uint32_t streams = 16, rounds = 10;
  const Vector multiplier0 = Lanes::same(0xD2511F53), multiplier1 = Lanes::same(0xCD9E8D57);
  alignas(64) std::uint64_t lanes[Lanes::words];
  for (std::uint32_t base = 0; base < streams; base += Lanes::words) {
    for (std::uint32_t i = 0; i < Lanes::words; ++i) lanes[i] = first + base + i;
    const Vector stream = Lanes::load(lanes);
    Vector x0 = Lanes::same(index), x1 = Lanes::same(index >> 32), x2 = stream, x3 = Lanes::high(stream);
    std::uint64_t key0 = seed, key1 = seed >> 32;
    for (std::uint32_t round = 0; round < rounds; ++round, key0 += 0x9E3779B9, key1 += 0xBB67AE85) {
      const Vector a = Lanes::multiply_low(multiplier0, x0), b = Lanes::multiply_low(multiplier1, x2);
      x0 = Lanes::differ(Lanes::differ(Lanes::high(b), x1), Lanes::same(key0));
      x2 = Lanes::differ(Lanes::differ(Lanes::high(a), x3), Lanes::same(key1));
      x1 = b;
      x3 = a;
    }
    const Vector result[] = {x0, x1, x2, x3};
    for (std::uint32_t w = 0; w < 4; ++w) {
      Lanes::store(lanes, result[w]);
      for (std::uint32_t i = 0; i < Lanes::words; ++i)
        words[streams * w + base + i] = static_cast<std::uint32_t>(lanes[i]);
    }
  }
}
