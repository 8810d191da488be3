// SPDX-License-Identifier: Apache-2.0
#include "faultline/base/random.h"
#include "faultline/traffic/pattern.h"

namespace faultline::patterns {
namespace {

class UniformSelfPattern final : public TrafficPattern {
 public:
  explicit UniformSelfPattern(const Topology& topology)
      : terminals_(static_cast<std::uint32_t>(topology.terminal_count())) {}
  [[nodiscard]] TerminalId destination(TerminalId, std::uint64_t random) const override {
    return TerminalId(below(static_cast<std::uint32_t>(random), terminals_));
  }
  [[nodiscard]] double share(TerminalId, TerminalId) const override { return 1.0 / terminals_; }

 private:
  std::uint32_t terminals_;
};

struct UniformSelf {
  static void fields(auto&) {}
  static std::vector<UniformSelf> samples() { return {{}}; }
  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t) const {
    return std::make_shared<const UniformSelfPattern>(topology);
  }
};

}  // namespace

extern constinit const PatternKind uniform_self =
    pattern_kind<UniformSelf>("uniform-self", "every terminal with the same probability, the source included",
                              "Dally & Towles, section 3.2");

}  // namespace faultline::patterns
