// SPDX-License-Identifier: Apache-2.0
#include "report/networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "faultline/base/counted.h"
#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"
#include "report/drawing.h"
#include "report/failed.h"
#include "report/watched.h"
#include "report/worst.h"

namespace faultline::report {
namespace {

using nlohmann::json;

/// The cases of one topology.
struct Group {
  std::string topology;
  std::vector<const json*> cases;
};

constexpr std::size_t max_routings = 16;  // of a network

std::vector<Group> by_topology(std::span<const json> cases) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> numbers;
  for (const json& one : cases) {
    const std::string topology = one.at("topology");
    // The verb statements is asked about whole sweeps, which the page shows in one table, not drawn.
    if (topology.empty() || one.at("verb") == "statements") continue;
    const auto [entry, is_new] = numbers.emplace(topology, groups.size());
    if (is_new) groups.push_back({topology, {}});
    groups[entry->second].cases.push_back(&one);
  }
  return groups;
}

std::shared_ptr<InputFiles> closed() {
  auto files = std::make_shared<InputFiles>();
  files->close();
  return files;
}

/// The unchanged input files of the group's results: whatever else a description names, or has changed since,
/// is not read.
std::shared_ptr<InputFiles> files_of(const Group& group, bool opens_files) {
  auto files = std::make_shared<InputFiles>();
  if (opens_files)
    for (const json* one : group.cases) {
      const json& result = one->at("result");
      const auto inputs = result.find("inputs");
      if (inputs == result.end() || !inputs->is_array()) continue;
      for (const json& input : *inputs) try {
          const std::string path = input.at("file"), hash = input.at("hash");
          InputFile file = files->read(path, "inputs");
          if (content_hash(*file.content) != hash) return closed();
        } catch (const std::exception&) {  // a missing file is reported by the code that needs it
          continue;
        }
    }
  files->close();
  return files;
}

/// The network of a file is no larger than the file.
bool names_a_file(const KindInfo& kind, const Description& description) {
  for (const FieldInfo& field : kind.fields())
    if (field.rule.is_file && description.find(field.name) != nullptr) return true;
  return false;
}

Description described(const std::string& path, const std::string& text,
                      const std::shared_ptr<InputFiles>& files) {
  Description description = parse_compact(path, text);
  description.files = files;
  return description;
}

/// As stated in a result: reason enough to leave a network out, but not to build one.
std::optional<std::uint64_t> recorded_terminals(const Group& group) {
  for (const json* one : group.cases) {
    const json& result = one->at("result");
    if (const auto found = result.find("terminals"); found != result.end() && found->is_number_unsigned())
      return found->get<std::uint64_t>();
  }
  return std::nullopt;
}

json draw_routings(const Group& group, const TopologyPtr& topology,
                   const std::shared_ptr<InputFiles>& files) {
  std::vector<std::string> names;
  for (const json* one : group.cases) {
    const std::string name = one->at("routing");
    if (names.size() < max_routings && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  json routings = json::array();
  for (const std::string& name : names) try {
      const RelationPtr relation =
          build_relation(topology, FaultSet(*topology), described("routing", name, files));
      if (json paths = draw_paths(*relation); !paths.is_null())
        routings.push_back({{"name", name}, {"paths", std::move(paths)}});
    } catch (const Error&) {
      continue;  // the drawing is still worth having without these paths
    }
  return routings;
}

json draw_network(const Group& group, const ReportOptions& options) {
  json network{{"topology", group.topology}};
  const auto refuse_above = [&](std::uint64_t terminals) {
    network["terminals"] = terminals;
    if (terminals <= options.drawn_terminals) return false;
    network["skipped"] = fmt::format("it has {} terminals; networks of up to {} are drawn", terminals,
                                     options.drawn_terminals);
    return true;
  };
  if (const auto terminals = recorded_terminals(group); terminals && refuse_above(*terminals)) return network;
  bool is_of_file = false;
  try {
    const auto files = files_of(group, options.opens_files);
    Named<TopologyKind> named(described("topology", group.topology, files));
    is_of_file = names_a_file(named.kind->info, named.description);
    const Resolved<TopologyKind> described_topology(std::move(named));
    const TopologyKind& kind = described_topology.kind();
    const auto terminals = kind.terminals(described_topology.parameters());
    if (terminals && refuse_above(*terminals)) return network;
    if (!terminals && !is_of_file) {
      network["skipped"] = "its size is not known in advance";
      return network;
    }
    const TopologyPtr topology = build_topology(described_topology);
    if (refuse_above(topology->terminal_count())) return network;
    if (topology->channel_count() > options.drawn_channels) {
      network["skipped"] = fmt::format("it has {} channels; networks of up to {} are drawn",
                                       topology->channel_count(), options.drawn_channels);
      return network;
    }
    network["drawing"] = draw_topology(*topology);
    network["routings"] = draw_routings(group, topology, files);
    network["failed"] = draw_failed(group.cases, topology, files);
    network["worst"] = draw_worst(group.cases, topology);
    network["watched"] = draw_watched(group.cases, *topology);
  } catch (const Error& error) {
    network["skipped"] =
        is_of_file && !options.opens_files
            ? "it is described by a file; report --open-files draws it"
            : fmt::format("it cannot be built{}: {}",
                          is_of_file ? " as it was (its file may have changed)" : "", error.what());
  }
  return network;
}

/// As its description states, which takes no network to be built and no file to be opened.
std::optional<std::uint64_t> described_terminals(const Group& group) {
  try {
    const Resolved<TopologyKind> resolved(described("topology", group.topology, closed()));
    return resolved.kind().terminals(resolved.parameters());
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Its size is still told: figures compare networks of one size.
json left_out(const Group& group, const ReportOptions& options) {
  json network{{"topology", group.topology},
               {"skipped", fmt::format("only {} {} drawn", counted(options.drawn_networks, "network"),
                                       agreeing(options.drawn_networks, "is", "are"))}};
  auto terminals = recorded_terminals(group);
  if (!terminals) terminals = described_terminals(group);
  if (terminals) network["terminals"] = *terminals;
  return network;
}

}  // namespace

json draw_networks(std::span<const json> cases, const ReportOptions& options) {
  json networks = json::array();
  for (const Group& group : by_topology(cases)) {
    if (networks.size() < options.drawn_networks)
      networks.push_back(draw_network(group, options));
    else
      networks.push_back(left_out(group, options));
  }
  return networks;
}

}  // namespace faultline::report
