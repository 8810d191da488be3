// SPDX-License-Identifier: Apache-2.0
#include "routing/methodology/leg_geometry.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "faultline/base/error.h"
#include "routing/grid_differences.h"

namespace faultline {
namespace {

/// One dimension's part of an offset.
struct Part {
  std::uint32_t hops;
  bool plus, tie;
};

/// The ways to cover a dimension on a shortest path, nearest first.
std::vector<Part> parts_of(std::uint32_t radix, bool wraps, bool tie_choice) {
  std::vector<Part> parts{{0, true, false}};
  for (std::uint32_t hops = 1; hops < radix; ++hops) {
    const bool tie = wraps && 2 * hops == radix;
    if (wraps && 2 * hops > radix) break;
    parts.push_back({hops, true, tie});
    if (!tie || tie_choice) parts.push_back({hops, false, tie});
  }
  return parts;
}

}  // namespace

LegGeometry::LegGeometry(const CartesianLabelling& grid, bool tie_choice, std::string_view who)
    : has_ends_(!grid.wraps()) {
  std::uint64_t switches = 1;
  for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension) {
    radix_.push_back(grid.radix(dimension));
    stride_.push_back(static_cast<std::uint32_t>(switches));
    switches *= grid.radix(dimension);
    if (switches > max_switches)
      throw Error("routing." + std::string(who),
                  "a grid of more than " + std::to_string(max_switches) + " switches",
                  "must have no more switches: sources hold what every pair needs");
  }
  switches_ = static_cast<std::uint32_t>(switches);
  for (std::uint32_t at = 0; at < switches_; ++at)
    for (std::uint32_t direction = 0; direction < directions(); ++direction) {
      const std::uint32_t dimension = direction % dimensions(), size = radix_[dimension];
      const std::uint32_t here = coordinate(at, dimension);
      const std::uint32_t there = (here + (direction < dimensions() ? 1 : size - 1)) % size;
      steps_.push_back(at + (there - here) * stride_[dimension]);
    }
  list_offsets(grid, tie_choice);
  link_offsets();
  list_shifts(grid);
}

std::uint32_t LegGeometry::difference(std::uint32_t residue, std::uint32_t part) const {
  std::uint32_t result = 0;
  for (std::uint32_t dimension = 0; dimension < dimensions(); ++dimension) {
    const std::uint32_t size = radix_[dimension];
    const std::uint32_t left = coordinate(residue, dimension) + size - coordinate(part, dimension);
    result += left % size * stride_[dimension];
  }
  return result;
}

void LegGeometry::list_offsets(const CartesianLabelling& grid, bool tie_choice) {
  offsets_.push_back({});
  for (std::uint32_t dimension = 0; dimension < dimensions(); ++dimension) {
    const std::vector<Offset> before = std::move(offsets_);
    offsets_.clear();
    const std::uint32_t size = radix_[dimension];
    for (const Part& part : parts_of(size, grid.wraps(), tie_choice))
      for (Offset offset : before) {
        offset.residue += (part.plus ? part.hops : size - part.hops) % size * stride_[dimension];
        offset.distance += part.hops;
        if (part.hops != 0) offset.directions |= 1U << (part.plus ? dimension : dimension + dimensions());
        if (part.tie && !part.plus) offset.minus_ties |= 1U << dimension;
        offsets_.push_back(offset);
      }
  }
  std::ranges::stable_sort(
      offsets_, {}, [](const Offset& offset) { return std::pair(offset.distance, offset.minus_ties); });
}

void LegGeometry::link_offsets() {
  // A hop in a tied dimension breaks the tie: the offset that is left is known by its residue and directions.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers;
  std::vector<std::vector<std::uint32_t>> of_residue(switches_);
  for (std::uint32_t i = 0; i < offsets_.size(); ++i) {
    numbers.emplace(std::pair(offsets_[i].residue, offsets_[i].directions), i);
    of_residue[offsets_[i].residue].push_back(i);
  }
  after_hop_.assign(offsets_.size() * directions(), 0);
  for (std::uint32_t i = 1; i < offsets_.size(); ++i)
    for (std::uint32_t direction = 0; direction < directions(); ++direction) {
      if ((offsets_[i].directions >> direction & 1U) == 0) continue;
      const std::uint32_t dimension = direction % dimensions();
      const std::uint32_t back = direction < dimensions() ? direction + dimensions() : dimension;
      const std::uint32_t rest = step(offsets_[i].residue, back);
      const std::uint32_t left = coordinate(rest, dimension) == 0
                                     ? offsets_[i].directions & ~(1U << direction)
                                     : offsets_[i].directions;
      after_hop_[i * directions() + direction] = numbers.at({rest, left});
    }
  first_of_.push_back(0);
  for (const auto& offsets : of_residue) {
    offsets_of_.insert(offsets_of_.end(), offsets.begin(), offsets.end());
    first_of_.push_back(static_cast<std::uint32_t>(offsets_of_.size()));
  }
  by_distance_.resize(switches_);
  std::iota(by_distance_.begin(), by_distance_.end(), 0U);
  std::ranges::stable_sort(by_distance_, {}, [&](std::uint32_t residue) { return distance(residue); });
}

void LegGeometry::list_shifts(const CartesianLabelling& grid) {
  const DifferenceCodes shifts(grid, 0, grid.dimensions());
  no_shift_ = shifts.none();
  for (std::uint32_t at = 0; at < switches_; ++at) position_.push_back(shifts.code(SwitchId(at)));
  first_at_.push_back(0);
  for (std::uint32_t shift = 0; shift < shifts.count(); ++shift) {
    std::uint32_t residue = 0, rest = shift, upwards = 0;  // dimensions in which the coordinate grows
    for (std::uint32_t dimension = 0; dimension < dimensions(); ++dimension) {
      const std::uint32_t size = radix_[dimension], added = rest % (2 * size - 1) + 1;
      rest /= 2 * size - 1;
      residue += added % size * stride_[dimension];
      upwards |= (added > size ? 1U : 0U) << dimension;
    }
    for (const std::uint32_t offset : offsets_of(residue))
      if (!has_ends_ || (offsets_[offset].directions & ((1U << dimensions()) - 1)) == upwards)
        offsets_at_.push_back(offset);
    first_at_.push_back(static_cast<std::uint32_t>(offsets_at_.size()));
  }
}

}  // namespace faultline
