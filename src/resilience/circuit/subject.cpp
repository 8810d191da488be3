// SPDX-License-Identifier: Apache-2.0
#include "resilience/circuit/subject.h"

#include <fmt/format.h>

#include <string_view>

#include "resilience/circuit/attachment_tables.h"
#include "resilience/circuit/compile.h"
#include "resilience/circuit/live_tables.h"
#include "resilience/circuit/lower.h"

namespace faultline::survival {
namespace {

/// Null if the attachments do not allow it.
std::shared_ptr<const CompiledSubject> compile_by_pattern(const Subject& subject,
                                                          const CompileContext& context,
                                                          const DestinationsProgress& told) {
  Attachments attachments(context.topology);
  bool fits = attachments.applicable();
  Circuit circuit(static_cast<std::uint32_t>(subject.components.count()));
  if (fits)
    for_each_destination_class(
        *subject.relation, subject.survival,
        [&](const DestinationClass& destinations) {
          fits = fits && compile(circuit, context, destinations, attachments);
        },
        told);
  if (!fits) return nullptr;
  return std::make_shared<const CompiledSubject>(
      CompiledSubject{lower(circuit, attachments.row_count()), live_tables(subject.components),
                      attachment_tables(attachments, subject.components, subject.survival)});
}

}  // namespace

void refuse_plans(Survival survival, const char* field, const std::string& value) {
  if (survival == Survival::plans)
    throw Error(field, value,
                "must not be asked of a routing whose sources plan: it is evaluated one fault set at a time, "
                "exhaustive or sampled");
}

void refuse_method(ResilienceMethod method, const std::string& why) {
  const std::string_view name = method == ResilienceMethod::exhaustive ? "exhaustive"
                                : method == ResilienceMethod::exact    ? "exact"
                                                                       : "rare";
  throw Error(fmt::format("resilience.{}", name), "true", "must be left out; " + why);
}

std::shared_ptr<const CompiledSubject> compile(const Subject& subject, const Progress& progress) {
  const ComponentsOfChannel components(subject.components, subject.survival);
  const CompileContext context{subject.components.topology(), components, subject.knowledge, subject.source};
  const DestinationsProgress told{"destinations compiled", progress};
  if (subject.knowledge.is_all() && components.own_to_terminals())
    if (auto compiled = compile_by_pattern(subject, context, told)) return compiled;
  Circuit circuit(static_cast<std::uint32_t>(subject.components.count()));
  for_each_destination_class(
      *subject.relation, subject.survival,
      [&](const DestinationClass& destinations) { compile(circuit, context, destinations); }, told);
  return std::make_shared<const CompiledSubject>(
      CompiledSubject{lower(circuit), live_tables(subject.components), std::nullopt});
}

std::optional<Circuit> compile_requirements(const Subject& subject) {
  if (subject.survival != Survival::fixed_paths) return std::nullopt;
  const ComponentsOfChannel components(subject.components, subject.survival);
  const CompileContext context{subject.components.topology(), components, subject.knowledge, subject.source};
  Circuit circuit(static_cast<std::uint32_t>(subject.components.count()));
  bool fits = true;
  for_each_destination_class(*subject.relation, subject.survival, [&](const DestinationClass& destinations) {
    fits = fits && compile_requirements(circuit, context, destinations);
  });
  if (!fits) return std::nullopt;
  return circuit;
}

}  // namespace faultline::survival
