// SPDX-License-Identifier: Apache-2.0
// A question with an option, an answer, its text and a file.
#include <nlohmann/json.hpp>

#include "faultline/study/answer.h"
#include "faultline/study/case.h"

namespace faultline::verbs {
namespace {

using Json = nlohmann::ordered_json;

struct Census {
  std::uint32_t factor = 1;
  std::optional<std::string> output;

  static void fields(auto& field) {
    field("factor", &Census::factor, between(1, 1000), "times which terminals are counted");
    field("output", &Census::output, output_path(), "write the count to this file");
  }
  static std::vector<Census> samples() { return {{}}; }

  [[nodiscard]] Answer run(const CaseContext& context) const {
    const std::uint64_t count = factor * context.topology->terminal_count();
    Answer answer = Json{{"census", count}};
    if (output) answer.files.push_back({"census.output", *output, std::to_string(count) + "\n"});
    return answer;
  }
  static std::string text(const Case& one, const Json& result) {
    return to_compact(one.topology) + ": " + result["census"].dump() + " counted\n";
  }
};

}  // namespace

extern constinit const VerbKind census = verb_kind<Census>("census", "how many terminals a network has");

}  // namespace faultline::verbs
