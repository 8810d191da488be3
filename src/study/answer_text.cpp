// SPDX-License-Identifier: Apache-2.0
#include "study/answer_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "faultline/base/counted.h"
#include "faultline/base/error.h"

namespace faultline {

using Json = nlohmann::ordered_json;

std::string percent(const Json& fraction) {
  constexpr int usual_digits = 6, most_digits = 17;
  const double value = fraction.get<double>();
  std::string text;
  for (int digits = usual_digits; digits <= most_digits; ++digits) {
    text = fmt::format("{:.{}g} %", 100 * value, digits);
    if (value >= 1 || text != "100 %") break;
  }
  return text;
}

std::string interval_text(const Json& bounds, double factor) {
  const auto text = [&](const Json& bound) { return fmt::format("{:.6g}", factor * bound.get<double>()); };
  return bounds[1].is_null() ? "at least " + text(bounds[0]) : text(bounds[0]) + " … " + text(bounds[1]);
}

std::string count_text(const Json& count) {
  return count.is_null() ? "not computed" : fmt::format("{}", count.get<std::uint64_t>());
}

std::string counted_text(const Json& count, std::string_view what) {
  if (count.is_null()) return count_text(count) + " " + plural(what);
  return counted(count.get<std::uint64_t>(), what);
}

std::string_view agreeing_word(const Json& count, std::string_view one, std::string_view more) {
  return agreeing(count.is_null() ? 0 : count.get<std::uint64_t>(), one, more);
}

std::string name_text(const Json& name) { return printable(name.get<std::string>(), 1000); }

std::string joined(const Json& names) {
  std::string text;
  for (const Json& name : names) text += (text.empty() ? "" : ", ") + name_text(name);
  return text;
}

std::string labelled_line(std::string_view label, std::string_view value) {
  return fmt::format("  {:<22} {}\n", label, value);
}

}  // namespace faultline
