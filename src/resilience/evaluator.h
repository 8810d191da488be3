// SPDX-License-Identifier: Apache-2.0
// What a block of fault sets does to the pairs: by a kernel on a program, or by the plain reference.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "faultline/resilience/resilience.h"
#include "resilience/circuit.h"
#include "resilience/fault_block.h"
#include "resilience/kernels/drawn_sets.h"
#include "resilience/kernels/kernel.h"
#include "resilience/kernels/sums.h"
#include "resilience/kernels/terminal_tables.h"
#include "resilience/program.h"

namespace faultline::survival {

/// Used by one thread at a time; clones share what does not change.
class Evaluator {
 public:
  Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;
  virtual ~Evaluator() = default;

  [[nodiscard]] virtual std::unique_ptr<Evaluator> clone() const = 0;
  /// Fault sets that one call takes at most.
  [[nodiscard]] virtual std::uint32_t lanes() const = 0;
  virtual void evaluate(const FaultBlock& block, Verdicts& verdicts) = 0;

  /// Drawn sets that it takes best at a time where it draws them itself; 0: it does not.
  [[nodiscard]] virtual std::uint64_t sets_drawn_at_once() const { return 0; }
  [[nodiscard]] virtual Sums evaluate(const DrawnSets& /*sets*/) { return {}; }
};

/// The study of one network: its relation, what its routing does about faults, and what may fail.
struct Subject {
  RelationPtr relation;
  Survival survival;
  const FaultComponents& components;
  Semantics semantics;
};

/// What kernels run, ready for evaluation.
struct CompiledSubject {
  Program program;
  std::optional<AttachmentTables> attachments;  ///< where terminals' own channels fail
  bool requirements =
      false;  ///< of compile_requirements: a lane in which any pair is lost reports one lost pair
};

/// Throws Error for guaranteed semantics where paths are not fixed.
[[nodiscard]] std::shared_ptr<const CompiledSubject> compile(const Subject& subject);

/// What must hold for every pair to survive (see compile_requirements); nothing where paths lead in circles.
[[nodiscard]] std::optional<Circuit> compile_requirements(const Subject& subject);

[[nodiscard]] std::unique_ptr<Evaluator> make_program_evaluator(
    std::shared_ptr<const CompiledSubject> compiled, const Kernel& kernel, const Subject& subject);
/// Throws Error("resilience.kernel") where there is no graphics processor, or it fails.
[[nodiscard]] std::unique_ptr<Evaluator> make_device_evaluator(
    std::shared_ptr<const CompiledSubject> compiled, const Subject& subject);
/// Plain search over the states for each fault set: shares no code with circuits and kernels.
[[nodiscard]] std::unique_ptr<Evaluator> make_reference_evaluator(const Subject& subject);

/// `name` empty: what FAULTLINE_KERNEL names, or the fastest here. Throws Error for an unknown or unavailable
/// kernel.
[[nodiscard]] std::unique_ptr<Evaluator> make_evaluator(const Subject& subject, std::string_view name);

}  // namespace faultline::survival
