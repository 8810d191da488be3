// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"

namespace faultline::routings {
namespace {

/// To the neighbour with the next greater or smaller number.
class Steps final : public RoutingRelation {
 public:
  using RoutingRelation::RoutingRelation;
  void route(const RouteState& state, RouteOptions& options) const override {
    const ChannelId last = topology().ejection(state.destination).front();
    const std::uint32_t to = topology().source(last).value(), at = state.at.value();
    if (to == at) {
      options.push_back({.channel = last});
      return;
    }
    for (const ChannelId channel : topology().outputs(state.at))
      if (topology().role(channel) == ChannelRole::network &&
          topology().target(channel).value() == (to > at ? at + 1 : at - 1))
        options.push_back({.channel = channel});
  }
};

struct AlongLine {
  static void fields(auto&) {}
  static std::vector<AlongLine> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const Steps>(context.topology);
  }
};

}  // namespace

extern constinit const RoutingKind along_line = routing_kind<AlongLine>(
    "along-line", "lines: straight to the destination", "of the test one_file_test.cpp",
    Survival::fixed_paths, "last-named", Knowledge::neighbours());

}  // namespace faultline::routings
