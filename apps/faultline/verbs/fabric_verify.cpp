// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "command_line.h"
#include "fabric_words.h"
#include "faultline/routing/kind.h"
#include "questions.h"
#include "shell_words.h"

namespace faultline::app::verbs {
namespace {

struct Request {
  FabricWords fabric;
  std::string routing;
  Asking asking;
};

/// What the answer is about, or what to do about tables in use that do not hold even without a fault.
std::string further_text(const FabricWords& fabric, const std::string& routing, const Json& result) {
  if (!routing.empty()) return {};
  if (fabric.tables.empty())
    return "note: no tables are given: the answer is about the routing above, not about tables in use; give "
           "them with --tables\n";
  const bool is_with_faults = result.contains("failed") || result.contains("by_faults");
  if (is_with_faults || result["holds"].get<bool>()) return {};
  return fmt::format("Next: faultline fabric repair {} --tables {} --dry-run\n",
                     printable(as_word(fabric.dump)), printable(as_word(fabric.tables)));
}

Run add(CommandOptions options) {
  const VerbKind& verify = verify_verb();
  auto request = std::make_shared<Request>();
  request->fabric.add_to(options);
  options.option("--routing", request->routing,
                 "routing to examine instead of the tables, with parameters after a colon (default: tables; "
                 "up-down if there are none)");
  options.complete_kinds("--routing", names_of(&infos_of<RoutingKind>));
  add_asking(options, verify, request->asking);
  const auto given = options.fields("verify", verify.info.fields());
  request->asking.further_text = [&words = *request](const Json& result) {
    return further_text(words.fabric, words.routing, result);
  };
  return [request, given, &verify](Interruption& interruption) {
    return ask({request->fabric.description(), routing_description(request->routing), {verify, given()}},
               request->asking, interruption);
  };
}

}  // namespace

extern constinit const Command fabric_verify{
    "fabric verify",
    "check that a fabric's forwarding tables connect all adapters and are free of deadlock and livelock",
    &add};

}  // namespace faultline::app::verbs
