// SPDX-License-Identifier: Apache-2.0
#include "traffic/fixed_destinations.h"

namespace faultline::patterns {
namespace {

struct ToFirst {
  static void fields(auto&) {}
  static std::vector<ToFirst> samples() { return {{}}; }
  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t) const {
    return std::make_shared<const FixedDestinations>(
        std::vector<TerminalId>(topology.terminal_count(), TerminalId(0)));
  }
};

}  // namespace

extern constinit const PatternKind to_first = pattern_kind<ToFirst>(
    "to-first", "every terminal sends to the first one", "of the test one_file_test.cpp");

}  // namespace faultline::patterns
