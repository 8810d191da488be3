// SPDX-License-Identifier: Apache-2.0
// Dynamic faults drawn at random: which components go down and come up, and when.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faultline/describe/kind.h"
#include "faultline/fault/components.h"
#include "faultline/fault/schedule.h"

#pragma GCC visibility push(default)
namespace faultline {

/// A component goes down or comes up.
struct ComponentEvent {
  std::uint64_t cycle = 0;
  bool up = false;
  std::uint32_t component = 0;
  friend bool operator==(const ComponentEvent&, const ComponentEvent&) = default;
};

/// In time order; nothing goes down while it is down, or up while it is up.
struct FaultHistory {
  FaultComponents components;
  std::vector<ComponentEvent> events;
};

/// What faults are drawn for.
struct FaultProcessContext {
  TopologyPtr topology;
  std::uint64_t end;  ///< the cycle before which failures occur
  std::uint64_t seed;
  const Description& description;  ///< of the process: errors name its fields
};

struct FaultProcessKind;
[[nodiscard]] std::span<const FaultProcessKind* const> fault_process_kinds();

/// A process is one file in src/fault/kinds/: a parameter struct with fields(), samples() and draw().
struct FaultProcessKind {
  static constexpr auto catalogue = &fault_process_kinds;

  KindInfo info;
  FaultHistory (*draw)(const FaultProcessContext& context, const Parameters& parameters);
};

template <class Params>
concept FaultProcessParams = requires(const Params& params, const FaultProcessContext& context) {
  { params.draw(context) } -> std::same_as<FaultHistory>;
  { Params::samples() } -> std::same_as<std::vector<Params>>;
};

template <FaultProcessParams Params>
[[nodiscard]] consteval FaultProcessKind fault_process_kind(std::string_view name, std::string_view summary,
                                                            std::string_view source) {
  return {kind_info<Params>(name, summary, source),
          [](const FaultProcessContext& context, const Parameters& parameters) {
            return parameters.as<Params>().draw(context);
          }};
}

/// The failures before cycle `end` of the process, and their repairs, which may come later; the same for the
/// same seed. Throws Error, with the process's path, for a rate at which more than a million failures are
/// expected, more than a million failures and repairs that recur periodically, channels that go down and come
/// up more than 50 million times altogether, a run that ends before anything may fail, fewer components than
/// are to fail, and a process that does not keep what FaultHistory says.
[[nodiscard]] FaultHistory draw_faults(TopologyPtr topology, std::uint64_t end, std::uint64_t seed,
                                       const Resolved<FaultProcessKind>& process);

/// Throws Error for a component that does not exist.
[[nodiscard]] FaultSchedule fault_schedule(const FaultHistory& history);

/// Lines "cycle,down|up,name", as read_fault_schedule() reads them, below `comment`, one line. Throws
/// Error for a component that does not exist.
[[nodiscard]] std::string fault_schedule_text(const FaultHistory& history, std::string_view comment);

}  // namespace faultline
#pragma GCC visibility pop
