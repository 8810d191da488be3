// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <mutex>

#include "resilience/evaluate/evaluator.h"
#include "resilience/kernels/device.h"

namespace faultline::survival {
namespace {

constexpr std::uint64_t max_given_sets = 65'536;  ///< at a time, and their members, in the host's memory

/// Shared by the clones: a device runs one launch at a time.
class SharedDevice {
 public:
  explicit SharedDevice(const CompiledSubject& compiled) {
    in_turn([&] {
      device_ = open_device({compiled.program, compiled.requirements,
                             compiled.attachments ? &*compiled.attachments : nullptr, compiled.live});
    });
  }

  [[nodiscard]] std::uint64_t sets_at_once() const { return device_->sets_at_once(); }

  void evaluate(const FaultBlock& block, Verdicts& verdicts) {
    in_turn(
        [&] { device_->evaluate(block.members, block.faults, verdicts.lost_pairs, verdicts.live_pairs); });
  }

  Sums evaluate(const DrawnSets& sets) {
    Sums sums;
    in_turn([&] { sums = device_->evaluate(sets); });
    return sums;
  }

 private:
  void in_turn(const auto& work) {
    const std::lock_guard lock(mutex_);
    try {
      work();
    } catch (const DeviceError& error) {
      throw Error("resilience.kernel", "cuda",
                  std::string("must be another kernel: the device says ") + error.what());
    }
  }

  std::mutex mutex_;
  std::unique_ptr<Device> device_;
};

class DeviceEvaluator final : public Evaluator {
 public:
  explicit DeviceEvaluator(std::shared_ptr<SharedDevice> device) : device_(std::move(device)) {}

  [[nodiscard]] std::unique_ptr<Evaluator> clone() const override {
    return std::make_unique<DeviceEvaluator>(device_);
  }
  [[nodiscard]] std::uint32_t lanes() const override {
    return static_cast<std::uint32_t>(std::min(device_->sets_at_once(), max_given_sets));
  }
  void evaluate(const FaultBlock& block, Verdicts& verdicts) override {
    verdicts.lost_pairs.resize(block.lanes);
    verdicts.live_pairs.resize(block.lanes);
    device_->evaluate(block, verdicts);
  }
  [[nodiscard]] std::uint64_t sets_drawn_at_once() const override { return device_->sets_at_once(); }
  [[nodiscard]] Sums evaluate(const DrawnSets& sets) override { return device_->evaluate(sets); }

 private:
  std::shared_ptr<SharedDevice> device_;
};

}  // namespace

std::unique_ptr<Evaluator> make_device_evaluator(const CompiledSubject& compiled) {
  return std::make_unique<DeviceEvaluator>(std::make_shared<SharedDevice>(compiled));
}

}  // namespace faultline::survival
