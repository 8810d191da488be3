// SPDX-License-Identifier: Apache-2.0
#include "report/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "faultline/base/error.h"
#include "report/text_of.h"

namespace faultline::report {
namespace {

using nlohmann::json;

/// Depth is limited because writing JSON recurses. Discarded when it is not JSON or too deep.
json parse(const std::string& text) {
  constexpr int depth_limit = 50;
  bool is_deep = false;
  json value = json::parse(
      text,
      [&](int depth, json::parse_event_t, json&) {
        is_deep = is_deep || depth > depth_limit;
        return depth <= depth_limit;
      },
      false);
  return is_deep ? json(json::value_t::discarded) : value;
}

json object_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : json::object();
}

/// `value` with texts for the integers that a JavaScript number, which holds only 53 bits, would change.
json exact_in_javascript(json value) {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  for (json& item : value) {
    const bool is_large = item.is_number_unsigned()
                              ? item.get<std::uint64_t>() > most
                              : item.is_number_integer() && item.get<std::int64_t>() < -most;
    if (is_large) item = item.dump();
    if (item.is_structured()) item = exact_in_javascript(std::move(item));
  }
  return value;
}

json case_of(const Record& record, const json& described, json result) {
  return {{"verb", text_of(described, "verb")},
          {"topology", text_of(described, "topology")},
          {"routing", text_of(described, "routing")},
          {"options", exact_in_javascript(object_of(described, "options"))},
          {"result", std::move(result)},
          {"study", record.study},
          {"seed", std::to_string(record.seed)},  // a JavaScript number holds only 53 bits
          {"version", record.version},
          {"generation", record.generation},
          {"seconds", record.seconds},
          {"hash", record.hash}};
}

auto identity(const json& one) {
  return std::tie(one.at("topology"), one.at("routing"), one.at("verb"), one.at("options"), one.at("hash"));
}

}  // namespace

void refuse_above(std::size_t most, std::size_t bytes) {
  if (bytes > most)
    throw Error("results", fmt::format("at least {} bytes", bytes),
                fmt::format("at most {} bytes, which browsers can read: give the study's parts results files "
                            "of their own",
                            most));
}

Cases read_cases(std::span<const Record> records, std::size_t most, std::size_t max_bytes) {
  Cases cases;
  std::size_t bytes = 0;
  std::unordered_set<std::string_view> newer;
  for (auto at = records.rbegin(); at != records.rend(); ++at) {
    const Record& record = *at;
    const json described = parse(record.case_text);
    json result = parse(record.result_text);
    const json results = result.is_object() ? json::array({std::move(result)}) : std::move(result);
    if (!described.is_object() || !results.is_array()) {
      ++cases.unreadable;
      continue;
    }
    if (!newer.insert(record.case_text).second) {
      ++cases.superseded;
      continue;
    }
    if (cases.readable.size() < most) bytes += record.case_text.size() + record.result_text.size();
    refuse_above(max_bytes, bytes);  // before the cases fill the memory
    for (const json& one : results) {
      if (!one.is_object()) continue;
      if (cases.readable.size() < most)
        cases.readable.push_back(case_of(record, described, one));
      else
        ++cases.left_out;
    }
  }
  std::ranges::stable_sort(cases.readable, {}, identity);
  return cases;
}

}  // namespace faultline::report
