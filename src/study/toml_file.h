// SPDX-License-Identifier: Apache-2.0
// A study file as TOML: its values with errors that say where they stand.
#pragma once

#include <toml++/toml.h>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "faultline/base/error.h"
#include "faultline/study/study.h"

namespace faultline {

class TomlFile {
 public:
  /// Throws Error("study") for text that is not TOML.
  TomlFile(const std::string& content, std::string path) : path_(std::move(path)), root_(parse(content)) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const toml::table& root() const { return root_; }

  [[nodiscard]] Location location(const toml::node& node) const {
    return {path_, static_cast<int>(node.source().begin.line)};
  }

  /// Throws Error(field) unless it is a text, a number (a double), or true or false.
  template <class Value>
  [[nodiscard]] Value value(const toml::node& node, const std::string& field) const {
    constexpr bool is_number = std::is_same_v<Value, double>, is_flag = std::is_same_v<Value, bool>;
    std::optional<Value> found = node.value_exact<Value>();
    if constexpr (is_number)
      if (node.is_integer()) found = node.value<double>();
    if (!found)
      throw Error(field, "",
                  is_number ? "must be a number"
                  : is_flag ? "must be true or false"
                            : "must be a text",
                  location(node));
    return *found;
  }
  /// Absent where the table has no such key. `above` is the table's path, which ends with a dot; empty for
  /// the root.
  template <class Value>
  [[nodiscard]] std::optional<Value> value_at(const toml::table& table, std::string_view key,
                                              const std::string& above) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    return value<Value>(*node, above + std::string(key));
  }

  /// Throws Error(field) unless it is a table, as [[name]] makes one.
  [[nodiscard]] const toml::table& table(const toml::node& node, const std::string& field,
                                         std::string_view name) const {
    if (const toml::table* found = node.as_table()) return *found;
    throw Error(field, "", "must be a table: [[" + std::string(name) + "]]", location(node));
  }

 private:
  [[nodiscard]] toml::table parse(const std::string& content) const try {
    return toml::parse(content, path_);
  } catch (const toml::parse_error& error) {
    throw Error("study", "", "is not TOML: " + std::string(error.description()),
                {path_, static_cast<int>(error.source().begin.line)});
  }

  std::string path_;
  toml::table root_;
};

/// read_study() of a file that is parsed already.
[[nodiscard]] Study read_study_toml(const TomlFile& file,
                                    const std::vector<std::pair<std::string, std::string>>& overrides,
                                    std::uint64_t max_cases = CaseList::max_cases);

}  // namespace faultline
