// SPDX-License-Identifier: Apache-2.0
#include "fabric_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "faultline/base/error.h"
#include "faultline/fault/component_names.h"

namespace faultline::app {

void FabricWords::add_to(CommandOptions& options) {
  options.positional("dump", dump,
                     "the fabric, as ibnetdiscover prints it, plain or with -p, or an ibsim net file");
  options.option("--tables", tables,
                 "its forwarding tables, as ibroute, dump_fts or OpenSM print them (default: none)");
}

Description FabricWords::description() const {
  std::vector<std::string> assignments{"file=" + dump};
  if (!tables.empty()) assignments.push_back("tables=" + tables);
  return parse_assignments("topology", "fabric", assignments);
}

std::vector<CaseInput> FabricWords::files() const {
  std::vector<CaseInput> files{{dump, {}}};
  if (!tables.empty()) files.push_back({tables, {}});
  return files;
}

namespace {

std::string cable_or_switch(const FaultComponents& components, std::uint32_t component) {
  return fmt::format("the {} {}", components.unit(component) == FaultUnit::link ? "cable" : "switch",
                     components.name(component));
}

/// Names two of them, switches before cables.
std::string ambiguity(const FaultComponents& components, std::vector<std::uint32_t> found) {
  std::stable_partition(found.begin(), found.end(), [&](std::uint32_t component) {
    return components.unit(component) == FaultUnit::switch_;
  });
  return fmt::format("may be {} or {}; write a switch by its id in the dump, and a cable as \"id[port]\"",
                     cable_or_switch(components, found[0]), cable_or_switch(components, found[1]));
}

std::uint32_t cut_component(const FaultComponents& components, const std::string& word) {
  const std::vector<std::uint32_t> found = components_called(components, word);
  if (found.empty()) {
    std::string meant = nearest_component(word, components);
    if (word.ends_with(']') && !meant.ends_with(']')) meant.clear();  // no switch in place of a cable
    throw Error(
        Error::Parts{"cut",
                     word,
                     "is no cable or switch of this fabric; write a cable as \"switch[port]\" (also "
                     "that of an adapter) or as the program prints it, and a switch by its name or id",
                     meant,
                     {}});
  }
  if (found.size() > 1) throw Error("cut", word, ambiguity(components, found));
  return found.front();
}

}  // namespace

FabricPaths::FabricPaths(const std::string& folder) {
  const std::filesystem::path in = folder;
  dump = (in / "fabric.ibnetdiscover").string();
  lids = (in / "guid2lid").string();
  tables = (in / "tables.lfts").string();
}

std::vector<std::string> cut_components(const FaultComponents& components,
                                        const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const std::string& word : words) {
    std::string name = components.name(cut_component(components, word));
    if (std::ranges::find(names, name) != names.end())
      throw Error("cut", word, fmt::format("is {}, which is cut already; name it once", name));
    names.push_back(std::move(name));
  }
  return names;
}

void require_folder(const std::string& folder) {
  std::error_code failure;
  if (std::filesystem::is_directory(folder, failure)) return;
  std::filesystem::create_directory(folder, failure);
  if (failure)
    throw Error("output", folder, "cannot be created as a folder (" + failure.message() + "); give another");
}

}  // namespace faultline::app
