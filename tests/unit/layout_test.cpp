// SPDX-License-Identifier: Apache-2.0
// Layouts against exhaustive search.
#include "faultline/design/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "faultline/base/error.h"
#include "faultline/base/random.h"
#include "support/error_message.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using testing::HasSubstr;

double apart(const Spot& a, const Spot& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

double longest_terminal_cable(const Attachments& attachments, const Room& room,
                              const std::vector<std::uint32_t>& spot_of) {
  double longest = 0;
  for (std::size_t terminal = 0; terminal < attachments.size(); ++terminal) {
    double best = 1e300;
    for (const Spot& home :
         room.terminals.empty() ? room.spots : std::vector<Spot>{room.terminals[terminal]}) {
      double here = 0;
      for (const std::uint32_t at : attachments[terminal])
        here = std::max(here, apart(home, room.spots[spot_of[at]]));
      best = std::min(best, here);
    }
    longest = std::max(longest, best);
  }
  return longest;
}

/// Each terminal is at the spot with the shortest longest cable, and of those at the one with the least sum.
double total_of_cables(const SwitchNetwork& network, const Attachments& attachments, const Room& room,
                       const std::vector<std::uint32_t>& spot_of) {
  double total = 0;
  for (std::size_t terminal = 0; terminal < attachments.size(); ++terminal) {
    std::pair best{1e300, 1e300};
    for (const Spot& home :
         room.terminals.empty() ? room.spots : std::vector<Spot>{room.terminals[terminal]}) {
      std::pair here{0.0, 0.0};
      for (const std::uint32_t at : attachments[terminal]) {
        here.first = std::max(here.first, apart(home, room.spots[spot_of[at]]));
        here.second += apart(home, room.spots[spot_of[at]]);
      }
      best = std::min(best, here);
    }
    total += best.second;
  }
  for (const auto& [a, b] : network.links()) total += apart(room.spots[spot_of[a]], room.spots[spot_of[b]]);
  return total;
}

double shortest_of_all(const Attachments& attachments, const Room& room) {
  std::vector<std::uint32_t> spot_of(room.spots.size());
  std::iota(spot_of.begin(), spot_of.end(), 0U);
  double best = 1e300;
  do best = std::min(best, longest_terminal_cable(attachments, room, spot_of));
  while (std::next_permutation(spot_of.begin(), spot_of.end()));
  return best;
}

void expect_optimal(const SwitchNetwork& network, const Attachments& attachments, const Room& room) {
  const SwitchLayout layout = lay_out(network, attachments, room, {.steps = 2000});
  std::vector<std::uint32_t> sorted = layout.spot_of;
  std::ranges::sort(sorted);
  EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
  const double best = shortest_of_all(attachments, room);
  EXPECT_NEAR(layout.after.longest_terminal, best, 1e-9);
  EXPECT_NEAR(layout.bound, best, 1e-9);
  EXPECT_TRUE(layout.optimal());
  EXPECT_NEAR(layout.after.longest_terminal, longest_terminal_cable(attachments, room, layout.spot_of), 1e-9);
  EXPECT_LE(layout.after.longest_terminal, layout.before.longest_terminal + 1e-9);
  EXPECT_NEAR(layout.after.total, total_of_cables(network, attachments, room, layout.spot_of), 1e-9);
}

TEST(Layout, OfARoomWithMoreLengthsThanFitIntoMemoryIsRefused) {
  Room room = row_of_racks(2'000);
  room.terminals.assign(60'000, Spot{});
  const SwitchNetwork ring{SwitchNetwork::Shape::ring, 1, 4};
  const Attachments attachments = random_attachments(4, 2, 60'000, 1);
  EXPECT_THAT(testing_support::error_message([&] { (void)lay_out(ring, attachments, room, {}); }),
              HasSubstr("60000 terminals times 2000 spots"));
}

TEST(Layout, OfARowIsTheBestOfAll) {
  for (std::uint32_t n = 4; n <= 7; ++n) {
    const SwitchNetwork ring{SwitchNetwork::Shape::ring, 1, n};
    expect_optimal(ring, attach_around(n, diameter_offsets(n, 2), n), row_of_racks(n));
    expect_optimal(ring, attach_around(n, diameter_offsets(n, 3), n), row_of_racks(n));
    expect_optimal(ring, random_attachments(n, 2, n + 2, n), row_of_racks(n));
  }
}

TEST(Layout, OfARoomIsTheBestOfAll) {
  RandomStream random(5, 0);
  for (int round = 0; round < 6; ++round) {
    Room room;
    for (int i = 0; i < 7; ++i) room.spots.push_back({random.next_unit() * 9, random.next_unit() * 5, 0});
    const SwitchNetwork ring{SwitchNetwork::Shape::ring, 1, 6};
    const Attachments attachments = random_attachments(6, 2, 7, static_cast<std::uint64_t>(round));
    expect_optimal(ring, attachments, room);
    for (int i = 0; i < 7; ++i) room.terminals.push_back({random.next_unit() * 9, random.next_unit() * 5, 1});
    expect_optimal(ring, attachments, room);
  }
}

/// The longest cable and the bound are the same distance, rounded in two ways.
TEST(Layout, IsOptimalButForRounding) {
  const SwitchNetwork ring{SwitchNetwork::Shape::ring, 1, 3};
  const Attachments attachments{{0, 1}, {1, 2}, {2, 0}};
  const Room room{.spots = {{0, 1}, {1, 3}, {0, 6}}, .terminals = {{1.5, 5}, {0.5, 5}, {4.5, 0}}};
  expect_optimal(ring, attachments, room);
  SwitchLayout layout = lay_out(ring, attachments, room, {.steps = 100});
  EXPECT_NEAR(layout.bound, std::sqrt(21.25), 1e-9);
  layout.after.longest_terminal = layout.bound * 1.001;
  EXPECT_FALSE(layout.optimal());
}

TEST(Layout, OfALargeRingIsProvedToBeOptimal) {
  for (const std::uint32_t n : {12U, 13U, 46U}) {
    const SwitchLayout layout =
        lay_out({SwitchNetwork::Shape::ring, 1, n}, attach_around(n, diameter_offsets(n, 2), n),
                row_of_racks(n), {.steps = 500});
    EXPECT_EQ(layout.after.longest_terminal, 1.0) << n;  // two hops between its switches, itself between them
    EXPECT_TRUE(layout.optimal());
  }
}

/// Whatever is not known by then: the bound is no more than the shortest length.
TEST(Layout, IsWholeWhenItIsStoppedAtOnce) {
  const std::atomic<bool> stop = true;
  const SwitchNetwork ring{SwitchNetwork::Shape::ring, 1, 46};
  const Attachments attachments = attach_around(46, diameter_offsets(46, 2), 46);
  Room room = row_of_racks(46);
  for (const bool fixed : {false, true}) {
    if (fixed)
      for (const Spot& spot : row_of_racks(46).spots) room.terminals.push_back({spot[0], 2, 0});
    const SwitchLayout layout = lay_out(ring, attachments, room, {.stop = &stop});
    std::vector<std::uint32_t> sorted = layout.spot_of;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted.size(), 46U);
    EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
    EXPECT_EQ(layout.bound, fixed ? 2 : 0);
    EXPECT_FALSE(layout.optimal());
    EXPECT_EQ(layout.after.longest_terminal, longest_terminal_cable(attachments, room, layout.spot_of));
  }
}

/// Of the boxes of switches.
std::vector<double> left_edges(const std::string& svg) {
  std::vector<double> edges;
  const std::string box = "<rect class=\"switch\" x=\"";
  for (std::size_t at = svg.find(box); at != std::string::npos; at = svg.find(box, at + 1))
    edges.push_back(std::stod(svg.substr(at + box.size(), 10)));
  return edges;
}

std::string drawn_ring(std::uint32_t switches, const std::string& title) {
  const SwitchNetwork ring{SwitchNetwork::Shape::ring, 1, switches};
  const Attachments attachments = attach_around(switches, diameter_offsets(switches, 2), switches);
  const Room room = row_of_racks(switches);
  return layout_svg(ring, attachments, room, lay_out(ring, attachments, room, {.steps = 100}), title);
}

TEST(Layout, IsDrawnWithEverySwitchTwice) {
  const std::string svg = drawn_ring(8, "a < b");
  EXPECT_EQ(left_edges(svg).size(), 16U);
  EXPECT_THAT(svg, HasSubstr("a &lt; b"));
}

/// Boxes are 22 units wide.
TEST(Layout, IsDrawnWideEnoughForItsSwitches) {
  std::vector<double> left = left_edges(drawn_ring(90, "wide"));
  ASSERT_EQ(left.size(), 180U);
  std::ranges::sort(left);
  for (std::size_t i = 2; i < left.size(); i += 2) EXPECT_GE(left[i] - left[i - 1], 22);
}

TEST(Room, IsReadOrRefusedWithItsLine) {
  const TemporaryFolder folder;
  const Room room = read_room(
      read_input(folder.file("r.csv", "# spots\nswitch,1,2\nswitch, 3 ,4,5\nterminal,0,0\n"), "test"));
  EXPECT_EQ(room.spots, (std::vector<Spot>{{1, 2, 0}, {3, 4, 5}}));
  EXPECT_EQ(room.terminals, (std::vector<Spot>{{0, 0, 0}}));
  const auto message = [&](const std::string& content) -> std::string {
    try {
      const Room read = read_room(read_input(folder.file("r.csv", content), "test"));
      (void)lay_out({SwitchNetwork::Shape::ring, 1, 3}, attach_around(3, {0, 2}, 3), read, {});
      return "accepted";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_THAT(message("switch,1\n"), HasSubstr("r.csv:1: design.room"));
  EXPECT_THAT(message("rack,1,2\n"), HasSubstr("must begin a line switch,x,y"));
  EXPECT_THAT(message("switch,1,nan\n"), HasSubstr("must be a coordinate"));
  EXPECT_THAT(message("switch,1,2\n"), HasSubstr("must have from 3 spots (one for each switch) to 2000"));
  EXPECT_THAT(message("switch,1,2\nswitch,1,3\nswitch,2,2\nterminal,0,0\n"),
              HasSubstr("must be 3 terminals"));
  EXPECT_EQ(message("switch,1,2\nswitch,1,3\nswitch,2,2\n"), "accepted");
}

}  // namespace
}  // namespace faultline
