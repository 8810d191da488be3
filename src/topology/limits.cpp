// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/limits.h"

#include <fmt/format.h>

#include "faultline/base/error.h"

namespace faultline {

void require_terminal_count(std::uint32_t k, std::uint32_t n) {
  std::uint64_t terminals = 1;
  for (std::uint32_t i = 0; i < n; ++i) {
    terminals *= k;
    if (terminals > max_terminals)
      throw Error("topology.n", std::to_string(n),
                  fmt::format("k^n must be at most {} terminals (k={})", max_terminals, k));
  }
}

}  // namespace faultline
