// SPDX-License-Identifier: Apache-2.0
// Does the page tell apart what differs, and join what does not?
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

#include "faultline/report/report.h"
#include "report/browser.h"
#include "report/page_records.h"

namespace faultline {
namespace {

using testing::HasSubstr;

Record simulated(std::string_view topology, std::string_view routing,
                 std::string_view options = R"("load":0.2)") {
  return record_of(
      "simulate", topology, routing, options,
      R"({"offered":0.2,"accepted":0.2,"saturated":false,"deadlock":false,"latency":{"mean":9}})");
}

TEST_F(Browser, ADesignIsTheSameInAllItsSizes) {
  const std::vector<Record> records{simulated("switch-torus:rows=3,columns=3,terminals=9", "up-down"),
                                    simulated("switch-torus:rows=3,columns=4,terminals=12", "up-down"),
                                    simulated("dragonfly:p=1,a=2,h=1", "dragonfly-minimal"),
                                    simulated("dragonfly:p=2,a=4,h=2", "dragonfly-minimal")};
  const std::string dom = play(render_report(records), see_rows("#designs"));
  EXPECT_THAT(dom, HasSubstr("dragonfly;p=1, a=2, h=1;6;"));
  EXPECT_THAT(dom, HasSubstr("|dragonfly;p=2, a=4, h=2;72;"));
  EXPECT_THAT(dom, HasSubstr("|switch-torus;rows=3, columns=3, terminals=9;9;"));
  EXPECT_THAT(dom, HasSubstr("|switch-torus;rows=3, columns=4, terminals=12;12;"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

TEST_F(Browser, AFigureNamesItsPacketsAndTheFileOfItsFaults) {
  const std::vector<Record> records{
      simulated("mesh:radix=4x4", "duato", R"("load":0.2,"packet-flits":"16","faults":"0")"),
      simulated("mesh:radix=4x4", "duato", R"("load":0.2,"packet-flits":"8:1,128:3","faults":"0")"),
      simulated("mesh:radix=4x4", "duato", R"("load":0.2,"packet-flits":"16","faults":"broken.txt")"),
      simulated("mesh:radix=4x4", "duato", R"("load":0.2,"packet-flits":"16","faults":"1")")};
  const std::string dom = play(render_report(records),
                               "for (const title of document.querySelectorAll('#latency figure h3')) "
                               "see(title.textContent);");
  EXPECT_THAT(dom, HasSubstr("packets of 8 (25 %) or 128 (75 %) flits · 0 faults"));
  EXPECT_THAT(dom, HasSubstr("16-flit packets · faults of broken.txt"));
  EXPECT_THAT(dom, HasSubstr("16-flit packets · 1 fault|"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

/// What happens to packets on a failing link says something of runs in which links fail.
TEST_F(Browser, AFigureDoesNotNameOptionsWithoutEffect) {
  const std::vector<Record> records{
      simulated("mesh:radix=4x4", "duato",
                R"("load":0.2,"cycles":500,"on-failure":"complete","find-saturation":false)"),
      simulated("mesh:radix=4x4", "duato", R"("cycles":600,"on-failure":"complete","find-saturation":true)"),
      simulated("mesh:radix=4x4", "duato",
                R"("load":0.2,"cycles":700,"on-failure":"drop","find-saturation":false,)"
                R"("fault-process":"transient:faults=2")")};
  const std::string dom = play(render_report(records),
                               "for (const title of document.querySelectorAll('#latency figure h3')) "
                               "see(title.textContent);");
  EXPECT_THAT(dom, HasSubstr("16 terminals · 500 cycles · no failures during the run|"));
  EXPECT_THAT(dom,
              HasSubstr("16 terminals · 600 cycles · search for saturation · no failures during the run|"));
  EXPECT_THAT(dom,
              HasSubstr("16 terminals · 700 cycles · packets on a failing link are lost · fault process"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

/// Also where it has no effect on the first of them.
TEST_F(Browser, AnOptionThatHasAnEffectOnSomeCasesIsListed) {
  const std::vector<Record> records{
      simulated("mesh:radix=4x4", "duato", R"("load":0.2,"on-failure":"complete")"),
      simulated("mesh:radix=4x4", "duato",
                R"("load":0.2,"on-failure":"complete","fault-process":"transient:faults=2")")};
  EXPECT_THAT(play(render_report(records), "see(document.querySelector('#latency .settings').textContent)"),
              HasSubstr("The same in all figures: packets on a failing link get through."));
}

/// What varies at another size alone stands once below the figures; a value that no other size has is named.
TEST_F(Browser, ATitleLeavesOutWhatIsUsualAtItsSize) {
  const auto titles = [](std::string_view first, std::string_view second, std::string_view third) {
    std::vector<Record> records;
    const auto add = [&](const char* topology, std::string_view traffic) {
      records.push_back(
          simulated(topology, "duato", fmt::format(R"("load":0.2,"cycles":500,"traffic":"{}")", traffic)));
    };
    add("mesh:radix=4x4", first);
    add("mesh:radix=8x8", second);
    add("mesh:radix=8x8", third);
    return play(render_report(records),
                "for (const title of document.querySelectorAll('#latency figure h3, #latency .settings')) "
                "see(title.textContent);");
  };
  const std::string usual = titles("uniform", "uniform", "transpose");
  EXPECT_THAT(usual,
              HasSubstr("16 terminals|64 terminals · uniform traffic|64 terminals · transpose traffic|"));
  EXPECT_THAT(usual, HasSubstr("500 cycles. Where a title does not say otherwise: uniform traffic."));
  const std::string other = titles("tornado", "uniform", "transpose");
  EXPECT_THAT(other, HasSubstr("16 terminals · tornado traffic|64 terminals · uniform traffic|"));
  EXPECT_THAT(other, testing::Not(HasSubstr("otherwise")));
}

/// Of two designs with a latency on the scale each, one has a deadlock at the other load, and one a latency
/// beyond the scale.
TEST_F(Browser, DeadlocksAndLatenciesBeyondTheScaleHaveMarksOfTheirOwn) {
  const auto at = [](std::string_view routing, double load, bool saturated, bool deadlock, int latency) {
    return record_of(
        "simulate", "mesh:radix=4x4", routing, fmt::format(R"("load":{})", load),
        fmt::format(
            R"({{"offered":{0},"accepted":{0},"saturated":{1},"deadlock":{2},"latency":{{"mean":{3}}}}})",
            load, saturated, deadlock, latency));
  };
  std::vector<Record> records{at("duato", 0.2, false, false, 9), at("duato", 0.4, true, false, 900),
                              at("minimal-adaptive", 0.2, false, false, 9),
                              at("minimal-adaptive", 0.4, false, true, 10)};
  const char* const script = R"(
    const count = (selector) => document.querySelectorAll(`#latency figure svg ${selector}`).length;
    see(`dots ${count('g[aria-label="dot"]:not([stroke-width="2"]) > *')}`);
    see(`crosses ${count('g[aria-label="dot"][stroke-width="2"] > *')}`);
    see(`arrows ${count('g[aria-label="vector"] path')}`);
  )";
  const std::string dom = play(render_report(records), script);
  EXPECT_THAT(dom, HasSubstr("dots 2|crosses 1|arrows 1"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
  records.push_back(at("duato", 0.3, false, true, 800));  // beyond the scale, where less was accepted
  EXPECT_THAT(play(render_report(records), script), HasSubstr("dots 2|crosses 2|arrows 1"));
}

/// Shares of all pairs, which add up.
TEST_F(Browser, PairsThatAreLikelyToBeServedHaveAColumn) {
  const auto rows = [&](double likely) {
    const std::vector<Record> records{record_of(
        "resilience", "mesh:radix=4x4", "duato", R"("faults":"1")",
        fmt::format(R"({{"unit":"link","scope":"network","components":24,"tolerated_faults":1,)"
                    R"("by_faults":[{{"faults":1,"sets":24,"exhaustive":true,"intolerable_fraction":0,)"
                    R"("intolerable_interval":[0,0],"connected_pairs_fraction":1,)"
                    R"("connected_pairs_interval":[1,1]}}],)"
                    R"("followed":[{{"faults":1,"sets":24,"exhaustive":true,"served":{},"likely":{},)"
                    R"("connected":1,"dead_leaf":0.125,"ping_pong":0,"dead_end":0,"links":4,)"
                    R"("shortest_links":3}}]}})",
                    0.875 - likely, likely))};
    return play(render_report(records), see_rows(R"([aria-label="Packets followed"])"));
  };
  EXPECT_THAT(rows(0.25), HasSubstr(";1;24 (all);62.5 %;25 %;100 %;12.5 %;0 %;0 %;4.00;3.00"));
  EXPECT_THAT(rows(0), HasSubstr(";1;24 (all);87.5 %;100 %;12.5 %;0 %;0 %;4.00;3.00"));
}

TEST_F(Browser, ARoutingIsNamedWhereAnySizeOfTheKindHasAnother) {
  const std::vector<Record> records{
      simulated("mesh:radix=4x4", "dimension-order"), simulated("mesh:radix=5x5", "duato"),
      record_of("topology", "mesh:radix=5x5", "", "", R"({"switches":25})"),
      simulated("torus:radix=4x4", "duato"), simulated("torus:radix=5x5", "duato")};
  const std::string dom = play(render_report(records), see_rows("#designs"));
  EXPECT_THAT(dom, HasSubstr("mesh (dimension-order);radix=4x4;16;–;"));
  EXPECT_THAT(dom, HasSubstr("|mesh (duato);radix=5x5;25;25;"));
  EXPECT_THAT(dom, HasSubstr("|torus;radix=4x4;"));
  EXPECT_THAT(dom, HasSubstr("|torus;radix=5x5;"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

/// Links that fail at a rate; `run` tells cases apart whose answers are the same.
Record reliable(std::string_view knowledge, std::string_view scope, double rate, int run) {
  return record_of(
      "resilience", "fat-tree:k=2,n=2", "fta",
      fmt::format(R"("knowledge":"{}","scope":"{}","failure-rate":["{}"],"faults":[{}])", knowledge, scope,
                  rate, run),
      fmt::format(R"({{"unit":"link","scope":"{}","knowledge":"{}","source":"any","reliability":{{
      "method":"exact","unavailability":0.25,"importance":[{{"name":"a - b","birnbaum":0.5}}],
      "classes":[{{"unit":"link","components":4,"failures_per_hour":{},"repair_hours":10}}]}}}})",
                  scope, knowledge, rate));
}

TEST_F(Browser, RowsOfReliabilitySayWhatTheyHoldFor) {
  const std::vector<Record> records{reliable("all", "network", 0.5, 0), reliable("none", "network", 0.5, 0),
                                    reliable("none", "network", 0.5, 1), reliable("all", "all", 0.5, 0),
                                    reliable("all", "network", 0.25, 0)};
  const std::string dom = play(
      render_report(records),
      see_rows("#reliability") + "see(document.querySelectorAll('#reliability tbody tr').length + ' rows')");
  for (const char* setting : {"links in the network;knowledge all;4 × link: 0.5, 10 h;",
                              "links in the network;knowledge none;4 × link: 0.5, 10 h;",
                              "links anywhere;knowledge all;4 × link: 0.5, 10 h;",
                              "links in the network;knowledge all;4 × link: 0.25, 10 h;"}) {
    EXPECT_THAT(dom, HasSubstr(fmt::format("fat-tree;4 terminals;{}0.25;", setting)));
    EXPECT_THAT(dom, HasSubstr(fmt::format("|a - b;fat-tree;4 terminals;{}0.5;", setting)));
  }
  EXPECT_THAT(dom, HasSubstr("|8 rows<"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

/// With one point of by_faults.
Record resilient(std::string_view topology, std::string_view options, std::string_view point) {
  return record_of("resilience", topology, "", options,
                   fmt::format(R"({{"unit":"link","scope":"network","by_faults":[{{{}}}]}})", point));
}

TEST_F(Browser, OptionsThatChangeNoFigureSplitNone) {
  const char* const point = R"("faults":1,"sets":12,"exhaustive":true,"intolerable_fraction":0.5)";
  const std::vector<Record> records{
      resilient("mesh:radix=4x2", R"("failing-set":false,"exact":false,"rare":false)", point),
      resilient("fat-tree:k=2,n=3", R"("failing-set":true,"exact":true,"rare":false)", point),
      resilient("hypercube:n=3", R"("failing-set":false,"exact":false,"rare":true)", point),
      simulated("mesh:radix=4x2", "dimension-order", R"("load":0.2,"force":false)"),
      simulated("hypercube:n=3", "minimal-adaptive", R"("load":0.2,"force":true)")};
  const std::string dom = play(render_report(records), R"(
    for (const figure of document.querySelectorAll('#latency [role=img], #resilience [role=img]'))
      see(figure.getAttribute('aria-label'));
  )");
  EXPECT_THAT(
      dom,
      HasSubstr(
          "<pre>Latency in cycles against accepted traffic in flits per cycle and terminal for hypercube, "
          "mesh|"
          "Fault sets that cut off a pair against the number of faults for fat-tree, hypercube, mesh</pre>"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

TEST_F(Browser, ADeadEndIsShownByItsChannels) {
  const auto verified = [](const char* routing, const char* dead_end) {
    return record_of(
        "verify", "mesh:radix=3x3", routing, R"("switching":"vct","faults":"2")",
        fmt::format(R"({{"connected":false,"unreachable_pairs":1,"holds":false,"dead_end":{}}})", dead_end));
  };
  const std::vector<Record> records{
      verified("up-down",
               R"({"source":"a","destination":"b","walk":["a -> s","s -> t"],"on_dead_channel":true})"),
      verified("destro",
               R"({"source":"c","destination":"d","walk":["c -> u"],"on_dead_channel":false,"switch":"u"})"),
      verified("lash", R"({"source":"e","destination":"f","walk":[],"on_dead_channel":false})"),
      verified("nca", "null")};
  const std::string dom =
      play(render_report(records),
           "for (const one of document.querySelectorAll('#verification figure')) "
           "see([...one.querySelectorAll('p:last-of-type, li')].map((part) => part.textContent).join(';'));");
  EXPECT_THAT(dom,
              HasSubstr("A packet of a → b takes these channels, the last of which is dead:;a → s;s → t"));
  EXPECT_THAT(dom, HasSubstr("A packet of c → d takes these channels, and finds no option at u:;c → u"));
  EXPECT_THAT(dom, testing::Not(HasSubstr("A packet of e")));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

/// Studies make paths absolute. Two files of one name are told apart by their folders.
TEST_F(Browser, FilesAreNamedWithoutTheirFolders) {
  const auto with = [](const char* schedule) {
    return simulated("mesh:radix=4x2", "dimension-order",
                     fmt::format(R"("load":0.2,"schedule":"{}")", schedule));
  };
  const std::string script = R"(
    for (const title of document.querySelectorAll('#latency h3')) see(title.textContent);
  )";
  const auto titles = [&](const std::vector<Record>& records) {
    return play(render_report(records), script);
  };
  const std::string apart = titles({with("/home/me/a.csv"), with("/home/me/b.csv")});
  EXPECT_THAT(apart, HasSubstr("schedule a.csv|"));
  EXPECT_THAT(apart, HasSubstr("schedule b.csv<"));
  const std::string alike = titles({with("/home/me/a.csv"), with("/tmp/a.csv")});
  EXPECT_THAT(alike, HasSubstr("schedule /home/me/a.csv|"));
  EXPECT_THAT(alike, HasSubstr("schedule /tmp/a.csv<"));
}

/// A label of 12 pixels is drawn with at least 11, and what is wider than the window scrolls in its frame.
TEST_F(Browser, LabelsStayLegibleInANarrowWindow) {
  const std::string memory =
      R"({"switches":16,"routing_memory":{"ports":4,"vcs":3,"options":3,"fir_bits":132,)"
      R"("ft_fir_bits":148,"table_bits":960,"crossover_switches":4}})";
  const std::vector<Record> records{simulated("mesh:radix=4x2", "dimension-order", R"("load":0.2)"),
                                    record_of("topology", "torus:radix=4x4", "", "", memory)};
  const std::string dom = play(render_report(records), R"(
    see('inner ' + (innerWidth < 640) + ' page ' + (document.documentElement.scrollWidth <= innerWidth));
    for (const drawing of document.querySelectorAll('svg[viewBox="0 0 560 350"]'))
      see('legible ' + (drawing.getBoundingClientRect().width * 12 / 560 >= 11));
    const marks = [...document.querySelectorAll('#designs .plot [aria-label=dot] > *')];
    const frame = document.querySelector('#designs svg[viewBox="0 0 560 350"]').getBoundingClientRect();
    see('marks ' + marks.map((mark) => mark.getBoundingClientRect().bottom < frame.bottom - 42 * frame.height / 350).join());
  )",
                               {.width = 420, .height = 800});
  EXPECT_THAT(dom, HasSubstr("inner true page true|legible true|legible true|marks true,true,true"));
}

/// Designs with as many switches, which take the same memory: one cannot hide the others.
TEST_F(Browser, MemoryForRoutingIsThatOfADesign) {
  const auto memory = [](int switches, int ports, int table) {
    return fmt::format(R"({{"switches":{},"routing_memory":{{"ports":{},"vcs":3,"options":3,"fir_bits":132,)"
                       R"("ft_fir_bits":148,"table_bits":{},"crossover_switches":25}}}})",
                       switches, ports, table);
  };
  const std::vector<Record> records{record_of("topology", "torus:radix=4x4", "", "", memory(16, 4, 960)),
                                    record_of("topology", "mesh:radix=4x4", "", "", memory(16, 4, 960)),
                                    record_of("topology", "hypercube:n=4", "", "", memory(16, 5, 970)),
                                    record_of("topology", "hypercube:n=5", "", "", memory(32, 5, 1970))};
  const std::string dom = play(render_report(records), R"(
    const figure = () => document.querySelector('#designs figure');
    const see_marks = () => {
      const marks = [...figure().querySelectorAll('[aria-label=dot] > *')].map((mark) => mark.getBoundingClientRect());
      const places = new Set(marks.map((mark) => `${mark.left.toFixed()} ${mark.top.toFixed()}`));
      const colors = new Set([...figure().querySelectorAll('g[aria-label=dot]')].map((group) => group.getAttribute('stroke')));
      see(`${marks.length} marks at ${places.size} places in ${colors.size} colors`);
    };
    const legend = [...document.querySelectorAll('#designs .legend button')];
    see(legend.map((button) => button.textContent).join(';'));
    see_marks();
    legend[0].click();
    see_marks();
    see([...figure().querySelectorAll('p.note')].at(-1).textContent);
  )");
  EXPECT_THAT(dom, HasSubstr("hypercube;mesh;torus|12 marks at 12 places in 3 colors|"
                             "6 marks at 6 places in 2 colors|"
                             "With 5 ports, 3 virtual channels and 3 options per entry, FT-FIR takes less "
                             "than a table from 25 switches on. With 4 ports, "));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

/// Of the designs' tolerance: one for each unit and knowledge, with what it holds for in the heading.
std::vector<Record> columns_for(const std::vector<std::string_view>& units) {
  std::vector<Record> records;
  for (const char* topology :
       {"torus:radix=8x8,terminals_per_switch=1", "mesh:radix=8x8,terminals_per_switch=1"})
    for (const std::string_view unit : units)
      for (const auto& [knowledge, source] : {std::pair("all", "any"), std::pair("neighbours", "plan")})
        for (const char* routing : {"dimension-order:ring_rule=auto", "duato:adaptive_vcs=2,ring_rule=auto"})
          records.push_back(record_of(
              "resilience", topology, routing,
              fmt::format(R"("unit":"{}","knowledge":"{}")", unit, knowledge),
              fmt::format(R"({{"unit":"{}","scope":"network","tolerated_faults":3,"knowledge":"{}",)"
                          R"("source":"{}"}})",
                          unit, knowledge, source)));
  return records;
}

/// Headings would else be as narrow as their longest word, and names as wide as they are long.
TEST_F(Browser, AWideTableHasReadableHeadingsAndSaysThatItScrolls) {
  const std::string script = R"(
    const frame = document.querySelector('#designs .table-frame');
    const line = 1.25 * parseFloat(getComputedStyle(frame.querySelector('.sort')).fontSize);
    see('headings of few lines ' + (frame.querySelector('thead').offsetHeight < 8 * line));
    see('names wrap ' + (frame.querySelector('tbody th').offsetWidth < 300));
    const told = () => { frame.dispatchEvent(new Event('scroll')); return frame.nextSibling?.hidden === false ? frame.nextSibling.textContent : 'nothing'; };
    see('scrolls ' + (frame.scrollWidth > frame.clientWidth + 1) + ' says ' + told());
    frame.scrollLeft = 10000;
    see('at its end ' + told());
    see('the name stays ' + (frame.querySelector('tbody th').getBoundingClientRect().left - frame.getBoundingClientRect().left < 3));
  )";
  const std::string wide =
      play(render_report(columns_for({"link", "switch", "channel", "terminal"})), script);
  EXPECT_THAT(wide, HasSubstr("headings of few lines true|names wrap true|scrolls true says "));
  EXPECT_THAT(wide, testing::ContainsRegex(
                        R"(says [1-9][0-9]? more columns? →\|at its end ← [1-9][0-9]? more columns?\|)"));
  EXPECT_THAT(wide, HasSubstr("the name stays true"));
  const std::string fits = play(render_report(columns_for({"link"})), script);
  EXPECT_THAT(fits, HasSubstr("headings of few lines true|names wrap false|scrolls false says nothing|"));
}

TEST_F(Browser, ACurveHasOnePointANumberOfFaultsTheSurest) {
  const auto point = [](int faults, int sets, bool exhaustive, double fraction, std::string_view bounds) {
    return fmt::format(
        R"("faults":{},"sets":{},"exhaustive":{},"intolerable_fraction":{},"intolerable_interval":[{}])",
        faults, sets, exhaustive, fraction, bounds);
  };
  const std::string where = "mesh:radix=4x2";
  const std::vector<Record> records{
      resilient(where, R"("samples":50)", point(2, 50, false, 0.25, "0.125,0.5")),
      resilient(where, R"("samples":400)", point(2, 400, false, 0.3125, "0.25,0.375")),
      resilient(where, R"("samples":100)", point(2, 100, false, 0.375, "0.25,0.5")),
      resilient(where, R"("samples":51)", point(3, 50, false, 0.75, "0.5,1")),
      resilient(where, R"("exhaustive":true)", point(3, 30, true, 0.625, "0.625,0.625")),
      resilient(where, R"("samples":52)", point(4, 50, false, 0.75, "0.5,1")),
      resilient(where, R"("exact":true)", point(4, 10, false, 0.875, "0.875,0.875"))};
  const std::string dom = play(render_report(records), R"(
    const data = document.querySelector('#resilience figure details');
    data.open = true;
    data.dispatchEvent(new Event('toggle'));
  )" + see_rows("#resilience"));
  const std::string percent = "\u202f%";  // a narrow space that does not break
  EXPECT_THAT(dom,
              HasSubstr("<pre>mesh;2;400;no;31.3" + percent + ";25" + percent + ";37.5" + percent +
                        "|mesh;3;30;yes;62.5" + percent + ";62.5" + percent + ";62.5" + percent +
                        "|mesh;4;10;no;87.5" + percent + ";87.5" + percent + ";87.5" + percent + "</pre>"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

TEST_F(Browser, TheToleranceOfADesignIsTheBestThatIsKnown) {
  const auto tolerating = [](std::string_view topology, int run, std::string_view answer) {
    return record_of("resilience", topology, "", fmt::format(R"("cuts":{})", run),
                     fmt::format(R"({{"unit":"link","scope":"network"{}}})", answer));
  };
  const char* const exact = R"(,"tolerated_faults":3,"tolerated_exact":true)";
  const char* const two = R"(,"tolerated_faults":2,"tolerated_exact":false)";
  const char* const one = R"(,"tolerated_faults":1,"tolerated_exact":false)";
  const std::vector<Record> records{
      simulated("mesh:radix=4x2", ""),        simulated("fat-tree:k=2,n=3", ""),
      tolerating("mesh:radix=4x2", 0, ""),    tolerating("mesh:radix=4x2", 1, two),
      tolerating("mesh:radix=4x2", 2, exact), tolerating("fat-tree:k=2,n=3", 0, ""),
      tolerating("fat-tree:k=2,n=3", 1, one), tolerating("fat-tree:k=2,n=3", 2, two)};
  const std::string dom = play(render_report(records), see_rows("#designs"));
  EXPECT_THAT(dom, HasSubstr("mesh;8;3;"));
  EXPECT_THAT(dom, HasSubstr("fat-tree;8;≥ 2;"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

}  // namespace
}  // namespace faultline
