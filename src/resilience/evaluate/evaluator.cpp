// SPDX-License-Identifier: Apache-2.0
#include "resilience/evaluate/evaluator.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>
#include <string>

#include "resilience/evaluate/attachment_counts.h"
#include "resilience/kernels/device.h"

namespace faultline::survival {
namespace {

constexpr std::string_view reference_name = "reference", device_name = "cuda";

class ProgramEvaluator final : public Evaluator {
 public:
  ProgramEvaluator(std::shared_ptr<const CompiledSubject> compiled, const Kernel& kernel,
                   const Subject& subject)
      : compiled_(std::move(compiled)),
        program_(compiled_->program),
        kernel_(kernel),
        subject_(subject),
        values_(program_.slots, kernel.words),
        intact_(1, kernel.words),
        lost_(KernelData::counter_planes, kernel.words) {
    if (compiled_->attachments) counts_.emplace(*compiled_->attachments, values_, program_.components + 1);
  }

  [[nodiscard]] std::unique_ptr<Evaluator> clone() const override {
    return std::make_unique<ProgramEvaluator>(compiled_, kernel_, subject_);
  }
  [[nodiscard]] std::uint32_t lanes() const override { return 64 * kernel_.words; }

  void evaluate(const FaultBlock& block, Verdicts& verdicts) override {
    load(block);
    verdicts.lost_pairs.assign(lanes(), program_.pairs_never_alive);
    const ProgramView view{program_.code.data(), program_.tails.data(), program_.sections.data(),
                           program_.sections.size(), program_.pairs.data()};
    kernel_.run(view, {.values = values_.data(),
                       .intact = intact_.data(),
                       .lost = compiled_->requirements ? nullptr : lost_.data(),
                       .first_row_slot = program_.components + 1,
                       .counts = counts_ ? counts_->counts() : nullptr,
                       .self_counts = counts_ ? counts_->self_counts() : nullptr,
                       .lost_by_lane = verdicts.lost_pairs.data()});
    verdicts.lost_pairs.resize(block.lanes);
    if (compiled_->requirements)
      note_failures(verdicts.lost_pairs);
    else
      add_counters(verdicts.lost_pairs);
    if (counts_) {
      for (std::uint32_t lane = 0; lane < block.lanes; ++lane)
        verdicts.lost_pairs[lane] += counts_->cut_off_pairs(lane);
      counts_->unload();
    }
    verdicts.live_pairs.resize(block.lanes);
    for (std::uint32_t lane = 0; lane < block.lanes; ++lane)
      verdicts.live_pairs[lane] =
          live_pairs(compiled_->live.view(), Lane{values_.data(), kernel_.words, lane}, block.faults,
                     [set = block.set(lane)](std::uint32_t i) { return set[i]; });
  }

 private:
  void load(const FaultBlock& block) {
    load_components(values_, program_.components, block);
    std::fill_n(intact_.data(), kernel_.words, ~std::uint64_t{0});
    std::fill_n(lost_.data(), std::size_t{KernelData::counter_planes} * kernel_.words, 0);
    if (counts_) counts_->load(block);
  }

  void note_failures(std::vector<std::uint64_t>& lost) {
    for (std::size_t lane = 0; lane < lost.size(); ++lane)
      if ((intact_.data()[lane / 64] >> (lane % 64) & 1U) == 0) lost[lane] = 1;
  }

  void add_counters(std::vector<std::uint64_t>& lost) {
    for (std::uint32_t plane = 0; plane < KernelData::counter_planes; ++plane)
      for (std::size_t word = 0; word * 64 < lost.size(); ++word)
        for (std::uint64_t bits = lost_.row(plane)[word]; bits != 0; bits &= bits - 1)
          if (const std::size_t lane = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
              lane < lost.size())
            lost[lane] += std::uint64_t{1} << plane;
  }

  std::shared_ptr<const CompiledSubject> compiled_;
  const Program& program_;
  const Kernel& kernel_;
  Subject subject_;
  Rows values_, intact_, lost_;
  std::optional<AttachmentCounts> counts_;
};

[[noreturn]] void refuse_kernel(std::string_view name, bool from_environment) {
  std::string allowed = "must be one of the kernels that run here: ";
  allowed.append(reference_name);
  for (const Kernel* kernel : kernels())
    if (kernel->available()) allowed.append(", ").append(kernel->name);
  const std::string missing = why_no_device();
  if (missing.empty()) allowed.append(", ").append(device_name);
  if (name == device_name) allowed.append(" (").append(device_name).append(": ").append(missing).append(")");
  throw Error(from_environment ? "FAULTLINE_KERNEL" : "resilience.kernel", std::string(name), allowed);
}

}  // namespace

std::unique_ptr<Evaluator> make_program_evaluator(std::shared_ptr<const CompiledSubject> compiled,
                                                  const Kernel& kernel, const Subject& subject) {
  return std::make_unique<ProgramEvaluator>(std::move(compiled), kernel, subject);
}

std::unique_ptr<Evaluator> make_evaluator(const Subject& subject, std::string_view name,
                                          const Progress& progress) {
  bool from_environment = false;
  if (const char* forced = std::getenv("FAULTLINE_KERNEL"); name.empty() && forced != nullptr) {
    name = forced;
    from_environment = true;
  }
  if (subject.survival == Survival::plans) return make_plan_evaluator(subject, name);
  if (name == reference_name) return make_reference_evaluator(subject);
  if (name == device_name && why_no_device().empty())
    return make_device_evaluator(*compile(subject, progress));
  for (const Kernel* kernel : kernels())
    if (kernel->available() && (name.empty() || name == kernel->name))
      return make_program_evaluator(compile(subject, progress), *kernel, subject);
  refuse_kernel(name, from_environment);
}

}  // namespace faultline::survival
