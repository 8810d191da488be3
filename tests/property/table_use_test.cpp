// SPDX-License-Identifier: Apache-2.0
// Where forwarding tables lead, against packets that are followed one by one along the cables of the dump.
#include "faultline/routing/table_use.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "faultline/fault/living_fabric.h"
#include "faultline/topology/kind.h"
#include "faultline/topology/labellings.h"
#include "support/random_fabric.h"
#include "support/temporary_folder.h"
#include "support/weekly_seed.h"

namespace faultline {
namespace {

using infiniband::CableEnd;
using infiniband::Fabric;
using infiniband::ForwardingTables;
using infiniband::Lid;
using infiniband::NodeType;

/// Knows the fabric, the cables that are left and the tables, and nothing of topologies.
class Followed {
 public:
  /// `failed`: nodes that are switches without power.
  Followed(const Fabric& living, const ForwardingTables& tables, std::set<std::uint32_t> failed = {})
      : living_(living),
        tables_(tables),
        failed_(std::move(failed)),
        far_(testing_support::far_ends(living)) {}

  /// `whole`: of the fabric before any cable was lost.
  TableUse all(const Followed& whole) {
    whole_ = &whole;
    for (std::uint32_t target = 0; target < living_.nodes.size(); ++target)
      if (living_.nodes[target].type != NodeType::switch_)
        infiniband::for_each_lid(living_.nodes[target].end_ports.front(),
                                 [&](Lid lid) { follow_all(target, lid); });
    for (const auto& [channel, routes] : load_) use_.max_link_load = std::max(use_.max_link_load, routes);
    return use_;
  }

 private:
  void follow_all(std::uint32_t target, Lid lid) {
    for (std::uint32_t at = 0; at < living_.nodes.size(); ++at) {
      if (living_.nodes[at].type != NodeType::switch_) {
        if (at == target || !far_.contains({at, 1}) || !far_.contains({target, 1})) continue;
        ++use_.routes;
        std::vector<CableEnd> way;
        if (!arrives(far_.at({at, 1}).node, target, lid, way)) {
          ++use_.lost_routes;
          std::vector<CableEnd> once;
          use_.newly_lost_routes += whole_->arrives(whole_->far_.at({at, 1}).node, target, lid, once) ? 1 : 0;
        } else
          for (const CableEnd& sender : way) ++load_[sender];
      } else if (const auto port = tables_.find(living_.nodes[at].guid)->port(lid);
                 port && !failed_.contains(at)) {
        ++use_.entries;
        const auto next = far_.find({at, *port});
        const bool is_dead =
            next == far_.end() ||
            (living_.nodes[next->second.node].type != NodeType::switch_ && next->second.node != target);
        use_.dead_entries += is_dead ? 1 : 0;
        std::vector<CableEnd> way;
        use_.crossed_entries += arrives(at, target, lid, way) ? 0 : 1;
      }
    }
  }

  /// `way`: the ends from which it is sent from switch to switch.
  bool arrives(std::uint32_t at, std::uint32_t target, Lid lid, std::vector<CableEnd>& way) const {
    while (way.size() <= living_.nodes.size()) {
      const auto port = tables_.find(living_.nodes[at].guid)->port(lid);
      if (!port || !far_.contains({at, *port})) return false;
      const std::uint32_t next = far_.at({at, *port}).node;
      if (living_.nodes[next].type != NodeType::switch_) return next == target;
      way.push_back({at, *port});
      at = next;
    }
    return false;
  }

  const Fabric& living_;
  const ForwardingTables& tables_;
  std::set<std::uint32_t> failed_;
  std::map<CableEnd, CableEnd> far_;
  const Followed* whole_ = nullptr;
  std::map<CableEnd, std::uint64_t> load_;
  TableUse use_;
};

class Example {
 public:
  explicit Example(const testing_support::RandomFabric& random)
      : topology_(build_topology(parse_assignments(
            "topology", "fabric",
            std::vector<std::string>{"file=" + folder_.file("dump", to_ibnetdiscover(random.fabric))}))) {}
  [[nodiscard]] const TopologyPtr& topology() const { return topology_; }

 private:
  TemporaryFolder folder_;
  TopologyPtr topology_;
};

TEST(TableUse, IsThatOfPacketsFollowedOneByOne) {
  std::mt19937_64 random(weekly_seed());
  std::uint64_t lost = 0, dead_entries = 0, whole = 0, partly_new = 0;
  for (int round = 0; round < 300; ++round) {
    const auto made = testing_support::random_fabric(random, round % 3 == 0 ? 0 : 20);
    const Example example(made);
    const Topology& topology = *example.topology();
    FaultSet dead(topology);
    Fabric living = made.fabric;
    for (const LinkId link : topology.links())
      if (random() % 8 == 0) dead.fail(topology, link);
    std::set<std::uint32_t> failed;
    for (const SwitchId at : topology.switches())
      if (random() % 16 == 0) {
        dead.fail(topology, at);
        failed.insert(topology.labelling<FabricLabelling>("test").switch_nodes[at.index()]);
      }
    living = living_fabric(topology, dead);
    SCOPED_TRACE(testing::Message() << "round " << round);
    const TableUse found = ForwardingPaths(topology, made.tables).use(dead);
    const TableUse expected = Followed(living, made.tables, failed).all(Followed(made.fabric, made.tables));
    ASSERT_EQ(found.entries, expected.entries);
    ASSERT_EQ(found.dead_entries, expected.dead_entries);
    ASSERT_EQ(found.crossed_entries, expected.crossed_entries);
    ASSERT_EQ(found.routes, expected.routes);
    ASSERT_EQ(found.lost_routes, expected.lost_routes);
    ASSERT_EQ(found.newly_lost_routes, expected.newly_lost_routes);
    ASSERT_EQ(found.max_link_load, expected.max_link_load);
    lost += found.lost_routes;
    dead_entries += found.dead_entries;
    whole += found.lost_routes == 0 ? 1 : 0;
    partly_new += found.newly_lost_routes != 0 && found.newly_lost_routes < found.lost_routes ? 1 : 0;
  }
  EXPECT_GT(lost, 100U);
  EXPECT_GT(dead_entries, 100U);
  EXPECT_GT(whole, 10U);
  EXPECT_GT(partly_new, 10U);
}

/// The cables that a living fabric lacks are those of the dead links, named by their ends.
TEST(LivingFabric, LacksTheDeadCablesOnly) {
  std::mt19937_64 random(weekly_seed());
  for (int round = 0; round < 50; ++round) {
    const auto made = testing_support::random_fabric(random, 0);
    const Example example(made);
    const Topology& topology = *example.topology();
    FaultSet dead(topology);
    std::set<std::string> failed;
    for (const LinkId link : topology.links())
      if (random() % 4 == 0) {
        dead.fail(topology, link);
        failed.insert(topology.name(link));
      }
    const Fabric living = living_fabric(topology, dead);
    EXPECT_EQ(living.nodes, made.fabric.nodes);
    EXPECT_EQ(living.cables.size() + failed.size(), made.fabric.cables.size());
    for (const infiniband::Cable& cable : living.cables) {
      const auto name = [&](const CableEnd& end) {
        const infiniband::Node& node = made.fabric.nodes[end.node];
        return node.type == NodeType::switch_ ? fmt::format("{}[{}]", node.description, end.port)
                                              : node.description;
      };
      EXPECT_FALSE(failed.contains(name(cable.a) + " - " + name(cable.b)) ||
                   failed.contains(name(cable.b) + " - " + name(cable.a)));
    }
  }
}

TEST(DifferingEntries, CountsWhatTheDumpsDifferIn) {
  std::mt19937_64 random(weekly_seed());
  for (int round = 0; round < 50; ++round) {
    const auto made = testing_support::random_fabric(random, 0);
    const Example example(made);
    const Topology& topology = *example.topology();
    const FaultSet none(topology);
    ForwardingTables other = made.tables;
    std::set<Lid> of_adapters;
    for (const infiniband::Node& node : made.fabric.nodes)
      if (node.type != NodeType::switch_)
        infiniband::for_each_lid(node.end_ports.front(), [&](Lid lid) { of_adapters.insert(lid); });
    std::uint64_t changed = 0;
    for (infiniband::ForwardingTable& table : other.switches)
      for (std::size_t lid = 1; lid < table.ports.size(); ++lid)
        if (random() % 5 == 0) {
          table.ports[lid] = table.ports[lid] == 7 ? infiniband::ForwardingTable::no_entry : std::uint8_t{7};
          changed += of_adapters.contains(static_cast<Lid>(lid)) ? 1 : 0;
        }
    EXPECT_EQ(differing_entries(topology, none, made.tables, other), changed);
    EXPECT_EQ(differing_entries(topology, none, other, made.tables), changed);
  }
}

}  // namespace
}  // namespace faultline
