// SPDX-License-Identifier: Apache-2.0
// Paper 1, Table 4: saturation throughput, uniform traffic, packets of 128 flits.
#include <gtest/gtest.h>

#include <cmath>

#include "faultline/simulate/simulate.h"
#include "support/simulate_support.h"

namespace faultline {
namespace {

using testing_support::network;

struct Printed {
  const char* topology;
  double saturation;

  friend void PrintTo(const Printed& printed, std::ostream* out) { *out << printed.topology; }
};

class Table4 : public testing::TestWithParam<Printed> {};

TEST_P(Table4, SaturationThroughputWithinSixPercent) {
  const auto built = network(GetParam().topology);
  SimulationSpec spec;
  spec.injection.load = 1.8;
  const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
  EXPECT_TRUE(result.saturated);
  EXPECT_NEAR(result.accepted, GetParam().saturation, 0.06 * GetParam().saturation);
  RecordProperty("accepted", std::to_string(result.accepted));
}

INSTANTIATE_TEST_SUITE_P(
    CutThrough, Table4,
    testing::Values(Printed{"fat-tree:k=4,n=3", 0.55}, Printed{"ruft:k=4,n=3", 0.51},
                    Printed{"ruft-pl:k=4,n=3", 1.24}, Printed{"ft-ruft-212:k=4,n=3", 0.60},
                    Printed{"ft-ruft-222:k=4,n=3", 1.10}, Printed{"fat-tree:k=8,n=3", 0.48},
                    Printed{"ruft:k=8,n=3", 0.45}, Printed{"ruft-pl:k=8,n=3", 1.16},
                    Printed{"ft-ruft-212:k=8,n=3", 0.55}, Printed{"ft-ruft-222:k=8,n=3", 1.03}),
    [](const auto& parameter) {
      std::string name;
      for (const char c : std::string(parameter.param.topology))
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
      return name;
    });

}  // namespace
}  // namespace faultline
