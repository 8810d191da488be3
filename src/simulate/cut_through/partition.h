// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulate/cut_through/buffer_state.h"

namespace faultline::cut_through {

/// Which region runs which switch and terminal. Switches are assigned in blocks, so that every region has its
/// share of each stage of a network; a terminal belongs to the region of its first injection switch.
class Partition {
 public:
  Partition(const BufferState& network, std::uint32_t regions) : regions_(regions) {
    if (regions == 1) return;
    for (std::uint32_t at = 0; at < network.switch_count; ++at)
      by_switch_.push_back(static_cast<std::uint8_t>(at / block % regions));
    for (const Injector& injector : network.injectors) {
      const std::uint32_t first = network.first_injector[injector.terminal];
      by_injector_.push_back(by_switch_[network.injectors[first].target / network.ports]);
    }
    for (std::size_t terminal = 0; terminal + 1 < network.first_injector.size(); ++terminal) {
      const std::uint32_t first = network.first_injector[terminal];
      by_terminal_.push_back(first == network.first_injector[terminal + 1] ? std::uint8_t{0}
                                                                           : by_injector_[first]);
    }
  }

  /// Most regions that this number of switches is divided into.
  [[nodiscard]] static std::uint32_t max_regions(std::size_t switches, std::uint32_t threads) {
    const std::size_t blocks = (switches + block - 1) / block;
    return static_cast<std::uint32_t>(
        std::clamp<std::size_t>(std::min<std::size_t>(blocks, threads), 1, most));
  }

  [[nodiscard]] std::uint32_t count() const { return regions_; }
  [[nodiscard]] std::uint32_t of_switch(std::uint32_t at) const {
    return by_switch_.empty() ? 0 : by_switch_[at];
  }
  [[nodiscard]] std::uint32_t of_injector(std::uint32_t injector) const {
    return by_injector_.empty() ? 0 : by_injector_[injector];
  }
  [[nodiscard]] std::uint32_t of_terminal(TerminalId terminal) const {
    return by_terminal_.empty() ? 0 : by_terminal_[terminal.index()];
  }

 private:
  static constexpr std::uint32_t block = 64;  ///< of which no two share a line
  static constexpr std::uint32_t most = 255;  ///< as many as a byte numbers

  std::uint32_t regions_;
  std::vector<std::uint8_t> by_switch_, by_injector_, by_terminal_;
};

}  // namespace faultline::cut_through
