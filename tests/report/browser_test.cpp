// SPDX-License-Identifier: Apache-2.0
// Does the page work in a browser? A script appended to it acts as the reader and records what it sees.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/report/report.h"
#include "faultline/topology/kind.h"
#include "report/browser.h"
#include "report/drawing.h"
#include "report/page_records.h"
#include "report/sample_records.h"

namespace faultline {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(Browser, DrawsEverySectionAndFollowsTheReader) {
  const std::string dom = play(render_report(sample_records()), R"(
    const sections = [...document.querySelectorAll('main section')].map((section) => section.id);
    see('sections ' + sections.join(' '));
    see('figures ' + document.querySelectorAll('#latency figure, #resilience figure').length);
    const lit = () => document.querySelectorAll('.channel.lit').length;
    const terminal = (number) => document.querySelector(`.terminal[data-terminal="${number}"]`);
    see('idle ' + lit());
    for (const row of document.querySelectorAll('[aria-label="Packets followed"] tbody tr'))
      see([...row.querySelectorAll('th, td')].map((cell) => cell.textContent).join(';'));
    terminal(5).dispatchEvent(new Event('pointerenter'));
    see('pointed ' + lit());
    terminal(5).dispatchEvent(new Event('pointerleave'));
    see('left ' + lit());
    terminal(0).dispatchEvent(new Event('click'));
    terminal(1).dispatchEvent(new Event('click'));
    see('near ' + lit());
    see(document.querySelector('.status').textContent);
    terminal(0).dispatchEvent(new Event('click'));
    terminal(63).dispatchEvent(new Event('click'));
    see('far ' + lit());
    see(document.querySelector('.status').textContent);
    const key = (name) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: name, bubbles: true}));
    terminal(0).focus();
    key('Escape');
    for (const name of ['Enter', 'ArrowDown', 'ArrowDown', 'Enter']) key(name);
    see('keys ' + document.querySelector('.status').textContent);
    document.querySelectorAll('button').forEach((button) => button.title.startsWith('Download') || button.click());
    // The browser's own event comes after the script: what is made on opening is made here.
    document.querySelectorAll('details').forEach((details) => {
      details.open = true;
      details.dispatchEvent(new Event('toggle'));
    });
    see('tables ' + [...document.querySelectorAll('figure details.data')].every((data) => data.querySelector('tbody tr')));
  )");
  EXPECT_THAT(dom, HasSubstr("sections designs latency resilience critical networks cases"));
  EXPECT_THAT(dom, HasSubstr("figures 8"));
  EXPECT_THAT(dom, HasSubstr(";2;40 (sample);75 %;87.5 %;12.5 %;6.25 %;6.25 %;–;5.25|"));
  // 4-ary 3-tree: up 1 + 4 + 16 channels; down 16 * 3 (not back into the own subtree), 12 * 4 + 4 * 3,
  // and 63.
  EXPECT_THAT(dom, HasSubstr("|idle 0|"));
  EXPECT_THAT(dom, HasSubstr("|pointed 192|"));
  EXPECT_THAT(dom, HasSubstr("|left 0|"));
  EXPECT_THAT(dom, HasSubstr("|near 2|terminal 0 to terminal 1: 1 path across 1 switch, 2 channels.|"));
  // Up 1 + 4 + 16 channels, down by one path from each of 16 roots: 16 + 4 + 1.
  EXPECT_THAT(dom, HasSubstr("|far 42|terminal 0 to terminal 63: 16 paths across 5 switches, 42 channels."));
  EXPECT_THAT(dom, HasSubstr("keys terminal 0 to terminal 2: 1 path across 1 switch, 2 channels."));
  EXPECT_THAT(dom, HasSubstr("|tables true<"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

TEST_F(Browser, ShowsEachVerdictAndDrawsTheDeadlock) {
  const std::string dom = play(render_report(verify_records()), R"(
    const all = (selector, root = document) => [...root.querySelectorAll(selector)];
    see('sections ' + all('main section').map((section) => section.id).join(' '));
    for (const row of all('[aria-label="Verdict on each case"] tbody tr'))
      see(all('th, td', row).map((cell) => cell.textContent).join(';'));
    for (const row of all('[aria-label="Fault sets verified"] tbody tr'))
      see(all('th, td', row).map((cell) => cell.textContent).join(';'));
    for (const figure of all('#verification figure')) {
      see('figure ' + figure.querySelector('h3').textContent + ': ' + all('.wait', figure).length + ' arrows, ' +
          all('tbody tr', figure).length + ' rows');
      for (const packet of all('.packet', figure))
        see('packet ' + all('text', packet).map((text) => text.textContent).join(';'));
    }
    const length = (path) => path.getTotalLength();
    see('drawn ' + all('.wait .shaft').every((path) => length(path) > 20 && length(path) < 200));
  )");
  EXPECT_THAT(dom, HasSubstr("sections verification networks cases"));
  EXPECT_THAT(dom, HasSubstr("|mesh radix=4x4;dimension-order: ring_rule=auto;wormhole;none;✓holds;✓yes;"
                             "✓yes: acyclic dependencies;✓yes: at most 7 switches|"));
  EXPECT_THAT(dom, HasSubstr("|torus radix=4x4;dimension-order: ring_rule=none;wormhole;none;✗refuted;✓yes;"
                             "✗no: 4 packets in deadlock;✓yes: at most 5 switches|"));
  EXPECT_THAT(dom, HasSubstr("|mesh radix=4x4;dimension-order;vct;3 channels, seed 1;✗refuted;"
                             "✗no: 35 pairs unreachable;✓yes: acyclic"));
  EXPECT_THAT(dom, HasSubstr("|fat-tree k=2, n=3;fta;wormhole;none;✗refuted at 2 faults;✓yes;✓yes: acyclic"));
  EXPECT_THAT(dom, HasSubstr("|torus radix=6;shortest-path;wormhole;none;?unproved;✓yes;?unproved;"));
  EXPECT_THAT(dom, HasSubstr("|fat-tree k=2, n=3;fta;wormhole;2 channels;496 (all);32;0;0;"
                             "s0.0[2] → s1.0[0]; s0.0[3] → s1.1[0]|"));
  EXPECT_THAT(dom, HasSubstr("|figure torus radix=4x4 · dimension-order:ring_rule=none: 4 arrows, 0 rows|"
                             "packet 1;s0.0[0] → s1.0[1];terminal 0 → terminal 2|"
                             "packet 2;s1.0[0] → s2.0[1];terminal 1 → terminal 3|"));
  EXPECT_THAT(dom, HasSubstr("|figure torus radix=13 · shortest-path: 0 arrows, 13 rows|"));
  EXPECT_THAT(dom, HasSubstr("|drawn true"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

TEST_F(Browser, TakesRecordsItHasNeverHeardOf) {
  const std::vector<Record> records{
      {"1", "", R"({"verb":"dream","topology":"of:the=future"})", R"({"depth":[1,{"a":2}],"x":null})", 1, "9",
       0},
      {"2", "", R"({"verb":"simulate","topology":"","options":{"load":[1]}})",
       R"({"latency":"slow","accepted":"much"})", 1, "9", 0},
      {"3", "", R"({"verb":"resilience","topology":"ruft:k=2,n=2"})",
       R"({"by_faults":[1,{"faults":1}],"witness":5})", 1, "9", 0},
      {"4", "", R"({"verb":"topology"})", R"({"terminals":"many"})", 1, "9", 0},
      {"5", "", R"({"verb":"verify","options":{"faults":[]}})",
       R"({"holds":"maybe","cycle":[{"channel":1,"waits_for":[0,7,"x"]},5],"by_faults":[{}],"unreachable":[3]})",
       1, "9", 0},
      {"6", "", R"({"verb":"verify"})", R"({"holds":false,"cycle":{},"endless_walk":["a -> b",1]})", 1, "9",
       0}};
  const std::string dom = play(render_report(records), "see(document.querySelector('#other').textContent)");
  EXPECT_THAT(dom, HasSubstr("dream"));
  EXPECT_THAT(dom, HasSubstr("of:the=future"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

/// Two designs with one traffic, one of which deadlocks; a third with another traffic, whose name comes
/// first.
TEST_F(Browser, ADeadlockIsNoThroughputAndMostDesignsAreShownFirst) {
  std::vector<Record> records;
  const auto add = [&](std::string_view routing, std::string_view traffic, double load, bool deadlock) {
    records.push_back(
        {std::to_string(records.size()), "",
         fmt::format(R"({{"verb":"simulate","topology":"torus:radix=4x4","routing":"{}",)"
                     R"("options":{{"load":{},"traffic":"{}"}}}})",
                     routing, load, traffic),
         fmt::format(
             R"({{"offered":{0},"accepted":{0},"saturated":false,"deadlock":{1},"latency":{{"mean":9}}}})",
             load, deadlock),
         1, "9", 0});
  };
  for (const double load : {0.2, 0.4}) add("duato", "tornado", load, false);
  for (const double load : {0.2, 0.4, 0.6}) add("minimal-adaptive", "tornado", load, load > 0.3);
  add("dimension-order", "bit-reversal", 0.2, false);
  records.push_back({"t", "", R"({"verb":"topology","topology":"torus:radix=4x4"})",
                     R"({"terminals":16,"switches":16})", 1, "9", 0});
  const std::string dom = play(render_report(records), R"(
    for (const row of document.querySelectorAll('#designs tbody tr'))
      see([...row.querySelectorAll('th, td')].map((cell) => cell.textContent).join(';'));
  )");
  EXPECT_THAT(dom, HasSubstr(";≥ 0.400;9.0"));
  EXPECT_THAT(dom, HasSubstr(";deadlock at 0.4;9.0"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

std::string page_of(const std::string& data) {
  std::string page = render_report({});
  const std::string opening = "id=\"data\">";
  const std::size_t begin = page.find(opening) + opening.size();
  return page.replace(begin, page.find("</script>", begin) - begin, data);
}

TEST_F(Browser, ASetThatLosesTerminalsTakesThePathsOverIt) {
  const std::string data =
      R"({"title": "t", "date": "", "notes": [], "cases": [], "networks": [{"topology": "x", "terminals": 2,
    "drawing": {"terminals": ["a", "b"], "switches": {"names": ["0", "1"], "columns": [0, 1], "rows": [0, 0]},
      "channels": {"network": 3, "injection": 2, "from": [0, 1, 0, 0, 1, 0, 1], "to": [1, 0, 1, 0, 1, 0, 1]}},
    "routings": [{"name": "r", "paths": {"held": false,
      "rules": [[-1, -1, 3, 0], [0, 0, 0, 0, 2, 0], [1, 0, 6, -1]], "destinations": [[], [0, 1, 2]]}}],
    "watched": {"left_out": 1, "sets": []}, "worst": {"left_out": 2, "sets": [{"unit": "link", "scope": "network", "names": ["one"], "channels": [[0, 1]], "switches": [], "lost": []},
      {"unit": "link", "scope": "network", "names": ["both"], "channels": [[0, 1], [2]], "switches": [], "lost": [1]}]}}]})";
  const std::string dom = play(page_of(data), R"(
    for (const terminal of [0, 1]) document.querySelector(`.terminal[data-terminal="${terminal}"]`).dispatchEvent(new Event('click'));
    const list = document.querySelector('#networks select');
    for (const index of [1, 2, 0]) {
      list.selectedIndex = index;
      list.dispatchEvent(new Event('change'));
      see(document.querySelector('.status').textContent);
    }
    see(document.querySelector('#networks .note').textContent);
  )");
  EXPECT_THAT(dom, HasSubstr("a to b: 1 path left of those without faults, across 2 switches, 3 channels.|"
                             "a to b: none of the routing's paths without faults is left.|"
                             "a to b: 2 paths across 2 switches, 4 channels."));
  EXPECT_THAT(
      dom,
      HasSubstr("7 channels; 2 fault sets of its results are not drawn; the open paths of 1 more pair are "
                "not drawn<"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

TEST_F(Browser, PathsLeaveOutDeadEndsAndMayGoInCircles) {
  // Terminals 0 and 1 at switches 0 and 1; packets to 1 may go back, or to switch 2, which leads nowhere.
  const std::string data =
      R"({"title": "t", "date": "", "notes": [], "cases": [], "networks": [{"topology": "x", "terminals": 2,
    "drawing": {"terminals": ["a", "b"], "switches": {"names": ["0", "1", "2"], "columns": [0, 0, 1], "rows": [0, 1, 0]},
      "channels": {"network": 3, "injection": 2, "from": [0, 1, 0, 0, 1, 0, 1], "to": [1, 0, 2, 0, 1, 0, 1]}},
    "routings": [{"name": "r", "paths": {"held": false,
      "rules": [[-1, -1, 3, 0], [0, 0, 0, 0, 2, 0], [1, 0, 1, 0, 6, -1], [2, 0]], "destinations": [[], [0, 1, 2, 3]]}}]}]})";
  const std::string dom = play(page_of(data), R"(
    for (const terminal of [0, 1]) document.querySelector(`.terminal[data-terminal="${terminal}"]`).dispatchEvent(new Event('click'));
    see(document.querySelector('.status').textContent);
    see([...document.querySelectorAll('.channel')].map((channel, i) => channel.classList.contains('lit') ? i : '').join(''));
  )");
  EXPECT_THAT(dom, HasSubstr("a to b: 4 channels.|0136<"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

TEST_F(Browser, ShowsAPathWithFaultsLegByLeg) {
  const auto set = [](int faults, const char* failed) {
    return Record{failed,
                  "",
                  fmt::format(R"({{"verb":"verify","topology":"torus:radix=4x4",
                      "routing":"methodology:mechanisms=id",
                      "options":{{"faults":"{}","unit":"link","seed":3}}}})",
                              faults),
                  fmt::format(R"({{"failed":[{}],"knowledge":"none","source":"plan"}})", failed),
                  1,
                  "9",
                  0};
  };
  const std::vector<Record> records{
      set(2, R"("s0.0[0] - s1.0[1]","s0.0[2] - s0.1[3]")"),
      set(4, R"("s0.0[0] - s1.0[1]","s3.0[0] - s0.0[1]","s0.0[2] - s0.1[3]","s0.3[2] - s0.0[3]")")};
  const std::string dom = play(render_report(records), R"(
    const all = (selector) => [...document.querySelectorAll(selector)];
    const list = document.querySelector('#networks select');
    see(all('#networks option').map((option) => option.textContent).join(';'));
    const choose = (index) => { list.selectedIndex = index; list.dispatchEvent(new Event('change')); };
    const go = (...terminals) => {
      for (const terminal of terminals) document.querySelector(`.terminal[data-terminal="${terminal}"]`).dispatchEvent(new Event('click'));
      see(document.querySelector('.status').textContent);
      see('legs ' + all('.legs li').slice(1).map((line) => line.textContent).join(';'));
      see(['leg-0', 'leg-last'].map((kind) => all(`.channels .${kind}`).length).join(' and ') + ' channels');
      see('by ' + all('rect.via').map((at) => at.textContent).join());
    };
    choose(1);
    see('cut ' + all('.channels .cut').length + ', ' + document.querySelector('.legs li').textContent);
    go(0, 5);
    see('dead at ' + getComputedStyle(document.querySelector('.channels .cut')).strokeOpacity);
    choose(2);
    see('cut ' + all('.channels .cut').length);
    go(0, 5);
    go(1, 2);
    choose(0);
    see('cut ' + all('.channels .cut, .leg-0, .leg-last, .legs, .via').length);
    see(document.querySelector('.status').textContent);
  )");
  EXPECT_THAT(dom, HasSubstr("no fault;2 failed links (seed 3);4 failed links (seed 3)|"));
  EXPECT_THAT(dom, HasSubstr("|cut 4, failed links: s0.0[0] - s1.0[1]; s0.0[2] - s0.1[3]|"));
  EXPECT_THAT(
      dom, HasSubstr("|terminal 0 to terminal 5: 4 hops in 2 legs.|legs leg 1, to the intermediate switch "));
  EXPECT_THAT(dom, HasSubstr("leg 2, to the destination: "));
  EXPECT_THAT(dom, HasSubstr("|dead at 1|"));
  EXPECT_THAT(
      dom, HasSubstr("|cut 8|terminal 0 to terminal 5: not served: its source knows no path that avoids the "
                     "faults.|legs |0 and 0 channels|by |"));
  EXPECT_THAT(dom,
              HasSubstr("|terminal 1 to terminal 2: 1 hop in 1 leg.|legs to the destination: 1 hop; the only "
                        "path|0 and 3 channels|by |"));
  EXPECT_THAT(dom, HasSubstr("|cut 0|terminal 1 to terminal 2: 1 path across 2 switches, 3 channels."));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

/// A page of one network.
std::string page_of(std::string_view topology, std::size_t terminals, const nlohmann::json& drawing) {
  const nlohmann::json data{{"title", "t"},
                            {"date", ""},
                            {"notes", nlohmann::json::array()},
                            {"cases", nlohmann::json::array()},
                            {"networks",
                             {{{"topology", topology},
                               {"terminals", terminals},
                               {"drawing", drawing},
                               {"routings", {{{"name", "r"}, {"paths", nullptr}}}}}}}};
  std::string page = render_report({});
  const std::string opening = "id=\"data\">";
  const std::size_t begin = page.find(opening) + opening.size();
  return page.replace(begin, page.find("</script>", begin) - begin, data.dump());
}

TEST_F(Browser, NamesSwitchesInADrawingByTheEndsOfTheirNames) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "fat-tree:k=2,n=2"));
  nlohmann::json drawing = report::draw_topology(*topology);
  const std::string see_names =
      "see([...document.querySelectorAll('.names text')].map((name) => name.textContent).join(';') + '|');";
  EXPECT_THAT(play(page_of("fat-tree:k=2,n=2", 4, drawing), see_names), HasSubstr("s0.0;s0.1;s1.0;s1.1|"));
  drawing["switches"]["names"] = {"Brand X leaf", "Brand X # 4036-8C5C and more", "Brand X",
                                  "Brand X S-0008f10500200b50:extended"};
  EXPECT_THAT(play(page_of("fabric:file=f", 4, drawing), see_names),
              HasSubstr("X leaf;… # 4036-8C5C and more;X;…0500200b50:extended|"));
  const TopologyPtr large = build_topology(parse_compact("topology", "fat-tree:k=4,n=3"));
  const std::string crowded = play(page_of("fat-tree:k=4,n=3", 64, report::draw_topology(*large)), see_names);
  EXPECT_THAT(crowded, Not(HasSubstr("s0.0;")));
}

TEST_F(Browser, DrawsTwoGroupsThatFaceEachOther) {
  for (const char* const where : {"mikant:k=2,n=3", "clos-tree:k=2,n=3"}) {
    const TopologyPtr topology = build_topology(parse_compact("topology", where));
    const std::string page = page_of(where, topology->terminal_count(), report::draw_topology(*topology));
    const std::string dom = play(page, R"(
      const middle = (element) => { const box = element.getBoundingClientRect(); return (box.left + box.right) / 2; };
      const switches = [...document.querySelectorAll('.switches > *')].map(middle);
      const side = (element) => {
        const x = middle(element.querySelector('circle') ?? element);
        return x < Math.min(...switches) ? 'L' : x > Math.max(...switches) ? 'R' : 'between';
      };
      see('sides ' + [...document.querySelectorAll('.terminal')]
        .sort((a, b) => a.dataset.terminal - b.dataset.terminal).map(side).join(''));
      see('headings ' + [...document.querySelectorAll('.heading')].map((text) => text.textContent).join(','));
    )");
    EXPECT_THAT(dom, HasSubstr("sides LLLLLLLLRRRRRRRR|headings group 0,level 0,level 1,"));
    EXPECT_THAT(dom, HasSubstr("level 1,level 0,group 1"));
    EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
  }
}

/// Files that a topology names are opened only on request: until then nobody knows their terminals.
TEST_F(Browser, TheFirstLineNamesSizesOnlyWhereAllAreKnown) {
  const auto first_line = [&](const std::vector<Record>& records) {
    return play(render_report(records), "see(document.querySelector('.lead').textContent + '|');");
  };
  const Record mesh = record_of("topology", "mesh:radix=4x4,terminals_per_switch=1", "", "", "{}");
  EXPECT_THAT(first_line({mesh}), HasSubstr("mesh at 16 terminals|"));
  EXPECT_THAT(first_line({mesh, record_of("topology", "fabric:file=/none", "", "", "{}")}),
              HasSubstr("2 designs|"));
}

TEST_F(Browser, AnEmptyFileSaysWhatToDo) {
  const std::string dom = play(render_report({}), "see(document.querySelector('.notice').textContent)");
  EXPECT_THAT(dom, HasSubstr("faultline study FILE.toml"));
  EXPECT_EQ(dom.find("ERROR"), std::string::npos) << dom;
}

}  // namespace
}  // namespace faultline
