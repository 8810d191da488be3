// SPDX-License-Identifier: Apache-2.0
// Constructions of paper 4 against what it prints: its examples, its formulas, its tables.
#include "faultline/topology/attachments.h"
#include "faultline/topology/switched.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "faultline/topology/kind.h"
#include "support/error_message.h"
#include "support/temporary_folder.h"
#include "support/topology_named.h"

namespace faultline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::error_message;

using Set = std::set<std::uint32_t>;

Attachments made(const std::string& text) {
  return topology_named(text)->labelling<SwitchedLabelling>("test").attachments;
}

std::vector<Set> sets_of(const std::string& text) {
  std::vector<Set> sets;
  for (const auto& attached : made(text)) sets.emplace_back(attached.begin(), attached.end());
  return sets;
}

TEST(Attachments, OfEightTerminalsWithThreePortsAreThoseOfFigure11) {
  EXPECT_THAT(sets_of("switch-ring:n=8,degree=3"),
              ElementsAre(Set{0, 3, 6}, Set{1, 4, 7}, Set{2, 5, 0}, Set{3, 6, 1}, Set{4, 7, 2}, Set{5, 0, 3},
                          Set{6, 1, 4}, Set{7, 2, 5}));
}

TEST(Attachments, FollowThePrintedFormulas) {
  for (std::uint32_t n = 3; n < 40; ++n) {
    const auto sets = sets_of("switch-ring:n=" + std::to_string(n));
    for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(sets[i], (Set{i, (i + n / 2 + 1) % n})) << n;
    for (std::uint32_t d = 3; d < n && d < 8; ++d) {
      const std::uint32_t q = n / d, r = n % d;
      const auto general = sets_of("switch-ring:n=" + std::to_string(n) + ",degree=" + std::to_string(d));
      for (std::uint32_t i = 0; i < n; ++i) {
        Set expected;
        if (r != 0) {  // Construction 2
          for (std::uint32_t j = 0; j <= r; ++j) expected.insert((i + j * (q + 1)) % n);
          for (std::uint32_t j = r + 1; j < d; ++j) expected.insert((i + r + j * q) % n);
        } else {  // Construction 3, with d_c - 3 for the printed n - 3
          for (std::uint32_t j = 0; j + 3 <= d; ++j) expected.insert((i + j * q) % n);
          expected.insert((i + (d - 3) * q + q + 1) % n);
          expected.insert((i + (d - 3) * q + (q + 1) + q - 1) % n);
        }
        EXPECT_EQ(general[i], expected) << n << " " << d;
        EXPECT_EQ(expected.size(), d);
      }
    }
  }
}

TEST(Attachments, NaiveOnesAreToNeighbours) {
  EXPECT_THAT(sets_of("switch-ring:n=4,attachment=naive"),
              ElementsAre(Set{0, 1}, Set{1, 2}, Set{2, 3}, Set{3, 0}));
}

TEST(Attachments, OfMoreTerminalsThanSwitchesRepeatThemselves) {
  const auto sets = sets_of("switch-ring:n=5,terminals=12");
  ASSERT_EQ(sets.size(), 12U);
  for (std::size_t i = 5; i < 12; ++i) EXPECT_EQ(sets[i], sets[i % 5]);
}

TEST(Attachments, OfFourSwitchesAreThoseOfFigures14To17) {
  EXPECT_THAT(sets_of("switch-clique:switches=4,terminals=6"),
              ElementsAre(Set{0, 1}, Set{0, 2}, Set{0, 3}, Set{1, 2}, Set{1, 3}, Set{2, 3}));
  const auto eight = sets_of("switch-clique:switches=4,terminals=8");
  Set twice(eight[6]);
  twice.insert(eight[7].begin(), eight[7].end());
  EXPECT_EQ(twice.size(), 4U);  // Figure 16b: the two more columns share no switch
}

/// Every set of switches as often as any other or once more, every switch likewise.
void expect_balanced(std::uint32_t switches, std::uint32_t degree, std::uint32_t terminals) {
  const Attachments attachments = uniform_attachments(switches, degree, terminals);
  ASSERT_EQ(attachments.size(), terminals);
  std::map<Set, std::uint32_t> uses;
  std::vector<std::uint32_t> load(switches);
  for (const auto& attached : attachments) {
    const Set set(attached.begin(), attached.end());
    EXPECT_EQ(set.size(), degree);
    ++uses[set];
    for (const std::uint32_t at : set) ++load[at];
  }
  std::uint64_t all = 1;
  for (std::uint64_t i = 1; i <= degree; ++i) all = all * (switches - degree + i) / i;
  for (const auto& [set, times] : uses) {
    EXPECT_GE(times, terminals / all);
    EXPECT_LE(times, (terminals + all - 1) / all);
  }
  if (terminals >= all) {
    EXPECT_EQ(uses.size(), all);
  }
  const auto [least, most] = std::ranges::minmax(load);
  EXPECT_LE(most - least, 1U) << switches << " switches, degree " << degree << ", " << terminals;
}

TEST(Attachments, UniformOnesBalanceSetsAndSwitches) {
  for (std::uint32_t switches = 2; switches <= 7; ++switches)
    for (std::uint32_t degree = 1; degree <= switches; ++degree)
      for (std::uint32_t terminals = 1; terminals <= 45; ++terminals)
        expect_balanced(switches, degree, terminals);
  expect_balanced(21, 2, 210);
  expect_balanced(40, 3, 1000);
  expect_balanced(100, 8, 333);
}

TEST(Attachments, RandomOnesBalanceSwitchesAndDependOnTheSeedAlone) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Attachments attachments = random_attachments(9, 4, 30, seed);
    std::vector<std::uint32_t> load(9);
    for (const auto& attached : attachments) {
      EXPECT_EQ(Set(attached.begin(), attached.end()).size(), 4U);
      for (const std::uint32_t at : attached) ++load[at];
    }
    const auto [least, most] = std::ranges::minmax(load);
    EXPECT_LE(most - least, 1U);
    EXPECT_EQ(attachments, random_attachments(9, 4, 30, seed));
    EXPECT_NE(attachments, random_attachments(9, 4, 30, seed + 1));
  }
}

TEST(Attachments, CarelessOnesShareTheirSwitches) {
  EXPECT_THAT(sets_of("switch-clique:switches=4,terminals=4,attachment=careless"),
              ElementsAre(Set{0, 1}, Set{0, 1}, Set{2, 3}, Set{2, 3}));
}

TEST(SwitchClique, HasThePortsOfTable2) {
  const auto ports = [](const std::string& text) {
    const TopologyPtr topology = topology_named(text);
    std::size_t most = 0;
    for (const SwitchId at : topology->switches()) most = std::max(most, topology->outputs(at).size());
    return most;
  };
  EXPECT_EQ(ports("switch-clique:switches=4,terminals=6"), 6U);
  EXPECT_EQ(ports("switch-clique:switches=11,terminals=55"), 20U);
  EXPECT_EQ(ports("switch-clique:switches=21,terminals=210"), 40U);
  for (std::size_t u = 3; u < 20; ++u)
    EXPECT_EQ(ports("switch-clique:switches=" + std::to_string(u) +
                    ",terminals=" + std::to_string(u * (u - 1) / 2)),
              2 * (u - 1));
}

TEST(SwitchTorus, RunsDiametersWhereItIsAsked) {
  const auto rows = sets_of("switch-torus:rows=3,columns=5");
  EXPECT_EQ(rows[6], (Set{6, 5 + (1 + 3) % 5}));
  const auto columns = sets_of("switch-torus:rows=5,columns=3,along=columns");
  EXPECT_EQ(columns[1], (Set{1, 3 * 3 + 1}));
  const auto diagonals = sets_of("switch-torus:rows=5,columns=5,along=diagonals");
  EXPECT_EQ(diagonals[0], (Set{0, 3 * 5 + 3}));
}

TEST(Attachments, AreReadBackAsWritten) {
  const TemporaryFolder folder;
  const Attachments attachments = random_attachments(7, 3, 11, 5);
  const std::string path = folder.file("a.csv", attachments_text(attachments));
  EXPECT_EQ(read_attachments(read_input(path, "topology.file"), "topology.file", 7, 3), attachments);
  EXPECT_EQ(made("switch-ring:n=7,degree=3,attachment=file,file=" + path), attachments);
}

TEST(Attachments, OfAFileAreRefusedWithTheirLine) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& content, const std::string& more = "") {
    const std::string path = folder.file("a.csv", content);
    return error_message(
        [&] { (void)topology_named("switch-ring:n=5,attachment=file,file=" + path + more); });
  };
  EXPECT_EQ(message("0,1\n"), "accepted");
  EXPECT_THAT(message("0,1\n# two\n2,5\n"),
              HasSubstr("a.csv:3: topology.file = '5': must be a switch, from 0 to 4"));
  EXPECT_THAT(message("0,1,2\n"), HasSubstr("must name 2 switches"));
  EXPECT_THAT(message("3,3\n"), HasSubstr("is attached to this terminal twice"));
  EXPECT_THAT(message("a,b\n"), HasSubstr("must be a switch"));
  EXPECT_THAT(message("-1,2\n"), HasSubstr("must be a switch"));
  EXPECT_THAT(message("\n"), HasSubstr("must have a line for each terminal"));
  EXPECT_THAT(message("0,1\n", ",terminals=2"), HasSubstr("must be 1, as many as lines"));
}

TEST(Attachments, ThatCannotBeAreRefused) {
  const auto message = [&](const std::string& text) {
    return error_message([&] { (void)topology_named(text); });
  };
  EXPECT_THAT(message("switch-ring:n=4,degree=4"), HasSubstr("topology.degree = '4': must be less than 4"));
  EXPECT_EQ(message("switch-ring:n=4,degree=4,attachment=naive"), "accepted");
  EXPECT_THAT(message("switch-ring:n=4,degree=5,attachment=naive"), HasSubstr("must be at most 4"));
  EXPECT_THAT(message("switch-ring:n=2"), HasSubstr("from 3 to"));
  EXPECT_THAT(message("switch-ring:n=5,attachment=file"), HasSubstr("topology.file: is required"));
  EXPECT_THAT(message("switch-clique:switches=3,terminals=3,degree=4"), HasSubstr("must be at most 3"));
}

/// Before they are made: a million terminals with 64 ports each would be 134 million channels, and random
/// ones look at every switch for every terminal.
TEST(Attachments, OfTooManyPortsOrDrawsAreRefused) {
  const auto message = [&](const std::string& text) {
    return error_message([&] { (void)topology_named(text); });
  };
  for (const std::string attachment : {"uniform", "careless", "random"})
    EXPECT_THAT(message("switch-clique:switches=1024,terminals=1048576,degree=64,attachment=" + attachment),
                HasSubstr("topology.degree = '64': must be at most 16 at each of 1048576 terminals"));
  for (const std::string attachment : {"diameters", "naive", "random"})
    EXPECT_THAT(message("switch-ring:n=1000,terminals=1048576,degree=17,attachment=" + attachment),
                HasSubstr("must be at most 16"));
  EXPECT_THAT(error_message([] {
                (void)build_switched({SwitchNetwork::Shape::ring, 1, 17},
                                     Attachments(1U << 20, naive_offsets(17, 17)), "ring");
              }),
              HasSubstr("must be at most 16"));
  EXPECT_THAT(
      message("switch-torus:rows=1024,columns=1024,attachment=random"),
      HasSubstr("topology.terminals = '1048576': must be at most 65536 that are attached at random to "
                "1048576 switches"));
}

/// A file or a seed that changes nothing would let a reader believe that it did.
TEST(Attachments, RefuseFilesAndSeedsThatTheyDoNotUse) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.csv", "0,1\n1,2\n");
  const auto message = [&](const std::string& text) {
    return error_message([&] { (void)topology_named(text); });
  };
  for (const std::string network : {"switch-ring:n=5,terminals=2", "switch-clique:switches=5,terminals=2",
                                    "switch-torus:rows=3,columns=3,terminals=2"}) {
    SCOPED_TRACE(network);
    const std::string other = network.starts_with("switch-clique") ? "careless" : "naive";
    EXPECT_THAT(message(network + ",file=" + path),
                HasSubstr("topology.file = '" + path + "': must be used with attachment=file"));
    for (const std::string& attachment : {std::string("random"), other})
      EXPECT_THAT(message(network + ",attachment=" + attachment + ",file=" + path),
                  HasSubstr("must be used with attachment=file"));
    EXPECT_THAT(message(network + ",seed=2"),
                HasSubstr("topology.seed = '2': must be used with attachment=random"));
    EXPECT_THAT(message(network + ",seed=2,attachment=file,file=" + path),
                HasSubstr("must be used with attachment=random"));
    EXPECT_EQ(message(network + ",attachment=file,file=" + path), "accepted");
    EXPECT_EQ(message(network + ",attachment=random,seed=2"), "accepted");
    EXPECT_EQ(message(topology_named(network)->name()), "accepted") << "every field written out";
  }
}

}  // namespace
}  // namespace faultline
