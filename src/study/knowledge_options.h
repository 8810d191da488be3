// SPDX-License-Identifier: Apache-2.0
// The options `knowledge` and `source`, which every verb that takes faults shares.
#pragma once

#include <optional>
#include <string>

#include "faultline/routing/kind.h"

namespace faultline {

constexpr std::string_view knowledge_help =
    "which dead channels a switch knows: none, neighbours (its own outputs), those within N hops: 2, "
    "or "
    "all (default: what the routing was designed for)";
constexpr std::string_view source_help =
    "any: a pair is served if every way to inject arrives; plan: the source offers only ways that arrive "
    "(default: what the routing was designed for)";

/// What the options say, or else what the routing was designed for. Throws Error("VERB.knowledge", …).
[[nodiscard]] inline Knowledge knowledge_asked(const std::optional<std::string>& asked,
                                               const RoutingKind& routing, const std::string& verb) {
  return asked ? parse_knowledge(*asked, verb + ".knowledge") : routing.knowledge;
}
[[nodiscard]] inline SourceRole source_asked(const std::optional<std::string>& asked,
                                             const RoutingKind& routing, const std::string& verb) {
  return asked ? parse_source_role(*asked, verb + ".source") : routing.source;
}

/// Before anything runs: throws as knowledge_asked() and source_asked() do where an option is malformed.
inline void check_knowledge_options(const std::optional<std::string>& knowledge,
                                    const std::optional<std::string>& source, const Description& given) {
  if (knowledge) (void)parse_knowledge(*knowledge, given.path_of("knowledge"));
  if (source) (void)parse_source_role(*source, given.path_of("source"));
}

}  // namespace faultline
