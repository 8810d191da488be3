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
  std::set<std::string> names;
  for (const TopologyKind* kind : topology_kinds()) names.insert("topology/" + std::string(kind->info.name));
  for (const PatternKind* kind : pattern_kinds()) names.insert("traffic/" + std::string(kind->info.name));
  const std::filesystem::path data = FAULTLINE_SOURCE_DIR "/tests/data";
  for (const auto& layer : std::filesystem::directory_iterator(data))
    for (const auto& kind : std::filesystem::directory_iterator(layer))
      EXPECT_TRUE(names.contains(std::filesystem::relative(kind, data))) << kind.path();
}

}  // namespace
}  // namespace faultline
