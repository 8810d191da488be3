// SPDX-License-Identifier: Apache-2.0
// Random relations under damage, knowledge and choice: the library against the reference oracle in Python, if
// present, and against the certificate checker, which shares no code with it either.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>

#include "faultline/routing/admissible.h"
#include "support/effort.h"
#include "support/random_relations.h"
#include "support/shared_folder.h"
#include "support/temporary_folder.h"
#include "support/weekly_seed.h"
#include "verify/deadlock_schedule.h"
#include "verify/deadlock_set.h"
#include "verify/examples.h"
#include "verify/random_plays.h"

namespace faultline {
namespace {

/// FAULTLINE_ORACLE_INSTANCES asks for more.
std::size_t instance_count(std::size_t usual) {
  const char* asked = std::getenv("FAULTLINE_ORACLE_INSTANCES");
  return asked == nullptr ? usual : std::stoul(asked);
}

struct Instance {
  TopologyPtr topology;
  RelationPtr relation;
};

Instance instance_of(const TemporaryFolder& folder, const std::string& text) {
  const std::string path = folder.file("instance.relation", text);
  const TopologyPtr topology = build_topology(parse_compact("topology", "relation:file=" + path));
  return {topology, build_healthy_relation(topology, {})};
}

FaultSet fewer_than(std::uint32_t faults, const Topology& topology, RandomStream& random) {
  FaultSet dead(topology);
  for (std::uint32_t left = random.next_below(faults); left > 0; --left)
    dead.fail(ChannelId(random.next_below(static_cast<std::uint32_t>(topology.channel_count()))));
  return dead;
}

std::string output_of(const std::string& command) {
  std::string output;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> block{};
  for (std::size_t size = 0; (size = std::fread(block.data(), 1, block.size(), pipe)) > 0;)
    output.append(block.data(), size);
  (void)::pclose(pipe);
  return output;
}

Knowledge knowledge_of(const nlohmann::json& word) {
  if (word == "none") return Knowledge::none();
  if (word == "all") return Knowledge::all();
  return Knowledge::within(word.get<std::uint32_t>());
}

/// The oracle lets sources and switches know different things, and lets switches plan; relations are used in
/// the combinations that the command line offers.
std::optional<SourceRole> role_of(const nlohmann::json& answer) {
  if (answer["switch"] != "forall") return std::nullopt;
  if (answer["source"] == "forall" && answer["know_source"] == answer["know_switch"]) return SourceRole::any;
  if (answer["source"] == "exists" && answer["know_source"] == "all") return SourceRole::plan;
  return std::nullopt;
}

/// Buffers that a packet of random plays holds at most.
std::uint32_t longest_in(Switching switching) { return switching == Switching::wormhole ? 4 : 1; }

/// The library's answer in the oracle's terms.
nlohmann::json answer_of(const Instance& instance, const Damage& damage) {
  const RelationPtr relation = admissible_relation(instance.relation, damage);
  const Buffers buffers(*relation);
  DirectDependencies dependencies(buffers);
  nlohmann::json answer{{"classes", nlohmann::json::object()}, {"states", 0}, {"moves", 0}};
  for (const TerminalId destination : instance.topology->terminals()) {
    DestinationStates plays = enumerate_plays(*relation, destination, damage.dead);
    const std::vector<PairClass> classes = classes_of_states(plays);
    for (const TerminalId source : instance.topology->terminals())
      if (source != destination)
        answer["classes"][std::to_string(source.value()) + ">" + std::to_string(destination.value())] =
            to_string(class_of_pair(plays, classes, source, damage.source));
    drop_lost(plays);
    answer["states"] = answer["states"].get<std::size_t>() + plays.count();
    answer["moves"] = answer["moves"].get<std::size_t>() + plays.moves.size();
    dependencies.add(plays, [](const DestinationStates::Move&) { return true; });
  }
  const DependencyGraph graph = dependencies.graph();
  const DrainOrder order = drain_order(graph);
  answer["dependencies"] = graph.successors.size();
  answer["acyclic"] = order.complete();
  answer["deadlock_set"] = nlohmann::json::array();
  if (!order.complete()) {
    const DeadlockSet set = find_deadlock_set(*relation, damage.dead, buffers, order, false);
    for (std::uint32_t buffer = 0; buffer < set.ranks.size(); ++buffer)
      if (set.ranks[buffer] == Verdict::unranked) answer["deadlock_set"].push_back(buffer);
    if (!set.is_empty() && set.packets.empty()) {
      EXPECT_FALSE(RandomPlays(*relation, damage.dead).deadlock()) << "a deadlock without a schedule";
    }
  }
  return answer;
}

TEST(RandomPlays, FindTheDeadlockOfARing) {
  const TopologyPtr ring = build_topology(parse_compact("topology", "torus:radix=5"));
  const FaultSet none(*ring);
  EXPECT_TRUE(
      RandomPlays(*build_healthy_relation(ring, parse_compact("routing", "shortest-path")), none).deadlock());
  EXPECT_FALSE(RandomPlays(*build_healthy_relation(ring, parse_compact("routing", "up-down")), none)
                   .deadlock(effort(2000, 200)));
}

TEST(DeadlockSchedule, EndsWhenItIsStopped) {
  const TopologyPtr ring = build_topology(parse_compact("topology", "torus:radix=5"));
  const RelationPtr relation = build_healthy_relation(ring, parse_compact("routing", "shortest-path"));
  const FaultSet none(*ring);
  const Buffers buffers(*relation);
  std::vector<std::uint32_t> one_direction;
  for (const ChannelId channel : ring->channels())
    if (ring->role(channel) == ChannelRole::network &&
        (ring->source(channel).value() + 1) % 5 == ring->target(channel).value())
      one_direction.push_back(buffers.number(channel, 0));
  std::vector<TerminalId> likely;
  for (const std::uint32_t buffer : one_direction)
    likely.push_back(TerminalId((ring->target(buffers.at(buffer).channel).value() + 1) % 5));
  const auto fill = [&](StopFlag stop) {
    std::uint64_t effort = 0;
    return fill_buffers(*relation, none, buffers, one_direction, likely, false, effort, stop);
  };
  const std::atomic<bool> stop = true;
  ASSERT_EQ(one_direction.size(), 5U);
  EXPECT_TRUE(fill(nullptr));
  EXPECT_THROW((void)fill(&stop), Stopped);
}

/// A packet may commit to any of its options: a deadlock is shown, or none arises in random plays.
struct Committing {
  std::map<std::string, std::size_t> methods;
  int alone = 0,
      found_in_play = 0;  ///< deadlocks that need packets that commit; those that random plays find
};

/// Plays fill one buffer per packet, as under cut-through switching; a deadlock of theirs is one under
/// wormhole switching too.
void show_deadlocks_of_committing(Switching switching, std::uint64_t seed, std::uint64_t instances,
                                  Committing& found) {
  const TemporaryFolder folder;
  for (std::uint64_t i = 0; i < instances; ++i) {
    const std::string text = formats::relation_text(RandomRelation(seed + i).draw());
    const Instance instance = instance_of(folder, text);
    RandomStream random(seed + i, 1);
    const FaultSet dead = fewer_than(3, *instance.topology, random);
    for (const Knowledge knowledge : {Knowledge::none(), Knowledge::all()}) {
      SCOPED_TRACE("seed " + std::to_string(seed + i) + ", knowledge " + to_string(knowledge) + '\n' + text);
      const Damage damage{dead, knowledge};
      const RelationPtr relation = admissible_relation(instance.relation, damage, SourceOffers::every_start);
      const Verdict verdict = verify(*relation, dead, {.switching = switching, .selection_commits = true});
      ++found.methods[std::string(to_string(verdict.method))];
      if (verdict.method != DeadlockMethod::unproved) {
        ASSERT_EQ(rejection(certificate_text(instance.relation, damage, verdict,
                                             {.switching = switching, .selection_commits = true})),
                  "");
      }
      const bool plays = RandomPlays(*relation, dead, {.commits = true}).deadlock(effort(200, 60));
      if (switching == Switching::wormhole && verdict.deadlock_free) {
        ASSERT_FALSE(RandomPlays(*relation, dead, {.commits = true, .longest = longest_in(switching)})
                         .deadlock(effort(50, 10)));
      }
      if (verdict.method != DeadlockMethod::deadlock) {
        ASSERT_FALSE(plays);
      } else if (verify(*relation, dead, {.switching = switching}).deadlock_free) {
        ++found.alone;
        found.found_in_play += plays ? 1 : 0;
      }
    }
  }
}

TEST(RandomRelations, DeadlocksOfPacketsThatCommitAreShown) {
  for (const Switching switching : {Switching::wormhole, Switching::cut_through}) {
    Committing found;
    show_deadlocks_of_committing(switching, weekly_seed(), instance_count(effort(50U, 10U)), found);
    EXPECT_GT(found.methods["acyclic-dependencies"], 0U);
    EXPECT_GT(found.methods["deadlock"], 0U);
    EXPECT_LT(found.methods["unproved"], found.methods["deadlock"]);
  }
  // Few relations are free of deadlock only where packets ask for all options: here is one, and
  // escape_test.cpp has some for wormhole switching.
  Committing one;
  show_deadlocks_of_committing(Switching::cut_through, 20'000, 1, one);
  EXPECT_EQ(one.alone, 1);
  EXPECT_EQ(one.found_in_play, 1);
}

TEST(Oracle, AgreesOnRandomRelations) {
  FAULTLINE_SHARED_FILE(oracle, "oracle/oracle.py");
  if (output_of("python3 -c 'print(1)'") != "1\n") GTEST_SKIP() << "python3 is not there";
  const std::uint64_t seed = weekly_seed();
  const std::size_t count = instance_count(effort(40U, 20U));
  std::istringstream lines(
      output_of("python3 '" + oracle.string() + "' " + std::to_string(seed) + " " + std::to_string(count)));
  const TemporaryFolder folder;
  std::size_t instances = 0, compared = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto said = nlohmann::json::parse(line);
    ++instances;
    if (said["relation"].get<std::string>().find("\nterminals 0\n") != std::string::npos ||
        said["relation"].get<std::string>().find("\nterminals 1\n") != std::string::npos)
      continue;  // no pair
    const Instance instance = instance_of(folder, said["relation"]);
    FaultSet dead(*instance.topology);
    for (const std::uint32_t channel : said["dead"]) dead.fail(ChannelId(channel));
    for (const auto& theirs : said["answers"]) {
      const auto role = role_of(theirs);
      if (!role) continue;
      SCOPED_TRACE(theirs["know_switch"].dump() + " known, instance " + said["seed"].dump());
      const auto ours = answer_of(instance, {dead, knowledge_of(theirs["know_switch"]), *role});
      for (const auto& [key, value] : ours.items())
        ASSERT_EQ(value, theirs[key])
            << key << ": oracle.py " << said["seed"] << ", sources know " << theirs["know_source"]
            << ", switches " << theirs["know_switch"] << ", source " << theirs["source"];
      ++compared;
    }
  }
  EXPECT_EQ(instances, count);
  EXPECT_GT(compared, count);
  std::printf("%zu instances from seed %llu: %zu settings agree\n", instances,
              static_cast<unsigned long long>(seed), compared);
}

TEST(RandomRelations, ComeBackAsTheyWereWritten) {
  const std::uint64_t seed = weekly_seed();
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::string text = formats::relation_text(RandomRelation(seed + i).draw());
    EXPECT_EQ(formats::relation_text(formats::parse_relation(text, "F", "test")), text)
        << "seed " << seed + i;
  }
}

TEST(RandomRelations, CertificatesAreAcceptedUnderAnyKnowledge) {
  const std::uint64_t seed = weekly_seed();
  const TemporaryFolder folder;
  std::map<std::string, std::size_t> methods;
  for (std::uint64_t i = 0; i < instance_count(effort(150U, 25U)); ++i) {
    const std::string text = formats::relation_text(RandomRelation(seed + i).draw());
    const Instance instance = instance_of(folder, text);
    RandomStream random(seed + i, 1);
    const FaultSet dead = fewer_than(4, *instance.topology, random);
    for (const Knowledge knowledge :
         {Knowledge::none(), Knowledge::neighbours(), Knowledge::within(2), Knowledge::all()})
      for (const SourceRole role : {SourceRole::any, SourceRole::plan})
        for (const Switching switching : {Switching::wormhole, Switching::cut_through}) {
          const Example example =
              verified_under(instance.topology, {dead, knowledge, role}, {"routing", "", {}, {}}, switching);
          ++methods[std::string(to_string(example.verdict.method))];
          if (example.verdict.method == DeadlockMethod::unproved) continue;
          ASSERT_EQ(rejection(certificate_of(example, switching)), "")
              << "seed " << seed + i << ", knowledge " << to_string(knowledge) << ", source "
              << to_string(role) << "\n"
              << text;
          if (example.verdict.deadlock_free) {
            ASSERT_FALSE(RandomPlays(*example.relation, dead, {.longest = longest_in(switching)})
                             .deadlock(effort(20, 3)))
                << "seed " << seed + i << "\n"
                << text;
          }
        }
  }
  for (const char* method : {"acyclic-dependencies", "escape", "deadlock"})
    EXPECT_GT(methods[method], 0U) << method;
}

}  // namespace
}  // namespace faultline
