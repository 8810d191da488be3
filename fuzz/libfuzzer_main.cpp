// SPDX-License-Identifier: Apache-2.0
// One target as a libFuzzer program: FAULTLINE_FUZZ_TARGET is its name.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto run = [] {
    for (const faultline::fuzz::Target& target : faultline::fuzz::targets())
      if (target.name == FAULTLINE_FUZZ_TARGET) return target.run;
    faultline::fuzz::defect("no such target");
  }();
  run({reinterpret_cast<const char*>(data), size});
  return 0;
}
