// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "faultline/routing/relation.h"
#include "simulate/cut_through/port_sets.h"

namespace faultline::cut_through {

/// The ports of virtual channels of several outputs, from a table for six outputs at a time: to take one
/// output after the other, a number that varies from hop to hop, took about 5 % longer in a hypercube with 8
/// virtual channels.
template <class Set>
class PortsOfOutputs {
 public:
  PortsOfOutputs(std::uint32_t outputs, std::uint32_t vcs) : vcs_(vcs) {
    if constexpr (!is_word<Set>) return;
    const std::uint64_t all = first_ports(std::min({outputs, words_of<Set> * 64 / vcs, 64U}));
    for (std::uint32_t first = 0; first < 64 && all >> first != 0; first += step)
      for (std::uint64_t some = 0; some < std::uint64_t{1} << step; ++some)
        first_ports_.push_back(one_by_one({some << first & all, 1}));
  }

  [[nodiscard]] Set operator()(const OutputSets::Part& part) const {
    if constexpr (!is_word<Set>) {
      return one_by_one(part);
    } else {
      Set found = 0;
      std::uint64_t outputs = part.outputs;
      for (std::size_t first = 0; first < first_ports_.size(); first += std::size_t{1} << step) {
        found |= first_ports_[first + outputs % (std::uint64_t{1} << step)];
        outputs >>= step;
      }
      return found * part.vcs;
    }
  }

 private:
  static constexpr std::uint32_t step = 6;

  [[nodiscard]] Set one_by_one(const OutputSets::Part& part) const {
    Set found = 0;
    for (const std::uint32_t output : ports_of(part.outputs))
      found |= ports_from<Set>(output * vcs_, part.vcs);
    return found;
  }

  std::uint32_t vcs_;
  std::vector<Set> first_ports_;  ///< by set of six outputs, of one six after the other: their first ports
};

}  // namespace faultline::cut_through
