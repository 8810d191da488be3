// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace faultline {

/// `count` threads that call work(); fewer if no more are available. The caller works as well.
template <class Work>
[[nodiscard]] std::vector<std::jthread> start_up_to(std::size_t count, const Work& work) {
  std::vector<std::jthread> threads;
  try {
    while (threads.size() < count) threads.emplace_back(work);
  } catch (const std::system_error&) {  // those that exist do the work
  }
  return threads;
}

}  // namespace faultline
