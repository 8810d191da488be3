// SPDX-License-Identifier: Apache-2.0
// What a block of fault sets does to the pairs: by a kernel on a program, or by the plain reference.
#pragma once

#include <memory>
#include <string_view>

#include "resilience/circuit/subject.h"
#include "resilience/evaluate/fault_block.h"
#include "resilience/kernels/drawn_sets.h"
#include "resilience/kernels/kernel.h"
#include "resilience/kernels/sums.h"

namespace faultline::survival {

/// Used by one thread at a time, which has a clone of its own.
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

  /// The best number of drawn sets per call if it draws them itself; 0: it does not.
  [[nodiscard]] virtual std::uint64_t sets_drawn_at_once() const { return 0; }
  [[nodiscard]] virtual Sums evaluate(const DrawnSets& /*sets*/) { return {}; }
};

[[nodiscard]] std::unique_ptr<Evaluator> make_program_evaluator(
    std::shared_ptr<const CompiledSubject> compiled, const Kernel& kernel, const Subject& subject);
/// Throws Error("resilience.kernel") if there is no GPU, or it fails.
[[nodiscard]] std::unique_ptr<Evaluator> make_device_evaluator(const CompiledSubject& compiled);
/// Plain search over the states for each fault set: shares no code with circuits and kernels.
[[nodiscard]] std::unique_ptr<Evaluator> make_reference_evaluator(const Subject& subject);

/// By the search of a routing whose sources plan (Survival::plans).
[[nodiscard]] std::unique_ptr<Evaluator> make_plan_evaluator(const Subject& subject, std::string_view kernel);

/// `name` empty: what FAULTLINE_KERNEL names, or the fastest here. Throws Error for an unknown or unavailable
/// kernel.
[[nodiscard]] std::unique_ptr<Evaluator> make_evaluator(const Subject& subject, std::string_view name,
                                                        const Progress& progress = {});

}  // namespace faultline::survival
