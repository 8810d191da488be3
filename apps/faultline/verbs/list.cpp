// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "command_line.h"
#include "faultline/agent/agent.h"
#include "faultline/fault/process.h"
#include "faultline/routing/kind.h"
#include "faultline/selection/selection.h"
#include "faultline/topology/kind.h"
#include "faultline/traffic/pattern.h"

namespace faultline::app::verbs {
namespace {

struct Section {
  std::string title, key;
  std::vector<KindInfo> kinds;
};

template <class Kinds>
Section section(std::string title, std::string key, Kinds kinds) {
  Section section{std::move(title), std::move(key), {}};
  for (const auto* kind : kinds) section.kinds.push_back(kind->info);
  std::ranges::sort(section.kinds, {}, &KindInfo::name);
  return section;
}

std::vector<Section> sections() {
  return {section("Topologies", "topologies", topology_kinds()),
          section("Routings", "routings", routing_kinds()),
          section("Selection functions", "selections", selection_kinds()),
          section("Source agents", "agents", agent_kinds()),
          section("Traffic patterns", "traffic", pattern_kinds()),
          section("Fault processes", "fault_processes", fault_process_kinds()),
          section("Questions", "verbs", verb_kinds())};
}

Json field_json(const FieldInfo& field) {
  return {{"name", field.name},
          {"allowed", allowed_text(field)},
          {"required", field.rule.is_required},
          {"default", field.default_text},
          {"help", field.help}};
}

Json to_json(const std::vector<Section>& all) {
  Json json = Json::object();
  for (const Section& section : all) {
    json[section.key] = Json::array();
    for (const KindInfo& kind : section.kinds) {
      Json fields = Json::array();
      for (const FieldInfo& field : kind.fields()) fields.push_back(field_json(field));
      json[section.key].push_back(
          {{"name", kind.name}, {"summary", kind.summary}, {"source", kind.source}, {"fields", fields}});
    }
  }
  return json;
}

void print_section(const Section& section) {
  fmt::print("{}\n", section.title);
  for (const KindInfo& kind : section.kinds) {
    fmt::print("  {:<16} {}{}\n", kind.name, kind.summary,
               kind.source.empty() ? "" : fmt::format(" ({})", kind.source));
    for (const FieldInfo& field : kind.fields()) {
      const std::string preset = field.rule.is_required       ? "; required"
                                 : field.default_text.empty() ? ""
                                                              : "; default " + field.default_text;
      fmt::print("      {:<18} {} ({}{})\n", field.name, field.help, allowed_text(field), preset);
    }
  }
  fmt::print("\n");
}

Run add(CommandOptions options) {
  auto json = std::make_shared<bool>(false);
  options.flag("--json", *json, "print one JSON value");
  return [json](Interruption&) {
    if (*json)
      print_json(to_json(sections()));
    else
      for (const Section& section : sections()) print_section(section);
    return success;
  };
}

}  // namespace

extern constinit const Command list{"list",
                                    "list every topology, routing, selection function, source agent, traffic "
                                    "pattern, fault process and question, with parameters",
                                    &add};

}  // namespace faultline::app::verbs
