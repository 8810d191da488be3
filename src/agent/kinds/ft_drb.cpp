// SPDX-License-Identifier: Apache-2.0
#include "agent/multipath_agent.h"

namespace faultline::agents {
namespace {

struct FtDrb : MultipathSpec {
  std::uint32_t permanent_stage = 3, attempts = 10, permanent_attempts = 0, table = 0;

  static void fields(auto& field) {
    multipath_fields<FtDrb>(field);
    field("permanent_stage", &FtDrb::permanent_stage, between(1, 1e6),
          "notifications of a dead channel after which a source holds it to be so for ever");
    field("attempts", &FtDrb::attempts, between(0, 1e6),
          "packets for which a path with a dead channel is refused before it is tried again");
    field("permanent_attempts", &FtDrb::permanent_attempts, between(0, 1e9),
          "likewise with one that is dead for ever; 0: never tried again");
    field("table", &FtDrb::table, between(0, 1e6),
          "dead channels that a source remembers at most, the latest; 0: all");
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
    agent_kind<FtDrb>("ft-drb", "as drb, but keeps away from channels that switches have reported to be dead",
                      "paper 2, sections 3.1 and 3.2");

}  // namespace faultline::agents
