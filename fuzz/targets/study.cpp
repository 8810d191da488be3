// SPDX-License-Identifier: Apache-2.0
// Study files.
#include <nlohmann/json.hpp>

#include "study/study_text.h"
#include "targets.h"

namespace faultline::fuzz {
namespace {

constexpr std::uint64_t max_cases = 50;

void read(std::string_view bytes) {
  const Study study = read_study_text(std::string(bytes), "/nowhere/study.toml", {}, max_cases);
  if (study.cases.size() == 0) defect("a study without cases was accepted");
  for (const Case& one : study.cases) {
    const Case again_resolved =
        resolve_case({one.topology.description(), one.routing.description(), one.options.description()});
    if (case_hash(again_resolved) != case_hash(one)) defect("a case is not read back as it was written out");
    const auto text = nlohmann::json::parse(case_text(one));
    const Description again = parse_compact("topology", text.at("topology").get<std::string>());
    if (to_compact(again) != text.at("topology").get<std::string>())
      defect("a topology is not read back as it was written");
    canary(one.options.kind().info.name == "resilience" && study.cases.size() > 6);
  }
}

}  // namespace

extern constinit const Target study{"study", [](std::string_view bytes) { answer_or_refusal(read, bytes); }};

}  // namespace faultline::fuzz
