// SPDX-License-Identifier: Apache-2.0
// A description is resolved where it enters, and its name is not looked up again below.
#include "faultline/describe/resolved.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "faultline/agent/agent.h"
#include "faultline/fault/process.h"
#include "faultline/selection/selection.h"
#include "faultline/study/answer.h"
#include "faultline/study/study.h"
#include "faultline/traffic/pattern.h"
#include "study/study_text.h"
#include "support/samples.h"
#include "support/temporary_folder.h"

// The linker gives this program its own topology_kinds() etc. (--wrap in tests/CMakeLists.txt), which count
// the calls: every look-up asks for the catalogue, wherever it stands.
#define FAULTLINE_COUNTED(Kind, accessor, length)                                                           \
  namespace faultline {                                                                                     \
  std::span<const Kind* const> real_##accessor() __asm__("__real__ZN9faultline" #length #accessor "Ev");    \
  std::span<const Kind* const> counted_##accessor() __asm__("__wrap__ZN9faultline" #length #accessor "Ev"); \
  namespace {                                                                                               \
  std::atomic<int> asked_##accessor = 0;                                                                    \
  }                                                                                                         \
  std::span<const Kind* const> counted_##accessor() {                                                       \
    ++asked_##accessor;                                                                                     \
    return real_##accessor();                                                                               \
  }                                                                                                         \
  }
FAULTLINE_COUNTED(TopologyKind, topology_kinds, 14)
FAULTLINE_COUNTED(RoutingKind, routing_kinds, 13)
FAULTLINE_COUNTED(VerbKind, verb_kinds, 10)
FAULTLINE_COUNTED(PatternKind, pattern_kinds, 13)
FAULTLINE_COUNTED(SelectionKind, selection_kinds, 15)
FAULTLINE_COUNTED(AgentKind, agent_kinds, 11)
FAULTLINE_COUNTED(FaultProcessKind, fault_process_kinds, 19)
#undef FAULTLINE_COUNTED

namespace faultline {
namespace {

struct LookUps {
  int topology = 0, routing = 0, verb = 0, traffic = 0, selection = 0, agent = 0, process = 0;
  friend bool operator==(const LookUps&, const LookUps&) = default;
  friend std::ostream& operator<<(std::ostream& out, const LookUps& l) {
    return out << "topology " << l.topology << ", routing " << l.routing << ", verb " << l.verb
               << ", traffic " << l.traffic << ", selection " << l.selection << ", agent " << l.agent
               << ", process " << l.process;
  }
};

LookUps so_far() {
  return {asked_topology_kinds,  asked_routing_kinds, asked_verb_kinds,         asked_pattern_kinds,
          asked_selection_kinds, asked_agent_kinds,   asked_fault_process_kinds};
}

template <class Work>
LookUps during(const Work& work) {
  const LookUps before = so_far();
  work();
  const LookUps after = so_far();
  return {after.topology - before.topology, after.routing - before.routing,     after.verb - before.verb,
          after.traffic - before.traffic,   after.selection - before.selection, after.agent - before.agent,
          after.process - before.process};
}

/// As the command line does it.
void answer(const char* topology, const char* routing, const char* options) {
  const Description asked =
      *routing == '\0' ? Description{.path = "routing"} : parse_compact("routing", routing);
  for (const Case& one :
       expand_case({parse_compact("topology", topology), asked, parse_compact("verb", options)}))
    EXPECT_FALSE(run_case(one, build_topology(one.topology), {}).json.empty());
}

TEST(Resolved, OneRequestLooksEachNameUpOnce) {
  EXPECT_EQ(during([] { answer("torus:radix=4x4", "duato:adaptive_vcs=2", "verify"); }),
            (LookUps{.topology = 1, .routing = 1, .verb = 1}));
  EXPECT_EQ(
      during([] { answer("torus:radix=4x4", "duato", "verify:faults=1,selection=random,knowledge=all"); }),
      (LookUps{.topology = 1, .routing = 1, .verb = 1, .selection = 1}));
  EXPECT_EQ(during([] { answer("fat-tree:k=2,n=2", "nca", "resilience:faults=1,follow=2,samples=10"); }),
            (LookUps{.topology = 1, .routing = 1, .verb = 1}));
  EXPECT_EQ(during([] { answer("fat-tree:k=2,n=2", "nca", "topology"); }),
            (LookUps{.topology = 1, .routing = 1, .verb = 1}));
  EXPECT_EQ(
      during([] {
        answer(
            "torus:radix=4x4", "valiant",
            "simulate:load=0.1,cycles=2000,traffic=hot-spot:share=0.2,selection=most-free,agent=last-latency,"
            "fault-process=permanent:faults=1");
      }),
      (LookUps{1, 1, 1, 1, 1, 1, 1}));
}

TEST(Resolved, ARoutingLeftToTheTopologyIsLookedUpOnceTheTopologyStands) {
  EXPECT_EQ(
      during([] { answer("fat-tree:k=2,n=2", "", "verify:faults=1,tolerated-only=yes,all-faults-up-to=1"); }),
      (LookUps{.topology = 1, .routing = 1, .verb = 1}));
}

TEST(Resolved, AGridLooksItsNamesUpOnceWhateverItsSize) {
  EXPECT_EQ(during([] { answer("torus:radix=4x4", "duato", "verify:seed=1..7"); }),
            (LookUps{.topology = 1, .routing = 1, .verb = 1}));
}

/// The parameters of a case are read when it is made, and with them what is described within its fields.
TEST(Resolved, WhatStandsWithinAFieldIsResolvedWithItsCase) {
  const CaseDescription three{parse_compact("topology", "torus:radix=4x4"), parse_compact("routing", "duato"),
                              parse_compact("simulate", "simulate:load=0.1..0.3:0.1,traffic=tornado")};
  EXPECT_EQ(during([&] { EXPECT_EQ(expand_case(three).size(), 3U); }), (LookUps{.traffic = 3}));
}

TEST(Resolved, AStudyLooksEachNameUpOnce) {
  const TemporaryFolder folder;
  const LookUps found = during([&] {
    const Study study = read_study_text(R"(title = "t"
[[experiment]]
verb = "verify"
topology = "torus:radix=4x4"
routing = "duato"
seed = "1..3"
)",
                                        folder.path / "t.toml", {});
    ResultsStore store(folder.path / "t.db", ResultsStore::Mode::read_write);
    EXPECT_EQ(run_study(study, store, {}).computed, 3U);
    EXPECT_EQ(run_study(study, store, {}).already_there, 3U);
    for (std::size_t i = 0; i < study.cases.size(); ++i)
      EXPECT_EQ(study.cases.hash(i), case_hash(study.cases[i]));
  });
  EXPECT_EQ(found, (LookUps{.topology = 1, .routing = 1, .verb = 1}));
}

TEST(Resolved, WhatIsBuiltOfOneLooksNothingUp) {
  const Resolved<TopologyKind> described = parse_compact("topology", "torus:radix=4x4");
  const Resolved<RoutingKind> routing = parse_compact("routing", "duato");
  const Resolved<PatternKind> pattern = parse_compact("traffic", "uniform");
  const Resolved<FaultProcessKind> process = parse_compact("process", "permanent:faults=1");
  const Resolved<AgentKind> agent = parse_compact("agent", "drb");
  EXPECT_EQ(during([&] {
              const TopologyPtr topology = build_topology(described);
              FaultSet known(*topology);
              known.fail(ChannelId(40));
              (void)build_relation(topology, known, routing);
              (void)build_offered_relation(topology, Damage{known}, routing);
              (void)build_pattern(*topology, 1, pattern);
              (void)draw_faults(topology, 1000, 1, process);
              (void)agent_maker(agent);
            }),
            LookUps{});
}

/// The fields are not read again, either: a renamed copy, which no catalogue knows, is built all the same.
TEST(Resolved, ANameThatNobodyKnowsIsNotMissed) {
  Description given = parse_compact("topology", "torus:radix=4x4");
  const TopologyKind& kind = *Named<TopologyKind>(given).kind;
  given.kind = "nobody-knows-it";
  const Resolved<TopologyKind> renamed = Named(kind, given);
  EXPECT_EQ(build_topology(renamed)->switch_count(), 16U);
  EXPECT_EQ(build_topology(renamed.canonical())->switch_count(), 16U);
}

TEST(Resolved, SamplesOfEveryKindAreTheSameOnceWrittenOut) {
  for (const TopologyKind* kind : topology_kinds())
    for (const Description& sample : samples_of(kind->info, "topology")) {
      const Resolved<TopologyKind> one = sample;
      EXPECT_EQ(&one.kind(), kind);
      const Resolved<TopologyKind> full = one.canonical(), again = full.description();
      EXPECT_EQ(to_compact(again.canonical()), to_compact(full));
      const auto terminals = kind->terminals(one.parameters());
      EXPECT_EQ(kind->terminals(again.parameters()), terminals) << to_compact(full);
      for (const FieldInfo& field : kind->info.fields())
        EXPECT_TRUE(field.default_text.empty() || full.description().find(field.name) != nullptr)
            << kind->info.name << " " << field.name;
    }
}

Error::Parts refusal(const auto& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.parts();
  }
  return {};
}

TEST(Resolved, RefusesWhereTheDescriptionEnters) {
  const auto topology = [](const char* text) {
    return refusal([&] { (void)build_topology(parse_compact("experiment[2].topology", text)); });
  };
  EXPECT_EQ(topology("").field, "experiment[2].topology");
  EXPECT_EQ(topology("tortus:radix=4x4").suggestion, "torus");
  EXPECT_EQ(topology("torus:radius=4x4").field, "experiment[2].topology.radius");
  EXPECT_EQ(topology("torus").field, "experiment[2].topology.radix");
  const TopologyPtr built = build_topology(parse_compact("topology", "torus:radix=4x4"));
  EXPECT_EQ(refusal([&] {
              (void)draw_faults(built, 10, 1,
                                parse_compact("simulate.fault-process", "permanent:faults=1,from=10"));
            }).field,
            "simulate.fault-process.from");
}

/// Those of options that no single field's rule refuses name the experiment as well.
TEST(Resolved, RefusesAFieldThatIsGivenTwice) {
  Description twice = parse_compact("topology", "fat-tree:k=4,n=2");
  twice.fields.push_back(twice.fields.front());
  const Error::Parts refused = refusal([&] { (void)Resolved<TopologyKind>(twice); });
  EXPECT_EQ(refused.field, "topology.k");
  EXPECT_THAT(refused.allowed, testing::HasSubstr("given twice"));
}

TEST(Resolved, ErrorsOfAStudyNameItsExperiment) {
  const auto field = [](const std::string& options) {
    const Error::Parts parts = refusal([&] {
      (void)read_study_text("[[experiment]]\ntopology = \"torus:radix=4x4\"\n" + options, "/t.toml", {});
    });
    EXPECT_EQ(parts.location.file, "/t.toml") << options;
    return parts.field;
  };
  const std::string simulate = "verb = \"simulate\"\n", loaded = simulate + "load = 0.1\n";
  EXPECT_EQ(field(simulate), "experiment[0].load");
  EXPECT_EQ(field(loaded + "find-saturation = true"), "experiment[0].load");
  EXPECT_EQ(field(loaded + "warmup = \"soon\""), "experiment[0].warmup");
  EXPECT_EQ(field(loaded + "packet-flits = \"8:-2,9:3\""), "experiment[0].packet-flits");
  EXPECT_EQ(field(loaded + "switching = \"wormhole\"\npipeline = [1, 2]"), "experiment[0].pipeline");
  EXPECT_EQ(field(loaded + "traffic = \"hot-spot:share=2\""), "experiment[0].traffic.share");
  EXPECT_EQ(field("verb = \"resilience\"\nfailure-rate = \"often\""), "experiment[0].failure-rate");
  EXPECT_EQ(field("verb = \"resilience\"\nrepair-time = \"8\""), "experiment[0].repair-time");
  EXPECT_EQ(field("verb = \"resilience\"\nexact = true\nrare = true"), "experiment[0]");
}

/// The identity of the case that such an experiment asks for.
std::string case_hash_of(const std::string& experiment) {
  return read_study_text("[[experiment]]\ntopology = \"torus:radix=4x4\"\n" + experiment, "/t.toml", {})
      .cases.hash(0);
}

TEST(Resolved, AnIntegerMayBeWrittenAsAWholeNumberOfAnyForm) {
  const auto hash = [](const std::string& samples) {
    return case_hash_of("verb = \"resilience\"\nsamples = " + samples);
  };
  EXPECT_EQ(hash("1e3"), hash("1000"));
  EXPECT_NE(hash("1e3"), hash("1001"));
  EXPECT_EQ(refusal([&] { (void)hash("1000.5"); }).field, "experiment[0].samples");
}

TEST(Resolved, ASumCountsInAnyOrder) {
  const auto hash = [](const std::string& unit) {
    return case_hash_of("verb = \"resilience\"\nunit = \"" + unit + "\"\n");
  };
  EXPECT_EQ(hash("link+switch"), hash("switch+link"));
  EXPECT_NE(hash("link+switch"), hash("link"));
}

TEST(Resolved, ATextOfAStudyMayHoldSeveralDescriptions) {
  const auto cases = [](const std::string& traffic) {
    return read_study_text(
               "[[experiment]]\nverb = \"simulate\"\ntopology = \"torus:radix=4x4\"\nload = 0.1\n" + traffic,
               "/t.toml", {})
        .cases;
  };
  const auto several = [&](const std::string& text, const std::vector<std::string>& each) {
    const CaseList list = cases("traffic = \"" + text + "\"\n");
    ASSERT_EQ(list.size(), each.size()) << text;
    for (std::size_t i = 0; i < each.size(); ++i)
      EXPECT_EQ(list.hash(i), cases("traffic = \"" + each[i] + "\"\n").hash(0)) << text;
  };
  several("uniform,hot-spot:share=0.15", {"uniform", "hot-spot:share=0.15"});
  several("hot-spot:share=0.15,uniform", {"hot-spot:share=0.15", "uniform"});
  several("hot-spot:share=0.2,spots=2,uniform-self,hot-spot:spots=3",
          {"hot-spot:share=0.2,spots=2", "uniform-self", "hot-spot:spots=3"});
  for (const char* wrong : {"uniform,hot-spit:share=0.15", "hot-spot:share=0.15,spots", "hot-spot:,uniform",
                            "hot-spot:share=0.15,,uniform", "uniform,hot-spot:share=0.15,share=0.2"}) {
    const Error::Parts parts = refusal([&] { (void)cases("traffic = \"" + std::string(wrong) + "\"\n"); });
    EXPECT_THAT(parts.field, testing::StartsWith("experiment[0].traffic")) << wrong;
    EXPECT_EQ(parts.location.file, "/t.toml") << wrong;
    EXPECT_EQ(parts.location.line, 5) << wrong;
  }
}

TEST(Resolved, WhatIsNoCountIsRefusedAsItWasWritten) {
  for (const std::string written : {"-1", "true", "1.5", "\"-1\"", "[1, -1]", "\"-1..1\"", "\"2e-3\""}) {
    const Error::Parts parts = refusal([&] { (void)case_hash_of("verb = \"verify\"\nfaults = " + written); });
    EXPECT_EQ(parts.field, "experiment[0].faults") << written;
    EXPECT_THAT("\"" + written + "\"", testing::HasSubstr(parts.value));
    EXPECT_FALSE(parts.value.empty()) << written;
    EXPECT_EQ(parts.location.file, "/t.toml") << written;
    EXPECT_EQ(parts.location.line, 4) << written;
    EXPECT_THAT(parts.allowed, testing::HasSubstr("a whole number of at least 0, or the path of a file"));
  }
}

TEST(Resolved, ACountMayHaveLeadingZeros) {
  const auto cases = [](const std::string& faults) {
    return read_study_text(
               "[[experiment]]\nverb = \"verify\"\ntopology = \"torus:radix=4x4\"\nfaults = " + faults,
               "/t.toml", {})
        .cases;
  };
  EXPECT_EQ(cases("[\"01\", 1, \"0001\"]").size(), 1U);
  EXPECT_EQ(cases("[0, \"00\", \"000\"]").size(), 1U);
  EXPECT_EQ(cases("\"010\"").hash(0), cases("10").hash(0));
  EXPECT_NE(cases("\"010\"").hash(0), cases("1").hash(0));
}

TEST(Resolved, WhatStandsWithinAFieldCountsByItsMeaning) {
  const auto hash = [](const std::string& field, const std::string& text) {
    return case_hash_of("verb = \"simulate\"\nload = 0.1\n" + field + " = \"" + text + "\"\n");
  };
  const auto failing = [&](const std::string& process) { return hash("fault-process", process); };
  const auto traffic = [&](const std::string& pattern) { return hash("traffic", pattern); };
  EXPECT_EQ(failing("transient:rate=1e-7,repair=2000,unit=link+switch"),
            failing("transient:repair=2000,unit=switch+link,rate=0.0000001"));
  EXPECT_NE(failing("transient:rate=1e-7,repair=2000"), failing("transient:rate=1e-7,repair=2001"));
  EXPECT_EQ(traffic("hot-spot"), traffic("hot-spot:share=0.15,spots=1"));
  EXPECT_EQ(traffic("hot-spot:spots=1,share=0.150"), traffic("hot-spot:share=0.15,spots=1"));
  EXPECT_NE(traffic("hot-spot"), traffic("hot-spot:share=0.2"));
  EXPECT_NE(traffic("uniform"), traffic("uniform-self"));
}

TEST(Resolved, ARoutingMayBeLeftOutATopologyMayNot) {
  const Resolved<RoutingKind> none = Description{.path = "experiment[1].routing"};
  EXPECT_TRUE(none.is_none());
  EXPECT_TRUE(none.canonical().is_none());
  EXPECT_EQ(none.description().path, "experiment[1].routing");
  const TopologyPtr built = build_topology(parse_compact("topology", "torus:radix=4x4"));
  EXPECT_EQ(routing_or_default(none, *built).kind().info.name, built->default_routing());
  EXPECT_EQ(routing_or_default(none, *built).description().path, "experiment[1].routing");
  const Resolved<RoutingKind> asked = parse_compact("routing", "valiant");
  EXPECT_EQ(&routing_or_default(asked, *built).kind(), &asked.kind());
  EXPECT_THROW((void)Resolved<TopologyKind>(Description{.path = "topology"}), Error);
}

TEST(Resolved, CopiesShareTheirParameters) {
  const Resolved<PatternKind> one = parse_compact("traffic", "hot-spot:share=0.2"), copy = one;
  EXPECT_EQ(&one.parameters().as<char>(), &copy.parameters().as<char>());
  EXPECT_EQ(&one.parameters().as<char>(), &one.canonical().parameters().as<char>());
}

}  // namespace
}  // namespace faultline
