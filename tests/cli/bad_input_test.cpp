// SPDX-License-Identifier: Apache-2.0
// Does the program refuse malformed input? One clear line, exit 2, no partial output.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "faultline/base/file.h"
#include "program.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using testing::HasSubstr;

struct Refusal {
  std::vector<std::string> arguments;
  std::vector<std::string> said;  ///< each must be part of the message

  friend void PrintTo(const Refusal& refusal, std::ostream* out) {
    *out << fmt::to_string(fmt::join(refusal.arguments, " "));
  }
};

class BadInput : public testing::TestWithParam<Refusal> {};

TEST_P(BadInput, IsRefusedInOneLineWithExit2) {
  const Outcome outcome = run_program(GetParam().arguments);
  EXPECT_EQ(outcome.code, 2) << outcome.errors;
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << outcome.errors;
  for (const std::string& part : GetParam().said) EXPECT_THAT(outcome.errors, HasSubstr(part));
}

INSTANTIATE_TEST_SUITE_P(
    Cli, BadInput,
    testing::Values(
        Refusal{{"topology", "fat-tree", "k=1", "n=3"}, {"topology.k", "'1'", "from 2 to"}},
        Refusal{{"topology", "fat-tree", "k=two", "n=3"}, {"topology.k", "'two'", "an integer"}},
        Refusal{{"topology", "fat-tree", "k=-4", "n=3"}, {"topology.k", "'-4'"}},
        Refusal{{"topology", "fat-tree", "k=99999999999999999999", "n=3"}, {"topology.k"}},
        Refusal{{"topology", "fat-tree", "n=3"}, {"topology.k", "required"}},
        Refusal{{"topology", "fat-tree", "k=4", "n=3", "k=4"}, {"topology.k", "twice"}},
        Refusal{{"topology", "fat-tree", "k=4", "n=3", "m=1"}, {"topology.m", "unknown field", "k, n"}},
        Refusal{{"topology", "fat-tree", "k=4", "n=20"}, {"topology.n", "at most"}},
        Refusal{{"topology", "fat-tree", "=4"}, {"name=value"}},
        Refusal{{"topology", "fattree", "k=4"}, {"'fattree'", "did you mean 'fat-tree'"}},
        Refusal{{"topology", "ft-ruft-212", "k=3", "n=3"}, {"topology.k", "even"}},
        Refusal{{"nosuch", "topology", "fat-tree", "k=2", "n=2"}, {"verb", "'nosuch'", "must be one of"}},
        Refusal{{"--bogus", "topology", "fat-tree", "k=2", "n=2"}, {"verb", "'--bogus'", "must be one of"}},
        Refusal{{"nosuch", "--help"}, {"verb", "'nosuch'", "must be one of"}},
        Refusal{{"topology", "switch-ring", "n=4", "terminals=4294967295"},
                {"topology.terminals", "1048576"}},
        Refusal{{"topology"}, {"required"}}, Refusal{{"topolgy", "fat-tree"}, {"did you mean 'topology'"}},
        Refusal{{"topology", "fat-tree", "k=4", "n=3", "--jsn"}, {"--jsn", "did you mean '--json'"}},
        Refusal{{"simulate", "mesh", "radix=4x4", "--loa=0.1"}, {"'--loa=0.1'", "did you mean '--load'"}},
        Refusal{{"topology", "fat-tree", "k=4", "n=3", "--routing", "ftb"}, {"routing", "'ftb'", "fta"}},
        Refusal{{"verify", "torus", "radix=4x4", "methodology:mechanisms=i"},
                {"topology", "is a routing", "--routing methodology:mechanisms=i"}},
        Refusal{{"topology", "ruft", "k=4", "n=3", "--routing", "fta"},
                {"needs the levels of a k-ary n-tree", "RUFT"}},
        Refusal{{"simulate", "fat-tree", "k=4", "n=3", "--load", "0"}, {"simulate.load", "'0'"}},
        Refusal{{"simulate", "fat-tree", "k=4", "n=3"}, {"simulate.load", "is required"}},
        Refusal{{"simulate", "fat-tree", "k=4", "n=3", "--load", "0.1", "--find-saturation"},
                {"simulate.load", "must be left out with find-saturation"}},
        Refusal{{"simulate", "fat-tree", "k=4", "n=3", "--load", "nan"}, {"simulate.load", "'nan'"}},
        Refusal{{"simulate", "fat-tree", "k=4", "n=3", "--load", "0.9..0.1:0.1"}, {"simulate.load", "range"}},
        Refusal{{"simulate", "fat-tree", "k=4", "n=3", "--load", "0.1", "--traffic", "unifrom"},
                {"did you mean 'uniform'"}},
        Refusal{{"simulate", "fat-tree", "k=3", "n=2", "--load", "0.1", "--traffic", "complement"},
                {"power of two", "9"}},
        Refusal{{"simulate", "fat-tree", "k=4", "n=3", "--load", "0.1", "--traffic", "hot-spot:share=2"},
                {"share", "'2'", "from 0 to 1"}},
        Refusal{{"simulate", "fat-tree", "k=4", "n=3", "--load", "0.1", "--packet-flits", "0"},
                {"packet-flits", "'0'"}},
        Refusal{{"simulate", "fat-tree", "k=4", "n=3", "--load", "0.1", "--packet-flits", "8:0.5,16"},
                {"packet-flits", "shares"}},
        Refusal{{"simulate", "mesh", "radix=4x4", "--load", "0.1", "--buffer-flits", "8"},
                {"simulate.buffer-flits", "left out", "wormhole"}},
        Refusal{{"simulate", "mesh", "radix=4x4", "--load", "0.1", "--pipeline", "2,1,1,1"},
                {"simulate.pipeline", "left out", "wormhole"}},
        Refusal{{"simulate", "mesh", "radix=4x4", "--load", "0.1", "--switching", "wormhole",
                 "--buffer-packets", "4"},
                {"simulate.buffer-packets", "left out", "vct"}},
        Refusal{{"simulate", "mesh", "radix=4x4", "--load", "0.1", "--burst-packets", "4"},
                {"simulate.burst-packets", "'4'", "injection bursty"}},
        Refusal{{"simulate", "mesh", "radix=4x4", "--load", "0.1", "--routing", "duato", "--vcs", "1"},
                {"simulate.vcs", "'1'", "as many as the routing uses"}},
        Refusal{{"simulate", "mesh", "radix=4x4", "--load", "0.1", "--routing", "duato", "--vcs", "4"},
                {"simulate.vcs", "'4'", "switching wormhole takes more"}},
        Refusal{{"simulate", "fat-tree", "k=4", "n=3", "--load", "0.1", "--replications", "0"},
                {"replications", "'0'"}},
        Refusal{{"simulate", "fat-tree", "k=4", "n=3", "--find-saturation", "--replications", "2"},
                {"replications", "must be 1"}},
        Refusal{{"simulate", "fat-tree", "k=4", "n=3", "--load", "0.1", "--interval-width", "2"},
                {"interval-width", "'2'"}},
        Refusal{{"simulate", "fat-tree", "k=4", "n=3", "--traffic", "trace:file=no-such-file"},
                {"file", "no such file"}},
        Refusal{{"simulate", "fat-tree", "k=2", "n=2", "--load", "0.1", "--faults", "1000"},
                {"simulate.faults", "at most", "8"}},
        Refusal{{"simulate", "fat-tree", "k=2", "n=2", "--load", "0.1", "--faults", "no-such-file"},
                {"simulate.faults", "is not a whole number, and as a file: no such file"}},
        Refusal{{"simulate", "fat-tree", "k=2", "n=2", "--load", "0.1", "--faults", "-1"},
                {"simulate.faults", "'-1'", "must be a whole number of at least 0, or the path of a file"}},
        Refusal{{"design", "switches", "--terminals", "8", "--ports", "8", "--seed", "18446744073709551616"},
                {"design.seed", "from 0 to 2^64 - 1"}},
        Refusal{{"design", "switches", "--terminals", "8", "--ports", "8", "--seed", "-1"},
                {"design.seed", "from 0 to 2^64 - 1"}},
        Refusal{{"design"}, {"design: must be one of: layout, switches"}},
        Refusal{{"design", "switchs"}, {"'switchs'", "did you mean 'switches'"}},
        Refusal{{"report", "x.db", "-o", ""}, {"output", "must not be empty"}},
        Refusal{{"simulate", "torus", "radix=4x4", "--load", "0.1..1"}, {"simulate.load", "needs a step"}},
        Refusal{{"design", "switches", "--terminals", "8", "--ports", "8", "--stps", "1"},
                {"'--stps'", "'faultline design switches'", "did you mean '--steps'"}},
        Refusal{{"design", "layout", "switch-ring", "n=5", "--sead", "1"}, {"'--sead'", "'--seed'"}},
        Refusal{{"simulate", "torus", "radix=4x4", "--load", "0.1", "--load", "0.2"},
                {"'--load': is given twice; give it only once"}},
        Refusal{{"study", "x.toml", "--results", "a.db", "--results", "b.db"},
                {"'--results': is given twice"}},
        Refusal{{"simulate", "torus", "radix=4x4", "--load"}, {"'--load': needs a value"}},
        Refusal{{"topology", "torus", "radix=4x"}, {"topology.radix", "'4x'"}},
        Refusal{{"design", "switches", "--terminals", "4294967304", "--ports", "8"},
                {"design.terminals", "from 2 to 100000"}},
        Refusal{{"design", "layout", "switch-ring", "n=5", "--most-nodes", "18446744073709551616"},
                {"design.most-nodes", "from 0 to 2^64 - 1"}},
        Refusal{{"design", "layout", "switch-ring", "n=2001"},
                {"design.topology", "'2001 switches'", "at most 2000 switches"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--faults", "1000"}, {"resilience.faults", "1000"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--samples", "0"}, {"resilience.samples", "'0'"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--budget", "0"}, {"resilience.budget", "'0'"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--faults", "1", "--interval-width", "0"},
                {"resilience.interval-width", "'0'", "above 0 and below 1"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--faults", "2", "--interval-width", "0.1",
                 "--samples", "10"},
                {"resilience.samples", "'10'", "must be left out with interval-width", "budget"}},
        Refusal{{"resilience", "torus", "radix=64x64x4", "--faults", "2", "--exhaustive"},
                {"resilience.exhaustive", "at most 1000000000 fault sets"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--exact"},
                {"resilience.exact", "'true'", "must be used with faults"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--samples", "7"},
                {"resilience.samples", "'7'", "must be used with faults"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--seed", "5"},
                {"resilience.seed", "'5'", "must be used with faults"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--faults", "2", "--exhaustive", "--samples", "5"},
                {"resilience.samples", "'5'", "left out with exhaustive"}},
        Refusal{{"verify", "torus", "radix=4x4", "--samples", "5"},
                {"verify.samples", "'5'", "must be used with all-faults-up-to"}},
        Refusal{{"verify", "torus", "radix=4x4", "--unit", "switch"},
                {"verify.unit", "'switch'", "must be used with faults"}},
        Refusal{{"verify", "torus", "radix=4x4", "--scope", "all"},
                {"verify.scope", "'all'", "must be used with faults"}},
        Refusal{{"verify", "torus", "radix=4x4", "--tolerated-only", "--all-faults-up-to", "1"},
                {"verify.tolerated-only", "'true'", "must be used with faults"}},
        Refusal{{"verify", "torus", "radix=4x4", "--tolerated-only", "--faults", "/dev/null"},
                {"verify.tolerated-only", "'true'", "must be left out where a file names the faults"}},
        Refusal{
            {"simulate", "torus", "radix=4x4", "--load", "0.1", "--tolerated-only", "--faults", "/dev/null"},
            {"simulate.tolerated-only", "'true'", "must be left out where a file names the faults"}},
        Refusal{{"design", "switches", "--terminals", "4097", "--ports", "4", "--faults", "1"},
                {"design.ports", "'4'", "no ring, clique or torus of at most 4096, 1024 and 65536"}},
        Refusal{{"topology", "fat-tree", "k=4", "n=2", "--vcs", "4"},
                {"topology.vcs", "'4'", "must be used with a grid"}},
        Refusal{{"topology", "fat-tree", "k=4", "n=2", "--options", "4"},
                {"topology.options", "'4'", "must be used with a grid"}},
        Refusal{{"simulate", "mesh", "radix=4x4", "--load", "0.1", "--unit", "link"},
                {"simulate.unit", "'link'", "must be used with faults"}},
        Refusal{{"simulate", "mesh", "radix=4x4", "--load", "0.1", "--scope", "all"},
                {"simulate.scope", "'all'", "must be used with faults"}},
        Refusal{{"simulate", "mesh", "radix=4x4", "--load", "0.1", "--tolerated-only"},
                {"simulate.tolerated-only", "'true'", "must be used with faults"}},
        Refusal{{"topology", "mesh", "radix=4x4", "--export", "json", "-o", "-"},
                {"output", "'-'", "must be the path of a file"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--follow", "5"},
                {"resilience.follow", "'5'", "must be used with faults"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--faults", "2", "--radius", "5"},
                {"resilience.radius", "'5'", "must be used with placement clustered"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--interval-width", "1.5"},
                {"resilience.interval-width", "'1.5'", "from 0 to 1"}},
        Refusal{{"verify", "torus", "radix=4x4", "topology", "mesh", "radix=3x3"}, {"topology"}},
        Refusal{{"list", "topology", "torus", "radix=4x4"}, {"'topology'", "not an option of"}},
        Refusal{{"list", "manual"}, {"'manual'", "not an option of"}},
        Refusal{{"design", "switches", "--terminals", "10", "layout", "switch-ring", "n=5"}, {"'layout'"}},
        Refusal{{"simulate", "torus", "radix=4x4", "--routing", "ft-drb", "--load", "0.01", "--cycles",
                 "20000", "--fault-process", "transient:faults=100,repair=100000"},
                {"faults", "'100'", "must be at most 3"}},
        Refusal{{"topology", "switch-torus", "rows=3", "columns=5", "attachment=random", "along=columns"},
                {"topology.along", "'columns'", "attachment=diameters or naive"}},
        Refusal{{"topology", "switch-torus", "rows=3", "columns=5", "degree=6"},
                {"topology.degree", "'6'", "at most 5, the number of switches on the ring"}},
        Refusal{{"resilience", "switch-ring", "n=4", "--unit", "switch", "--failure-rate", "1e-3", "--rare"},
                {"resilience.rare", "without repair must be exhaustive or sampled"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--failure-rate", "often"},
                {"resilience.failure-rate", "'often'", "link=1e-6"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--failure-rate", "switch=1e-6"},
                {"resilience.failure-rate", "'switch=1e-6'", "--unit channel"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--failure-rate", "1e-6", "--repair-time", "0"},
                {"resilience.repair-time", "'0'", "above 0 hours"}},
        Refusal{{"simulate", "fat-tree", "k=4", "n=3", "--load", "0.1", "--warmup", "99999999999999999999"},
                {"simulate.warmup", "'99999999999999999999'", "a number of cycles"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--unit", "link+switch", "--failure-rate",
                 "link=1e-6", "--repair-time", "switch=8"},
                {"resilience.repair-time", "'switch=8'", "needs a failure-rate"}},
        Refusal{{"resilience", "fat-tree", "k=4", "n=3", "--failure-rate", "1e-300", "--repair-time", "1"},
                {"resilience.failure-rate", "'1e-300'", "4 simultaneous failures"}},
        Refusal{{"resilience", "fat-tree", "k=4", "n=3", "--failure-rate", "1e10", "--repair-time", "1e10"},
                {"resilience.failure-rate", "some but not all of the time"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--repair-time", "24"},
                {"resilience.repair-time", "needs a failure-rate"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--unit", "cable"},
                {"resilience.unit", "'cable'", "channel, link, switch, terminal"}},
        Refusal{{"resilience", "fat-tree", "k=2", "n=2", "--unit", "link+link"},
                {"resilience.unit", "'link+link'"}},
        Refusal{{"resilience", "fabric", "file=/no/such/dump"}, {"topology.file", "no such file"}},
        Refusal{{"study", "/no/such/study.toml"}, {"no such file"}},
        Refusal{{"report", "/no/such/results.db"}, {"no such file"}}, Refusal{{"report", "/"}, {"results"}}));

TEST(BadFiles, AStudyIsRefusedWithFileAndLine) {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "s.toml").string();
  const auto refusal = [&](const std::string& content) {
    write_file(path, content, "test");
    const Outcome outcome = run_program({"study", path}, folder.path.string());
    EXPECT_EQ(outcome.code, 2) << content << outcome.errors;
    EXPECT_FALSE(std::filesystem::exists(folder.path / "s.db")) << content;
    return outcome.errors;
  };
  EXPECT_THAT(refusal("title = "), HasSubstr("s.toml:1"));
  EXPECT_THAT(refusal("title = \"x\"\n"), HasSubstr("[[experiment]]"));
  EXPECT_THAT(refusal("[[experiment]]\nverb = \"topology\"\ntopology = \"fat-tree:k=1,n=3\"\n"),
              testing::AllOf(HasSubstr("s.toml:3"), HasSubstr("'1'")));
  EXPECT_THAT(refusal("[[experiment]]\nverb = \"simulate\"\ntopology = \"fat-tree:k=2,n=3\"\nlod = 0.1\n"),
              testing::AllOf(HasSubstr("s.toml:4"), HasSubstr("did you mean 'load'")));
  EXPECT_THAT(
      refusal("[[experiment]]\n\nverb = \"simulat\"\n"),
      testing::AllOf(HasSubstr("s.toml:3: experiment[0].verb"), HasSubstr("did you mean 'simulate'")));
  EXPECT_THAT(refusal("[[experiment]]\n\nverb = 3\n"), HasSubstr("s.toml:3: experiment[0].verb"));
  const std::string simulate = "[[experiment]]\nverb = \"simulate\"\ntopology = \"mesh:radix=3x3\"\n";
  EXPECT_THAT(refusal(simulate + "load = 0.1\npacket-flits = 2.5\n"),
              HasSubstr("s.toml:5: experiment[0].packet-flits"));
  EXPECT_THAT(refusal("[[experiment]]\nverb = \"topology\"\ntopology = \"mesh:radix\"\n"),
              HasSubstr("s.toml:3: experiment[0].topology"));
  write_file(path, simulate + "load = 0.1\npacket-flits = 8\n", "test");
  EXPECT_THAT(run_program({"study", path, "--set", "packet-flits=2.5"}, folder.path.string()).errors,
              HasSubstr("faultline: --set packet-flits = '2.5'"));
  EXPECT_THAT(refusal("[[experiment]]\nverb = \"topology\"\n"), HasSubstr("topology: is required"));
  EXPECT_THAT(refusal("[[experiment]]\nverb = \"topology\"\ntopology = {k = 4}\n"), HasSubstr("kind"));
  const char* const array = "must be an array of tables: [[experiment]]";
  EXPECT_THAT(refusal("\nexperiment = 3\n"),
              testing::AllOf(HasSubstr("s.toml:2: experiment: "), HasSubstr(array)));
  EXPECT_THAT(refusal("title = \"x\"\n\n[experiment]\nverb = \"topology\"\n"),
              testing::AllOf(HasSubstr("s.toml:3: experiment: "), HasSubstr(array)));
  EXPECT_THAT(refusal(simulate + "load = 0.1\ntraffic = {kind = \"hot-spot\", share = [0.1,0.2]}\n"),
              HasSubstr("s.toml:5: experiment[0].traffic.share = '[0.1, 0.2]': must be a number"));
  EXPECT_THAT(refusal(simulate + "load = 0.1\ntraffic = [{kind = \"hot-spot\", spots = [1, \"x\"]}]\n"),
              HasSubstr("experiment[0].traffic.spots = '[1, x]': must be an integer"));
  EXPECT_THAT(refusal("tytle = \"x\"\n"), HasSubstr("did you mean 'title'"));
  EXPECT_THAT(refusal(std::string("\0\xff\x01", 3)), HasSubstr("not TOML"));
}

TEST(BadFiles, AFaultIsNamedOnce) {
  const TemporaryFolder folder;
  const std::string twice = folder.file("twice.txt", "s1[0] - s2[1]\ns0[0] - s1[1]\ns1[0] - s2[1]\n");
  const Outcome outcome = run_program({"verify", "torus", "radix=4", "--unit", "link", "--faults", twice});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.errors,
              testing::HasSubstr("twice.txt:3: verify.faults = 's1[0] - s2[1]': must be named once"));
  const auto errors = [&](const std::string& name, const std::string& unit) {
    const std::string file = folder.file("names.txt", name + "\n");
    return run_program({"verify", "torus", "radix=4", "--unit", unit, "--faults", file}).errors;
  };
  EXPECT_THAT(errors("s1[0] - s3[1]", "link"), testing::HasSubstr("(did you mean 's1[0] - s2[1]'?)"));
  EXPECT_THAT(errors("terminal 1", "link+switch"),
              testing::HasSubstr("is a terminal, not a link+switch; give unit link+switch+terminal"));
  EXPECT_THAT(errors("terminal 1 - s1[2]", "link"),
              testing::HasSubstr("is a link that scope network leaves out; give scope all"));
}

TEST(BadFiles, AFaultThatIsTheNameOfTwoComponentsIsRefused) {
  const TemporaryFolder folder;
  const std::string graph = "file=" + folder.file("graph",
                                                  "switch a\nswitch b\nswitch c name=\"a[0] - b[0]\"\n"
                                                  "a b\nb c\n");
  const std::string faults = folder.file("names.txt", "a[0] - b[0]\n");
  const auto verify = [&](const char* unit) {
    return run_program({"verify", "graph", graph, "--unit", unit, "--faults", faults, "--json"});
  };
  EXPECT_THAT(
      verify("link+switch").errors,
      HasSubstr("names.txt:1: verify.faults = 'a[0] - b[0]': is the name of two components, a link and "
                "a switch; rename one of them"));
  for (const char* unit : {"link", "switch"})
    EXPECT_EQ(nlohmann::json::parse(verify(unit).output)["failed"], nlohmann::json({"a[0] - b[0]"})) << unit;
}

TEST(BadFiles, AResultsPathIsRefusedAndLeftAlone) {
  const TemporaryFolder folder;
  const std::string study = (folder.path / "s.toml").string();
  write_file(study, "[[experiment]]\nverb = \"topology\"\ntopology = \"fat-tree:k=2,n=2\"\n", "test");
  Outcome outcome = run_program({"study", study, "--results", "/proc/nothing/r.db"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("cannot be written"));

  const std::string corrupt = (folder.path / "corrupt.db").string();
  write_file(corrupt, std::string(5000, 'z'), "test");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"study", study, "--results", corrupt}, {"report", corrupt}}) {
    outcome = run_program(arguments);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("not a results file"));
  }
  EXPECT_EQ(read_file(corrupt, "test"), std::string(5000, 'z'));

  ASSERT_EQ(run_program({"study", study, "--results", (folder.path / "r.db").string()}).code, 0);
  outcome = run_program({"report", (folder.path / "r.db").string(), "-o", "/proc/nothing/page.html"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace faultline
