// SPDX-License-Identifier: Apache-2.0
#include "routing/methodology/rotations.h"

namespace faultline {
namespace {

Rotations::Alignment alignment_of(std::uint32_t stride, std::uint32_t ring) {
  if (ring <= 64 && 64 % ring == 0) return Rotations::Alignment::in_word;
  return stride % 64 == 0 ? Rotations::Alignment::whole_words : Rotations::Alignment::any;
}

}  // namespace

std::vector<Rotations> rotations_of(const LegGeometry& geometry, std::size_t words) {
  std::vector<Rotations> result;
  for (std::uint32_t dimension = 0; dimension < geometry.dimensions(); ++dimension) {
    const std::uint32_t stride = geometry.stride(dimension), size = geometry.radix(dimension);
    Rotations& rotations = result.emplace_back();
    rotations.alignment = alignment_of(stride, stride * size);
    for (std::uint32_t amount = 0; amount < size; ++amount) {
      Rotations::Amount& one = rotations.by_amount.emplace_back();
      one.down = amount * stride;
      one.up = (size - amount) * stride;
      one.ordinary.assign(words, 0);
      for (std::size_t bit = 0; bit < 64 * words; ++bit)
        if (bit / stride % size < size - amount) one.ordinary[bit / 64] |= std::uint64_t{1} << (bit % 64);
      one.ordinary_word = one.ordinary.front();
      for (std::size_t word = 0; word < words; ++word) {
        const bool ordinary = one.ordinary[word] != 0;
        const std::size_t from = ordinary ? word + one.down / 64 : word - one.up / 64;
        one.from.push_back(rotations.alignment == Rotations::Alignment::whole_words && from < words ? from
                                                                                                    : word);
      }
    }
  }
  return result;
}

}  // namespace faultline
