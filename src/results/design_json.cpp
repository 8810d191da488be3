// SPDX-License-Identifier: Apache-2.0
#include "faultline/results/design_json.h"

#include <nlohmann/json.hpp>

namespace faultline {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const WorstCase& worst) {
  return {{"faults", worst.faults},         {"lost", worst.lost}, {"sets", worst.sets},
          {"worst_sets", worst.worst_sets}, {"mean", worst.mean}, {"worst_set", worst.set}};
}

Json to_json(const SwitchDesign& design) {
  Json json{{"construction", design.topology}, {"improved", design.improved}};
  json["cost"] = {{"switches", design.network.switches()}, {"most_ports", design.most_ports},
                  {"ports_used", design.ports_used},       {"ports_bought", design.ports_bought},
                  {"network_links", design.network_links}, {"terminal_links", design.terminal_links},
                  {"cable_length", design.cable_length},   {"longest_cable", design.longest_cable}};
  json["worst_cases"] = Json::array();
  for (const WorstCase& worst : design.worst) json["worst_cases"].push_back(to_json(worst));
  json["best_buy"] = design.best_buy;
  json["attachments"] = design.attachments;
  return json;
}

}  // namespace

Json to_json(const SwitchDesigns& found, const SwitchDesignSpec& spec) {
  Json json{{"terminals", spec.terminals},
            {"ports", spec.ports},
            {"degree", spec.degree},
            {"faults", spec.faults},
            {"unit", to_string(spec.units)}};
  json["designs"] = Json::array();
  for (const SwitchDesign& design : found.designs) json["designs"].push_back(to_json(design));
  json["left_out"] = found.left_out;
  json["searched_all"] = found.searched_all;
  json["interrupted"] = found.interrupted();
  json["unevaluated"] = found.unevaluated;
  json["unsearched"] = found.unsearched;
  return json;
}

}  // namespace faultline
