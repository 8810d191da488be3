// SPDX-License-Identifier: Apache-2.0
// Words that the texts of several verbs share. Every number is printed with its unit.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace faultline {

/// A fraction: "12.5 %". Never "100 %" for one below 1.
[[nodiscard]] std::string percent(const nlohmann::ordered_json& fraction);
/// "0.1 … 0.2", of a list of two numbers, each times `factor`; "at least 0.1" if the second is null.
[[nodiscard]] std::string interval_text(const nlohmann::ordered_json& bounds, double factor);
/// A whole number, or "not computed" for null.
[[nodiscard]] std::string count_text(const nlohmann::ordered_json& count);
/// "1 fault", "3 switches", "3 entries": a whole number of `what`.
[[nodiscard]] std::string counted_text(const nlohmann::ordered_json& count, std::string_view what);
/// The word that agrees with a count (`agreeing`).
[[nodiscard]] std::string_view agreeing_word(const nlohmann::ordered_json& count, std::string_view one,
                                             std::string_view more);
/// A name, which may come from a file, with control characters escaped.
[[nodiscard]] std::string name_text(const nlohmann::ordered_json& name);
/// "a, b, c", of a list of names.
[[nodiscard]] std::string joined(const nlohmann::ordered_json& names);
/// "  label                  value", a line.
[[nodiscard]] std::string labelled_line(std::string_view label, std::string_view value);

}  // namespace faultline
