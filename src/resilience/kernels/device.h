// SPDX-License-Identifier: Apache-2.0
// A GPU that draws fault sets, runs a program on them and sums the results.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "resilience/kernels/drawn_sets.h"
#include "resilience/kernels/program.h"
#include "resilience/kernels/sums.h"
#include "resilience/kernels/terminal_tables.h"

namespace faultline::survival {

struct DeviceSubject {
  const Program& program;
  bool requirements;                    ///< a set in which an output fails counts as one lost pair
  const AttachmentTables* attachments;  ///< null: the program has no outputs by pattern
  const LiveTables& live;
};

struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Keeps a subject in the memory of a device. All functions throw DeviceError with the device's message.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  /// Fault sets that keep it busy.
  [[nodiscard]] virtual std::uint64_t sets_at_once() const = 0;
  [[nodiscard]] virtual Sums evaluate(const DrawnSets& sets) = 0;
  /// Pairs lost, and live ones, by set: set i is members[i * faults] … (see FaultBlock).
  virtual void evaluate(const std::vector<std::uint32_t>& members, std::uint32_t faults,
                        std::vector<std::uint64_t>& lost, std::vector<std::uint64_t>& live) = 0;
};

/// Why no device can be opened: built without nvcc, or no GPU. Empty if there is one.
[[nodiscard]] std::string why_no_device();
[[nodiscard]] std::unique_ptr<Device> open_device(const DeviceSubject& subject);

}  // namespace faultline::survival
