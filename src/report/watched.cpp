// SPDX-License-Identifier: Apache-2.0
#include "report/watched.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>

#include "report/limits.h"

namespace faultline::report {
namespace {

using nlohmann::json;

/// What results name, by number.
class Numbers {
 public:
  explicit Numbers(const Topology& topology) {
    for (const ChannelId channel : topology.channels())
      channels_.emplace(topology.name(channel), channel.value());
    for (const TerminalId terminal : topology.terminals())
      terminals_.emplace(topology.name(terminal), terminal.value());
  }

  /// Throw std::out_of_range for what is not there.
  [[nodiscard]] std::uint32_t terminal(const std::string& name) const { return terminals_.at(name); }
  [[nodiscard]] json channels(const json& names) const {
    json numbers = json::array();
    for (const json& name : names) numbers.push_back(channels_.at(name.get<std::string>()));
    return numbers;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> channels_, terminals_;
};

json drawn(const json& one, const json& watched, const Numbers& numbers) {
  json paths = json::array();
  for (const json& path : watched.at("paths"))
    paths.push_back({{"latency", path.at("latency").get<std::uint64_t>()},
                     {"channels", numbers.channels(path.at("channels"))}});
  const json& options = one.at("options");
  const json load = options.value("load", json());  // a search for saturation has none
  json setting = json::array();
  for (const char* const option : {"traffic", "faults", "schedule", "fault-process"})
    if (const json value = options.value(option, json());
        value.is_string() && !value.get<std::string>().empty() && value != "0")
      setting.push_back(fmt::format("{} {}", option, value.get<std::string>()));
  return {{"routing", one.at("routing")},
          {"load", load.is_number() ? load : one.at("result").at("offered")},
          {"setting", std::move(setting)},
          {"source", numbers.terminal(watched.at("source"))},
          {"destination", numbers.terminal(watched.at("destination"))},
          {"down", numbers.channels(watched.at("down"))},
          {"paths", std::move(paths)}};
}

}  // namespace

json draw_watched(std::span<const json* const> cases, const Topology& topology) {
  Limited pairs;
  const auto watches = [](const json* one) {
    const json& result = one->at("result");
    return result.contains("control") && result.at("control").contains("watched");
  };
  if (std::ranges::none_of(cases, watches)) return std::move(pairs).result();
  const Numbers numbers(topology);
  std::set<std::string> known;
  for (const json* one : cases) try {
      if (!watches(one)) continue;
      json pair = drawn(*one, one->at("result").at("control").at("watched"), numbers);
      if (known.insert(pair.dump()).second) pairs.add(std::move(pair));
    } catch (const std::exception&) {
      continue;  // the result is of another network, or was written by hand
    }
  return std::move(pairs).result();
}

}  // namespace faultline::report
