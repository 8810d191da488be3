// SPDX-License-Identifier: Apache-2.0
// Does the page say what the command line says of its figures: too short, unproved, not counted, how certain?
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

/// One load of a design.
Record run_of(std::string_view topology, double load, int latency, std::string_view more) {
  return record_of("simulate", topology, "", fmt::format(R"("load":{})", load),
                   fmt::format(R"({{"offered":{0},"accepted":{0},"saturated":false,"deadlock":false,)"
                               R"("latency":{{"mean":{1},"interval":[{1},null]}}{2}}})",
                               load, latency, more));
}

constexpr const char* few =
    R"(,"too_short":true,"notes":["too short: means over 320 of 5000 cycles are still correlated"])";

/// Opens the tables of figures and of the cases.
constexpr const char* open_tables = R"(
    for (const details of document.querySelectorAll('figure details.data, #cases details')) {
      details.open = true;
      details.dispatchEvent(new Event('toggle'));
    }
)";

TEST_F(Browser, ARunThatIsTooShortIsMarked) {
  const std::vector<Record> records{
      run_of("mesh:radix=4x4", 0.2, 9, few), run_of("mesh:radix=4x4", 0.4, 12, R"(,"too_short":false)"),
      run_of("torus:radix=4x4", 0.2, 9, ""), run_of("torus:radix=4x4", 0.4, 12, R"(,"too_short":true)")};
  const std::string dom = play(render_report(records), open_tables + std::string(R"(
    window.Blob = class { constructor(parts) { see('CSV ' + parts.join('')); } };
    URL.createObjectURL = () => '';
    HTMLAnchorElement.prototype.click = () => {};
    document.querySelector('#designs [title^=Download]').click();
    const text = (selector) => document.querySelector(selector).textContent;
    see('rings ' + document.querySelectorAll('#latency svg g[stroke-dasharray="2 2"] circle').length);
    see('legend ' + text('#latency .intro').includes('Dashed rings: the run is too short'));
    see(text('#latency .notes'));
  )") + see_rows("#designs") + see_rows("#latency") + see_rows("#cases"));
  EXPECT_THAT(dom, HasSubstr("rings 2|legend true|Notes on 2 of 4 cases"
                             "mesh at 0.2: too short: means over 320 of 5000 cycles are still correlated"
                             "torus at 0.4: too short: the intervals may be too narrow|"));
  EXPECT_THAT(dom, HasSubstr("CSV Design,Terminals,Saturation throughput [flits/cycle/terminal],"
                             "Saturation throughput: remark,Saturation throughput reached,Packets dropped,"
                             "Lowest load with a deadlock [flits/cycle/terminal],Base latency [cycles],"
                             "Base latency: remark"));
  EXPECT_THAT(dom, HasSubstr("mesh,16,0.4,,no,no,,9,run too short"));
  EXPECT_THAT(dom, HasSubstr("torus,16,0.4,run too short,no,no,,9,"));
  EXPECT_THAT(dom, HasSubstr("mesh;16;≥ 0.400;9.0run too short|torus;16;≥ 0.400run too short;9.0|"));
  EXPECT_THAT(
      dom, HasSubstr("|mesh;mesh:radix=4x4;0.2;0.2000;no;yes;0;9.0;9.0;∞;–;–;–;too short: means over 320 "));
  EXPECT_THAT(dom, HasSubstr("|mesh;mesh:radix=4x4;0.4;0.4000;no;no;0;12.0;12.0;∞;–;–;–;–|"));
  EXPECT_THAT(dom, HasSubstr(";too short: the intervals may be too narrow<"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

TEST_F(Browser, WithoutNotesThereIsNoPlaceForThem) {
  const std::vector<Record> records{run_of("mesh:radix=4x4", 0.2, 9, R"(,"too_short":false)")};
  const std::string dom = play(render_report(records), open_tables + std::string(R"(
    see('rings ' + document.querySelectorAll('#latency svg g[stroke-dasharray="2 2"] circle').length);
    see('notes ' + document.querySelectorAll('.notes').length);
    see([...document.querySelectorAll('th[scope=col]')].map((header) => header.textContent).join(';'));
  )"));
  EXPECT_THAT(dom, HasSubstr("rings 0|notes 0|"));
  EXPECT_THAT(dom, Not(HasSubstr("Notes")));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

/// What the command line says below the figures of a run.
TEST_F(Browser, NotesOfARunAreBelowItsFigure) {
  const std::vector<Record> records{run_of(
      "mesh:radix=4x4", 0.2, 9,
      R"(,"unproved":"a cycle","starvation":{"starved_sources":2,"starved":["terminal 3","terminal 4"]},)"
      R"("cut_off":["terminal 1","terminal 2"],"notes":["no failure was drawn"],)"
      R"("saturation":{"load":0.5,"sustained_load":0.49,"settled":false,"runs":[]})")};
  const std::string dom =
      play(render_report(records),
           "for (const note of document.querySelectorAll('#latency .notes li')) see(note.textContent);");
  EXPECT_THAT(dom, HasSubstr("<pre>mesh at 0.2: no failure was drawn|"
                             "mesh at 0.2: not proved free of deadlock: a cycle|"
                             "mesh at 0.2: 2 sources sent nothing while measuring, such as terminal 3|"
                             "mesh at 0.2: cut off from most others at the end: terminal 1 and terminal 2|"
                             "mesh at 0.2: saturates between loads 0.49 and 0.5|"
                             "mesh at 0.2: these loads still changed by more than 3 % when runs became four "
                             "times as long</pre>"));
}

/// As the command line qualifies them.
TEST_F(Browser, LoadsOfASearchThatMeanLittleAreNotGivenAlone) {
  const auto searched = [](std::string_view topology, int delivered, std::string_view remark) {
    return run_of(topology, 0.2, 9,
                  fmt::format(R"(,"delivered":{},"saturation":{{"load":null,"sustained_load":1.0,)"
                              R"("settled":true,"runs":[],"remark":"{}"}})",
                              delivered, remark));
  };
  const std::vector<Record> records{searched("mesh:radix=4x4", 5, "too much"),
                                    searched("torus:radix=4x4", 0, "nothing is delivered")};
  const std::string dom =
      play(render_report(records),
           "for (const note of document.querySelectorAll('#latency .notes li')) see(note.textContent);");
  EXPECT_THAT(dom, HasSubstr("<pre>mesh at 0.2: not saturated at 1 flits/cycle/terminal, the most that "
                             "terminals can send|mesh at 0.2: too much|torus at 0.2: nothing is "
                             "delivered</pre>"));
}

TEST_F(Browser, NotesOfResilienceAndVerificationAreShown) {
  const std::vector<Record> records{
      record_of("resilience", "mesh:radix=4x4", "", R"("interval-width":0.1)",
                R"({"unit":"link","scope":"network","pairs_lost_without_faults":4,"most_virtual_channels":2,)"
                R"("by_faults":[{"faults":1,"sets":12,"intolerable_fraction":0.5,)"
                R"("intolerable_interval":[0.25,0.75],"not_counted":"it would take too long"}],)"
                R"("reliability":{"classes":[],"sets":9,"method":"sampled","availability":0.5,)"
                R"("unavailability":0.5}})"),
      record_of("verify", "mesh:radix=4x4", "", R"("faults":"3")",
                R"({"holds":true,"connected":true,"cut_off_pairs":30})"),
      record_of("verify", "torus:radix=4x4", "", "", R"({"holds":true,"connected":true})")};
  const std::string dom =
      play(render_report(records),
           "for (const note of document.querySelectorAll('#resilience .notes li')) see(note.textContent);" +
               see_rows("#verification") + see_rows("#reliability"));
  for (const char* note :
       {"<pre>mesh: 4 ordered pairs disconnected without any fault; the other figures count them too",
        "|mesh: any path serves; not examined: whether 2 virtual channels suffice for all|",
        "|mesh: 1 fault: sampled, not counted: it would take too long|",
        "|mesh: 1 fault: too few sets for an interval narrower than 0.1|",
        "|mesh: mean up time unknown: too few of the sets tell when a pair is disconnected|",
        ";✓yes, but 30 pairs cut off;–;–;30 pairs with a terminal all of whose injection or ejection "
        "channels are dead: no "
        "routing could serve them|",
        ";✓yes;–;–;–|", ";sampled: 9 fault sets;4 ordered pairs disconnected"})
    EXPECT_THAT(dom, HasSubstr(note));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

/// Of fault sets that were drawn from more.
TEST_F(Browser, WhatWasVerifiedOfDrawnSetsHasItsInterval) {
  const auto verified = [](std::string_view topology, bool exhaustive) {
    return record_of(
        "verify", topology, "", "",
        fmt::format(R"({{"holds":false,"by_faults":[{{"faults":2,"sets":50,"exhaustive":{},)"
                    R"("disconnected_sets":5,"disconnected_interval":[0.0625,0.25],)"
                    R"("not_deadlock_free_sets":0,"not_deadlock_free_interval":[0,0.03125]}}]}})",
                    exhaustive));
  };
  const std::string dom =
      play(render_report({{verified("mesh:radix=4x4", true), verified("torus:radix=4x4", false)}}),
           see_rows(R"([aria-label="Fault sets verified"])"));
  const std::string percent = "\u202f%";  // a narrow space that does not break
  EXPECT_THAT(dom, HasSubstr(";50 (all);5;0;–;–|"));
  EXPECT_THAT(dom, HasSubstr(";50 (sample);5;0;6.25" + percent + " to 25" + percent + ";0" + percent +
                             " to 3.13" + percent + "<"));
}

TEST_F(Browser, FiguresOfReliabilityHaveTheirIntervals) {
  const auto answer = [](std::string_view figures) {
    return fmt::format(
        R"({{"unit":"link","scope":"network","reliability":{{"classes":[],"sets":10000,"method":"sampled",{}}}}})",
        figures);
  };
  const std::vector<Record> records{
      record_of("resilience", "fat-tree:k=4,n=2", "", "",
                answer(R"("mean_hours_to_intolerable":57118.7,)"
                       R"("mean_hours_to_intolerable_interval":[56533.8,57703.5])")),
      record_of("resilience", "mesh:radix=4x4", "", "",
                answer(R"("availability":0.75,"unavailability":0.25,"unavailability_interval":[0.125,0.375],)"
                       R"("disconnected_pairs":0.0625,"disconnected_pairs_interval":[0.03125,0.125],)"
                       R"("mean_up_hours":50,"mean_up_hours_interval":[25,null])"))};
  const std::string dom = play(render_report(records), see_rows("#reliability") + R"(
    see([...document.querySelectorAll('#reliability th[scope=col] span')].map((label) => label.textContent).join(';'));
  )");
  EXPECT_THAT(dom, HasSubstr("Some pair disconnected;Low;High;Disconnected pairs;Low;High;"
                             "Mean time to failure;Low;High;Mean up time;Low;High;Method<"));
  EXPECT_THAT(dom, HasSubstr(";–;–;–;–;–;–;57,120;56,530;57,700;–;–;–;sampled: 10,000 histories|"));
  EXPECT_THAT(dom,
              HasSubstr(";0.25;0.125;0.375;0.0625;0.0313;0.125;–;–;–;50;25;∞;sampled: 10,000 fault sets|"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

}  // namespace
}  // namespace faultline
