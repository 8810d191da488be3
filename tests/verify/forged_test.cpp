// SPDX-License-Identifier: Apache-2.0
// Certificates that were written to deceive, consistent in all but one point, are refused.
#include <compare.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <regex>

#include "faultline/formats/relation_file.h"
#include "faultline/routing/relation_text.h"
#include "verify/certificate_lines.h"
#include "verify/examples.h"

namespace faultline {
namespace {

using testing::HasSubstr;

std::string replaced_all(const std::string& text, const std::string& pattern, const std::string& to) {
  return std::regex_replace(text, std::regex(pattern, std::regex::multiline), to);
}

std::string mesh_certificate() {
  return certificate_of(verified("mesh:radix=3", "dimension-order", Switching::wormhole),
                        Switching::wormhole);
}

Example mesh_with_a_dead_channel(Knowledge knowledge) {
  const TopologyPtr mesh = build_topology(parse_compact("topology", "mesh:radix=3x3"));
  FaultSet dead(*mesh);
  dead.fail(ChannelId(0));
  return verified_under(mesh, {dead, knowledge}, parse_compact("routing", "dimension-order"),
                        Switching::wormhole);
}

TEST(Forged, WithoutStartsIsRefused) {
  // No source sends: no state is reached, and every statement would hold vacuously.
  std::string text = replaced_all(mesh_certificate(), "^from (\\d+) .*$", "from $1");
  text = replaced_all(text, "^(states|moves|dependencies) \\d+$", "$1 0");
  text = replaced_all(text, "^pairs .*$", "pairs 0 0 0 0 6");
  text = replaced_all(text, "^unreachable-pairs .*$", "unreachable-pairs 6");
  text = replaced_all(text, "^max-hops .*$", "max-hops 0");
  text = replaced(text, "classes 0 -ss", "classes 0 -rr");
  text = replaced(text, "classes 1 s-s", "classes 1 r-r");
  text = replaced(text, "classes 2 ss-", "classes 2 rr-");
  EXPECT_THAT(rejection(text), HasSubstr("offers other injection channels than stated"));
}

TEST(Forged, WithAPairLeftOutIsRefused) {
  EXPECT_THAT(rejection(replaced_all(mesh_certificate(), "^from 2 .*\ns 0 0", "s 0 0")),
              HasSubstr("a source has no line"));
}

TEST(Forged, ThatEjectsAtTheWrongTerminalIsRefused) {
  const std::string text = mesh_certificate();  // channels 0-3 network, 4-6 injection, 7-9 ejection
  EXPECT_THAT(rejection(replaced(text, "s 0 0 7\n", "s 0 0 8\n")), HasSubstr("start where"));
  EXPECT_THAT(rejection(replaced(replaced(text, "e 1 1", "e 0 1"), "s 0 0 7\n", "s 0 0 8\n")),
              HasSubstr("another terminal"));
}

TEST(Forged, ThatLeavesOutAnInjectionChannelIsRefused) {
  const Example example = verified("ruft-pl:k=2,n=2", "ruft", Switching::wormhole);
  const std::string text = certificate_of(example, Switching::wormhole);
  ASSERT_EQ(rejection(text), "");
  const std::string one = replaced_all(text, "^(from \\d+ \\d+) \\d+$", "$1");
  ASSERT_NE(one, text) << "every terminal offers two injection channels";
  EXPECT_THAT(rejection(one), HasSubstr("offers other injection channels than stated"));
}

TEST(Forged, WithARingAddedWhereTheRuleDoesNotHoldIsRefused) {
  // Both rings of a 1-dimensional torus deadlock; one of them is declared to keep a bubble, both, or neither.
  const Example example = verified("torus:radix=5", "dimension-order:ring_rule=none", Switching::cut_through);
  ASSERT_EQ(example.verdict.method, DeadlockMethod::deadlock);
  std::string text =
      replaced(certificate_of(example, Switching::cut_through), "verdict deadlock", "verdict bubble");
  text = replaced_all(text, "^(packet|step) .*\n", "");
  const std::string plus = "ring 0/0 2/0 4/0 6/0 8/0\n";
  const std::string equal_ranks = "ranks 0 0 0 0 0 0 0 0 0 0\nend\n";
  const auto forged = [&](const std::string& rings) {
    std::string result = text;
    result = replaced(result, "destination 0\n", rings + "destination 0\n");
    result.resize(result.rfind("end\n"));
    return result + equal_ranks;
  };
  EXPECT_THAT(rejection(forged("")), HasSubstr("a bubble needs a ring"));
  EXPECT_THAT(rejection(forged(plus)), HasSubstr("no option of lower rank"));
  EXPECT_THAT(rejection(replaced(forged(plus), "switching cut-through", "switching wormhole")),
              HasSubstr("needs cut-through"));
  EXPECT_THAT(rejection(forged(plus + plus)), HasSubstr("rings meet"));
}

TEST(Forged, WithMovesFilteredWronglyIsRefused) {
  // What is true if switches know all is claimed for switches that know less, or the dead channel is hidden.
  const std::string all = certificate_of(mesh_with_a_dead_channel(Knowledge::all()), Switching::wormhole);
  ASSERT_EQ(rejection(all), "");
  EXPECT_NE(rejection(replaced(all, "knowledge all", "knowledge 1")), "");
  EXPECT_NE(rejection(replaced(all, "knowledge all", "knowledge none")), "");
  EXPECT_NE(rejection(replaced(all, "dead 0", "dead -")), "");
  EXPECT_NE(rejection(replaced(all, "dead 0", "dead 1")), "");
  EXPECT_THAT(rejection(replaced(all, "dead 0", "dead")), HasSubstr("a word is missing"));
  const std::string none = certificate_of(mesh_with_a_dead_channel(Knowledge::none()), Switching::wormhole);
  EXPECT_NE(rejection(replaced(none, "knowledge none", "knowledge all")), "");
}

TEST(Forged, AProofAtAnyTimeWhereStuckPacketsWaitIsRefused) {
  const std::string text = mesh_certificate();
  ASSERT_THAT(text, HasSubstr("\ntime any\n"));
  // A channel may fail and stay down, with a packet before it that has no other option.
  EXPECT_THAT(rejection(replaced(text, "stuck dropped", "stuck waits")), HasSubstr("waits for ever"));
  EXPECT_EQ(rejection(replaced(replaced(text, "stuck dropped", "stuck waits"), "time any", "time static")),
            "");
}

/// A packet at switch 0 whose only option is the dead channel: it waits where the switch knows of it, and is
/// lost on the channel where not.
TEST(Forged, ADeadlockOfAPacketThatWouldBeLostIsRefused) {
  const auto forged = [](Knowledge knowledge) {
    std::string text = certificate_of(mesh_with_a_dead_channel(knowledge), Switching::wormhole);
    text = replaced(text, "verdict acyclic-dependencies", "verdict deadlock");
    text = replaced(text, "stuck dropped", "stuck waits");
    return replaced_all(text, "^ranks .*$", "packet 0 1\nstep 0 24 0 0");
  };
  EXPECT_EQ(rejection(forged(Knowledge::neighbours())), "");
  for (const char* selection : {"asks-all", "commits", "first"})
    EXPECT_THAT(rejection(replaced(forged(Knowledge::none()), "asks-all", selection)),
                HasSubstr("may be lost on a dead channel"))
        << selection;
}

TEST(Forged, AScheduleThatPassesThroughAFullBufferIsRefused) {
  const Example example = verified("torus:radix=5", "shortest-path", Switching::wormhole);
  ASSERT_EQ(example.verdict.method, DeadlockMethod::deadlock);
  const std::string text = certificate_of(example, Switching::wormhole);
  ASSERT_EQ(rejection(text), "");
  std::smatch first;
  ASSERT_TRUE(std::regex_search(text, first, std::regex("packet (\\d+ \\d+)\n")));
  // A copy of the first packet at the end takes the same path.
  std::string twice = replaced(text, "\nstep ", "\npacket " + first[1].str() + "\nstep ");
  std::smatch step;
  ASSERT_TRUE(std::regex_search(text, step, std::regex("step 0 (.*)\nstep 0 (.*)\n")));
  const std::string copy = std::to_string(example.verdict.deadlock.size());
  twice.resize(twice.rfind("end\n"));
  twice += "step " + copy + " " + step[1].str() + "\nstep " + copy + " " + step[2].str() + "\nend\n";
  EXPECT_THAT(rejection(twice), HasSubstr("full buffer"));
}

/// Automorphisms keep the options of a state, but not their order, and so not the first: an installed
/// relation with others in front, which can deadlock, would be taken for the one that is proved.
TEST(Forged, OneDestinationForAllWhereTheFirstOptionIsTakenIsRefused) {
  const TopologyPtr square = build_topology(parse_compact("topology", "hypercube:n=2"));
  const Damage none{FaultSet(*square)};
  const OfferedRelation offered =
      build_offered_relation(square, none, parse_compact("routing", "minimal-adaptive"), Switching::wormhole);
  const Verdict verdict =
      verify(*offered.relation, none.dead,
             {.switching = Switching::wormhole, .selection_commits = true, .takes_first = true});
  ASSERT_EQ(verdict.method, DeadlockMethod::acyclic_dependencies);
  std::string text =
      certificate_text(offered.relation, none, verdict,
                       {.switching = Switching::wormhole, .selection_commits = true, .takes_first = true});
  ASSERT_EQ(rejection(text), "");
  const std::size_t others = text.find("destination 1\n"), end = text.find("end\n", others);
  text.erase(others, end - others);
  text = replaced(text, "\nend\n",
                  "\nend\nautomorphism 1 0 4 5 2 3 7 6 9 8 11 10 13 12 15 14\n"
                  "automorphism 6 7 3 2 5 4 0 1 10 11 8 9 14 15 12 13\n");
  text = replaced(text, "destinations all", "destinations classes");
  text = replaced_all(text, "^classes [123] .*\n", "");
  EXPECT_THAT(rejection(text), HasSubstr("every destination must be stated"));
}

/// Where a file of the reader's differs from the certificate.
std::string difference(const std::function<void(const checker::Certificate&)>& compare,
                       const std::string& text) {
  try {
    compare(checker::read_certificate(text));
    return {};
  } catch (const checker::Refused& refused) {
    return refused.what();
  }
}

TEST(Brought, FilesAreComparedLineByLine) {
  const Example example = mesh_with_a_dead_channel(Knowledge::all());
  const std::string text = certificate_of(example, Switching::wormhole);
  const std::string relation = relation_text(*example.offered);
  const auto against_relation = [&](const std::string& mine) {
    return difference([&](const auto& certificate) { checker::compare_relation(certificate, mine); }, text);
  };
  EXPECT_EQ(against_relation(relation), "");
  EXPECT_THAT(against_relation(replaced(relation, "n 0 1", "n 0 3")), HasSubstr("channel 0 is not as in"));
  EXPECT_THAT(against_relation(replaced(relation, "tags 1", "tags 2")), HasSubstr("distinguishes states"));
  EXPECT_THAT(against_relation(replaced_all(relation, "^s 1 0 1$", "s 1 0")), HasSubstr("state (1, 0, 0)"));

  std::string cables = "# mine\n";
  for (const auto& channel : formats::parse_relation(relation, "F", "test").channels)
    cables += std::string(1, "nie"[static_cast<std::size_t>(channel.role)]) + " " +
              std::to_string(channel.from) + " " + std::to_string(channel.to) + "\n";
  const auto against_cables = [&](const std::string& mine) {
    return difference([&](const auto& certificate) { checker::compare_network(certificate, mine); }, text);
  };
  EXPECT_EQ(against_cables(cables), "");
  EXPECT_THAT(against_cables(replaced(cables, "n 0 1", "n 0 4")), HasSubstr("line 2: channel 0 is 'n 0 4'"));
  EXPECT_THAT(against_cables(cables + "e 8 8\n"), HasSubstr("fewer channels"));
  EXPECT_THAT(against_cables("n 0 1\n"), HasSubstr("the list of cables 1"));

  const auto against_dead = [&](const std::string& mine) {
    return difference([&](const auto& certificate) { checker::compare_dead(certificate, mine); }, text);
  };
  EXPECT_EQ(against_dead("0\n"), "");
  EXPECT_THAT(against_dead("0\n1\n"), HasSubstr("channel 1 is not dead"));
  EXPECT_THAT(against_dead("# none\n"), HasSubstr("channel 0 is dead in the certificate only"));
}

}  // namespace
}  // namespace faultline
