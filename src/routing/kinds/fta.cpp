// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/tree_relation.h"

namespace faultline::routings {
namespace {

class FtaRelation final : public TreeRelation {
 public:
  explicit FtaRelation(TopologyPtr topology) : TreeRelation(std::move(topology), "fta") {}
  [[nodiscard]] Claim claim() const override {
    Claim claim = TreeRelation::claim();
    claim.tolerates = digits().k() - 1;
    return claim;
  }
  /// Paper 1, section 3.1.1: k multiplexers of k inputs upwards, k of 2k inputs downwards.
  [[nodiscard]] std::uint64_t switching_elements(SwitchId) const override { return std::uint64_t{3} * digits().k() * digits().k(); }

 private:
  void go_up(std::uint32_t, std::uint32_t, std::span<const ChannelId> up, RouteOptions& options) const override {
    for (const ChannelId channel : up) options.push_back({.channel = channel});
  }
};

struct Fta {
  static void fields(auto&) {}
  static std::vector<Fta> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const FtaRelation>(context.topology);
  }
};

}  // namespace

extern constinit const RoutingKind fta =
    routing_kind<Fta>("fta", "k-ary n-tree: adaptive up, deterministic down; offers only ports with a healthy way behind them",
                      "paper 1, sections 3.1.1 and 5.1", Survival::fixed_paths, "most-free");

}  // namespace faultline::routings
