// SPDX-License-Identifier: Apache-2.0
#include "routing/methodology/header.h"

#include <algorithm>

#include "faultline/base/error.h"

namespace faultline {
namespace {

constexpr std::uint32_t max_bits = 63;

/// Of a field of the header for 0 … count - 1, which has one at least.
std::uint32_t field_bits(std::uint64_t count) {
  return std::max(1U, static_cast<std::uint32_t>(std::bit_width(count - 1)));
}

std::uint64_t switch_count(const CartesianLabelling& grid) {
  std::uint64_t switches = 1;
  for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension)
    switches *= grid.radix(dimension);
  return switches;
}

std::uint32_t largest_radix(const CartesianLabelling& grid) {
  std::uint32_t largest = 0;
  for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension)
    largest = std::max(largest, grid.radix(dimension));
  return largest;
}

}  // namespace

HeaderLayout::HeaderLayout(const CartesianLabelling& grid, bool has_tie_bits, std::string_view who)
    : has_tie_bits_(has_tie_bits),
      hops_bits_(field_bits(largest_radix(grid))),
      direction_bits_(field_bits(std::uint64_t{2} * grid.dimensions())),
      ties_at_(1 + static_cast<std::uint32_t>(Subheader::max_runs) * (hops_bits_ + direction_bits_)),
      subheader_bits_(ties_at_ + (has_tie_bits ? grid.dimensions() : 0)),
      bits_(2 * subheader_bits_ + 1 + field_bits(switch_count(grid))),
      all_hops_(0) {
  if (bits_ > max_bits)
    throw Error("routing." + std::string(who), std::to_string(bits_) + " header bits",
                "must be for a grid whose packet headers take at most " + std::to_string(max_bits) +
                    " bits: fewer switches or dimensions");
  for (std::uint32_t run = 0; run < Subheader::max_runs; ++run)
    all_hops_ |= hops_mask() << (1 + run * (hops_bits_ + direction_bits_));
}

Tag HeaderLayout::encode(const Subheader& subheader) const {
  Tag tag = subheader.adaptive ? 0 : 1;
  std::uint32_t at = 1;
  for (const MisroutedRun& run : subheader.runs) {
    if (run.hops != 0) tag |= (Tag{run.hops} | Tag{run.direction} << hops_bits_) << at;
    at += hops_bits_ + direction_bits_;
  }
  return has_tie_bits_ ? tag | Tag{subheader.minus_ties} << ties_at_ : tag;
}

Subheader HeaderLayout::decode_subheader(Tag tag) const {
  Subheader subheader;
  subheader.adaptive = is_adaptive(tag);
  subheader.minus_ties = minus_ties(tag);
  tag >>= 1;
  for (MisroutedRun& run : subheader.runs) {
    run.hops = static_cast<std::uint16_t>(tag & hops_mask());
    run.direction = static_cast<std::uint8_t>(tag >> hops_bits_ & ((1U << direction_bits_) - 1));
    tag >>= hops_bits_ + direction_bits_;
  }
  return subheader;
}

Tag HeaderLayout::encode(const Header& header) const {
  Tag tag = encode(header.now);
  if (!header.intermediate.valid()) return tag;
  tag |= encode(header.then) << subheader_bits_;
  tag |= Tag{1} << 2 * subheader_bits_;
  return tag | Tag{header.intermediate.value()} << (2 * subheader_bits_ + 1);
}

Header HeaderLayout::decode(Tag tag) const {
  Header header;
  header.now = decode_subheader(tag & subheader_mask());
  if (!has_intermediate(tag)) return header;
  header.then = decode_subheader(without_first(tag));
  header.intermediate = intermediate(tag);
  return header;
}

}  // namespace faultline
