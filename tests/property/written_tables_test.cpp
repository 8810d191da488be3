// SPDX-License-Identifier: Apache-2.0
// Tables that a repair writes, followed entry by entry along the cables that are left: every switch, also one
// to which no adapter's packets come, sends its own packets to every LID that it is still connected to.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <optional>
#include <set>

#include "faultline/base/random.h"
#include "faultline/fault/living_fabric.h"
#include "faultline/routing/kind.h"
#include "faultline/routing/table_export.h"
#include "faultline/topology/fabric_of.h"
#include "faultline/topology/kind.h"
#include "support/effort.h"
#include "support/random_fabric.h"
#include "support/shared_folder.h"
#include "support/temporary_folder.h"
#include "support/weekly_seed.h"

namespace faultline {
namespace {

using infiniband::CableEnd;
using infiniband::Fabric;
using infiniband::ForwardingTables;
using infiniband::Lid;
using infiniband::NodeType;
using FarEnds = std::map<CableEnd, CableEnd>;

/// Switches that cables connect with the node.
std::set<std::uint32_t> connected_with(const Fabric& fabric, const FarEnds& far, std::uint32_t node) {
  std::set<std::uint32_t> found{node};
  for (std::size_t size = 0; size != found.size();) {
    size = found.size();
    for (const auto& [near, end] : far)
      if (found.contains(near.node) &&
          (near.node == node || fabric.nodes[near.node].type == NodeType::switch_))
        found.insert(end.node);
  }
  std::erase_if(found, [&](std::uint32_t one) { return fabric.nodes[one].type != NodeType::switch_; });
  return found;
}

/// The ends of the cables by which a switch's packet for the LID leaves switches, if it comes to the node.
std::optional<std::vector<CableEnd>> way(const Fabric& fabric, const FarEnds& far,
                                         const ForwardingTables& tables, std::uint32_t at, Lid lid,
                                         std::uint32_t target) {
  std::vector<CableEnd> taken;
  while (taken.size() <= fabric.nodes.size()) {
    if (fabric.nodes[at].type != NodeType::switch_) return at == target ? std::optional(taken) : std::nullopt;
    const auto port = tables.find(fabric.nodes[at].guid)->port(lid);
    if (port == 0) return at == target ? std::optional(taken) : std::nullopt;
    if (!port || !far.contains({at, *port})) return std::nullopt;
    taken.push_back({at, *port});
    at = far.at(taken.back()).node;
  }
  return std::nullopt;
}

template <class Visit>
void for_each_lid_of(const Fabric& fabric, Visit visit) {
  for (std::uint32_t node = 0; node < fabric.nodes.size(); ++node)
    for (const infiniband::EndPort& end : fabric.nodes[node].end_ports)
      infiniband::for_each_lid(end, [&](Lid lid) { visit(node, lid); });
}

std::size_t cabled_adapters(const Fabric& fabric) {
  return static_cast<std::size_t>(std::ranges::count_if(fabric.cables, [&](const infiniband::Cable& cable) {
    return fabric.nodes[cable.b.node].type == NodeType::adapter;  // switches come first
  }));
}

/// Whoever is connected has an entry that leads there, and nobody else has one.
void expect_that_packets_arrive(const Fabric& fabric, const ForwardingTables& tables) {
  const FarEnds far = testing_support::far_ends(fabric);
  std::map<std::uint32_t, std::set<std::uint32_t>> connected;
  for (std::uint32_t node = 0; node < fabric.nodes.size(); ++node)
    connected[node] = connected_with(fabric, far, node);
  for_each_lid_of(fabric, [&](std::uint32_t target, Lid lid) {
    for (std::uint32_t start = 0; start < fabric.nodes.size(); ++start) {
      if (fabric.nodes[start].type != NodeType::switch_) continue;
      const bool is_connected = connected[target].contains(start);
      ASSERT_EQ(tables.find(fabric.nodes[start].guid)->port(lid).has_value(), is_connected)
          << fabric.nodes[start].id << " for LID " << lid;
      ASSERT_EQ(way(fabric, far, tables, start, lid, target).has_value(), is_connected)
          << fabric.nodes[start].id << " to LID " << lid;
    }
  });
}

/// Who sends to whom: adapters to adapters, or switches as well to both.
enum class Senders : std::uint8_t { adapters, all };

/// Whether packets can wait for each other, each at the end of a cable between switches: what waits for
/// nothing is removed until nothing is left, or only what waits in circles.
bool can_wait_in_circles(const Fabric& fabric, const ForwardingTables& tables,
                         Senders senders = Senders::all) {
  const FarEnds far = testing_support::far_ends(fabric);
  const auto sends = [&](std::uint32_t at) {
    return fabric.nodes[at].type == NodeType::switch_ &&
           (senders == Senders::all || std::ranges::any_of(far, [&](const auto& cable) {
              return cable.second.node == at && fabric.nodes[cable.first.node].type == NodeType::adapter;
            }));
  };
  std::map<CableEnd, std::set<CableEnd>> waits_for;
  for_each_lid_of(fabric, [&](std::uint32_t target, Lid lid) {
    if (senders == Senders::adapters && fabric.nodes[target].type != NodeType::adapter) return;
    for (std::uint32_t start = 0; start < fabric.nodes.size(); ++start)
      if (sends(start))
        if (const auto taken = way(fabric, far, tables, start, lid, target))
          for (std::size_t i = 1; i < taken->size(); ++i) waits_for[taken->at(i - 1)].insert(taken->at(i));
  });
  const auto is_free = [&](const auto& one) {
    return std::ranges::none_of(one.second, [&](const CableEnd& next) { return waits_for.contains(next); });
  };
  while (std::erase_if(waits_for, is_free) != 0) {
  }
  return !waits_for.empty();
}

/// A fabric and tables as files say.
struct Network {
  Network(const TemporaryFolder& folder, const Fabric& fabric, const ForwardingTables& tables)
      : topology(build_topology(parse_assignments(
            "topology", "fabric",
            std::vector<std::string>{"file=" + folder.file("dump", to_ibnetdiscover(fabric)),
                                     "tables=" + folder.file("tables", to_lft_dump(tables, fabric))}))) {}

  [[nodiscard]] const FabricLabelling& labelling() const {
    return topology->labelling<FabricLabelling>("test");
  }
  /// `count` of the first `links`: those between switches come before those of adapters.
  [[nodiscard]] FaultSet random_cables(RandomStream& random, std::uint32_t count, std::size_t links) const {
    FaultSet dead(*topology);
    while (count-- != 0) dead.fail(*topology, LinkId(random.next_below(static_cast<std::uint32_t>(links))));
    return dead;
  }
  [[nodiscard]] FaultSet random_cables(RandomStream& random, std::uint32_t count) const {
    return random_cables(random, count, topology->network_link_count());
  }
  [[nodiscard]] TableExport repaired(const FaultSet& dead, const std::string& engine = "repair") const {
    return export_tables(*build_relation(topology, dead, parse_compact("routing", engine)), dead, engine);
  }

  TopologyPtr topology;
};

Network exported(const TemporaryFolder& folder, const std::string& topology, const std::string& routing) {
  const TopologyPtr made = build_topology(parse_compact("topology", topology));
  const FabricLabelling fabric = fabric_of(*made);
  const RelationPtr relation = build_healthy_relation(made, parse_compact("routing", routing));
  return {folder, fabric.fabric, export_tables(*relation, fabric, FaultSet(*made), routing).tables};
}

/// The tables arrive, and a repair of them has nothing to do.
void expect_finished(const TemporaryFolder& folder, const Fabric& living, const ForwardingTables& tables) {
  expect_that_packets_arrive(living, tables);
  const Network left(folder, living, tables);
  const TableExport again = left.repaired(FaultSet(*left.topology));
  EXPECT_EQ(again.changed, 0U);
  EXPECT_EQ(again.changed_for_switches, 0U);
}

TEST(WrittenTables, LeadEverySwitchToAllThatIsConnected) {
  const TemporaryFolder folder;
  for (const auto& [topology, routing, max_cut] :
       {std::tuple("fat-tree:k=4,n=3", "destro", 2U), std::tuple("fat-tree:k=2,n=4", "destro", 2U),
        std::tuple("fat-tree:k=2,n=4", "dfsssp", 6U)}) {
    const Network network = exported(folder, topology, routing);
    expect_that_packets_arrive(network.labelling().fabric, *network.labelling().tables);
    for (std::uint32_t draw = 0; draw < effort(12U, 2U); ++draw) {
      SCOPED_TRACE(fmt::format("{}, {}, draw {}", topology, routing, draw));
      RandomStream random(weekly_seed() + draw, 1);
      const FaultSet dead = network.random_cables(random, 1 + draw % max_cut);
      expect_finished(folder, living_fabric(*network.topology, dead), network.repaired(dead).tables);
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// An adapter is cut off: nobody has an entry for it.
TEST(WrittenTables, HaveNoEntryForWhatIsCutOff) {
  const TemporaryFolder folder;
  const Network network = exported(folder, "fat-tree:k=2,n=4", "destro");
  const Topology& topology = *network.topology;
  for (std::uint32_t terminal = 0; terminal < 4; ++terminal) {
    FaultSet dead(topology);
    dead.fail(topology, topology.link(topology.injection(TerminalId(terminal)).front()));
    expect_finished(folder, living_fabric(topology, dead), network.repaired(dead).tables);
  }
}

/// Of entries for switches in fat-tree:k=4,n=3, how many lead over dead cables, and how many a repair
/// changes.
class EntriesForSwitches {
 public:
  std::uint64_t cut = 0, changed = 0;

  /// Those change whose way is cut, and no others.
  void count(const FaultSet& dead) {
    const TableExport made = network_.repaired(dead);
    const FarEnds left = testing_support::far_ends(living_fabric(*network_.topology, dead));
    std::uint64_t changed_now = 0;
    for_each_lid_of(whole_, [&](std::uint32_t target, Lid lid) {
      for (std::uint32_t start = 0; start < whole_.nodes.size(); ++start) {
        if (whole_.nodes[start].type != NodeType::switch_ || whole_.nodes[target].type != NodeType::switch_)
          continue;
        const auto taken = way(whole_, far_, before_, start, lid, target);
        ASSERT_TRUE(taken);
        const bool is_cut =
            std::ranges::any_of(*taken, [&](const CableEnd& end) { return !left.contains(end); });
        const infiniband::Guid guid = whole_.nodes[start].guid;
        const bool is_changed = made.tables.find(guid)->port(lid) != before_.find(guid)->port(lid);
        ASSERT_TRUE(is_cut || !is_changed) << whole_.nodes[start].id << " for LID " << lid;
        cut += is_cut ? 1 : 0;
        changed_now += is_changed ? 1 : 0;
      }
    });
    EXPECT_EQ(made.changed_for_switches, changed_now);
    changed += changed_now;
  }
  [[nodiscard]] const Network& network() const { return network_; }

 private:
  TemporaryFolder folder_;
  Network network_ = exported(folder_, "fat-tree:k=4,n=3", "destro");
  const Fabric& whole_ = network_.labelling().fabric;
  const ForwardingTables& before_ = *network_.labelling().tables;
  FarEnds far_ = testing_support::far_ends(whole_);
};

TEST(WrittenTables, KeepEntriesForSwitches) {
  EntriesForSwitches entries;
  for (std::uint32_t draw = 0; draw < effort(60U, 10U); ++draw) {
    RandomStream random(weekly_seed() + draw, 1);
    entries.count(entries.network().random_cables(random, 1 + draw % 2));
  }
}

/// Of one cable at a time; where two fail together, slightly more than half may change.
TEST(WrittenTables, ChangeFewerThanHalfOfTheEntriesForSwitchesThatACableCuts) {
  EntriesForSwitches entries;
  const Topology& topology = *entries.network().topology;
  for (std::uint32_t link = 0; link < topology.network_link_count(); link += effort(1U, 7U)) {
    FaultSet dead(topology);
    dead.fail(topology, LinkId(link));
    entries.count(dead);
  }
  RecordProperty("changed", std::to_string(entries.changed) + " of " + std::to_string(entries.cut));
  EXPECT_LT(2 * entries.changed, entries.cut) << "most are led on by the switches at the cut";
}

/// Also where entries of the tables before are missing, lead in circles or to the wrong port, where switches
/// have lost their adapters, and where one has failed.
TEST(WrittenTables, OfRandomFabricsLeadEverySwitch) {
  const TemporaryFolder folder;
  for (std::uint32_t draw = 0; draw < 100; ++draw) {
    const std::uint64_t seed = weekly_seed() + draw;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 engine(seed);
    const auto made = testing_support::random_fabric(engine, draw % 2 == 0 ? 0 : 4);
    const Network network(folder, made.fabric, made.tables);
    RandomStream random(seed, 1);
    const std::size_t links = network.topology->link_count();
    FaultSet dead = network.random_cables(random, draw % 7, links);
    if (draw % 3 == 0)
      dead.fail(*network.topology,
                SwitchId(random.next_below(static_cast<std::uint32_t>(network.topology->switch_count()))));
    const Fabric living = living_fabric(*network.topology, dead);
    if (cabled_adapters(living) < 2) continue;  // no network
    expect_finished(folder, living, network.repaired(dead).tables);
    expect_that_packets_arrive(living, network.repaired(dead, "dfsssp").tables);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(WrittenTables, SayWhetherPacketsOfSwitchesCloseACycle) {
  const TemporaryFolder folder;
  int cycles = 0, none = 0;
  for (const auto& [topology, routing, again] :
       {std::tuple("fat-tree:k=2,n=4", "destro", "repair"),
        std::tuple("fat-tree:k=4,n=2", "destro", "repair"), std::tuple("mesh:radix=3x3", "dfsssp", "repair"),
        std::tuple("torus:radix=4x3", "dfsssp", "repair"),
        std::tuple("torus:radix=5x5", "dfsssp", "dfsssp")}) {
    const Network network = exported(folder, topology, routing);
    for (std::uint32_t draw = 0; draw < 10; ++draw) {
      RandomStream random(weekly_seed() + draw, 1);
      const FaultSet dead = network.random_cables(random, draw % 5);
      const TableExport made = network.repaired(dead, again);
      const bool expected = can_wait_in_circles(living_fabric(*network.topology, dead), made.tables);
      EXPECT_EQ(made.acyclic_with_switches, !expected)
          << topology << ", " << routing << ", draw " << draw << " of " << weekly_seed();
      ++(expected ? cycles : none);
    }
  }
  EXPECT_GT(cycles, 2);
  EXPECT_GT(none, 2);
}

/// Top switches reach each other by going down and up again. In a fat tree that closes no cycle as long as
/// all such packets turn up again at one leaf switch, and after any one cut that leaves a leaf switch whose
/// ways up are whole.
TEST(WrittenTables, OfFatTreesLeadSwitchesToEachOtherWithoutACycle) {
  const TemporaryFolder folder;
  for (const auto& [topology, routing] :
       {std::pair("fat-tree:k=4,n=2", "destro"), std::pair("fat-tree:k=3,n=3", "destro"),
        std::pair("fat-tree:k=4,n=3", "dfsssp"), std::pair("fat-tree:k=2,n=4", "destro")}) {
    const Network network = exported(folder, topology, routing);
    EXPECT_FALSE(can_wait_in_circles(network.labelling().fabric, *network.labelling().tables)) << topology;
    for (std::uint32_t draw = 0; draw < 10; ++draw) {
      RandomStream random(weekly_seed() + draw, 1);
      const FaultSet dead = network.random_cables(random, 1);
      const TableExport made = network.repaired(dead);
      EXPECT_FALSE(can_wait_in_circles(living_fabric(*network.topology, dead), made.tables))
          << topology << ", " << routing << ", draw " << draw << " of " << weekly_seed();
      EXPECT_TRUE(made.acyclic_with_switches);
    }
  }
}

/// Where every switch has an adapter, packets to a switch can go as those to its adapter do. What is kept of
/// the tables before gives way where it closes a cycle with the new paths.
TEST(WrittenTables, CloseNoCycleWhereEverySwitchHasAnAdapter) {
  const TemporaryFolder folder;
  for (const char* const topology : {"mesh:radix=3x3", "hypercube:n=4", "dragonfly:p=2,a=4,h=2",
                                     "torus:radix=4x4", "switch-ring:n=8,degree=1"}) {
    const Network network = exported(folder, topology, "repair");
    for (std::uint32_t draw = 0; draw < effort(12U, 3U); ++draw) {
      SCOPED_TRACE(fmt::format("{}, draw {} of {}", topology, draw, weekly_seed()));
      RandomStream random(weekly_seed() + draw, 1);
      const FaultSet dead = network.random_cables(random, 1 + draw % 4);
      const TableExport made = network.repaired(dead);
      const Fabric living = living_fabric(*network.topology, dead);
      EXPECT_FALSE(can_wait_in_circles(living, made.tables));
      expect_finished(folder, living, made.tables);
    }
  }
}

/// Packets on the tables in use can deadlock, with nothing failed.
TEST(WrittenTables, BreakCyclesOfTheTablesInUse) {
  const TemporaryFolder folder;
  for (const char* const topology : {"torus:radix=5", "torus:radix=7", "torus:radix=5x5"}) {
    SCOPED_TRACE(topology);
    const Network network = exported(folder, topology, "dimension-order");
    const Fabric& fabric = network.labelling().fabric;
    ASSERT_TRUE(can_wait_in_circles(fabric, *network.labelling().tables));
    const TableExport made = network.repaired(FaultSet(*network.topology));
    EXPECT_FALSE(can_wait_in_circles(fabric, made.tables));
    EXPECT_LT(made.changed, made.entries / 3);
    expect_finished(folder, fabric, made.tables);
  }
}

/// As ibnetdiscover finds the fabric.
Fabric without_uncabled_adapters(const Fabric& fabric) {
  const FarEnds far = testing_support::far_ends(fabric);
  Fabric found = fabric;
  found.nodes.clear();
  std::vector<std::uint32_t> number;
  for (std::uint32_t node = 0; node < fabric.nodes.size(); ++node) {
    number.push_back(static_cast<std::uint32_t>(found.nodes.size()));
    if (fabric.nodes[node].type == NodeType::switch_ ||
        std::ranges::any_of(far, [&](const auto& cable) { return cable.first.node == node; }))
      found.nodes.push_back(fabric.nodes[node]);
  }
  for (infiniband::Cable& cable : found.cables)
    for (CableEnd* end : {&cable.a, &cable.b}) end->node = number[end->node];
  return found;
}

std::uint64_t entries_of_no_port(const Fabric& fabric, const ForwardingTables& tables) {
  std::set<Lid> of_ports;
  for_each_lid_of(fabric, [&](std::uint32_t, Lid lid) { of_ports.insert(lid); });
  std::uint64_t entries = 0;
  for (const infiniband::ForwardingTable& table : tables.switches)
    for (std::size_t lid = 0; lid < table.ports.size(); ++lid)
      entries += table.port(static_cast<Lid>(lid)) && !of_ports.contains(static_cast<Lid>(lid)) ? 1 : 0;
  return entries;
}

/// Each look at the fabric finds other cables and adapters. What the tables hold for an adapter that is gone
/// would close cycles with later paths once it is back.
TEST(WrittenTables, CloseNoCycleHoweverAdaptersAndCablesComeAndGo) {
  const TemporaryFolder folder;
  std::uint64_t left_out = 0, kept = 0;
  for (std::uint32_t history = 0; history < effort(40U, 8U); ++history) {
    const std::uint64_t seed = weekly_seed() + history;
    SCOPED_TRACE(fmt::format("seed {}", seed));
    RandomStream random(seed, 3);
    const Network whole =
        exported(folder, random.next_below(2) == 0 ? "torus:radix=3x3" : "hypercube:n=3", "repair");
    ForwardingTables in_use = *whole.labelling().tables;
    for (std::uint32_t look = 0; look < 6; ++look) {
      FaultSet dead = whole.random_cables(random, random.next_below(3));
      for (std::uint32_t gone = random.next_below(5); gone-- != 0;)
        dead.fail(*whole.topology,
                  LinkId(whole.topology->network_link_count() +
                         random.next_below(static_cast<std::uint32_t>(whole.topology->terminal_count()))));
      const Fabric found = without_uncabled_adapters(living_fabric(*whole.topology, dead));
      const Network network(folder, found, in_use);
      const TableExport made = network.repaired(FaultSet(*network.topology));
      EXPECT_FALSE(can_wait_in_circles(found, made.tables, Senders::adapters));
      EXPECT_EQ(can_wait_in_circles(found, made.tables), !made.acyclic_with_switches);
      expect_that_packets_arrive(found, made.tables);
      const bool changes = *made.changed + *made.changed_for_switches != 0;
      const std::uint64_t others = entries_of_no_port(found, made.tables);
      EXPECT_TRUE(!changes || others == 0) << look;
      EXPECT_EQ(made.left_out_entries + others, entries_of_no_port(found, in_use));
      left_out += made.left_out_entries;
      kept += others;
      in_use = made.tables;
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(left_out, 0U);
  EXPECT_GT(kept, 0U);
}

/// A leaf switch that is cabled to all spines lets switches' own packets turn there.
TEST(WrittenTables, OfARealFabricCloseNoCycle) {
  FAULTLINE_SHARED_FILE(dump, "fabrics/avakas.ibnetdiscover");
  FAULTLINE_SHARED_FILE(tables, "fabrics/avakas.lfts");
  const TemporaryFolder folder;
  const Network network(folder, infiniband::read_fabric(dump, "test"),
                        infiniband::read_forwarding_tables(tables, "test"));
  const std::uint64_t entries = network.topology->switch_count() * network.topology->switch_count();
  for (const std::uint32_t cut : {1U, 10U, 20U, 40U, 60U, 80U})
    for (std::uint32_t draw = 0; draw < effort(4U, 1U); ++draw) {
      SCOPED_TRACE(fmt::format("{} cut, draw {} of {}", cut, draw, weekly_seed()));
      RandomStream random(weekly_seed() + draw, cut);
      const FaultSet dead = network.random_cables(random, cut);
      const TableExport made = network.repaired(dead);
      EXPECT_FALSE(can_wait_in_circles(living_fabric(*network.topology, dead), made.tables));
      EXPECT_TRUE(made.acyclic_with_switches);
      EXPECT_TRUE(cut > 1 || made.changed_for_switches < entries / 10) << "entries are kept";
    }
}

/// 432 switches and 1728 adapters. 9 s where each cycle was searched for from one end, again for each LID.
TEST(WrittenTablesSlow, OfALargeFatTreeTakeSeconds) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "fat-tree:k=12,n=3"));
  const RelationPtr relation = build_healthy_relation(topology, parse_compact("routing", "repair"));
  const FabricLabelling fabric = fabric_of(*topology);
  const std::clock_t start = std::clock();
  const TableExport made = export_tables(*relation, fabric, FaultSet(*topology), "repair");
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 6);
  EXPECT_TRUE(made.acyclic_with_switches);
  EXPECT_EQ(made.switch_entries, topology->switch_count() * topology->switch_count());
}

}  // namespace
}  // namespace faultline
