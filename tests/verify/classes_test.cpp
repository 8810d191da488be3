// SPDX-License-Identifier: Apache-2.0
// Certificates that state the relation for one destination of each class.
#include <compare.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "faultline/routing/relation_text.h"
#include "faultline/topology/grid.h"
#include "support/plain_relation.h"
#include "verify/certificate_lines.h"
#include "verify/examples.h"

namespace faultline {
namespace {

std::string by_classes(const Example& example, std::uint64_t states_in_full = 0) {
  return certificate_text(example.offered, example.damage, example.verdict,
                          {.switching = Switching::wormhole, .states_in_full = states_in_full});
}

std::size_t find(const Lines& lines, std::string_view keyword, std::size_t from = 0) {
  while (from < lines.size() && !lines[from].starts_with(keyword)) ++from;
  return from;
}

struct RoutedNetwork {
  const char *topology, *routing;
};
void PrintTo(const RoutedNetwork& network, std::ostream* out) {
  *out << network.topology << ' ' << network.routing;
}

class Classes : public testing::TestWithParam<RoutedNetwork> {
 protected:
  Example example_ = verified(GetParam().topology, GetParam().routing, Switching::wormhole);
  std::vector<std::string> lines_ = lines_of(by_classes(example_));

  void SetUp() override { ASSERT_LT(find(lines_, "destinations classes"), lines_.size()); }

  [[nodiscard]] std::string rejected() const { return rejection(text_of(lines_)); }
};

TEST_P(Classes, AreAcceptedWithTheFiguresOfTheWholeRelation) {
  EXPECT_EQ(rejected(), "");
  const std::vector<std::string> whole = lines_of(by_classes(example_, ~std::uint64_t{0}));
  ASSERT_LT(find(whole, "destinations all"), whole.size());
  EXPECT_EQ(rejection(text_of(whole)), "");
  for (const char* figure : {"pairs", "states", "moves", "dependencies", "max-hops", "time"})
    EXPECT_EQ(lines_[find(lines_, figure)], whole[find(whole, figure)]);
  EXPECT_LT(text_of(lines_).size(), text_of(whole).size());
}

TEST_P(Classes, AreOfTheRelationInstalledOrTheDestinationThatDiffersIsNamed) {
  const std::string text = text_of(lines_);
  const checker::Certificate certificate = checker::read_certificate(text);
  const std::string installed = relation_text(*example_.offered);
  EXPECT_NO_THROW(checker::compare_relation(certificate, installed));
  // One option less for the last destination, which is not stated.
  std::vector<std::string> lines = lines_of(installed);
  const std::string last = "destination " + std::to_string(example_.offered->topology().terminal_count() - 1);
  std::size_t state = find(lines, "s ", find(lines, last));
  while (words_of(lines[state]).size() < 4) ++state;
  std::vector<std::string> words = words_of(lines[state]);
  words.pop_back();
  lines[state] = line_of(words);
  try {
    checker::compare_relation(certificate, text_of(lines));
    ADD_FAILURE() << "a relation that differs is taken for the same";
  } catch (const checker::Refused& refused) {
    EXPECT_NE(std::string(refused.what()).find(last), std::string::npos) << refused.what();
  }
}

TEST_P(Classes, NeedEveryAutomorphism) {
  for (std::size_t line; (line = find(lines_, "automorphism")) < lines_.size();) {
    lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(line));
    EXPECT_NE(rejected().find("no word leads to some destination"), std::string::npos);
  }
}

TEST_P(Classes, NeedAutomorphismsOfTheNetwork) {
  const std::size_t line = find(lines_, "automorphism");
  const std::string good = lines_[line];
  for (std::size_t i = 1; i + 1 < words_of(good).size(); i += 5) {
    std::vector<std::string> words = words_of(good);
    std::swap(words[i], words[i + 1]);
    lines_[line] = line_of(words);
    EXPECT_NE(rejected(), "") << i;
    words = words_of(good);
    words[i] = words[i + 1];
    lines_[line] = line_of(words);
    EXPECT_NE(rejected().find("image of two"), std::string::npos) << i;
  }
  lines_[line] = good + " 0";
  EXPECT_NE(rejected(), "");
  lines_[line] = good;
  lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(line), good);
  EXPECT_NE(rejected(), "");  // each word twice
}

/// Ranks that are violated only by destinations that are not stated: each dependency counts.
TEST_P(Classes, RankTheDependenciesOfAllDestinations) {
  const std::size_t line = find(lines_, "ranks");
  const std::vector<std::string> good = words_of(lines_[line]);
  const std::string text = text_of(lines_);
  const checker::Certificate certificate = checker::read_certificate(text);
  checker::Dependencies own(certificate.relation), all(certificate.relation);
  for (std::size_t i = 0; i < certificate.stated.size(); ++i) {
    checker::Lines here = certificate.destinations[i];
    const auto destination = checker::read_destination(here, certificate.relation, certificate.stated[i]);
    for (const auto& moves : destination.states)
      for (const checker::Move& into : moves)
        if (!into.ejects)
          for (const checker::Move& move : destination.states[into.next])
            if (!move.ejects)
              for (auto* set : {&own, &all})
                set->add(certificate.relation.buffer(into), certificate.relation.buffer(move));
  }
  all.close_under(certificate.orbits);
  std::size_t tried = 0;
  for (std::size_t held = 0; held < all.asked().size(); ++held)
    for (const checker::Number asked : all.asked()[held]) {
      if (std::ranges::binary_search(own.asked()[held], asked) || (held + asked) % 7 != 0) continue;
      std::vector<std::string> words = good;
      words[held + 1] = words[asked + 1];
      lines_[line] = line_of(words);
      EXPECT_NE(rejected(), "") << held << ' ' << asked;
      ++tried;
    }
  EXPECT_GT(tried, 0U);
}

TEST_P(Classes, CountEveryDestination) {
  for (const char* figure : {"pairs", "states", "moves", "dependencies"}) {
    const std::size_t line = find(lines_, figure);
    const std::string good = lines_[line];
    std::vector<std::string> words = words_of(good);
    words[1] = std::to_string(std::stoull(words[1]) - 1);
    lines_[line] = line_of(words);
    EXPECT_NE(rejected(), "") << figure;
    lines_[line] = good;
  }
  lines_[find(lines_, "destinations")] = "destinations all";
  EXPECT_NE(rejected(), "");
}

/// A mesh has no automorphism that moves switches: one destination of each switch is stated.
TEST(SeveralClasses, AreAcceptedWithTheFiguresOfTheWholeRelation) {
  const TopologyPtr mesh = build_topology(parse_compact("topology", "mesh:radix=3x3,terminals_per_switch=2"));
  const auto relation = std::make_shared<const ByOutputBits>(
      build_healthy_relation(mesh, parse_compact("routing", "dimension-order"), Switching::wormhole));
  const FaultSet none(*mesh);
  const Verdict verdict = verify(*relation, none, {.switching = Switching::wormhole});
  const Example example{relation, relation, {none}, verdict};
  const std::string text = by_classes(example);
  std::vector<std::string> lines = lines_of(text);
  ASSERT_LT(find(lines, "destinations classes"), lines.size());
  const checker::Certificate certificate = checker::read_certificate(text);
  EXPECT_EQ(certificate.stated.size(), 9U);
  EXPECT_EQ(certificate.orbits.words(), 2U);
  EXPECT_EQ(rejection(text_of(lines)), "");
  const std::vector<std::string> whole = lines_of(by_classes(example, ~std::uint64_t{0}));
  for (const char* figure : {"pairs", "states", "moves", "dependencies", "max-hops", "time"})
    EXPECT_EQ(lines[find(lines, figure)], whole[find(whole, figure)]);
  // Without one of the stated destinations nothing maps to it, nor to its image.
  const std::size_t first = find(lines, "destination 4"), next = find(lines, "destination 6");
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(first),
              lines.begin() + static_cast<std::ptrdiff_t>(next));
  EXPECT_NE(rejection(text_of(lines)).find("no word leads to some destination"), std::string::npos);
}

/// Serves neighbours only. Two hops away on the other side, packets are offered a way that ends nowhere,
/// which switches leave out.
class WithDeadEnds final : public RoutingRelation {
 public:
  using RoutingRelation::RoutingRelation;
  void route(const RouteState& state, RouteOptions& options) const override {
    const auto& ring = topology().labelling<CartesianLabelling>("test");
    const std::uint32_t size = ring.radix(0);
    const std::uint32_t ahead =
        (state.at.value() + size - ring.home(state.destination).value()) % size;  // of the destination
    if (ahead == 0)
      options.push_back({.channel = topology().ejection(state.destination).front()});
    else if (ahead == 1 || ahead + 2 >= size)
      options.push_back({.channel = ring.output(state.at, 0, Direction::minus)});
  }
};

/// Offered dependencies of the stated destination fit ranks that the others' do not.
TEST(OneClass, IsNotEnoughToKnowWhatHoldsAtAnyTime) {
  const TopologyPtr torus = build_topology(parse_compact("topology", "torus:radix=5"));
  const auto offered = std::make_shared<const ByOutputBits>(std::make_shared<const WithDeadEnds>(torus));
  const Damage none{FaultSet(*torus)};
  const RelationPtr used = admissible_relation(offered, none, SourceOffers::every_start);
  const Verdict verdict = verify(*used, none.dead, {.switching = Switching::wormhole});
  ASSERT_EQ(verdict.method, DeadlockMethod::acyclic_dependencies);
  for (const std::uint64_t states_in_full : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    const std::string text = by_classes({offered, used, none, verdict}, states_in_full);
    EXPECT_EQ(find(lines_of(text), "destinations classes") < lines_of(text).size(), states_in_full == 0);
    EXPECT_EQ(rejection(text), "");
    EXPECT_LT(find(lines_of(text), "time static"), lines_of(text).size());
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, Classes,
                         testing::Values(RoutedNetwork{"fat-tree:k=3,n=3", "fta"},
                                         RoutedNetwork{"fat-tree:k=4,n=2", "nca"},
                                         RoutedNetwork{"ruft:k=2,n=4", "ruft"},
                                         RoutedNetwork{"ft-ruft-222:k=2,n=4", "ruft"},
                                         RoutedNetwork{"ft-ruft-212:k=4,n=3", "ruft"}),
                         [](const auto& parameter) { return "N" + std::to_string(parameter.index); });

}  // namespace
}  // namespace faultline
