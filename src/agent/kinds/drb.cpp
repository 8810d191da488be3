// SPDX-License-Identifier: Apache-2.0
#include "agent/multipath_agent.h"

namespace faultline::agents {
namespace {

struct Drb : MultipathSpec {
  static void fields(auto& field) { multipath_fields<Drb>(field); }
  static std::vector<Drb> samples() { return {{}, {{.open = 1}}}; }
  void check(const Description& given) const { check_multipath(*this, given); }
  [[nodiscard]] std::unique_ptr<SourceAgent> make(const AgentContext& context) const {
    return multipath_agent(context, rules(), std::nullopt);
  }
};

}  // namespace

extern constinit const AgentKind drb = agent_kind<Drb>(
    "drb", "divides the packets of a pair among paths by latency, and opens more paths when they are slow",
    "Franco, Garces & Luque, ICS 1999; paper 2, section 3.1");

}  // namespace faultline::agents
