// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "fabric_words.h"
#include "faultline/routing/kind.h"
#include "questions.h"

namespace faultline::app::verbs {
namespace {

struct Request {
  FabricWords fabric;
  std::string routing;
  Asking asking;
};

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
