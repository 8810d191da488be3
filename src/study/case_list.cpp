// SPDX-License-Identifier: Apache-2.0
#include "faultline/study/case_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/file_keys.h"
#include "faultline/topology/limits.h"
#include "study/sweep.h"

namespace faultline {

/// The combinations of what one experiment lists.
class CaseGrid {
 public:
  explicit CaseGrid(CaseDescription given)
      : given_(std::move(given)),
        topology_(given_.topology.description, given_.topology.kind->info.fields()),
        options_(given_.options.description, given_.options.kind->info.fields()) {}

  [[nodiscard]] std::uint64_t count() const {
    return saturating_product(topology_.count(), options_.count());
  }
  [[nodiscard]] Case at(std::uint64_t index) const {
    return resolve_case({{*given_.topology.kind, topology_.at(index / options_.count())},
                         given_.routing,
                         {*given_.options.kind, options_.at(index % options_.count())}});
  }

 private:
  CaseDescription given_;
  Sweep topology_;
  Sweep options_;
};

void CaseList::add(const CaseDescription& given, const std::string& field,
                   const std::function<void(Case)>& each) {
  CaseDescription shared = given;  // all cases of the grid see the same content of their files
  std::shared_ptr<InputFiles>& files = shared.options.description.files;
  if (!files) files = std::make_shared<InputFiles>();
  const auto grid = std::make_shared<const CaseGrid>(std::move(shared));
  if (grid->count() > most_ - size())
    throw Error(field,
                grid->count() == std::numeric_limits<std::uint64_t>::max()
                    ? "2^64 cases or more"
                    : fmt::format("{} cases", size() + grid->count()),
                fmt::format("must be at most {} cases in all: give fewer values, or several studies", most_));
  grids_.push_back(grid);
  for (std::uint64_t index = 0; index < grid->count(); ++index) {
    Case one = grid->at(index);
    Hash hash{};
    std::ranges::copy(case_hash(one), hash.begin());
    if (known_.insert(hash).second) {
      entries_.push_back({grids_.size() - 1, index, hash});
      add_files(one);
    }
    if (each) each(std::move(one));
  }
}

void CaseList::add_files(const Case& one) {
  const auto refuse_read = [](const CaseOutput& output) {
    throw Error(output.field, output.path,
                "would overwrite a file that another case reads; give another path");
  };
  for (const std::string& input : case_input_paths(one)) {
    if (!input_paths_.insert(input).second) continue;
    for (std::string& key : file_keys(input)) {
      if (const auto output = output_of_key_.find(key); output != output_of_key_.end())
        refuse_read(outputs_[output->second]);
      input_keys_.insert(std::move(key));
    }
  }
  for (CaseOutput& output : case_outputs(one)) {
    std::vector<std::string> keys = file_keys(output.path);
    for (const std::string& key : keys) {
      if (output_of_key_.contains(key))
        throw Error(output.field, output.path, "would be written by two cases; give each its own file");
      if (input_keys_.contains(key)) refuse_read(output);
    }
    for (std::string& key : keys) output_of_key_.emplace(std::move(key), outputs_.size());
    outputs_.push_back(std::move(output));
  }
}

Case CaseList::operator[](std::size_t index) const {
  const Entry& entry = entries_[index];
  return grids_[entry.grid]->at(entry.index);
}

std::string CaseList::hash(std::size_t index) const {
  const Hash& hash = entries_[index].hash;
  return {hash.begin(), hash.end()};
}

}  // namespace faultline
