// SPDX-License-Identifier: Apache-2.0
#include "faultline/agent/agent.h"

namespace faultline::agents {
namespace {

class TakesTurns final : public SourceAgent {
 public:
  [[nodiscard]] std::size_t choose(TerminalId, std::span<const RouteOption> ways, std::uint64_t) override {
    return packets_++ % ways.size();
  }

 private:
  std::size_t packets_ = 0;
};

struct InTurn {
  static void fields(auto&) {}
  static std::vector<InTurn> samples() { return {{}}; }
  [[nodiscard]] std::unique_ptr<SourceAgent> make(const AgentContext&) const {
    return std::make_unique<TakesTurns>();
  }
};

}  // namespace

extern constinit const AgentKind in_turn =
    agent_kind<InTurn>("in-turn", "injects packets by each option in turn", "of the test one_file_test.cpp");

}  // namespace faultline::agents
