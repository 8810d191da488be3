// SPDX-License-Identifier: Apache-2.0
// A row of up to 512 switches in one register. Compiled for AVX-512: nothing of it runs before the processor
// is asked.
#include <bit>
#include <cstring>

#include "routing/methodology/header.h"
#include "routing/methodology/leg_search.h"
#include "routing/methodology/rotations.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace faultline {

#ifdef __AVX512F__
namespace {

#include "routing/methodology/leg_search_of.h"

/// Each dimension's rings lie within 64-bit words, or its neighbours are whole words apart.
class Avx512Lanes {
 public:
  static constexpr std::size_t words = 8;
  struct Row {
    __m512i bits;
  };

  explicit Avx512Lanes(const LegGeometry& geometry) : dimensions_(geometry.dimensions()) {
    const std::vector<Rotations> all = rotations_of(geometry, words);
    for (std::uint32_t dimension = 0; dimension < dimensions_; ++dimension) {
      first_.push_back(static_cast<std::uint32_t>(amounts_.size()));
      for (const Rotations::Amount& by : all[dimension].by_amount)
        amounts_.push_back(
            {_mm512_loadu_si512(all[dimension].alignment == Rotations::Alignment::in_word ? by.ordinary.data()
                                                                                          : by.from.data()),
             all[dimension].alignment == Rotations::Alignment::in_word, by.down, by.up});
      steps_.push_back(first_.back() + 1);
    }
    for (std::uint32_t dimension = 0; dimension < dimensions_; ++dimension)
      steps_.push_back(first_[dimension] + geometry.radix(dimension) - 1);
    for (std::uint32_t direction = 0; direction < 2 * dimensions_; ++direction) {
      const auto& by = all[direction % dimensions_].by_amount;
      const bool plus = direction < dimensions_;
      const __m512i row = _mm512_loadu_si512((plus ? by[1] : by.back()).ordinary.data());
      ordinary_.push_back({plus ? row : _mm512_xor_si512(row, ones().bits)});
    }
    for (std::uint32_t residue = 0; residue < geometry.switches(); ++residue) {
      first_part_.push_back(static_cast<std::uint32_t>(parts_.size()));
      for (std::uint32_t dimension = 0; dimension < dimensions_; ++dimension)
        if (const std::uint32_t amount = geometry.coordinate(residue, dimension); amount != 0)
          parts_.push_back(first_[dimension] + amount);
    }
    first_part_.push_back(static_cast<std::uint32_t>(parts_.size()));
  }

  static Row ones() { return {_mm512_set1_epi64(-1)}; }
  static Row both(const Row& a, const Row& b) { return {_mm512_and_si512(a.bits, b.bits)}; }
  static Row either(const Row& a, const Row& b) { return {_mm512_or_si512(a.bits, b.bits)}; }
  static Row without(const Row& a, const Row& b) {
    constexpr int a_without_b = 0x30;
    return {_mm512_ternarylogic_epi64(a.bits, b.bits, b.bits, a_without_b)};
  }
  static bool contains(const Row& a, const Row& b) {
    const __m512i missing = without(b, a).bits;
    return _mm512_test_epi64_mask(missing, missing) == 0;
  }
  [[nodiscard]] Row ordinary(std::uint32_t direction) const { return ordinary_[direction]; }
  [[nodiscard]] Row step(const Row& row, std::uint32_t direction) const {
    return rotated(row, amounts_[steps_[direction]]);
  }
  [[nodiscard]] Row shift(Row row, std::uint32_t residue) const {
    for (std::uint32_t part = first_part_[residue]; part < first_part_[residue + 1]; ++part)
      row = rotated(row, amounts_[parts_[part]]);
    return row;
  }

 private:
  struct Amount {
    __m512i selector;  ///< in words: the switches that do not wrap; else the word that each word comes from
    bool in_word;
    std::uint32_t down, up;
  };

  static Row rotated(const Row& row, const Amount& by) {
    constexpr __mmask8 all_lanes = 0xFF;
    constexpr int a_where_b_else_c = 0xCA;
    if (!by.in_word) return {_mm512_maskz_permutexvar_epi64(all_lanes, by.selector, row.bits)};
    const __m512i down =
        _mm512_maskz_srl_epi64(all_lanes, row.bits, _mm_cvtsi32_si128(static_cast<int>(by.down)));
    const __m512i up =
        _mm512_maskz_sll_epi64(all_lanes, row.bits, _mm_cvtsi32_si128(static_cast<int>(by.up)));
    return {_mm512_ternarylogic_epi64(by.selector, down, up, a_where_b_else_c)};
  }

  std::uint32_t dimensions_;
  std::vector<Amount> amounts_;                    // by dimension, then amount
  std::vector<std::uint32_t> first_, steps_;       // into amounts_: by dimension; by direction
  std::vector<std::uint32_t> parts_, first_part_;  // into amounts_: those of each residue
  std::vector<Row> ordinary_;                      // by direction
};

bool fits(const LegGeometry& geometry) {
  if (geometry.switches() > 64 * Avx512Lanes::words) return false;
  for (const Rotations& rotations : rotations_of(geometry, Avx512Lanes::words))
    if (rotations.alignment == Rotations::Alignment::any) return false;
  return true;
}

}  // namespace

std::unique_ptr<LegSearch> make_avx512_leg_search(const LegGeometry& geometry) {
  if (__builtin_cpu_supports("avx512f") == 0 || !fits(geometry)) return nullptr;
  return std::make_unique<LegSearchOf<Avx512Lanes>>(geometry);
}
#else
std::unique_ptr<LegSearch> make_avx512_leg_search(const LegGeometry&) { return nullptr; }
#endif

}  // namespace faultline
