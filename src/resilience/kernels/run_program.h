// SPDX-License-Identifier: Apache-2.0
// The interpreter that every kernel instantiates for its own lanes. Included once by each kernel, in an
// unnamed namespace: no symbol of it may be shared between translation units that are compiled for different
// processors.

/// Lanes has: Vector, words, load, store, ones, zero, both, either, sum_of_product (r | a & b), without (a &
/// ~b), differ (a ^ b), is_zero, is_ones.
template <class Lanes, bool counting>
class Run {
  using Vector = typename Lanes::Vector;
  static constexpr std::uint32_t saturation_step = 4;

 public:
  explicit Run(const KernelData& data)
      : data_(data), values_(data.values), intact_(Lanes::load(data.intact)) {}

  void run(const ProgramView& program) {
    for (const auto* section = program.sections; section != program.sections + program.section_count;
         ++section) {
      do {
        grown_ = Lanes::zero();
        run_section(program, *section);
      } while (section->repeat && !Lanes::is_zero(grown_));
    }
    Lanes::store(data_.intact, intact_);
  }

 private:
  void run_section(const ProgramView& program, const Code::Section& section) {
    const std::uint32_t* code = program.code + section.begin;
    const std::uint32_t* const end = program.code + section.end;
    while (code != end) {
      const std::uint32_t operation = code[0], arity = code[1], gates = code[2];
      pairs_ = program.pairs + code[3];
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

  const std::uint32_t* negate(const std::uint32_t* code, std::uint32_t gates) {
    for (; gates != 0; --gates, code += 2)
      Lanes::store(slot(code[0]), Lanes::without(Lanes::ones(), value(code[1])));
    return code;
  }

  const std::uint32_t* clear(const std::uint32_t* code, std::uint32_t gates) {
    for (; gates != 0; --gates, ++code) Lanes::store(slot(*code), Lanes::zero());
    return code;
  }

  template <bool products, std::uint32_t use>
  const std::uint32_t* gates_of_arity(const std::uint32_t* code, std::uint32_t arity, std::uint32_t gates) {
    switch (arity) {
      case 1:
        return gates_of_form<products, use, 1>(code, arity, gates);
      case 2:
        return gates_of_form<products, use, 2>(code, arity, gates);
      case 3:
        return gates_of_form<products, use, 3>(code, arity, gates);
      case 4:
        return gates_of_form<products, use, 4>(code, arity, gates);
      default:
        return gates_of_form<products, use, 0>(code, arity, gates);
    }
  }

  /// `fixed_arity` 0: as many terms as `arity` says.
  template <bool products, std::uint32_t use, std::uint32_t fixed_arity>
  const std::uint32_t* gates_of_form(const std::uint32_t* code, std::uint32_t arity, std::uint32_t gates) {
    const std::uint32_t terms = fixed_arity != 0 ? fixed_arity : arity;
    for (; gates != 0; --gates) {
      const std::uint32_t* const target = code;
      code += use == Code::any_output ? 0 : use == Code::any_pattern ? 3 : 1;
      const Vector result = fixed_arity != 0 ? sum<products>(code, 0, fixed_arity, Lanes::zero())
                                             : saturating_sum<products>(code, terms);
      code += products ? 2 * terms : terms;
      finish<use>(target, result);
    }
    return code;
  }

  template <bool products>
  Vector sum(const std::uint32_t* code, std::uint32_t first, std::uint32_t end, Vector result) {
    for (std::uint32_t term = first; term < end; ++term)
      result = products ? Lanes::sum_of_product(result, value(code[2 * term]), value(code[2 * term + 1]))
                        : Lanes::either(result, value(code[term]));
    return result;
  }

  /// Once all lanes are ones, further terms change nothing.
  template <bool products>
  Vector saturating_sum(const std::uint32_t* code, std::uint32_t terms) {
    Vector result = Lanes::zero();
    for (std::uint32_t first = 0; first < terms && !Lanes::is_ones(result);) {
      const std::uint32_t end = terms - first > saturation_step ? first + saturation_step : terms;
      result = sum<products>(code, first, end, result);
      first = end;
    }
    return result;
  }

  template <std::uint32_t use>
  void finish(const std::uint32_t* target, Vector result) {
    if constexpr (use == Code::any_output) {
      if (Lanes::is_ones(result)) return;
      intact_ = Lanes::both(intact_, result);
      if constexpr (counting) count(Lanes::without(Lanes::ones(), result));
    } else if constexpr (use == Code::any_pattern) {
      if (!Lanes::is_ones(result))
        count_patterns(target[0], target[1], target[2], Lanes::without(Lanes::ones(), result));
    } else {
      if constexpr (use == Code::any_grow)
        grown_ = Lanes::either(grown_, Lanes::differ(result, value(*target)));
      Lanes::store(slot(*target), result);
    }
  }

  void count_patterns(std::uint32_t left, std::uint32_t right, std::uint32_t self, Vector failed) {
    failed = Lanes::both(
        failed, Lanes::both(value(data_.first_row_slot + left), value(data_.first_row_slot + right)));
    if (Lanes::is_zero(failed)) return;
    constexpr std::size_t lanes = 64 * std::size_t{Lanes::words};
    alignas(64) std::uint64_t words[Lanes::words];
    Lanes::store(words, failed);
    for (std::uint32_t word = 0; word < Lanes::words; ++word)
      for (std::uint64_t bits = words[word]; bits != 0; bits &= bits - 1) {
        const std::size_t lane = 64 * word + static_cast<std::size_t>(__builtin_ctzll(bits));
        std::uint64_t pairs =
            std::uint64_t{data_.counts[left * lanes + lane]} * data_.counts[right * lanes + lane];
        if (self != Code::no_row) pairs -= data_.self_counts[self * lanes + lane];
        data_.lost_by_lane[lane] += pairs;
      }
  }

  /// Adds *pairs_ in the lanes of `failed`: binary addition, digit by digit, in all lanes at once.
  void count(Vector failed) {
    for (std::uint64_t digits = *pairs_; digits != 0; digits &= digits - 1) {
      std::uint64_t* plane = data_.lost + static_cast<std::uint32_t>(__builtin_ctzll(digits)) * Lanes::words;
      for (Vector carry = failed; !Lanes::is_zero(carry); plane += Lanes::words) {
        const Vector digit = Lanes::load(plane);
        Lanes::store(plane, Lanes::differ(digit, carry));
        carry = Lanes::both(digit, carry);
      }
    }
  }

  std::uint64_t* slot(std::uint32_t index) { return values_ + std::size_t{index} * Lanes::words; }
  Vector value(std::uint32_t index) { return Lanes::load(slot(index)); }

  const KernelData& data_;
  std::uint64_t* values_;
  Vector intact_;
  Vector grown_ = Lanes::zero();
  const std::uint64_t* pairs_ = nullptr;
};

template <class Lanes>
void run_program(const ProgramView& program, const KernelData& data) {
  if (data.lost == nullptr)
    Run<Lanes, false>(data).run(program);
  else
    Run<Lanes, true>(data).run(program);
}
