// SPDX-License-Identifier: Apache-2.0
// The scans of the event-driven engine for newer processors against the plain one.
#include <gtest/gtest.h>

#include "faultline/base/random.h"
#include "simulate/cut_through/fastest_scan.h"

namespace faultline::cut_through {
namespace {

template <std::uint32_t Ports>
struct State {
  alignas(64) Time eligible[Ports];
  alignas(64) Time free[Ports];
  alignas(64) std::uint32_t candidates[Ports * words_a_set<Ports>];

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

template <class Scan, std::uint32_t Ports>
void expect_equal_answers() {
  RandomStream random(7, Ports);
  for (int i = 0; i < 2000; ++i) {
    const State<Ports> state(random);
    const auto now = static_cast<Time>(random.next_below(20));
    const std::uint64_t set = (std::uint64_t{random.next()} << 32 | random.next()) >> (64 - Ports);
    ASSERT_EQ(Scan::template due<Ports>(state.free, now), PlainScan::due<Ports>(state.free, now));
    const ScanResult ours = Scan::template look<Ports>(state.eligible, state.free, state.candidates, now);
    const ScanResult plain = PlainScan::look<Ports>(state.eligible, state.free, state.candidates, now);
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
