// SPDX-License-Identifier: Apache-2.0
// Many cases, stored as the grids that contain them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "faultline/study/case.h"

namespace faultline {

class CaseGrid;

/// Cases without repetition, each generated on request: an entry costs 48 bytes, and its hash in an index.
/// Safe to read from several threads.
class CaseList {
 public:
  static constexpr std::uint64_t max_cases = 1'000'000;
  explicit CaseList(std::uint64_t most = max_cases) : most_(most) {}

  /// Adds the cases of expand_case() that are not there yet; `each` is called with all of them. Throws
  /// Error(field) if the list would exceed its limit, and as resolve_case does, for each case; Error for a
  /// file that two of the cases would write, or that one would write and another reads; some of the cases are
  /// then in the list.
  void add(const CaseDescription& given, const std::string& field,
           const std::function<void(Case)>& each = {});

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] Case operator[](std::size_t index) const;
  /// case_hash() of that case, found when it was added.
  [[nodiscard]] std::string hash(std::size_t index) const;
  [[nodiscard]] const std::vector<CaseOutput>& outputs() const { return outputs_; }

  class Iterator {
   public:
    using value_type = Case;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    using reference = Case;
    using pointer = void;
    Iterator(const CaseList& list, std::size_t index) : list_(&list), index_(index) {}
    Case operator*() const { return (*list_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) { return {*list_, index_++}; }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const CaseList* list_;
    std::size_t index_;
  };
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size()}; }

 private:
  using Hash = std::array<char, 32>;
  struct Entry {
    std::size_t grid;
    std::uint64_t index;
    Hash hash;
  };
  void add_files(const Case& one);

  std::uint64_t most_;
  std::vector<std::shared_ptr<const CaseGrid>> grids_;
  std::vector<Entry> entries_;
  std::set<Hash> known_;
  std::set<std::string> input_paths_, input_keys_;  // keys: base/file_keys.h
  std::vector<CaseOutput> outputs_;
  std::map<std::string, std::size_t> output_of_key_;
};

}  // namespace faultline
