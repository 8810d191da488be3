// SPDX-License-Identifier: Apache-2.0
#include "faultline/study/case_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "faultline/base/file.h"
#include "faultline/topology/limits.h"
#include "study/sweep.h"

namespace faultline {

/// The combinations of what one experiment lists.
class CaseGrid {
 public:
  explicit CaseGrid(const Case& given)
      : topology_(given.topology, find_kind(topology_kinds(), given.topology).info.fields()),
        routing_(given.routing),
        options_(given.options, find_kind(verb_kinds(), given.options).info.fields()) {}

  [[nodiscard]] std::uint64_t count() const {
    return saturating_product(topology_.count(), options_.count());
  }
  [[nodiscard]] Case at(std::uint64_t index) const {
    return canonical_case(
        {topology_.at(index / options_.count()), routing_, options_.at(index % options_.count())});
  }

 private:
  Sweep topology_;
  Description routing_;
  Sweep options_;
};

void CaseList::add(const Case& given, const std::string& field) {
  Case shared = given;  // all cases of the grid see the same content of their files
  if (!shared.options.files) shared.options.files = std::make_shared<InputFiles>();
  const auto grid = std::make_shared<const CaseGrid>(shared);
  if (grid->count() > most_ - size())
    throw Error(field,
                grid->count() == std::numeric_limits<std::uint64_t>::max()
                    ? "2^64 cases or more"
                    : fmt::format("{} cases", size() + grid->count()),
                fmt::format("must be at most {} cases in all: give fewer values, or several studies", most_));
  grids_.push_back(grid);
  for (std::uint64_t index = 0; index < grid->count(); ++index) {
    const Case one = grid->at(index);
    const Hash128 hash = hash_of(case_hash(one));
    if (!known_.emplace(std::pair(hash.high, hash.low), size()).second) continue;
    entries_.push_back({grids_.size() - 1, index});
    add_outputs(one);
  }
}

void CaseList::add_outputs(const Case& one) {
  for (CaseOutput& output : case_outputs(one)) {
    const auto there = std::ranges::find_if(
        outputs_, [&](const CaseOutput& other) { return is_same_file(output.path, other.path); });
    if (there != outputs_.end())
      throw Error(output.field, output.path, "would be written by two cases; give each its own file");
    outputs_.push_back(std::move(output));
  }
}

Case CaseList::operator[](std::size_t index) const {
  const Entry& entry = entries_[index];
  return grids_[entry.grid]->at(entry.index);
}

}  // namespace faultline
