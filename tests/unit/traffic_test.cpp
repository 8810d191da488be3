// SPDX-License-Identifier: Apache-2.0
// Destinations against hand-computed values.
#include "faultline/traffic/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "faultline/base/error.h"
#include "faultline/base/file.h"
#include "faultline/base/random.h"
#include "faultline/topology/kind.h"
#include "support/sample_networks.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

TopologyPtr topology(std::string_view name) { return build_topology(parse_compact("topology", name)); }

std::vector<std::uint32_t> destinations(std::string_view network, std::string_view traffic,
                                        std::uint64_t seed = 1) {
  const TopologyPtr built = topology(network);
  const PatternPtr pattern = build_pattern(*built, seed, parse_compact("traffic", traffic));
  std::vector<std::uint32_t> all;
  for (const TerminalId source : built->terminals()) all.push_back(pattern->destination(source, 0).value());
  return all;
}

Error::Parts refusal(std::string_view network, std::string_view traffic) {
  try {
    (void)destinations(network, traffic);
  } catch (const Error& error) {
    return error.parts();
  }
  ADD_FAILURE() << traffic << " is accepted on " << network;
  return {};
}

TEST(Traffic, BitPermutationsOfEightTerminals) {
  EXPECT_THAT(destinations("ruft:k=2,n=3", "bit-reversal"), ElementsAreArray({0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_THAT(destinations("ruft:k=2,n=3", "bit-inversion"), ElementsAreArray({7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_THAT(destinations("ruft:k=2,n=3", "butterfly"), ElementsAreArray({0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_THAT(destinations("ruft:k=2,n=3", "perfect-shuffle"), ElementsAreArray({0, 2, 4, 6, 1, 3, 5, 7}));
}

TEST(Traffic, BitPermutationsOfSixteenTerminals) {
  EXPECT_THAT(destinations("ruft:k=2,n=4", "transpose"),
              ElementsAreArray({0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}));
  EXPECT_THAT(destinations("ruft:k=2,n=4", "butterfly"),
              ElementsAreArray({0, 8, 2, 10, 4, 12, 6, 14, 1, 9, 3, 11, 5, 13, 7, 15}));
  EXPECT_THAT(destinations("ruft:k=2,n=4", "bit-reversal"),
              ElementsAreArray({0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}));
}

TEST(Traffic, GridPatternsShiftEveryDimension) {
  // Dally & Towles, Table 3.1: tornado x + ceil(k / 2) - 1, neighbour x + 1, both modulo k.
  EXPECT_THAT(destinations("torus:radix=5", "tornado"), ElementsAreArray({2, 3, 4, 0, 1}));
  EXPECT_THAT(destinations("torus:radix=4", "tornado"), ElementsAreArray({1, 2, 3, 0}));
  EXPECT_THAT(destinations("torus:radix=3x4", "tornado"),
              ElementsAreArray({4, 5, 3, 7, 8, 6, 10, 11, 9, 1, 2, 0}));
  EXPECT_THAT(destinations("mesh:radix=3x2", "neighbour"), ElementsAreArray({4, 5, 3, 1, 2, 0}));
  EXPECT_THAT(destinations("torus:radix=3,terminals_per_switch=2", "neighbour"),
              ElementsAreArray({2, 3, 4, 5, 0, 1}));
  EXPECT_THAT(destinations("ruft:k=2,n=2", "neighbour"), ElementsAreArray({1, 2, 3, 0}));
}

TEST(Traffic, TransposeOfCoordinatesRotatesThem) {
  // Terminal x + 3 y sends to y + 3 x: the transpose of a matrix.
  EXPECT_THAT(destinations("torus:radix=3x3", "transpose:of=coordinates"),
              ElementsAreArray({0, 3, 6, 1, 4, 7, 2, 5, 8}));
  // Terminal x + 2 y + 4 z sends to y + 2 z + 4 x.
  EXPECT_THAT(destinations("mesh:radix=2x2x2", "transpose:of=coordinates"),
              ElementsAreArray({0, 4, 1, 5, 2, 6, 3, 7}));
  // The first terminal of a switch sends to the first of another.
  EXPECT_THAT(destinations("mesh:radix=2x2,terminals_per_switch=2", "transpose:of=coordinates"),
              ElementsAreArray({0, 1, 4, 5, 2, 3, 6, 7}));
  // Where radices are powers of two, coordinates are bits.
  EXPECT_EQ(destinations("torus:radix=8x8", "transpose:of=coordinates"),
            destinations("torus:radix=8x8", "transpose"));
}

TEST(Traffic, TransposeOfCoordinatesReachesEveryTerminalOnceAndIsUndoneByAsManyAsDimensions) {
  const std::vector<std::uint32_t> next = destinations("torus:radix=8x8x8", "transpose:of=coordinates");
  std::vector<std::uint32_t> all(512);
  for (std::uint32_t i = 0; i < 512; ++i) all[i] = i;
  EXPECT_THAT(next, testing::UnorderedElementsAreArray(all));
  for (const std::uint32_t source : all) EXPECT_EQ(next[next[next[source]]], source);
}

TEST(Traffic, TransposeOfCoordinatesNeedsAGridOfEqualRadices) {
  const Error::Parts unequal = refusal("torus:radix=4x4x2", "transpose:of=coordinates");
  EXPECT_EQ(unequal.field, "traffic.of");
  EXPECT_EQ(unequal.value, "coordinates");
  EXPECT_THAT(unequal.allowed, HasSubstr("equal radices; torus:radix=4x4x2"));
  const Error::Parts tree = refusal("ruft:k=2,n=4", "transpose:of=coordinates");
  EXPECT_EQ(tree.field, "traffic.of");
  EXPECT_THAT(tree.allowed, HasSubstr("coordinates of a grid"));
  EXPECT_THAT(refusal("torus:radix=4x4", "transpose:of=rows").allowed, HasSubstr("coordinates"));
}

TEST(Traffic, ARandomPermutationReachesEveryTerminalOnceAndFollowsItsSeed) {
  std::vector<std::uint32_t> all(64);
  for (std::uint32_t i = 0; i < 64; ++i) all[i] = i;
  const auto first = destinations("ruft:k=4,n=3", "permutation", 1);
  EXPECT_THAT(first, testing::UnorderedElementsAreArray(all));
  EXPECT_NE(first, all);
  EXPECT_EQ(first, destinations("ruft:k=4,n=3", "permutation", 1));
  EXPECT_NE(first, destinations("ruft:k=4,n=3", "permutation", 2));
  EXPECT_EQ(first, destinations("ruft:k=4,n=3", "permutation:seed=1", 2));
}

TEST(Traffic, FixedPointsAreSilent) {
  const TopologyPtr built = topology("ruft:k=2,n=2");
  const PatternPtr pattern = build_pattern(*built, 1, parse_compact("traffic", "transpose"));
  std::vector<bool> silent;
  for (const TerminalId source : built->terminals()) silent.push_back(pattern->silent(source));
  EXPECT_THAT(silent, ElementsAre(true, false, false, true));
}

TEST(Traffic, FixedPointsSendToThemselvesWhereAsked) {
  const TopologyPtr built = topology("torus:radix=2x2x2x2");
  for (const std::string name :
       {"bit-reversal", "butterfly", "perfect-shuffle", "transpose", "tornado", "permutation"}) {
    const PatternPtr silent = build_pattern(*built, 7, parse_compact("traffic", name));
    const PatternPtr pattern = build_pattern(*built, 7, parse_compact("traffic", name + ":self=include"));
    std::size_t fixed = 0;
    for (const TerminalId source : built->terminals()) {
      fixed += silent->silent(source) ? 1 : 0;
      EXPECT_FALSE(pattern->silent(source)) << name;
      EXPECT_EQ(pattern->destination(source, 0), silent->destination(source, 0)) << name;
    }
    EXPECT_TRUE(fixed > 0 || name == "permutation") << name;
  }
}

TEST(Traffic, NetworksThatAPatternDoesNotFitAreRefused) {
  for (const char* name : {"tornado", "group-shift"}) {
    const Error::Parts other = refusal("ruft:k=2,n=2", name);
    EXPECT_EQ(other.field, "traffic") << name;
    EXPECT_THAT(other.allowed, HasSubstr("needs the")) << name;
  }
  for (const char* name : {"bit-reversal", "bit-inversion", "butterfly"})
    EXPECT_THAT(refusal("ruft:k=3,n=2", name).allowed, HasSubstr("power of two")) << name;
  for (const char* network : {"ruft:k=2,n=3", "ruft:k=3,n=2"})
    EXPECT_THAT(refusal(network, "transpose").allowed, HasSubstr("power of four")) << network;
  const Error::Parts grid = refusal("ruft:k=2,n=3", "tornado");
  EXPECT_THAT(grid.field + grid.value + grid.allowed, HasSubstr("grid"));
}

TEST(Traffic, TheCatalogueHoldsEveryPatternOfTheContract) {
  std::vector<std::string> names;
  for (const PatternKind* kind : pattern_kinds()) names.emplace_back(kind->info.name);
  EXPECT_THAT(names,
              testing::IsSupersetOf({"uniform", "uniform-self", "hot-spot", "complement", "perfect-shuffle",
                                     "bit-reversal", "bit-inversion", "transpose", "butterfly", "tornado",
                                     "neighbour", "permutation", "matrix", "trace"}));
}

/// The kinds that ask for no load.
TEST(Traffic, OnlyTracesAreMarkedAsSuch) {
  for (const PatternKind* kind : pattern_kinds())
    EXPECT_EQ(kind->is_trace, kind->info.name == "trace") << kind->info.name;
}

TEST(Traffic, ComplementIsTheTerminalAtTheOtherEnd) {
  EXPECT_THAT(destinations("ruft:k=2,n=3", "complement"), ElementsAreArray({7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST(Traffic, UniformAndHotSpotSharesAreTheirFormulas) {
  const TopologyPtr built = topology("ruft:k=2,n=3");
  const auto share = [&](std::string_view traffic, std::uint32_t from, std::uint32_t to) {
    return build_pattern(*built, 5, parse_compact("traffic", traffic))
        ->share(TerminalId(from), TerminalId(to));
  };
  EXPECT_DOUBLE_EQ(share("uniform", 3, 3), 0);
  EXPECT_DOUBLE_EQ(share("uniform", 3, 4), 1.0 / 7);
  EXPECT_DOUBLE_EQ(share("uniform-self", 3, 3), 1.0 / 8);
  EXPECT_DOUBLE_EQ(share("uniform-self", 3, 4), 1.0 / 8);
  // The spot gets 0.15 of each other source's packets, and its part of the rest.
  std::vector<double> to_each;
  for (std::uint32_t to = 0; to < 8; ++to) {
    double sum = 0;
    for (std::uint32_t from = 0; from < 8; ++from)
      sum += from == to ? 0 : share("hot-spot:share=0.15", from, to);
    to_each.push_back(sum);
  }
  std::ranges::sort(to_each);
  EXPECT_NEAR(to_each.back(), 7 * (0.15 + 0.85 / 7), 1e-6);
  EXPECT_NEAR(to_each.front(), 6 * 0.85 / 7 + 1.0 / 7, 1e-6);
}

// ---- shares

/// Shares against counted draws: which terminals are spots is not asked.
TEST(Traffic, SharesOfSeveralHotSpotsAreThoseOfDraws) {
  const TopologyPtr built = topology("ruft:k=2,n=3");
  const PatternPtr pattern = build_pattern(*built, 3, parse_compact("traffic", "hot-spot:share=0.5,spots=3"));
  constexpr int draws = 40'000;
  for (const TerminalId source : built->terminals()) {
    std::vector<int> hits(8);
    for (std::uint64_t i = 0; i < draws; ++i)
      ++hits[pattern->destination(source, mix(i, source.value(), 7)).index()];
    for (const TerminalId to : built->terminals())  // within five standard deviations
      EXPECT_NEAR(static_cast<double>(hits[to.index()]) / draws, pattern->share(source, to), 0.0125);
  }
}

/// A search among the spots for each share takes several seconds.
TEST(Traffic, SharesOfManyHotSpotsAreFoundAtOnce) {
  const TopologyPtr built = topology("torus:radix=32x32,terminals_per_switch=64");
  const PatternPtr pattern = build_pattern(*built, 1, parse_compact("traffic", "hot-spot:spots=32768"));
  const auto start = std::chrono::steady_clock::now();
  double sum = 0;
  for (std::uint32_t source = 0; source < 4; ++source)
    for (const TerminalId to : built->terminals()) sum += pattern->share(TerminalId(source), to);
  EXPECT_NEAR(sum, 4, 1e-6);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

/// The first sample network that the pattern fits, larger ones of some kinds before.
std::pair<TopologyPtr, PatternPtr> fitting(const Description& pattern) {
  std::vector<std::string> networks{"torus:radix=4x4", "dragonfly:p=2,a=2,h=1"};
  std::ranges::copy(sample_topologies(), std::back_inserter(networks));
  for (const std::string& network : networks) {
    TopologyPtr built = topology(network);
    try {
      PatternPtr fits = build_pattern(*built, 5, pattern);
      return {std::move(built), std::move(fits)};
    } catch (const Error&) {  // needs another labelling or number of terminals
    }
  }
  ADD_FAILURE() << to_compact(pattern) << " fits no sample network";
  return {};
}

TEST(Traffic, SharesAreTheFrequenciesOfDestinations) {
  constexpr int draws = 40'000;
  for (const PatternKind* kind : pattern_kinds())
    for (const Description& sample : samples_of(kind->info, "traffic")) {
      const auto [built, pattern] = fitting(sample);
      if (!pattern) continue;
      for (const std::size_t number : {std::size_t{0}, std::size_t{3}, built->terminal_count() - 2}) {
        const TerminalId source(number);
        if (pattern->silent(source)) continue;
        std::vector<int> counts(built->terminal_count());
        for (int i = 0; i < draws; ++i)
          ++counts[pattern->destination(source, mix(1, source.value(), static_cast<std::uint64_t>(i)))
                       .index()];
        double sum = 0;
        for (const TerminalId destination : built->terminals()) {
          const double share = pattern->share(source, destination);
          sum += share;
          const double deviations = 5 * std::sqrt(draws * share * (1 - share));
          EXPECT_NEAR(counts[destination.index()], draws * share, deviations)
              << to_compact(sample) << ": " << source.value() << " to " << destination.value();
        }
        EXPECT_NEAR(sum, 1, 1e-9) << to_compact(sample);
      }
    }
}

// ---- matrices

struct MatrixFile : TemporaryFolder {
  explicit MatrixFile(std::string_view text) { write_file(path / "m.csv", text, "test"); }
  [[nodiscard]] std::string traffic() const { return "matrix:file=" + (path / "m.csv").string(); }
};

TEST(Matrix, WeightsAreSharesOfARow) {
  const MatrixFile file("# from, to\n0,1,3,0\r\n\n 0.5 , 0,0,0\n0,0,0,0\n1,1,1,1\n");
  const TopologyPtr built = topology("ruft:k=2,n=2");
  const PatternPtr pattern = build_pattern(*built, 1, parse_compact("traffic", file.traffic()));
  EXPECT_DOUBLE_EQ(pattern->share(TerminalId(0), TerminalId(0)), 0);
  EXPECT_DOUBLE_EQ(pattern->share(TerminalId(0), TerminalId(1)), 0.25);
  EXPECT_DOUBLE_EQ(pattern->share(TerminalId(0), TerminalId(2)), 0.75);
  EXPECT_TRUE(pattern->silent(TerminalId(2)));
  EXPECT_FALSE(pattern->silent(TerminalId(3)));
  std::vector<int> counts(4);
  for (std::uint64_t i = 0; i < 10'000; ++i)
    ++counts[pattern->destination(TerminalId(0), mix(1, 2, i)).index()];
  EXPECT_EQ(counts[0] + counts[3], 0);
  EXPECT_NEAR(counts[1], 2500, 5 * std::sqrt(10'000 * 0.25 * 0.75));
  for (const std::uint64_t random : {std::uint64_t{0}, ~std::uint64_t{0}})
    EXPECT_EQ(pattern->destination(TerminalId(1), random), TerminalId(0));
}

TEST(Matrix, RubbishIsRefusedWithFileAndLine) {
  const std::vector<std::tuple<std::string, int, std::string>> cases{
      {"0,1,1,1\n0,1,x,1\n", 2, "weight"},
      {"0,1,1,1\n\n0,1,-1,1\n", 3, "weight"},
      {"0,1,nan,1\n", 1, "weight"},
      {"0,1,1\n", 1, "must be 4"},
      {"0,1,1,1,\n", 1, "weight"},
      {"0,1,1,1,1\n", 1, "must be 4"},
      {"0,0,0,0\n0,0,0,0\n", 2, "must be 4"},
      {"1,1,1,1\n1,1,1,1\n1,1,1,1\n1,1,1,1\n1,1,1,1\n", 5, "one row for each"},
      {"", 0, "must be 4"},
  };
  for (const auto& [text, line, allowed] : cases) {
    const MatrixFile file(text);
    const Error::Parts parts = refusal("ruft:k=2,n=2", file.traffic());
    EXPECT_EQ(parts.location.line, line) << text;
    EXPECT_THAT(parts.location.file, HasSubstr("m.csv")) << text;
    EXPECT_THAT(parts.allowed, HasSubstr(allowed)) << text;
  }
  EXPECT_THAT(refusal("ruft:k=2,n=2", "matrix:file=/nowhere/m.csv").field, HasSubstr("file"));
}

}  // namespace
}  // namespace faultline
