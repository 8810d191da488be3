// SPDX-License-Identifier: Apache-2.0
// Which of the admissible options a packet takes. Only the simulators look at this.
#pragma once

#include "faultline/describe/kind.h"

namespace faultline {

/// A selection function as data: the engines are compiled for each combination, with no call per packet.
struct SelectionRule {
  enum class Candidates : std::uint8_t {
    all,        ///< every admissible channel competes, again in every cycle until one is granted
    one_drawn,  ///< one is drawn at random when the packet is routed, and waited for
    first,      ///< the first that the relation names, and waited for
  };
  Candidates candidates = Candidates::all;
  bool by_free_buffer =
      true;  ///< among the available ones: the channel with most free buffer; ties at random
};

/// A selection function is one file in src/selection/kinds/.
struct SelectionKind {
  KindInfo info;
  SelectionRule rule;
};

struct NoParams {
  static void fields(auto&) {}
  static std::vector<NoParams> samples() { return {{}}; }
};

[[nodiscard]] consteval SelectionKind selection_kind(std::string_view name, std::string_view summary,
                                                     std::string_view source, SelectionRule rule) {
  return {kind_info<NoParams>(name, summary, source), rule};
}

[[nodiscard]] std::span<const SelectionKind* const> selection_kinds();

/// Throws Error for an unknown name.
[[nodiscard]] SelectionRule find_selection(const Description& description);

}  // namespace faultline
