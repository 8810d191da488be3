// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/process.h"

namespace faultline::fault_processes {
namespace {

struct FirstLink {
  std::uint32_t at = 100;

  static void fields(auto& field) { field("at", &FirstLink::at, between(0, 1e9), "the cycle"); }
  static std::vector<FirstLink> samples() { return {{}}; }
  [[nodiscard]] FaultHistory draw(const FaultProcessContext& context) const {
    FaultHistory history{FaultComponents(context.topology, FaultUnit::link, FaultScope::network), {}};
    if (at < context.end) history.events.push_back({at, false, 0});
    return history;
  }
};

}  // namespace

extern constinit const FaultProcessKind first_link = fault_process_kind<FirstLink>(
    "first-link", "the first link fails for good", "of the test one_file_test.cpp");

}  // namespace faultline::fault_processes
