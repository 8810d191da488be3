// SPDX-License-Identifier: Apache-2.0
// Designs of switches: their certificates are accepted, modified ones are not, and no improvement makes a
// design worse.
#include "faultline/design/switches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "design/search.h"
#include "faultline/base/error.h"
#include "faultline/topology/kind.h"
#include "verify/certificate_lines.h"
#include "verify/examples.h"

namespace faultline {
namespace {

using testing::HasSubstr;

SwitchDesignSpec small(FaultUnits units, std::uint32_t faults, std::uint32_t degree = 2) {
  return {.terminals = 8, .ports = 6, .degree = degree, .faults = faults, .units = units, .steps = 150};
}

TEST(SwitchDesigns, AreCertifiedByTheChecker) {
  for (const SwitchDesignSpec& spec :
       {small(FaultUnit::switch_, 3), small(FaultUnit::link, 2),
        small(FaultUnit::link | FaultUnit::switch_, 2), small(FaultUnit::switch_, 4, 3)})
    for (const SwitchDesign& design : design_switches(spec).designs) {
      const std::string certificate = design_certificate(design, spec);
      EXPECT_EQ(rejection(certificate), "") << design.topology << "\n" << certificate;
    }
}

TEST(SwitchDesigns, OnceStoppedAreThoseThatWereFinished) {
  SwitchDesignSpec spec = small(FaultUnit::switch_, 3);
  const auto all = design_switches(spec).designs;
  const auto stopped_at = [&](std::string_view stage, std::uint64_t finished) {
    std::atomic<bool> stop = false;
    spec.stop = &stop;
    return design_switches(spec, [&](std::string_view what, std::uint64_t done, std::uint64_t) {
      if (what == stage && done == finished) stop = true;
    });
  };
  const SwitchDesigns some = stopped_at("constructions", 2);
  ASSERT_EQ(some.designs.size(), 2U);
  EXPECT_GT(some.unevaluated, 0U);
  EXPECT_GT(some.unsearched, 0U);
  for (const SwitchDesign& design : some.designs) {
    const auto same = std::ranges::find_if(
        all, [&](const SwitchDesign& other) { return other.topology == design.topology && !other.improved; });
    ASSERT_NE(same, all.end());
    ASSERT_EQ(design.worst.size(), same->worst.size());
    EXPECT_EQ(design.worst.back().lost, same->worst.back().lost);
    EXPECT_EQ(rejection(design_certificate(design, spec)), "");
  }
  const SwitchDesigns constructions = stopped_at("attachments", 0);
  EXPECT_EQ(constructions.unevaluated, 0U);
  EXPECT_EQ(constructions.designs.size(), some.designs.size() + some.unevaluated);
  EXPECT_THROW((void)stopped_at("constructions", 0), Stopped);
}

/// Also a search that has found nothing better by then.
TEST(SwitchDesigns, OnceStoppedTellHowManySearchesWereNotFinished) {
  for (const SwitchDesignSpec& given : {small(FaultUnit::switch_, 3), small(FaultUnit::link, 2)}) {
    SwitchDesignSpec spec = given;
    spec.steps = 4'000'000'000;
    std::atomic<bool> stop = false;
    spec.stop = &stop;
    std::uint64_t searches = 0;
    std::jthread later;
    const SwitchDesigns found =
        design_switches(spec, [&](std::string_view what, std::uint64_t, std::uint64_t total) {
          if (what != "attachments") return;
          searches = total;
          if (!later.joinable())
            later = std::jthread([&] {
              std::this_thread::sleep_for(std::chrono::milliseconds(50));
              stop = true;
            });
        });
    EXPECT_GT(searches, 0U);
    EXPECT_EQ(found.unsearched, searches);
  }
}

TEST(SwitchDesigns, WithChangedCertificatesAreRefused) {
  const SwitchDesignSpec spec{.terminals = 8, .ports = 4, .degree = 2, .faults = 3, .steps = 0};
  const auto designs = design_switches(spec).designs;
  const auto ring = std::ranges::find(designs, SwitchNetwork::Shape::ring,
                                      [](const SwitchDesign& design) { return design.network.shape; });
  ASSERT_NE(ring, designs.end());
  const std::string good = design_certificate(*ring, spec);
  ASSERT_EQ(rejection(good), "");
  const WorstCase& worst = ring->worst.back();
  const std::string claim = "w 3 lost " + std::to_string(worst.lost);
  EXPECT_NE(rejection(replaced(good, claim, "w 3 lost " + std::to_string(worst.lost - 1))), "");
  EXPECT_NE(rejection(replaced(good, claim, "w 3 lost " + std::to_string(worst.lost + 1))), "");
  EXPECT_NE(rejection(replaced(good, " of " + std::to_string(worst.sets), " of 7")), "");
  EXPECT_NE(rejection(replaced(good, "ports 4", "ports 3")), "");
  EXPECT_NE(rejection(replaced(good, "\nl 0 1", "\nl 0 0")), "");
  EXPECT_NE(rejection(replaced(good, "\nl 0 1", "\nl 0 99")), "");
  EXPECT_NE(rejection(replaced(good, "\nt ", "\nt 0,")), "");
  EXPECT_NE(rejection(replaced(good, "w 2", "w 4")), "");
  EXPECT_NE(rejection(replaced(good, "end\n", "")), "");
  EXPECT_THAT(rejection(good + "more\n"), HasSubstr("text follows the end"));
  EXPECT_NE(rejection(good.substr(0, good.size() / 2)), "");
  EXPECT_NE(rejection("faultline-switches 1\n"), "");
}

TEST(SwitchDesigns, OfMoreThanTheFileCanHoldAreRefusedAtOnce) {
  const auto claims = [](const std::string& switches, const std::string& links, const std::string& terminals,
                         const std::string& worst) {
    return rejection("faultline-switches 1\nnetwork x\nunit switch\nswitches " + switches +
                     "\nports 8\nlinks " + links + "\nterminals " + terminals + "\n" + worst + "end\n");
  };
  EXPECT_EQ(claims("2", "0", "0", "worst-cases 1\nw 0 lost 0 sets 1 of 1 such -\n"), "");
  EXPECT_EQ(claims("2", "0", "0", "worst-cases 0\n"), "line 8: a number is malformed or out of range");
  EXPECT_EQ(claims("99999", "0", "0", "worst-cases 1\nw 0 lost 0 sets 1 of 1 such -\n"),
            "line 4: a number is malformed or out of range");
  EXPECT_EQ(claims("3", "1000000", "0", ""), "line 6: a number is malformed or out of range");
  EXPECT_EQ(claims("3", "0", "1000000", ""), "line 7: a number is malformed or out of range");
  EXPECT_EQ(claims("3", "0", "0", "worst-cases 60\n"), "line 8: a number is malformed or out of range");
  EXPECT_EQ(claims("03", "0", "0", ""), "line 4: a number is malformed or out of range");
  EXPECT_EQ(claims("3", "0", "1\nt 0,,1", ""), "line 8: a number is malformed or out of range");
  EXPECT_EQ(claims("3", "0", "1\nt 0, 1", ""), "line 8: a number is malformed or out of range");
  EXPECT_EQ(claims("3", "0", "1\nt 3", ""), "line 8: a number is malformed or out of range");
  EXPECT_EQ(
      claims("3", "0", "0", "worst-cases 2\nw 0 lost 0 sets 1 of 1 such -\nw 1 lost 0 sets 3 of 4 such 0\n"),
      "line 10: there are 3 sets");
}

TEST(SwitchDesigns, WithMoreSetsThanCanBeTriedAreRefusedBeforeTheFirst) {
  std::string text = "faultline-switches 1\nnetwork x\nunit link\nswitches 2\nports 999\nlinks 300\n";
  for (int i = 0; i < 300; ++i) text += "l 0 1\n";
  text += "terminals 0\nworst-cases 9\n";
  std::string set;
  const std::uint64_t sets[] = {1, 300, 44850, 4455100, 330791175};
  for (int faults = 0; faults < 9; ++faults) {
    const std::string all = std::to_string(sets[std::min(faults, 4)]);
    text += "w " + std::to_string(faults) + " lost 0 sets " + all + " of " + all + " such " +
            (set.empty() ? "-" : set) + "\n";
    set += (set.empty() ? "" : ",") + std::to_string(faults);
  }
  EXPECT_EQ(rejection(text + "end\n"), "line 314: there are more than 2000000000 sets to try");
}

/// Of more switches than a ring may have: a terminal at a switch of four cables, or three at one of two.
TEST(SlowSwitchDesigns, OfManyTerminalsAreTori) {
  const auto designs =
      design_switches({.terminals = 4200, .ports = 5, .degree = 1, .faults = 1, .steps = 0}).designs;
  EXPECT_EQ(designs.front().network.shape, SwitchNetwork::Shape::torus);
  EXPECT_EQ(designs.front().network.switches(), 4200U);
  EXPECT_EQ(designs.front().worst.back().lost, 1U);
}

TEST(SwitchDesigns, ComeBestFirstAndFitTheirPorts) {
  const SwitchDesignSpec spec{.terminals = 12, .ports = 8, .degree = 2, .faults = 3, .steps = 100};
  const auto designs = design_switches(spec).designs;
  ASSERT_GE(designs.size(), 4U);
  for (std::size_t i = 0; i < designs.size(); ++i) {
    const SwitchDesign& design = designs[i];
    EXPECT_EQ(design.attachments.size(), 12U);
    EXPECT_LE(design.most_ports, 8U);
    EXPECT_EQ(design.worst.size(), 4U);
    if (i > 0) {
      EXPECT_LE(designs[i - 1].worst.back().lost, design.worst.back().lost);
    }
    if (!design.improved) continue;
    const auto start = std::ranges::find_if(
        designs, [&](const SwitchDesign& one) { return !one.improved && one.topology == design.topology; });
    ASSERT_NE(start, designs.end());
    for (std::size_t faults = 0; faults < design.worst.size(); ++faults)
      EXPECT_LE(design.worst[faults].lost, start->worst[faults].lost) << design.topology;
    EXPECT_EQ(design.most_ports, start->most_ports);
  }
}

TEST(SwitchDesigns, AreFunctionsOfTheirSeed) {
  SwitchDesignSpec spec{.terminals = 16, .ports = 6, .degree = 2, .faults = 3, .steps = 300};
  const auto one = design_switches(spec).designs;
  spec.threads = 3;
  const auto same = design_switches(spec).designs;
  ASSERT_EQ(one.size(), same.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].attachments, same[i].attachments);
  spec.seed += 1;
  const auto other = design_switches(spec).designs;
  bool differs = other.size() != one.size();
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
    differs = differs || one[i].attachments != other[i].attachments;
  EXPECT_TRUE(differs);
}

/// 2^32 - 1 faults, plus one, would be none.
TEST(SwitchDesigns, OutlastAtMost16Faults) {
  for (const std::uint32_t faults : {17U, 0xffffffffU}) {
    SwitchDesignSpec spec{.terminals = 12, .ports = 8, .degree = 2, .faults = faults, .steps = 0};
    try {
      (void)design_switches(spec);
      ADD_FAILURE() << faults << " faults are accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.parts().field, "design.faults");
      EXPECT_EQ(error.parts().value, std::to_string(faults));
      EXPECT_THAT(error.what(), HasSubstr("must be from 0 to 16"));
    }
  }
}

/// Which networks are tried depends on the number of fault sets: what is not tried is named.
TEST(SwitchDesigns, NameWhatTheyLeaveOut) {
  const SwitchDesigns few =
      design_switches({.terminals = 30, .ports = 5, .degree = 2, .faults = 2, .steps = 0});
  EXPECT_TRUE(few.left_out.empty());
  EXPECT_TRUE(few.searched_all);
  const SwitchDesigns many =
      design_switches({.terminals = 30, .ports = 5, .degree = 2, .faults = 5, .steps = 1});
  ASSERT_FALSE(many.left_out.empty());
  for (const std::string& name : many.left_out) EXPECT_THAT(name, HasSubstr("switch-torus"));
  // A clique of 66 switches has one component whichever fails.
  const SwitchDesigns large =
      design_switches({.terminals = 4, .ports = 70, .degree = 64, .faults = 1, .steps = 0});
  EXPECT_TRUE(std::ranges::any_of(large.designs, [](const SwitchDesign& one) {
    return one.network.shape == SwitchNetwork::Shape::clique && one.network.switches() == 66;
  }));
}

TEST(SwitchDesigns, ThatCannotBeAreRefused) {
  const auto message = [](const SwitchDesignSpec& spec) -> std::string {
    try {
      (void)design_switches(spec);
      return "accepted";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_THAT(message({.terminals = 1, .ports = 8}), HasSubstr("design.terminals"));
  EXPECT_THAT(message({.terminals = 8, .ports = 2}), HasSubstr("design.ports = '2': must be more"));
  EXPECT_THAT(message({.terminals = 8, .ports = 8, .degree = 0}), HasSubstr("design.degree"));
  EXPECT_THAT(message({.terminals = 8, .ports = 8, .units = FaultUnit::terminal}),
              HasSubstr("design.unit = 'terminal'"));
  EXPECT_THAT(message({.terminals = 8, .ports = 8, .units = FaultUnit::channel | FaultUnit::switch_}),
              HasSubstr("design.unit = 'channel+switch'"));
  EXPECT_THAT(message({.terminals = 4000, .ports = 8, .faults = 12}),
              HasSubstr("design.faults = '12': must be at most 2 "));
}

TEST(SwitchDesigns, HaveMoreComponentsThanFail) {
  for (const FaultUnits units :
       {FaultUnits(FaultUnit::switch_), FaultUnits(FaultUnit::link), FaultUnit::link | FaultUnit::switch_}) {
    const SwitchDesignSpec spec{
        .terminals = 2, .ports = 3, .degree = 1, .faults = 5, .units = units, .steps = 0};
    const std::string unit = to_string(units);
    const SwitchDesigns found = design_switches(spec);
    EXPECT_FALSE(found.designs.empty()) << unit;
    for (const SwitchDesign& design : found.designs) {
      EXPECT_GT(design.worst.back().sets, 1U) << unit << ": " << design.topology;
      if (unit != "link") {
        EXPECT_GT(design.network.switches(), 5U) << unit;
      }
    }
  }
}

TEST(AttachmentSearch, LeavesWhatLosesNothing) {
  const SwitchDesigns found = design_switches({.terminals = 9,
                                               .ports = 6,
                                               .degree = 4,
                                               .faults = 3,
                                               .units = FaultUnit::link,
                                               .steps = 1'000'000'000});
  EXPECT_TRUE(std::ranges::none_of(found.designs, &SwitchDesign::improved));
}

TEST(AttachmentSearch, ImprovesABadStart) {
  // Terminals on neighbouring switches are lost in large numbers; almost any exchange helps.
  const SwitchNetwork ring{SwitchNetwork::Shape::ring, 1, 12};
  const Attachments naive = attach_around(12, naive_offsets(12, 2), 12);
  const design::Found found =
      design::improve(ring, naive, {.faults = 2, .units = FaultUnit::switch_, .steps = 500, .seed = 1});
  EXPECT_LT(found.after, found.before);
  EXPECT_LT(found.after.worst, found.before.worst);
  std::vector<std::uint32_t> before(12), after(12);
  for (const auto& attached : naive)
    for (const std::uint32_t at : attached) ++before[at];
  for (const auto& attached : found.attachments)
    for (const std::uint32_t at : attached) ++after[at];
  EXPECT_EQ(after, before);
}

std::vector<std::uint32_t> lost_by_faults(const SwitchDesign& design) {
  std::vector<std::uint32_t> lost;
  for (const WorstCase& worst : design.worst) lost.push_back(worst.lost);
  return lost;
}

double share_of_worst(const SwitchDesign& design) {
  const WorstCase& most = design.worst.back();
  return static_cast<double>(most.worst_sets) / static_cast<double>(most.sets);
}

/// A terminal with a port at each of d switches in a ring: each of these has a port for every terminal, and
/// two.
TEST(SwitchDesigns, IncludeTheRingOnWhichEveryTerminalIsAtEverySwitch) {
  const auto smallest_ring = [](const SwitchDesignSpec& spec) {
    std::vector<SwitchDesign> rings = design_switches(spec).designs;
    std::erase_if(rings,
                  [](const SwitchDesign& one) { return one.network.shape != SwitchNetwork::Shape::ring; });
    return *std::ranges::min_element(rings, {}, &SwitchDesign::ports_bought);
  };
  for (std::uint32_t degree = 3; degree < 7; ++degree)
    for (const std::uint32_t terminals : {2U, 8U}) {
      SwitchDesignSpec spec{.terminals = terminals,
                            .ports = terminals + 2,
                            .degree = degree,
                            .faults = degree - 1,
                            .steps = 20};
      const SwitchDesign ring = smallest_ring(spec);
      EXPECT_EQ(ring.ports_bought, std::uint64_t{degree} * spec.ports) << ring.topology;
      EXPECT_EQ(ring.worst.back().lost, 0U) << ring.topology;
      for (const auto& attached : ring.attachments)
        EXPECT_EQ(std::set<std::uint32_t>(attached.begin(), attached.end()).size(), degree) << ring.topology;
      EXPECT_EQ(rejection(design_certificate(ring, spec)), "") << ring.topology;
      if (terminals == 2) continue;
      --spec.ports;
      EXPECT_GT(smallest_ring(spec).ports_bought, std::uint64_t{degree} * spec.ports);
    }
}

TEST(SwitchDesigns, HaveASwitchLeftAndListFewerWorstCasesFirst) {
  const SwitchDesigns found =
      design_switches({.terminals = 4, .ports = 6, .degree = 3, .faults = 9, .steps = 0});
  EXPECT_TRUE(std::ranges::any_of(found.designs, [](const SwitchDesign& design) {
    return design.network.shape == SwitchNetwork::Shape::ring;
  }));
  const SwitchDesign* before = nullptr;
  for (const SwitchDesign& design : found.designs) {
    EXPECT_GT(design.worst.back().sets, 1U) << design.topology << ": all switches fail";
    if (before != nullptr && lost_by_faults(*before) == lost_by_faults(design) &&
        before->ports_bought == design.ports_bought) {
      EXPECT_LE(share_of_worst(*before), share_of_worst(design)) << design.topology;
    }
    before = &design;
  }
}

}  // namespace
}  // namespace faultline
