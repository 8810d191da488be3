// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/knowledge.h"

#include "base/number.h"
#include "faultline/base/error.h"

namespace faultline {

Knowledge parse_knowledge(std::string_view text, std::string_view field) {
  if (text == "none") return Knowledge::none();
  if (text == "neighbours") return Knowledge::neighbours();
  if (text == "all") return Knowledge::all();
  constexpr std::uint32_t most = 64;
  if (const auto radius = number_of<std::uint32_t>(text); radius && *radius >= 1 && *radius <= most)
    return Knowledge::within(*radius);
  throw Error(std::string(field), std::string(text),
              "must be none, neighbours, a radius in hops from 1 to " + std::to_string(most) + ", or all");
}

std::string to_string(Knowledge knowledge) {
  if (knowledge.is_none()) return "none";
  if (knowledge.is_all()) return "all";
  return knowledge == Knowledge::neighbours() ? "neighbours" : std::to_string(knowledge.radius());
}

SourceRole parse_source_role(std::string_view text, std::string_view field) {
  if (text == "any") return SourceRole::any;
  if (text == "plan") return SourceRole::plan;
  throw Error(std::string(field), std::string(text), "must be any or plan");
}

std::string_view to_string(SourceRole role) { return role == SourceRole::any ? "any" : "plan"; }

}  // namespace faultline
