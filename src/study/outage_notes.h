// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace faultline {

/// Of the failures that a simulation is asked for.
struct AskedOutages {
  bool are_scheduled = false, are_drawn = false;
  std::size_t count = 0;           ///< that may have an effect
  std::size_t without_effect = 0;  ///< of channels that are dead in the whole run
};

/// What a user would not expect of them.
[[nodiscard]] inline std::vector<std::string> notes_on_outages(const AskedOutages& asked) {
  std::vector<std::string> notes;
  if (asked.without_effect != 0)
    notes.push_back(fmt::format(
        "outages without effect, because their channels are among the faults and dead in the whole run: {}",
        asked.without_effect));
  else if (asked.count == 0 && asked.are_drawn)
    notes.emplace_back("no failure was drawn: give a higher rate, more cycles, or another seed");
  else if (asked.count == 0 && asked.are_scheduled)
    notes.emplace_back("the schedule names no component: nothing fails during the run");
  return notes;
}

}  // namespace faultline
