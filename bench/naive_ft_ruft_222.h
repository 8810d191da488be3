// SPDX-License-Identifier: Apache-2.0
// A straightforward program for ft-ruft-222 only: loops over source and destination switches and the four
// paths between them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace faultline::bench {

/// Three stages. Network channel ((stage * k^2 + order) * k + output) * 2 + copy leads from switch `order` of
/// a stage.
class NaiveFtRuft222 {
 public:
  explicit NaiveFtRuft222(std::uint32_t k) : k_(k), switches_(k * k) {}

  [[nodiscard]] bool all_connected(std::span<const std::uint32_t> failed_channels) const {
    std::vector<std::uint8_t> healthy(std::size_t{2} * switches_ * k_,
                                      2);  // of each pair of parallel channels
    for (const std::uint32_t channel : failed_channels) --healthy[channel / 2];
    const auto reaches = [&](std::uint32_t from, std::uint32_t to) {
      const std::uint32_t middle = from - from % k_ + to % k_;
      return healthy[from * k_ + to % k_] != 0 && healthy[(switches_ + middle) * k_ + to / k_] != 0;
    };
    for (std::uint32_t source = 0; source < switches_ / 2; ++source)
      for (std::uint32_t destination = 0; destination < switches_; destination += 2) {
        const std::uint32_t second_source = source + switches_ / 2, second_destination = destination + 1;
        if (!reaches(source, destination) && !reaches(source, second_destination) &&
            !reaches(second_source, destination) && !reaches(second_source, second_destination))
          return false;
      }
    return true;
  }

 private:
  std::uint32_t k_, switches_;
};

}  // namespace faultline::bench
