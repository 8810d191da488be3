// SPDX-License-Identifier: Apache-2.0
// Does the page contain what a reader needs?
#include "faultline/report/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "faultline/base/error.h"
#include "faultline/base/file.h"
#include "faultline/base/version.h"
#include "faultline/topology/kind.h"
#include "report/cases.h"
#include "report/sample_records.h"
#include "support/effort.h"
#include "support/samples.h"
#include "support/small_fabric.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using nlohmann::json;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

Record record(std::string case_text, std::string result_text, std::string study = "a study") {
  return {"cafe",
          std::move(study),
          std::move(case_text),
          std::move(result_text),
          1,
          "0.1.0",
          0.5,
          std::string(results_generation)};
}

/// The data as a browser finds it: the text of the element, up to the first closing tag.
json data_of(const std::string& page) {
  const std::string opening = R"(<script type="application/json" id="data">)";
  const std::size_t begin = page.find(opening) + opening.size();
  return json::parse(page.substr(begin, page.find("</script", begin) - begin));
}

json data_of(const Record& one) { return data_of(render_report(std::span(&one, 1))); }

TEST(Report, EmptyResultsSayWhatToDo) {
  const json data = data_of(render_report({}));
  EXPECT_THAT(data.at("notes").dump(), HasSubstr("faultline study FILE.toml"));
  EXPECT_EQ(data.at("cases").size(), 0U);
}

TEST(Report, ACaseThatWasComputedAgainIsShownOnce) {
  const std::string text = R"({"verb":"verify","topology":"mesh:radix=2","routing":"tables","options":{}})";
  const std::vector<Record> records{record(text, R"({"holds":true})"), record(text, R"({"holds":false})")};
  const json data = data_of(render_report(records));
  ASSERT_EQ(data.at("cases").size(), 1U);
  EXPECT_EQ(data.at("cases").at(0).at("result").at("holds"), false);
  EXPECT_THAT(data.at("notes").dump(), HasSubstr("1 older record is left out"));
}

TEST(Report, ListsTheCasesThatFailed) {
  EXPECT_TRUE(data_of(render_report({})).at("failures").is_null());
  std::vector<std::string> failures{"simulate mesh: deadlock", "a<b", "simulate mesh: deadlock"};
  const json two = data_of(render_report({}, {.failures = failures})).at("failures");
  EXPECT_EQ(two.at("text"), "3 cases failed when the study last ran:");
  EXPECT_EQ(two.at("items"), json({"a<b", "simulate mesh: deadlock (2 cases)"}));
  for (int i = 0; i < 20; ++i) failures.push_back(std::to_string(i));
  const json many = data_of(render_report({}, {.failures = failures})).at("failures");
  EXPECT_EQ(many.at("text"), "23 cases failed when the study last ran:");
  ASSERT_EQ(many.at("items").size(), 11U);
  EXPECT_EQ(many.at("items").back(), "and 12 other messages, which “faultline study” prints");
}

TEST(Report, TitleIsTheStudiesEachOnce) {
  const std::vector<Record> records{record("{}", "{}", "one"), record("{}", "{}", "two"),
                                    record("{}", "{}", "one")};
  EXPECT_EQ(data_of(render_report(records)).at("title"), "one · two");
  EXPECT_EQ(data_of(render_report(records, {.title = "mine", .date = "today"})).at("title"), "mine");
}

TEST(Report, NothingInARecordEscapesItsElement) {
  const std::string hostile = "</script><script>alert(1)</script><!-- \xE2\x80\xA8 ]]> & \" ' \\";
  const Record one{hostile,
                   hostile,
                   json{{"verb", hostile}, {"topology", hostile}}.dump(),
                   json{{hostile, hostile}}.dump(),
                   1,
                   hostile,
                   0};
  const std::string page = render_report(std::span(&one, 1));
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("<title>&lt;/script&gt;"), std::string::npos);
  const json data = data_of(page);
  EXPECT_EQ(data.at("title"), hostile);
  EXPECT_EQ(data.at("cases").at(0).at("result").at(hostile), hostile);
  const std::string plain = render_report({});
  const auto count = [](const std::string& text, std::string_view tag) {
    std::size_t found = 0;
    for (std::size_t at = text.find(tag); at != std::string::npos; at = text.find(tag, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count(page, "<script"), count(plain, "<script"));
  EXPECT_EQ(count(page, "</script"), count(plain, "</script"));
}

TEST(Report, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_THAT(data_of(record("{}", "{}", "a\xff")).at("title"), HasSubstr("\xEF\xBF\xBD"));
}

TEST(Report, MarksInTheDataAreNotReplaced) {
  EXPECT_EQ(data_of(record("{}", "{}", "<!--faultline:data-->")).at("title"), "<!--faultline:data-->");
}

TEST(Report, RubbishRecordsAreCountedAndLeftOut) {
  const std::vector<Record> records{
      record("", ""),
      record("{}", "no json"),
      record("[1]", "{}"),
      record("{}", "3"),
      record("{}", "\xff"),
      record(std::string(100000, '['), "{}"),
      record("{}", "{\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}"),
      record(R"({"verb":"simulate"})", R"({"accepted":0.5})")};
  const json data = data_of(render_report(records));
  EXPECT_THAT(data.at("notes").dump(), HasSubstr("7 of the records could not be read"));
  ASSERT_EQ(data.at("cases").size(), 1U);
  EXPECT_EQ(data.at("cases").at(0).at("result").at("accepted"), 0.5);
}

TEST(Report, KeysOfTheWrongTypeReadAsAbsent) {
  const json one = data_of(record(R"({"verb":7,"topology":[],"options":"x"})", R"({"terminals":"many"})"))
                       .at("cases")
                       .at(0);
  EXPECT_EQ(one.at("verb"), "");
  EXPECT_EQ(one.at("topology"), "");
  EXPECT_EQ(one.at("options"), json::object());
  EXPECT_EQ(one.at("seed"), "1");
}

/// A JavaScript number holds only 53 bits.
TEST(Report, OptionsThatAreLargerThanAJavaScriptNumberAreTexts) {
  const json options = data_of(record(R"({"verb":"simulate","options":{"seed":18446744073709551615,)"
                                      R"("low":-9007199254740993,"list":[1,9007199254740993],)"
                                      R"("exact":9007199254740992,"real":1e300,"flag":true}})",
                                      "{}"))
                           .at("cases")
                           .at(0)
                           .at("options");
  EXPECT_EQ(options.at("seed"), "18446744073709551615");
  EXPECT_EQ(options.at("low"), "-9007199254740993");
  EXPECT_EQ(options.at("list"), (json{1, "9007199254740993"}));
  EXPECT_EQ(options.at("exact"), 9007199254740992U);
  EXPECT_EQ(options.at("real"), 1e300);
  EXPECT_EQ(options.at("flag"), true);
}

TEST(Report, AListOfResultsIsAListOfCases) {
  const json data = data_of(record(R"({"verb":"simulate"})", R"([{"accepted":0.1},{"accepted":0.2},3])"));
  ASSERT_EQ(data.at("cases").size(), 2U);
  EXPECT_EQ(data.at("cases").at(1).at("result").at("accepted"), 0.2);
}

TEST(Report, NetworksThatCannotBeDrawnSayWhy) {
  const auto skipped = [](const std::string& topology, const std::string& result) {
    const json described{{"verb", "topology"}, {"topology", topology}};
    return data_of(record(described.dump(), result)).at("networks").at(0).value("skipped", "");
  };
  EXPECT_THAT(skipped("no-such-thing:k=4", "{}"), HasSubstr("cannot be built"));
  EXPECT_THAT(skipped("fat-tree:k=1,n=3", "{}"), HasSubstr("must be an integer from 2 to 128"));
  EXPECT_THAT(skipped("fat-tree:k=8,n=3", "{}"), HasSubstr("it has 512 terminals"));
  EXPECT_THAT(skipped("of-the-future:k=1", R"({"terminals":4096})"), HasSubstr("it has 4096 terminals"));
  EXPECT_EQ(skipped("fat-tree:k=4,n=3", "{}"), "");
}

/// A network described by a file, and a result that says what the file held.
Record of_a_file(const std::string& path, const std::string& hash) {
  const json described{{"verb", "topology"}, {"topology", "fabric:file=" + path}, {"routing", "up-down"}};
  return record(described.dump(), json{{"inputs", {{{"file", path}, {"hash", hash}}}}}.dump());
}

TEST(Report, OpensNoFileThatARecordNamesUnlessToldToAndThenOnlyAsItWas) {
  const TemporaryFolder folder;
  const std::string path = folder.file("dump", small_dump);
  const Record honest = of_a_file(path, content_hash(small_dump)), tampered = of_a_file(path, "cafe");
  const auto network = [](const Record& one, bool opens_files) {
    return data_of(render_report(std::span(&one, 1), {.opens_files = opens_files})).at("networks").at(0);
  };
  EXPECT_THAT(network(honest, false).value("skipped", ""), HasSubstr("--open-files draws it"));
  EXPECT_TRUE(network(honest, true).contains("drawing"));
  EXPECT_THAT(network(tampered, true).value("skipped", ""),
              testing::AllOf(HasSubstr("may have changed"), HasSubstr("is not opened")));
}

TEST(Report, BuildsNoHugeNetworkWhateverARecordSays) {
  const Record one = record(R"({"verb":"topology","topology":"fat-tree:k=2,n=20"})", R"({"terminals":4})");
  EXPECT_THAT(data_of(one).at("networks").at(0).value("skipped", ""), HasSubstr("it has 1048576 terminals"));
  for (const TopologyKind* kind : topology_kinds())
    for (const Description& sample : samples_of(kind->info, "topology")) {
      const Resolved<TopologyKind> resolved(sample);
      const auto terminals = kind->terminals(resolved.parameters());
      const auto reads_file = [](const FieldInfo& field) { return field.rule.is_file; };
      EXPECT_TRUE(terminals || std::ranges::any_of(kind->info.fields(), reads_file))
          << kind->info.name << " must be able to say how large it is";
      if (!terminals) continue;
      EXPECT_EQ(*terminals, build_topology(resolved)->terminal_count()) << to_compact(sample);
    }
}

TEST(Report, StatesItsLimits) {
  const std::vector<Record> records{record(R"({"verb":"topology","topology":"ruft:k=2,n=2"})", "{}"),
                                    record(R"({"verb":"topology","topology":"ruft:k=2,n=3"})", "{}"),
                                    record(R"({"verb":"topology","topology":"ruft:k=4,n=2"})", "{}")};
  const json data = data_of(render_report(records, {.drawn_networks = 1, .shown_cases = 2}));
  EXPECT_EQ(data.at("cases").size(), 2U);
  EXPECT_THAT(data.at("notes").dump(), HasSubstr("2 cases are shown; 1 more"));
  EXPECT_TRUE(data.at("networks").at(0).contains("drawing"));
  EXPECT_THAT(data.at("networks").at(1).value("skipped", ""), HasSubstr("only 1 network is drawn"));
  const Record switches =
      record(R"({"verb":"topology","topology":"switch-clique:switches=9,terminals=3"})", "{}");
  const auto drawn = [&](std::size_t channels) {
    return data_of(render_report(std::span(&switches, 1), {.drawn_channels = channels})).at("networks").at(0);
  };
  EXPECT_EQ(drawn(83).value("skipped", ""), "it has 84 channels; networks of up to 83 are drawn");
  EXPECT_TRUE(drawn(84).contains("drawing"));
  std::map<std::string, int> terminals;  // pages compare networks of one size
  for (const json& network : data.at("networks"))
    if (network.contains("skipped")) terminals[network.value("topology", "")] = network.value("terminals", 0);
  EXPECT_THAT(terminals, testing::AnyOf(testing::Contains(testing::Pair(HasSubstr("k=2,n=3"), 8)),
                                        testing::Contains(testing::Pair(HasSubstr("k=4,n=2"), 16))));
}

TEST(Report, OneCaseIsShownAndOneIsNot) {
  const std::vector<Record> records{record(R"({"verb":"topology","topology":"ruft:k=2,n=2"})", "{}"),
                                    record(R"({"verb":"topology","topology":"ruft:k=2,n=3"})", "{}")};
  EXPECT_THAT(data_of(render_report(records, {.shown_cases = 1})).at("notes").dump(),
              HasSubstr("1 case is shown; 1 more is in the results file."));
}

TEST(Report, TheSizeOfANetworkThatIsLeftOutIsToldWithoutBuildingOrOpeningIt) {
  const auto left_out = [](const std::string& topology) {
    const json described{{"verb", "simulate"}, {"topology", topology}};
    const Record one = record(described.dump(), "{}");
    return data_of(render_report(std::span(&one, 1), {.drawn_networks = 0})).at("networks").at(0);
  };
  EXPECT_EQ(left_out("fat-tree:k=2,n=20").value("terminals", 0), 1048576);
  EXPECT_FALSE(left_out("fabric:file=/no/such/file").contains("terminals"));
  EXPECT_FALSE(left_out("no-such-thing:k=4").contains("terminals"));
}

/// The data as it stands in the page, byte by byte.
std::size_t data_bytes(const std::string& page) {
  const std::string opening = R"(<script type="application/json" id="data">)";
  const std::size_t begin = page.find(opening) + opening.size();
  return page.find("</script", begin) - begin;
}

TEST(Report, APageThatNoBrowserCouldReadIsRefused) {
  const std::vector<Record> records{
      record(R"({"verb":"topology","topology":"ruft:k=2,n=2"})", R"({"text":"<<<<"})")};
  const std::size_t bytes = data_bytes(render_report(records));
  EXPECT_EQ(data_bytes(render_report(records, {.data_bytes = bytes})), bytes);
  EXPECT_THAT([&] { (void)render_report(records, {.data_bytes = bytes - 1}); },
              ThrowsMessage<Error>(
                  testing::AllOf(HasSubstr(fmt::format("{} bytes", bytes)), HasSubstr("the study's parts"))));
}

/// Before anything is made of them: of cases that are not shown, nothing is.
TEST(Report, CasesAreCountedBeforeTheyFillTheMemory) {
  const std::vector<Record> records{record(R"({"verb":"a"})", R"({"x":"1234567890"})"),
                                    record(R"({"verb":"b"})", R"({"x":"1234567890"})")};
  const std::size_t each = records[0].case_text.size() + records[0].result_text.size();
  EXPECT_EQ(report::read_cases(records, 2, 2 * each).readable.size(), 2U);
  EXPECT_EQ(report::read_cases(records, 1, each).left_out, 1U);
  EXPECT_THROW((void)report::read_cases(records, 2, 2 * each - 1), Error);
}

TEST(Report, SaysWhereGenerationsMix) {
  std::vector<Record> records{record("{}", "{}"), record(R"({"verb":"verify"})", "{}")};
  EXPECT_THAT(data_of(render_report(records)).at("notes").dump(), Not(HasSubstr("generation")));
  records[1].generation = "";
  const std::string notes = data_of(render_report(records)).at("notes").dump();
  EXPECT_THAT(notes, HasSubstr("are of several: 1 of an older program that wrote no generation"));
  records[0].generation = records[1].generation = "0";
  EXPECT_THAT(data_of(render_report(records)).at("notes").dump(),
              HasSubstr("are of another one: 2 of generation 0"));
}

TEST(Report, ARoutingThatDoesNotFitLeavesTheDrawingWithoutPaths) {
  const json network =
      data_of(record(R"({"verb":"simulate","topology":"ruft:k=2,n=2","routing":"fta"})", "{}"))
          .at("networks")
          .at(0);
  EXPECT_TRUE(network.contains("drawing"));
  EXPECT_EQ(network.at("routings"), json::array());
}

/// The fault sets drawn for one case.
json failed_of(const std::string& described, const json& result) {
  return data_of(record(described, result.dump())).at("networks").at(0).at("failed").at("sets");
}

TEST(Report, AWitnessIsDrawnWithItsDeadChannels) {
  const std::string described = R"({"verb":"resilience","topology":"fat-tree:k=2,n=2","routing":"fta"})";
  json result{
      {"unit", "link"}, {"scope", "network"}, {"witness", {"s0.0[2] - s1.0[0]"}}, {"witness_pair", "a -> b"}};
  const json drawn = failed_of(described, result);
  ASSERT_EQ(drawn.size(), 1U) << drawn;
  EXPECT_EQ(drawn.at(0).at("pair"), "a -> b");
  EXPECT_EQ(drawn.at(0).at("origin"), "smallest cut");
  EXPECT_THAT(drawn.at(0).at("channels").get<std::vector<int>>(), ElementsAreArray({0, 1}));
  EXPECT_TRUE(drawn.at(0).contains("pairs"));
  result["knowledge"] = "some";
  EXPECT_FALSE(failed_of(described, result).at(0).contains("pairs"));
  result["witness"] = {"no such link"};
  EXPECT_EQ(failed_of(described, result), json::array());
  result["witness"] = {1};
  EXPECT_EQ(failed_of(described, result), json::array());
  result["unit"] = "rope";
  EXPECT_EQ(failed_of(described, result), json::array());
}

TEST(Report, AFaultSetIsDrawnOnceWhateverElseItsCasesAsk) {
  std::vector<Record> records;
  for (const char* load : {"0.1", "0.2"})
    records.push_back({load, "",
                       fmt::format(R"({{"verb":"simulate","topology":"fat-tree:k=2,n=2","routing":"fta",
        "options":{{"load":{},"faults":"/tmp/dead.txt","unit":"link"}}}})",
                                   load),
                       R"({"failed":["s0.0[2] - s1.0[0]"],"knowledge":"all","source":"any"})", 1, "9", 0});
  const json failed = data_of(render_report(records)).at("networks").at(0).at("failed");
  ASSERT_EQ(failed.at("sets").size(), 1U) << failed;
  EXPECT_EQ(failed.at("sets").at(0).at("origin"), "dead.txt");
  EXPECT_EQ(failed.at("left_out"), 0);
}

TEST(Report, TheOrderInWhichCasesWereFinishedIsOfNoAccount) {
  std::vector<Record> records = thinned(sample_records(), 8);
  const std::string page = render_report(records);
  std::ranges::reverse(records);
  EXPECT_EQ(data_of(render_report(records)), data_of(page));
}

TEST(Report, EveryDesignOfAStudyIsDrawn) {
  const std::vector<Record> records = sample_records();
  const std::string page = render_report(records, {.date = "1 January 2030"});
  if (const char* path = std::getenv("FAULTLINE_SAMPLE_REPORT"))
    write_file(path, page, "FAULTLINE_SAMPLE_REPORT");  // to look at
  const json data = data_of(page);
  EXPECT_EQ(data.at("cases").size(), records.size());
  ASSERT_EQ(data.at("networks").size(), 10U);
  for (const json& network : data.at("networks"))
    EXPECT_EQ(network.contains("drawing"), network.at("terminals") == 64) << network.at("topology");
}

TEST(Report, ABrowserMayLoadNothing) {
  const std::string page = render_report({});
  EXPECT_NE(page.find("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"),
            std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
  EXPECT_EQ(page.find(" src="), std::string::npos);
}

}  // namespace
}  // namespace faultline
