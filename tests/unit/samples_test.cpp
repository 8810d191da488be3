// SPDX-License-Identifier: Apache-2.0
// Every kind has a sample that can be read, so that no kind is missing from the test matrix.
#include "support/samples.h"

#include <gtest/gtest.h>

#include <set>

#include "faultline/fault/process.h"
#include "faultline/routing/kind.h"
#include "faultline/study/case.h"
#include "faultline/topology/kind.h"
#include "faultline/traffic/pattern.h"

namespace faultline {
namespace {

template <class Kinds>
void expect_samples(const Kinds& kinds, const char* path) {
  for (const auto* kind : kinds) {
    const std::vector<Description> samples = samples_of(kind->info, path);
    EXPECT_FALSE(samples.empty()) << kind->info.name
                                  << " needs samples(), or files in tests/data (support/samples.h)";
    for (const Description& sample : samples)
      EXPECT_NO_THROW((void)kind->info.canonical(sample)) << to_compact(sample);
  }
}

TEST(Samples, EveryKindHasOneThatCanBeRead) {
  expect_samples(topology_kinds(), "topology");
  expect_samples(routing_kinds(), "routing");
  expect_samples(pattern_kinds(), "traffic");
  expect_samples(fault_process_kinds(), "simulate");
  expect_samples(verb_kinds(), "verb");
}

TEST(Samples, FilesOfTestsDataBelongToAKindThatReadsThem) {
  std::set<std::string_view> names;
  for (const TopologyKind* kind : topology_kinds()) names.insert(kind->info.name);
  for (const PatternKind* kind : pattern_kinds()) names.insert(kind->info.name);
  for (const auto& entry : std::filesystem::directory_iterator(FAULTLINE_SOURCE_DIR "/tests/data"))
    EXPECT_TRUE(names.contains(entry.path().filename().string())) << entry.path();
}

}  // namespace
}  // namespace faultline
