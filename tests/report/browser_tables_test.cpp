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

TEST_F(Browser, ATableOfThousandsOfRowsShowsTheFirst) {
  std::string results = "[";
  for (int i = 0; i < 5001; ++i) results += fmt::format(R"({}{{"x":{}}})", i == 0 ? "" : ",", i);
  const std::vector<Record> records{record_of("dream", "", "", "", results + "]")};
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

}  // namespace
}  // namespace faultline
