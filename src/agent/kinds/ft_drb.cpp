// SPDX-License-Identifier: Apache-2.0
#include "agent/multipath_agent.h"

namespace faultline::agents {
namespace {

struct FtDrb : MultipathSpec {
  std::uint32_t permanent_stage = 3, attempts = 10, permanent_attempts = 0, table = 0;

  static void fields(auto& field) {
    multipath_fields<FtDrb>(field);
    field("permanent_stage", &FtDrb::permanent_stage, between(1, 1e6),
          "notifications after which a source considers a channel permanently dead");
    field("attempts", &FtDrb::attempts, between(0, 1e6),
          "packets for which a path with a dead channel is avoided before it is tried again");
    field("permanent_attempts", &FtDrb::permanent_attempts, between(0, 1e9),
          "likewise for a permanently dead channel; 0: never tried again");
    field("table", &FtDrb::table, between(0, 1e6),
          "maximum number of dead channels that a source remembers; the one it has known longest is "
          "forgotten; 0: all");
  }
  static std::vector<FtDrb> samples() { return {{}, {{.open = 7}, 3, 10, 100, 8}}; }
  void check(const Description& given) const { check_multipath(*this, given); }
  [[nodiscard]] std::unique_ptr<SourceAgent> make(const AgentContext& context) const {
    return multipath_agent(context, rules(),
                           LinkFaultTable::Rules{permanent_stage, attempts, permanent_attempts, table});
  }
};

}  // namespace

extern constinit const AgentKind ft_drb =
    agent_kind<FtDrb>("ft-drb", "as drb, but avoids channels that switches have reported dead",
                      "paper 2, sections 3.1 and 3.2");

}  // namespace faultline::agents
