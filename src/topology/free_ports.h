// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace faultline {

/// Port numbers of switches that no channel has taken yet, in ascending order.
class FreePorts {
 public:
  explicit FreePorts(std::size_t switches) : switches_(switches) {}

  /// False if it was taken before.
  bool take_output(std::uint32_t at, std::uint32_t port) {
    return switches_[at].outputs.taken.insert(port).second;
  }
  bool take_input(std::uint32_t at, std::uint32_t port) {
    return switches_[at].inputs.taken.insert(port).second;
  }

  std::uint32_t next_output(std::uint32_t at) { return switches_[at].outputs.take(); }
  std::uint32_t next_input(std::uint32_t at) { return switches_[at].inputs.take(); }
  /// Free in both directions.
  std::uint32_t next(std::uint32_t at) {
    auto& [outputs, inputs] = switches_[at];
    std::uint32_t port = std::max(outputs.next, inputs.next);
    while (outputs.taken.contains(port) || inputs.taken.contains(port)) ++port;
    outputs.next = inputs.next = port + 1;
    return port;
  }

 private:
  struct Direction {
    std::unordered_set<std::uint32_t> taken;  ///< by number
    std::uint32_t next = 0;                   ///< all from here on are free but for those
    std::uint32_t take() {
      while (taken.contains(next)) ++next;
      return next++;
    }
  };
  struct Switch {
    Direction outputs, inputs;
  };
  std::vector<Switch> switches_;
};

}  // namespace faultline
