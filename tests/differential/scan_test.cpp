// SPDX-License-Identifier: Apache-2.0
// The scans of the event-driven engine for newer processors against the plain one.
#include <gtest/gtest.h>

#include <vector>

#include "faultline/base/random.h"
#include "simulate/cut_through/ports_of_outputs.h"
#include "simulate/cut_through/wide_scan.h"

namespace faultline::cut_through {
namespace {

template <std::uint32_t Ports>
struct State {
  alignas(64) Time eligible[Ports];
  alignas(64) Time free[Ports];
  alignas(64) std::uint32_t candidates[Ports * rows_a_switch<Ports>];

  explicit State(RandomStream& random) {
    const auto time = [&] {
      return random.next_below(4) == 0 ? never : static_cast<Time>(random.next_below(20));
    };
    for (Time& entry : eligible) entry = time();
    for (Time& entry : free) entry = time();
    for (std::uint32_t& entry : candidates)
      entry = (Ports == 8    ? 0xff
               : Ports == 16 ? 0xffff
                             : ~0U) &
              random.next() & random.next() & random.next();
  }
};

/// Counts by listing the ports.
template <class Scan, std::uint32_t Ports>
void expect_nth_of_a_list(RandomStream& random) {
  using Set = PortSet<Ports>;
  Set set = 0;
  std::vector<unsigned> ports;
  const std::uint32_t one_in = 1 + random.next_below(Ports);
  for (std::uint32_t port = 0; port < Ports; ++port) {
    if (random.next_below(one_in) != 0) continue;
    set |= only<Set>(port);
    ports.push_back(port);
  }
  ASSERT_EQ(Scan::count(set), ports.size());
  for (std::uint32_t rank = 0; rank < ports.size(); ++rank) ASSERT_EQ(Scan::nth(set, rank), ports[rank]);
}

template <class Scan, std::uint32_t Ports>
void expect_equal_answers() {
  RandomStream random(7, Ports);
  for (int i = 0; i < 2000; ++i) {
    const State<Ports> state(random);
    const auto now = static_cast<Time>(random.next_below(20));
    const std::uint64_t set = (std::uint64_t{random.next()} << 32 | random.next()) >> (64 - Ports);
    expect_nth_of_a_list<Scan, Ports>(random);
    ASSERT_EQ(Scan::template due<Ports>(state.free, now), PlainScan::due<Ports>(state.free, now));
    const NarrowResult ours = Scan::template look<Ports>(state.eligible, state.free, state.candidates, now);
    const NarrowResult plain = PlainScan::look<Ports>(state.eligible, state.free, state.candidates, now);
    ASSERT_EQ(ours.ready, plain.ready);
    ASSERT_EQ(ours.available, plain.available);
    ASSERT_EQ(ours.meeting, plain.meeting);
    ASSERT_EQ(Scan::template wanted<Ports>(state.candidates, set),
              PlainScan::wanted<Ports>(state.candidates, set));
    ASSERT_EQ(Scan::template next<Ports>(state.eligible, now, state.free, set),
              PlainScan::next<Ports>(state.eligible, now, state.free, set));
  }
}

template <class Scan>
void expect_equal_answers_for_all_sizes() {
  expect_equal_answers<Scan, 8>();
  expect_equal_answers<Scan, 16>();
  expect_equal_answers<Scan, 32>();
  expect_equal_answers<Scan, 64>();
}

TEST(Scan, OfEveryProcessorAnswersAsThePlainOne) { expect_equal_answers_for_all_sizes<BaseScan>(); }

TEST(Scan, OfThisProcessorAnswersAsThePlainOne) { expect_equal_answers_for_all_sizes<FastestScan>(); }

#ifdef FAULTLINE_VECTOR_SCANS
TEST(Scan, OfAvx2AnswersAsThePlainOne) {
  if (!Avx2Scan::available()) GTEST_SKIP() << "no AVX2 here";
  expect_equal_answers_for_all_sizes<Avx2Scan>();
}

TEST(Scan, OfAvx512AnswersAsThePlainOne) {
  if (!Avx512Scan::available()) GTEST_SKIP() << "no AVX-512 here";
  expect_equal_answers_for_all_sizes<Avx512Scan>();
}
#endif

/// A wide set behaves as a list of flags.
template <std::uint32_t Ports>
void expect_a_set() {
  using Set = PortSet<Ports>;
  RandomStream random(5, Ports);
  for (int i = 0; i < 5000; ++i) {
    std::vector<std::uint32_t> ports;
    Set set = 0, other = 0;
    const std::uint32_t one_in = 1 + random.next_below(Ports);
    for (std::uint32_t port = 0; port < Ports; ++port) {
      if (random.next_below(one_in) == 0) {
        ports.push_back(port);
        set |= only<Set>(port);
      }
      if (random.next_below(2) == 0) other ^= only<Set>(port);
    }
    ASSERT_EQ(count(set), ports.size());
    ASSERT_EQ(is_single(set), ports.size() == 1);
    ASSERT_EQ(set == Set(0), ports.empty());
    std::uint32_t rank = 0;
    for (const std::uint32_t port : ports_of(set)) {
      ASSERT_EQ(port, ports[rank]);
      ASSERT_EQ(nth_bit(set, rank++), port);
      ASSERT_TRUE(contains(set, port));
    }
    ASSERT_EQ(rank, ports.size());
    if (rank != 0) {
      ASSERT_EQ(lowest(set), ports.front());
    }
    for (std::uint32_t port = 0; port < Ports; ++port) {
      ASSERT_EQ(contains(set & ~other, port), contains(set, port) && !contains(other, port));
      ASSERT_EQ(contains(set | other, port), contains(set, port) || contains(other, port));
    }
    const std::uint32_t size = 1 + random.next_below(64), first = random.next_below(Ports - size + 1);
    const std::uint64_t low = random.next() & first_ports(size);
    const Set moved = ports_from<Set>(first, low);
    for (std::uint32_t port = 0; port < Ports; ++port)
      ASSERT_EQ(contains(moved, port), port >= first && port < first + 64 && contains(low, port - first));
  }
}

TEST(PortSets, BehaveAsListsOfFlags) {
  expect_a_set<64>();
  expect_a_set<96>();
  expect_a_set<128>();
  expect_a_set<256>();
}

/// Port i is virtual channel i % vcs of output i / vcs.
template <std::uint32_t Ports>
void expect_ports_of_outputs() {
  RandomStream random(11, Ports);
  for (int i = 0; i < 500; ++i) {
    const std::uint32_t vcs = 1 + random.next_below(std::min(Ports, 32U));
    const std::uint32_t outputs = 1 + random.next_below(std::min(Ports / vcs, 64U));
    const PortsOfOutputs<PortSet<Ports>> ports(outputs, vcs);
    const OutputSets::Part part{(random.next() | std::uint64_t{random.next()} << 32) & first_ports(outputs),
                                random.next() & static_cast<std::uint32_t>(first_ports(vcs))};
    const PortSet<Ports> found = ports(part);
    for (std::uint32_t port = 0; port < Ports; ++port)
      ASSERT_EQ(contains(found, port), port / vcs < outputs && (part.outputs >> port / vcs & 1) != 0 &&
                                           (part.vcs >> port % vcs & 1) != 0)
          << "port " << port << " of " << outputs << " outputs with " << vcs << " VCs";
  }
}

TEST(PortsOfOutputs, AreTheVirtualChannelsOfEach) {
  expect_ports_of_outputs<8>();
  expect_ports_of_outputs<64>();
  expect_ports_of_outputs<96>();
  expect_ports_of_outputs<128>();
  expect_ports_of_outputs<256>();
}

template <std::uint32_t Ports>
void expect_equal_answers_of_wide_scans() {
  using Set = PortSet<Ports>;
  using Scan = WideScan<FastestScan>;
  RandomStream random(9, Ports);
  for (int i = 0; i < 2000; ++i) {
    alignas(64) Time eligible[Ports], free[Ports];
    Set candidates[Ports];
    Set set = 0, ready = 0, available = 0, meeting = 0, wanted = 0;
    const auto now = static_cast<Time>(random.next_below(20));
    Time next = never;
    for (std::uint32_t port = 0; port < Ports; ++port) {
      eligible[port] = random.next_below(4) == 0 ? never : static_cast<Time>(random.next_below(40));
      free[port] = random.next_below(4) == 0 ? never : static_cast<Time>(random.next_below(40));
      candidates[port] = only<Set>(random.next_below(Ports)) | only<Set>(random.next_below(Ports));
      if (random.next_below(9) == 0) set |= only<Set>(port);
      if (eligible[port] <= now) ready |= only<Set>(port);
      if (free[port] <= now) available |= only<Set>(port);
    }
    for (std::uint32_t port = 0; port < Ports; ++port) {
      if (contains(ready, port) && (candidates[port] & available) != 0) meeting |= only<Set>(port);
      if (contains(set, port)) wanted |= candidates[port];
      if (eligible[port] > now) next = std::min(next, eligible[port]);
      if (contains(set, port)) next = std::min(next, free[port]);
    }
    expect_nth_of_a_list<Scan, Ports>(random);
    const ScanResult<Set> result = Scan::look<Ports>(eligible, free, candidates, now);
    ASSERT_TRUE(result.ready == ready && result.available == available && result.meeting == meeting);
    ASSERT_TRUE((Scan::wanted<Ports>(candidates, set) == wanted));
    ASSERT_EQ((Scan::next<Ports>(eligible, now, free, set)), next);
  }
}

TEST(Scan, OfWideSwitchesAnswersAsALoopDoes) {
  expect_equal_answers_of_wide_scans<96>();
  expect_equal_answers_of_wide_scans<128>();
  expect_equal_answers_of_wide_scans<256>();
}

TEST(PortBits, TheNthBitIsTheOneThatALoopFinds) {
  RandomStream random(3, 0);
  for (int i = 0; i < 20'000; ++i) {
    std::uint64_t mask = std::uint64_t{random.next()} << 32 | random.next();
    if (i % 2 == 0) mask &= std::uint64_t{random.next()} << 32 | random.next();
    std::uint32_t rank = 0;
    for (unsigned position = 0; position < 64; ++position)
      if ((mask & bit(position)) != 0) {
        ASSERT_EQ(nth_bit(mask, rank++), position);
      }
    ASSERT_EQ(count(mask), rank);
  }
}

}  // namespace
}  // namespace faultline::cut_through
