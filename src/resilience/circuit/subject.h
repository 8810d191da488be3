// SPDX-License-Identifier: Apache-2.0
// The study of one network, and its circuits.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "faultline/resilience/resilience.h"
#include "resilience/circuit/circuit.h"
#include "resilience/kernels/program.h"
#include "resilience/kernels/terminal_tables.h"

namespace faultline::survival {

/// Its relation, how its routing handles faults, and what may fail.
struct Subject {
  RelationPtr relation;
  Survival survival;  ///< fixed_paths unless the routing is recomputed (is_computed_anew)
  const FaultComponents& components;
  Knowledge knowledge = Knowledge::all();
  SourceRole source = SourceRole::any;
};

/// Whether no further fault ever reconnects a pair.
[[nodiscard]] constexpr bool is_monotone(Knowledge knowledge) {
  return knowledge.is_all() || knowledge.is_none();
}

/// A search over plans is not a circuit: throws Error for a question that needs one.
void refuse_plans(Survival survival, const char* field, const std::string& value);

/// Throws Error for a method, named as the option that asks for it.
[[noreturn]] void refuse_method(ResilienceMethod method, const std::string& why);

/// What kernels run, ready for evaluation.
struct CompiledSubject {
  Program program;
  LiveTables live;
  std::optional<AttachmentTables> attachments;  ///< where terminals' own channels fail
  bool requirements =
      false;  ///< of compile_requirements: a lane in which any pair is lost reports one lost pair
};

[[nodiscard]] std::shared_ptr<const CompiledSubject> compile(const Subject& subject,
                                                             const Progress& progress = {});

/// What must hold for every pair to survive (see compile_requirements); absent if paths have a cycle.
[[nodiscard]] std::optional<Circuit> compile_requirements(const Subject& subject);

}  // namespace faultline::survival
