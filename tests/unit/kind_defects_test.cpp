// SPDX-License-Identifier: Apache-2.0
// Kinds that do not keep what their headers ask of them are refused where they are built, with a message that
// names them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <exception>

#include "describe/catalogue.h"
#include "faultline/faultline.h"

namespace faultline {
namespace {

using testing::HasSubstr;

/// The message with which `work` fails.
std::string failure(const auto& work) {
  try {
    work();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no failure";
}

/// A kind that no catalogue knows.
template <class Kind>
Resolved<Kind> of(const Kind& kind, std::string_view field = {}, std::string_view value = {}) {
  Description given = parse_compact("own", std::string(kind.info.name));
  if (!field.empty()) given = parse_compact("own", fmt::format("{}:{}={}", kind.info.name, field, value));
  return Named(kind, std::move(given));
}

TopologyPtr square_torus() { return build_topology(parse_compact("topology", "torus:radix=3x3")); }

struct OneSwitch {
  std::uint32_t terminals = 0;
  static void fields(auto& field) {
    field("terminals", &OneSwitch::terminals, between(0, 3'000'000), "on the switch");
  }
  static std::vector<OneSwitch> samples() { return {}; }
  [[nodiscard]] std::uint64_t terminal_total() const { return terminals == 3 ? 4 : terminals; }
  [[nodiscard]] Topology build(const std::string& name) const {
    TopologyBuilder builder;
    const SwitchId at = builder.add_switch({});
    for (std::uint32_t i = 0; i < terminals; ++i) builder.attach(builder.add_terminal(), {at, i});
    return std::move(builder).build(name, "up-down");
  }
};
constexpr TopologyKind one_switch = topology_kind<OneSwitch>("one-switch", "a switch", "this test");

/// As where a copied file keeps the name of what it was copied from.
TEST(KindDefects, NamesAreThoseOfFiles) {
  const TopologyKind* const kinds[] = {&one_switch};
  EXPECT_TRUE(require_names_of_files(kinds, {"one_switch"}, "kinds"));
  EXPECT_THAT(
      failure([&] { (void)require_names_of_files(kinds, {"two_switches"}, "kinds"); }),
      HasSubstr("kinds/two_switches.cpp defines a kind named 'one-switch'; it must be 'two-switches'"));
}

/// A misspelt one would be found by the first simulation that relies on it.
TEST(KindDefects, RoutingsNameSelectionFunctionsThatExist) {
  const std::vector<std::string_view> known = names_of(&infos_of<SelectionKind>);
  for (const RoutingKind* routing : routing_kinds())
    EXPECT_THAT(known, testing::Contains(routing->selection)) << routing->info.name;
}

TEST(KindDefects, OfATopology) {
  const auto build = [](const char* terminals) {
    return failure([&] { (void)build_topology(of(one_switch, "terminals", terminals)); });
  };
  EXPECT_EQ(build("2"), "no failure");
  EXPECT_THAT(build("0"), HasSubstr("must have a terminal"));
  EXPECT_THAT(build("3"), HasSubstr("one-switch:terminals=3: has 3 terminals; its terminal_total() says 4"));
  EXPECT_THAT(build("1048577"), HasSubstr("must have at most 1048576 terminals; it has 1048577"));
}

struct NoRouting {
  static void fields(auto&) {}
  static std::vector<NoRouting> samples() { return {}; }
  [[nodiscard]] Topology build(const std::string& name) const {
    TopologyBuilder builder;
    builder.attach(builder.add_terminal(), {builder.add_switch({}), 0});
    return std::move(builder).build(name, "up-dwon");
  }
};
constexpr TopologyKind no_routing = topology_kind<NoRouting>("no-routing", "misspelt", "this test");

TEST(KindDefects, OfADefaultRouting) {
  EXPECT_EQ(
      failure([] { (void)build_healthy_relation(build_topology(of(no_routing)), {}, Switching::wormhole); }),
      "no-routing: names the default routing 'up-dwon', which is no routing");
}

struct Chords {
  std::vector<std::uint32_t> chords;
  static void fields(auto& field) { field("chords", &Chords::chords, between(2, 9), "lengths"); }
  static std::vector<Chords> samples() { return {}; }
  [[nodiscard]] Topology build(const std::string& name) const {
    return OneSwitch{.terminals = static_cast<std::uint32_t>(1 + chords.size())}.build(name);
  }
};
constexpr TopologyKind chords = topology_kind<Chords>("chords", "lists", "this test");

/// Written without the list, which can be read back.
TEST(KindDefects, AListThatIsEmptyByDefaultIsNone) {
  EXPECT_EQ(build_topology(of(chords).canonical())->name(), "chords");
  EXPECT_EQ(build_topology(of(chords, "chords", "2x3").canonical())->name(), "chords:chords=2x3");
}

struct BuildsNothing {
  static void fields(auto&) {}
  static std::vector<BuildsNothing> samples() { return {}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& /*context*/) const { return nullptr; }
};
constexpr RoutingKind builds_nothing = routing_kind<BuildsNothing>(
    "builds-nothing", "no relation", "this test", Survival::fixed_paths, "any-free");

TEST(KindDefects, OfARouting) {
  const auto built = failure([] { (void)build_healthy_relation(square_torus(), of(builds_nothing)); });
  EXPECT_EQ(built, "the routing builds-nothing built nothing");
  const auto anew = failure(
      [] { (void)build_relation(square_torus(), Damage{FaultSet(*square_torus())}, of(builds_nothing)); });
  EXPECT_EQ(anew, built);
}

/// Every terminal sends to the others alike, except for the defect.
class Skewed final : public TrafficPattern {
 public:
  Skewed(std::uint32_t terminals, int defect) : terminals_(terminals), defect_(defect) {}
  [[nodiscard]] TerminalId destination(TerminalId source, std::uint64_t random) const override {
    if (defect_ == 6) return TerminalId(terminals_);
    return TerminalId((source.value() + 1 + random % (terminals_ - 1)) % terminals_);
  }
  [[nodiscard]] double share(TerminalId source, TerminalId destination) const override {
    if (defect_ == 2) return TrafficPattern::share(source, destination);
    if (defect_ == 3) return std::nan("");
    if (defect_ == 4) return destination.value() % 2 == 0 ? 2.0 : -1.0;
    return source == destination && defect_ != 1 ? 0 : 1.0 / (terminals_ - 1);
  }

 private:
  std::uint32_t terminals_;
  int defect_;
};
struct Skew {
  int defect = 0;
  static void fields(auto& field) { field("defect", &Skew::defect, between(0, 6), "which"); }
  static std::vector<Skew> samples() { return {}; }
  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t /*seed*/) const {
    if (defect == 5) return nullptr;
    return std::make_shared<const Skewed>(static_cast<std::uint32_t>(topology.terminal_count()), defect);
  }
};
constexpr PatternKind skew = pattern_kind<Skew>("skew", "to all others", "this test");

TEST(KindDefects, OfATrafficPattern) {
  const auto build = [](const char* defect) {
    return failure([&] { (void)build_pattern(*square_torus(), 1, of(skew, "defect", defect)); });
  };
  EXPECT_EQ(build("0"), "no failure");
  for (const char* defect : {"1", "2", "3", "4"})
    EXPECT_THAT(build(defect), HasSubstr("the share() of traffic pattern skew")) << defect;
  EXPECT_THAT(build("6"), HasSubstr("destination() of traffic pattern skew:defect=6 is terminal 9 for"));
  EXPECT_THAT(build("5"), HasSubstr("skew:defect=5 built nothing"));
}

struct Waves {
  int defect = 0;
  static void fields(auto& field) { field("defect", &Waves::defect, between(0, 6), "which"); }
  static std::vector<Waves> samples() { return {}; }
  [[nodiscard]] FaultHistory draw(const FaultProcessContext& context) const {
    const TopologyPtr other = square_torus();
    FaultComponents links(defect == 5 ? other : context.topology, FaultUnit::link, FaultScope::network);
    std::vector<ComponentEvent> events{{10, false, 0}, {10, false, 1}, {20, true, 0}, {30, false, 0}};
    if (defect == 1) events[1].component = static_cast<std::uint32_t>(links.count());
    if (defect == 2) events[1].component = 0;
    if (defect == 3) events[3].up = true;
    if (defect == 4) events[3].cycle = 15;
    if (defect == 6) events[3].cycle = context.end;
    return {std::move(links), std::move(events)};
  }
};
constexpr FaultProcessKind waves = fault_process_kind<Waves>("waves", "some links", "this test");

TEST(KindDefects, OfAFaultProcess) {
  const auto draw = [](const char* defect) {
    return failure([&] { (void)draw_faults(square_torus(), 100, 1, of(waves, "defect", defect)); });
  };
  EXPECT_EQ(draw("0"), "no failure");
  EXPECT_THAT(draw("1"), HasSubstr("own = 'waves': must draw components below 18; it draws 18"));
  EXPECT_THAT(draw("2"), HasSubstr("fails while it is down in cycle 10"));
  EXPECT_THAT(draw("3"), HasSubstr("comes up while it is up in cycle 30"));
  EXPECT_THAT(draw("4"), HasSubstr("it draws cycle 15 after 20"));
  EXPECT_THAT(draw("5"), HasSubstr("must draw components of torus:radix=3x3"));
  EXPECT_THAT(draw("6"), HasSubstr("must draw failures before cycle 100; it draws one in cycle 100"));
}

}  // namespace
}  // namespace faultline
