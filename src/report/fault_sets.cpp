// SPDX-License-Identifier: Apache-2.0
#include "report/fault_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "faultline/describe/fields.h"
#include "report/text_of.h"

namespace faultline::report {
namespace {

using nlohmann::json;

/// Empty for anything but a list of texts.
std::vector<std::string> sorted_names(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array() ||
      !std::ranges::all_of(*found, [](const json& name) { return name.is_string(); }))
    return {};
  auto names = found->get<std::vector<std::string>>();
  std::ranges::sort(names);
  return names;
}

/// Where the set of a case comes from: drawn, or listed in a file.
std::string origin_of(const json& options) {
  const std::string faults = text_of(options, "faults");
  if (!is_count(faults)) return faults.substr(faults.find_last_of('/') + 1);
  const auto seed = options.find("seed");
  if (seed == options.end()) return "drawn";
  if (seed->is_number_unsigned()) return fmt::format("seed {}", seed->get<std::uint64_t>());
  return "seed " + text_of(options, "seed");  // a text where JavaScript has no such number
}

class Reader {
 public:
  void read(const json& one) {
    const json& result = one.at("result");
    const json& options = one.at("options");
    const std::string verb = one.at("verb");
    NamedFaults faults{.routing = one.at("routing"),
                       .unit = text_of(result, "unit", text_of(options, "unit", "channel")),
                       .scope = text_of(result, "scope", text_of(options, "scope", "network")),
                       .knowledge = text_of(result, "knowledge"),
                       .source = text_of(result, "source"),
                       .switching = text_of(options, "switching", "vct"),
                       .names = {},
                       .origin = {},
                       .pair = {}};
    if (verb == "resilience") {
      add(faults, sorted_names(result, "witness"), "smallest cut", text_of(result, "witness_pair"));
      if (const auto found = result.find("smallest_failing"); found != result.end() && found->is_object())
        add(faults, sorted_names(*found, "components"), "smallest failing set");
    } else if (verb == "verify" || verb == "simulate") {
      add(faults, sorted_names(result, "failed"), origin_of(options));
      if (const auto points = result.find("by_faults"); points != result.end() && points->is_array())
        for (const json& point : *points)
          if (point.is_object()) add(faults, sorted_names(point, "witness"), "failing set");
    }
  }
  [[nodiscard]] std::vector<NamedFaults> sets() && { return std::move(sets_); }

 private:
  void add(NamedFaults faults, std::vector<std::string> names, std::string origin, std::string pair = {}) {
    if (names.empty()) return;
    faults.names = std::move(names);
    faults.origin = std::move(origin);
    faults.pair = std::move(pair);
    const bool is_new = known_
                            .insert({faults.routing, faults.unit, faults.scope, faults.knowledge,
                                     faults.source, faults.switching, faults.names})
                            .second;
    if (is_new) sets_.push_back(std::move(faults));
  }

  using Identity = std::tuple<std::string, std::string, std::string, std::string, std::string, std::string,
                              std::vector<std::string>>;
  std::set<Identity> known_;
  std::vector<NamedFaults> sets_;
};

}  // namespace

std::vector<NamedFaults> named_faults(std::span<const json* const> cases) {
  Reader reader;
  for (const json* one : cases) reader.read(*one);
  return std::move(reader).sets();
}

}  // namespace faultline::report
