// SPDX-License-Identifier: Apache-2.0
// Is the reader's relation the one in the certificate? Files that mean the same are, others are not.
#include <compare.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/routing/relation_text.h"
#include "support/temporary_folder.h"
#include "verify/certificate_lines.h"
#include "verify/examples.h"

namespace faultline {
namespace {

using testing::HasSubstr;
using Compare = void (*)(const checker::Certificate&, std::string_view);

/// Where a file of the reader's differs from the certificate; empty if it does not.
std::string difference(Compare compare, const std::string& certificate, const std::string& mine) {
  try {
    compare(checker::read_certificate(certificate), mine);
    return {};
  } catch (const checker::Refused& refused) {
    return refused.what();
  }
}
std::string difference(const std::string& certificate, const std::string& relation) {
  return difference(checker::compare_relation, certificate, relation);
}

/// The certificate of a relation file, read and verified as the program does.
std::string certified(const std::string& relation, const CertificateSpec& spec) {
  const TemporaryFolder folder;
  const std::string path = folder.file("installed.relation", relation);
  const TopologyPtr topology = build_topology(parse_compact("topology", "relation:file=" + path));
  const RelationPtr offered =
      build_healthy_relation(topology, parse_compact("routing", "relation:file=" + path));
  const Damage none{FaultSet(*topology)};
  const Verdict verdict = verify(*admissible_relation(offered, none, SourceOffers::every_start), none.dead,
                                 {.switching = spec.switching, .selection_commits = spec.selection_commits});
  const std::string text = certificate_text(offered, none, verdict, spec);
  EXPECT_EQ(rejection(text), "");
  return text;
}

/// A ring of three switches with two virtual channels: as two options of one channel, or as one option.
std::string ring(bool as_one) {
  const auto to = [&](const std::string& channel) {
    return as_one ? channel + "/3" : channel + "/1 " + channel + "/2";
  };
  return "faultline-relation 1\nnetwork -\nswitches 3\nterminals 3\nvirtual-channels 2\ntags 1\nreads tag\n"
         "channels 9\nn 0 1\nn 1 2\nn 2 0\ni 0 0\ni 1 1\ni 2 2\ne 0 0\ne 1 1\ne 2 2\n"
         "destination 0\nfrom 1 4\nfrom 2 5\ns 0 0 6\ns 1 0 " +
         to("1") + "\ns 2 0 " + to("2") + "\ndestination 1\nfrom 0 3\nfrom 2 5\ns 0 0 " + to("0") +
         "\ns 1 0 7\ns 2 0 " + to("2") + "\ndestination 2\nfrom 0 3\nfrom 1 4\ns 0 0 " + to("0") +
         "\ns 1 0 " + to("1") + "\ns 2 0 8\nend\n";
}

/// Packets that commit to one of two options deadlock with half of the buffers full: not if the two are one.
TEST(Installed, OptionsEndWhereTheyDo) {
  const CertificateSpec commits{.switching = Switching::cut_through, .selection_commits = true};
  const std::string text = certified(ring(false), commits);
  ASSERT_THAT(text, HasSubstr("verdict deadlock"));
  EXPECT_EQ(difference(text, ring(false)), "");
  EXPECT_THAT(difference(text, ring(true)), HasSubstr("state (1, 0, 0) is not as in"));
  EXPECT_THAT(difference(certified(ring(true), commits), ring(false)), HasSubstr("state (1, 0, 0)"));
}

/// Of two options of one channel with the same tag, one is an escape: a routing cannot tell which, and a
/// proof need not.
TEST(Installed, EscapesArePartOfTheProof) {
  const std::string mixed = replaced(ring(true), "s 0 0 0/3\n", "s 0 0 0/3/0/0/1 0/3/0/0/2\n");
  const std::string text = certified(mixed, {.switching = Switching::cut_through});
  EXPECT_EQ(difference(text, mixed), "");
  EXPECT_THAT(difference(text, ring(true)), HasSubstr("state (0, 0, 0)"));
}

std::string line_of_two(const std::string& channels, const std::string& unreached = {}) {
  return "faultline-relation 1\nnetwork -\nswitches 2\nterminals 2\nvirtual-channels 1\ntags 2\nreads tag\n"
         "channels 6\n" +
         channels + "destination 0\nfrom 1 3\ns 0 0 4\ns 1 0 1\ndestination 1\nfrom 0 2\ns 0 0 0\n" +
         unreached + "s 1 0 5\nend\n";
}

TEST(Installed, NumbersOfLinksAreNames) {
  const CertificateSpec spec{.switching = Switching::cut_through};
  const std::string gaps = line_of_two("n 0 1 7\nn 1 0 7\ni 0 0 3\ni 1 1 4\ne 0 0 3\ne 1 1 4\n");
  const std::string text = certified(gaps, spec);
  EXPECT_EQ(difference(text, gaps), "");
  EXPECT_EQ(difference(text, line_of_two("n 0 1 0\nn 1 0 0\ni 0 0 9\ni 1 1 2\ne 0 0 9\ne 1 1 2\n")), "");
  const std::string apart = line_of_two("n 0 1 7\nn 1 0 8\ni 0 0 3\ni 1 1 4\ne 0 0 3\ne 1 1 4\n");
  EXPECT_THAT(difference(text, apart), HasSubstr("channel 1 is not as in"));
  EXPECT_THAT(difference(certified(apart, spec), gaps), HasSubstr("channel 1 is not as in"));
  EXPECT_THAT(difference(text, line_of_two("n 0 1 7\nn 1 0 7\ni 0 0 3\ni 1 1 3\ne 0 0 3\ne 1 1 3\n")),
              HasSubstr("channel 3 is not as in"));
  // Without a number each is its own link.
  const std::string own = line_of_two("n 0 1\nn 1 0\ni 0 0\ni 1 1\ne 0 0\ne 1 1\n");
  EXPECT_THAT(difference(text, own), HasSubstr("channel 1 is not as in"));
  EXPECT_EQ(
      difference(certified(own, spec), line_of_two("n 0 1 5\nn 1 0 3\ni 0 0\ni 1 1 0\ne 0 0 1\ne 1 1 2\n")),
      "");
}

TEST(Installed, CablesMayNameLinksAsTheyLike) {
  const std::string text = certified(line_of_two("n 0 1 0\nn 1 0 0\ni 0 0 1\ni 1 1 2\ne 0 0 1\ne 1 1 2\n"),
                                     {.switching = Switching::cut_through});
  const auto against = [&](const std::string& cables) {
    return difference(checker::compare_network, text, cables);
  };
  EXPECT_EQ(against("n 0 1 7\nn 1 0 7\ni 0 0 3\ni 1 1\ne 0 0 3\ne 1 1\n"), "");
  EXPECT_THAT(against("n 0 1 7\nn 1 0 8\ni 0 0\ni 1 1\ne 0 0\ne 1 1\n"), HasSubstr("channel 1 is"));
  EXPECT_THAT(against("n 0 1 7\nn 1 0 7\ni 0 0 7\ni 1 1\ne 0 0\ne 1 1\n"), HasSubstr("channel 2 is"));
}

TEST(Installed, StatesThatAreNeverReachedDoNotCount) {
  const std::string channels = "n 0 1\nn 1 0\ni 0 0\ni 1 1\ne 0 0\ne 1 1\n";
  const std::string with = line_of_two(channels, "s 0 1 0\n"), without = line_of_two(channels);
  const CertificateSpec spec{.switching = Switching::cut_through};
  EXPECT_EQ(difference(certified(with, spec), with), "");
  EXPECT_EQ(difference(certified(without, spec), with), "");
  // The certificate may list one too.
  const std::string listed =
      replaced(certified(without, spec), "from 0 2\ns 0 0 0\n", "from 0 2\ns 0 0 0\ns 0 1 0\n");
  EXPECT_EQ(rejection(listed), "");
  EXPECT_EQ(difference(listed, without), "");
  // What a packet reaches counts, also if only one of the two files leads there.
  EXPECT_THAT(difference(listed, replaced(with, "from 0 2\n", "from 0 2/1/1\n")), HasSubstr("source 0"));
}

/// The relation is quoted as it is installed, whatever switches know and select.
TEST(Installed, IsQuotedBeforeSwitchesTakeTheFirstOption) {
  const TopologyPtr mesh = build_topology(parse_compact("topology", "mesh:radix=4x4"));
  FaultSet dead(*mesh);
  dead.fail(ChannelId(10));
  for (const Knowledge knowledge : {Knowledge::neighbours(), Knowledge::within(3), Knowledge::all()}) {
    const Damage damage{dead, knowledge};
    const Description routing = parse_compact("routing", "minimal-adaptive");
    const OfferedRelation offered = build_offered_relation(mesh, damage, routing, Switching::wormhole);
    const RelationPtr used =
        build_relation(mesh, damage, routing, Switching::wormhole, SourceOffers::every_start);
    const CertificateSpec spec{
        .switching = Switching::wormhole, .selection_commits = true, .takes_first = true};
    const Verdict verdict = verify(
        *used, dead, {.switching = Switching::wormhole, .selection_commits = true, .takes_first = true});
    const std::string text = certificate_text(offered.relation, offered.damage, verdict, spec);
    EXPECT_EQ(rejection(text), "") << to_string(knowledge);
    EXPECT_EQ(difference(text, relation_text(*offered.relation)), "") << to_string(knowledge);
    EXPECT_THAT(text,
                HasSubstr(knowledge.is_all() ? "\nknowledge all\n"
                                             : "\nknowledge " + std::to_string(knowledge.radius()) + "\n"));
    // All options of the mesh deadlock; the first ones do not.
    EXPECT_NE(rejection(replaced(text, "selection first", "selection asks-all")), "");
    EXPECT_NE(rejection(replaced(text, "selection first", "selection commits")), "");
  }
}

}  // namespace
}  // namespace faultline
