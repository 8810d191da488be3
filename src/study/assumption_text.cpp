// SPDX-License-Identifier: Apache-2.0
#include "study/assumption_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "faultline/routing/kind.h"
#include "study/answer_text.h"

namespace faultline {

using Json = nlohmann::ordered_json;

std::string assumption_text(const Case& one, const Json& result) {
  const bool sources_plan = result["source"] == "plan";
  if (!one.routing.is_none() && one.routing.kind().survival == Survival::plans &&
      is_computed_anew(Survival::plans, parse_knowledge(result["knowledge"].get<std::string>(), "knowledge"),
                       sources_plan ? SourceRole::plan : SourceRole::any))
    return labelled_line("assumed", "sources know all dead channels, and send over plans without any") +
           labelled_line("", "what switches know makes no difference");
  const auto known = result["knowledge"].get<std::string>();
  const std::string switches = known == "none"         ? "no switch knows which channels are dead"
                               : known == "all"        ? "every switch knows all dead channels"
                               : known == "neighbours" ? "a switch knows which of its own outputs are dead"
                                                       : "a switch knows the dead channels within " + known +
                                                             (known == "1" ? " hop" : " hops");
  return labelled_line("assumed", fmt::format("{} (knowledge {})", switches, known)) +
         labelled_line("", sources_plan ? "a source uses only injection options that arrive (source plan)"
                                        : "a source uses any of its injection options (source any)") +
         (sources_plan && result.contains("deadlock_free")
              ? labelled_line("",
                              "deadlock and livelock are judged for every option that it does not know to be "
                              "dead: a source that is still learning uses them")
              : "");
}

}  // namespace faultline
