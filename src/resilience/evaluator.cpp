// SPDX-License-Identifier: Apache-2.0
#include "resilience/evaluator.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>

#include "resilience/compile.h"
#include "resilience/live_pairs.h"

namespace faultline::survival {
namespace {

constexpr std::string_view reference_name = "reference";

class ProgramEvaluator final : public Evaluator {
 public:
  ProgramEvaluator(std::shared_ptr<const Program> program, const Kernel& kernel,
                   const FaultComponents& components)
      : program_(std::move(program)),
        kernel_(kernel),
        components_(components),
        live_(components),
        values_(program_->slots, kernel.words),
        intact_(1, kernel.words),
        lost_(Kernel::counter_planes, kernel.words) {}

  [[nodiscard]] std::unique_ptr<Evaluator> clone() const override {
    return std::make_unique<ProgramEvaluator>(program_, kernel_, components_);
  }
  [[nodiscard]] std::uint32_t lanes() const override { return 64 * kernel_.words; }

  void evaluate(const FaultBlock& block, Verdicts& verdicts) override {
    load(block);
    std::fill_n(intact_.data(), kernel_.words, ~std::uint64_t{0});
    std::fill_n(lost_.data(), std::size_t{Kernel::counter_planes} * kernel_.words, 0);
    const ProgramView view{program_->code.data(), program_->sections.data(), program_->sections.size(),
                           program_->pairs.data()};
    kernel_.run(view, values_.data(), intact_.data(), lost_.data());
    read_counters(block, verdicts);
    verdicts.live_pairs.resize(block.lanes);
    for (std::uint32_t lane = 0; lane < block.lanes; ++lane)
      verdicts.live_pairs[lane] = live_.count(block.set(lane));
  }

 private:
  void load(const FaultBlock& block) {
    std::fill_n(values_.data(), (std::size_t{program_->components} + 1) * kernel_.words, ~std::uint64_t{0});
    for (std::uint32_t lane = 0; lane < block.lanes; ++lane)
      for (const std::uint32_t component : block.set(lane))
        values_.row(component)[lane / 64] &= ~(std::uint64_t{1} << (lane % 64));
  }

  void read_counters(const FaultBlock& block, Verdicts& verdicts) {
    verdicts.lost_pairs.assign(block.lanes, program_->pairs_never_alive);
    for (std::uint32_t plane = 0; plane < Kernel::counter_planes; ++plane)
      for (std::uint32_t word = 0; word * 64 < block.lanes; ++word)
        for (std::uint64_t bits = lost_.row(plane)[word]; bits != 0; bits &= bits - 1)
          if (const std::uint32_t lane = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
              lane < block.lanes)
            verdicts.lost_pairs[lane] += std::uint64_t{1} << plane;
  }

  std::shared_ptr<const Program> program_;
  const Kernel& kernel_;
  const FaultComponents& components_;
  LivePairs live_;
  Rows values_, intact_, lost_;
};

[[noreturn]] void refuse_kernel(std::string_view name, bool from_environment) {
  std::string allowed = "must be one of the kernels that this processor runs: ";
  allowed.append(reference_name);
  for (const Kernel* kernel : kernels())
    if (kernel->available()) allowed.append(", ").append(kernel->name);
  throw Error(from_environment ? "FAULTLINE_KERNEL" : "resilience.kernel", std::string(name), allowed);
}

}  // namespace

Circuit compile(const Subject& subject) {
  if (subject.semantics == Semantics::guaranteed && subject.survival != Survival::fixed_paths)
    throw Error("resilience.semantics", "guaranteed",
                "must be possible for a routing that is computed anew after faults: it serves every pair "
                "that is still connected");
  Circuit circuit(static_cast<std::uint32_t>(subject.components.count()));
  const ComponentsOfChannel components(subject.components, subject.survival);
  for_each_destination_class(*subject.relation, subject.survival, [&](const DestinationClass& destinations) {
    compile(circuit, subject.components.topology(), components, subject.semantics, destinations);
  });
  return circuit;
}

std::unique_ptr<Evaluator> make_program_evaluator(std::shared_ptr<const Program> program,
                                                  const Kernel& kernel, const FaultComponents& components) {
  return std::make_unique<ProgramEvaluator>(std::move(program), kernel, components);
}

std::unique_ptr<Evaluator> make_evaluator(const Subject& subject, std::string_view name) {
  bool from_environment = false;
  if (const char* forced = std::getenv("FAULTLINE_KERNEL"); name.empty() && forced != nullptr) {
    name = forced;
    from_environment = true;
  }
  if (name == reference_name) return make_reference_evaluator(subject);
  for (const Kernel* kernel : kernels())
    if (kernel->available() && (name.empty() || name == kernel->name))
      return make_program_evaluator(std::make_shared<const Program>(lower(compile(subject))), *kernel,
                                    subject.components);
  refuse_kernel(name, from_environment);
}

}  // namespace faultline::survival
