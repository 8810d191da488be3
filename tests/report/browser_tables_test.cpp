// SPDX-License-Identifier: Apache-2.0
// Do tables, figures and the files that a reader downloads say the same, and do they bear many cases?
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/report/report.h"
#include "report/browser.h"
#include "report/page_records.h"

namespace faultline {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Of a page with a script at its beginning, which counts how often descriptions are taken apart.
TEST_F(Browser, EachTopologyIsReadOnce) {
  std::vector<Record> records;
  for (int topology = 0; topology < 20; ++topology)
    for (int load = 1; load <= 5; ++load)
      records.push_back(record_of("simulate",
                                  fmt::format("mesh:radix=4x4,terminals_per_switch=1,seed={}", topology),
                                  "duato", fmt::format(R"("load":0.{})", load), R"({"accepted":0.1})"));
  std::string page = render_report(records, {.drawn_networks = 0});
  page.insert(
      page.find("<style>"),
      "<script>let read = 0; const plain = String.prototype.matchAll;"
      "String.prototype.matchAll = function (...all) { ++read; return plain.apply(this, all); };</script>");
  const std::string dom =
      play(page, "see('read ' + read); see(document.querySelectorAll('#designs tbody tr').length);");
  EXPECT_THAT(dom, HasSubstr("read 20|20<"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

/// Of a verb that the page does not know: a table of these many rows.
Record rows(int count) {
  std::string results = "[";
  for (int i = 0; i < count; ++i) results += fmt::format(R"({}{{"x":{}}})", i == 0 ? "" : ",", i);
  return record_of("dream", "", "", "", results + "]");
}

TEST_F(Browser, ALongTableSaysHowManyRowsFollow) {
  const auto seen = [&](int count) {
    return play(render_report(std::vector{rows(count)}), R"(
      const frame = document.querySelector('#other .table-frame');
      for (const to of [0, frame.scrollHeight / 3, 100000]) {
        frame.scrollTop = to;
        frame.dispatchEvent(new Event('scroll'));
        const [top, bottom] = [frame.querySelector('thead th').getBoundingClientRect().bottom, frame.getBoundingClientRect().bottom];
        const rows = [...frame.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect());
        const [above, below] = [rows.filter((row) => row.top < top - 2).length, rows.filter((row) => row.bottom > bottom + 2).length];
        const told = frame.nextSibling?.hidden === false ? frame.nextSibling.textContent : 'nothing';
        see((above > 0) + ' ' + (below > 0) + ' says ' + told.replace('↑ ' + above + ' more', '↑ right').replace('↓ ' + below + ' more', '↓ right'));
      }
    )");
  };
  EXPECT_THAT(seen(200), HasSubstr("false true says ↓ right rows|true true says ↑ right rows · ↓ right rows|"
                                   "true false says ↑ right rows<"));
  EXPECT_THAT(seen(5), HasSubstr("false false says nothing|false false says nothing|"));
}

TEST_F(Browser, ATableOfThousandsOfRowsShowsTheFirst) {
  const std::vector<Record> records{rows(5001)};
  const std::string dom = play(render_report(records), see_files("other") + R"(
    const shown = () => {
      const rows = [...document.querySelectorAll('#other tbody tr')];
      see(rows.length + ' rows from ' + rows[0].textContent + ' to ' + rows.at(-1).textContent);
    };
    shown();
    see(document.querySelector('#other p.settings').textContent);
    const sort = document.querySelector('#other button.sort');
    sort.click();
    sort.click();
    shown();
  )");
  EXPECT_THAT(dom, HasSubstr("/4999/5000/|5000 rows from 0 to 4999|"
                             "The first 5,000 of 5,001 rows; the CSV holds all.|5000 rows from 5000 to 1<"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

/// Of verify: the pairs of one class, and those that faults cut off.
Record verified(int run, bool connected, int unreachable, int cut_off, std::string_view pairs) {
  return record_of("verify", "fat-tree:k=2,n=2", "fta",
                   fmt::format(R"("faults":"{}","unit":"channel","seed":1)", run),
                   fmt::format(R"({{"connected":{},"unreachable_pairs":{},"cut_off_pairs":{},"pairs":{{{}}},)"
                               R"("holds":{}}})",
                               connected, unreachable, cut_off, pairs, connected));
}

TEST_F(Browser, PairsThatAreCutOffAreNotCalledConnected) {
  const std::vector<Record> records{verified(1, true, 0, 0, R"("served":12,"refused":0)"),
                                    verified(2, true, 0, 6, R"("served":6,"refused":6)"),
                                    verified(3, false, 2, 6, R"("served":4,"refused":8)"),
                                    verified(4, true, 0, 12, R"("served":0,"refused":12)")};
  const std::string dom = play(render_report(records), see_rows("#verification") + see_files("verification"));
  for (const char* row :
       {"1 channel, seed 1;✓holds;✓yes;", "2 channels, seed 1;✓holds;✓yes, but 6 pairs cut off;",
        "3 channels, seed 1;✗refuted;✗no: 2 pairs unreachable;",
        "4 channels, seed 1;✓holds;no pair is left;"})
    EXPECT_THAT(dom, HasSubstr(row));
  EXPECT_THAT(dom, HasSubstr(",Unreachable pairs,Cut-off pairs,Longest path [switches]/"));
  EXPECT_THAT(dom, HasSubstr(",no pair is left,,,12 pairs with a terminal all of whose injection or ejection "
                             "channels are dead: no routing could serve them,0,12,/"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

/// What the table of designs says beside a number stands in columns of the file.
TEST_F(Browser, TheFileOfDesignsSaysWhatTheTableSays) {
  const auto simulated = [](std::string_view topology, double load, bool saturated, bool deadlock,
                            int dropped) {
    return record_of("simulate", topology, "", fmt::format(R"("load":{})", load),
                     fmt::format(R"({{"offered":{0},"accepted":{0},"saturated":{1},"deadlock":{2},)"
                                 R"("dropped":{3},"latency":{{"mean":9}}}})",
                                 load, saturated, deadlock, dropped));
  };
  const auto tolerating = [](std::string_view topology, bool exact) {
    return record_of("resilience", topology, "", "",
                     fmt::format(R"({{"unit":"link","scope":"network","tolerated_faults":2,)"
                                 R"("tolerated_exact":{}}})",
                                 exact));
  };
  const std::vector<Record> records{simulated("hypercube:n=4", 0.2, false, false, 0),
                                    simulated("hypercube:n=4", 0.4, false, true, 0),
                                    simulated("mesh:radix=4x4", 0.4, false, false, 0),
                                    simulated("torus:radix=4x4", 0.25, true, false, 3),
                                    tolerating("mesh:radix=4x4", false),
                                    tolerating("torus:radix=4x4", true)};
  const std::string dom = play(render_report(records), see_rows("#designs") + see_files("designs"));
  EXPECT_THAT(dom, HasSubstr("hypercube;16;–;deadlock at 0.4;9.0|mesh;16;≥ 2;≥ 0.400;9.0|"
                             "torus;16;2;0.250packets dropped;"));
  EXPECT_THAT(
      dom, HasSubstr(",Tolerated faults [links in the network],Tolerated faults exact [links in the network],"
                     "Saturation throughput [flits/cycle/terminal],Saturation throughput: remark,"
                     "Saturation throughput reached,"
                     "Packets dropped,Lowest load with a deadlock [flits/cycle/terminal],"));
  EXPECT_THAT(dom, HasSubstr("/hypercube,16,,,,,,,0.4,9/mesh,16,2,no,0.4,,no,no,,9/"
                             "torus,16,2,yes,0.25,packets dropped,yes,yes,,"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

/// A column of which only the qualification is known: every design has a deadlock.
TEST_F(Browser, DeadlocksAloneKeepTheirColumn) {
  const std::vector<Record> records{
      record_of("simulate", "mesh:radix=4x4", "", R"("load":0.4)",
                R"({"offered":0.4,"accepted":0.1,"saturated":false,"deadlock":true})")};
  EXPECT_THAT(play(render_report(records), see_rows("#designs")), HasSubstr("mesh;16;deadlock at 0.4"));
}

/// Of one failure each: with nothing measured before it, and a deadlock later.
TEST_F(Browser, AFailureBeforeADeadlockEndsInOne) {
  const auto failing = [](std::string_view routing, bool deadlock) {
    return record_of("simulate", "mesh:radix=4x4", routing, R"("load":0.2,"schedule":"f.csv")",
                     fmt::format(R"({{"accepted":0.1,"deadlock":{},"recovery":[{{"at":10}}],)"
                                 R"("throughput":[{{"from":0,"until":10,"accepted":0.1}}]}})",
                                 deadlock));
  };
  const std::vector<Record> records{failing("duato", true), failing("nca", false)};
  const std::string dom =
      play(render_report(records), "see(document.querySelector('#recovery figure > p.note').textContent)");
  EXPECT_THAT(dom, HasSubstr("mesh (duato): ends in a deadlock; mesh (nca): too little was measured before"));
}

/// A logarithmic scale holds even the rarest sets, and all that tells of its figures speaks of what they
/// show.
TEST_F(Browser, ALogarithmicScaleShowsWhatIsRare) {
  const auto point = [](int faults, std::string_view rare, double connected) {
    return fmt::format(R"({{"faults":{},"sets":9,"exhaustive":false,"intolerable_fraction":{},)"
                       R"("intolerable_interval":[{},{}],"connected_pairs_fraction":{},)"
                       R"("connected_pairs_interval":[{},1]}})",
                       faults, rare, rare, rare, connected, connected - 0.125);
  };
  const std::vector<Record> records{
      record_of("resilience", "mesh:radix=4x4", "duato", "",
                fmt::format(R"({{"unit":"link","scope":"network","by_faults":[{},{}]}})",
                            point(1, "1e-15", 0.875), point(2, "0.5", 0.75)))};
  const std::string dom = play(render_report(records), R"(
    [...document.querySelectorAll('#resilience button')].find((one) => one.textContent === 'logarithmic').click();
    for (const figure of document.querySelectorAll('#resilience figure')) {
      see(figure.querySelector('h3').textContent);
      see(figure.querySelector('[role=img]').getAttribute('aria-label'));
      const frame = figure.querySelector('svg[viewBox="0 0 560 350"]').getBoundingClientRect();
      const dots = [...figure.querySelectorAll('[aria-label=dot] > *')].map((dot) => dot.getBoundingClientRect());
      see(dots.length + ' dots ' + dots.every((dot) => dot.bottom < frame.bottom - 30 * frame.height / 350));
      see('ticks ' + figure.querySelectorAll('[aria-label="y-axis tick label"] text').length);
      const data = figure.querySelector('details');
      data.open = true;
      data.dispatchEvent(new Event('toggle'));
      see([...data.querySelectorAll('th, tbody td')].map((cell) => cell.textContent).join(';'));
    }
  )");
  const std::string percent = "\u202f%";  // a narrow space that does not break
  EXPECT_THAT(dom, HasSubstr("<pre>Fault sets that cut off a pair|Fault sets that cut off a pair against"));
  EXPECT_THAT(dom, HasSubstr("|2 dots true|"));
  EXPECT_THAT(dom, Not(HasSubstr("dots false")));
  EXPECT_THAT(
      dom,
      HasSubstr("|Pairs that are cut off|Pairs that are cut off against the number of faults for mesh|"));
  EXPECT_THAT(
      dom, HasSubstr(";Pairs that are cut off;Low;High;mesh;1;9;no;12.5" + percent + ";0" + percent + ";25" +
                     percent + ";mesh;2;9;no;25" + percent + ";0" + percent + ";37.5" + percent));
  EXPECT_THAT(dom, Not(HasSubstr("stay connected")));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
  EXPECT_THAT(play(render_report(records), see_files("resilience")),
              HasSubstr(",Pairs that stay connected [fraction],Low [fraction],High [fraction]/"
                        "mesh,1,9,no,0.875,0.75,1/mesh,2,9,no,0.75,0.625,1/"));
}

/// An answer names all options, also those of the other kind of switching.
TEST_F(Browser, OptionsWithoutEffectAreNotListed) {
  const auto listed = [](std::string_view switching, std::string_view injection, std::string_view control) {
    std::vector<Record> records;
    for (const char* load : {"0.2", "0.4"})
      records.push_back(record_of(
          "simulate", "torus:radix=4x4", "",
          fmt::format(R"("load":{},"switching":"{}","injection":"{}","burst-packets":8,"buffer-flits":16,)"
                      R"("buffer-packets":2,"control-flits":1,"faults":"0","unit":"channel")",
                      load, switching, injection),
          fmt::format(R"({{"offered":{0},"accepted":{0},"saturated":false,"deadlock":false,)"
                      R"("latency":{{"mean":9,"interval":[8,10]}}{1}}})",
                      load, control)));
    return play(render_report(records), "see(document.querySelector('#latency .settings').textContent)");
  };
  const std::string cut_through = listed("vct", "bernoulli", "");
  EXPECT_THAT(cut_through, testing::AllOf(HasSubstr("buffer packets 2"), HasSubstr("injection bernoulli")));
  for (const char* none : {"buffer flits", "burst packets", "control flits", "channel faults"})
    EXPECT_THAT(cut_through, testing::Not(HasSubstr(none)));
  const std::string wormhole = listed("wormhole", "bursty", R"(,"control":{})");
  EXPECT_THAT(wormhole, testing::AllOf(HasSubstr("buffer flits 16"), HasSubstr("burst packets 8"),
                                       HasSubstr("control flits 1")));
  EXPECT_THAT(wormhole, testing::Not(HasSubstr("buffer packets")));
}

}  // namespace
}  // namespace faultline
