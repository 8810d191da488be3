// SPDX-License-Identifier: Apache-2.0
#include "faultline/traffic/pattern.h"
#include "traffic/uniform_choice.h"

namespace faultline::patterns {
namespace {

class UniformPattern final : public TrafficPattern {
 public:
  explicit UniformPattern(const Topology& topology)
      : terminals_(static_cast<std::uint32_t>(topology.terminal_count())) {}
  [[nodiscard]] TerminalId destination(TerminalId source, std::uint64_t random) const override {
    return any_other_terminal(source, terminals_, static_cast<std::uint32_t>(random));
  }
  [[nodiscard]] double share(TerminalId source, TerminalId destination) const override {
    return share_of_any_other(source, destination, terminals_);
  }

 private:
  std::uint32_t terminals_;
};

struct Uniform {
  static void fields(auto&) {}
  static std::vector<Uniform> samples() { return {{}}; }
  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t) const {
    require_two_terminals(topology, "uniform");
    return std::make_shared<const UniformPattern>(topology);
  }
};

}  // namespace

extern constinit const PatternKind uniform = pattern_kind<Uniform>(
    "uniform", "every other terminal with the same probability", "paper 1, section 5.1");

}  // namespace faultline::patterns
