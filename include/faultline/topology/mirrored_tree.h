// SPDX-License-Identifier: Apache-2.0
// Two k-ary trees that face each other: MiKANT (paper 3) and the Clos k-ary n-tree, with the addresses that
// their routings read.
#pragma once

#include <optional>

#include "faultline/topology/labellings.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Two groups of n - 1 levels with k^(n-1) switches each. Up ports k … 2k-1 of level L < n - 2 lead to level
/// L + 1 of the same group, with digit L of the switch's order replaced by the port's; down ports 0 … k-1
/// lead back, or to terminals at level 0. At level n - 2 the up ports lead, with digit n - 2 replaced,
/// - to level n - 2 of the other group in a MiKANT,
/// - to k^(n-1) middle switches in a Clos tree, whose ports 0 … k-1 lead down to group 0, k … 2k-1 to
///   group 1.
///
/// Switches are numbered group by group, level by level, middle switches last. Terminal group * k^n + c has
/// digits c_(n-1) … c_0: it is at port c_(n-1) of switch order c_(n-2) … c_0 of level 0.
class MirroredTreeLabelling final : public Labelling {
 public:
  static constexpr std::string_view needed =
      "groups, levels and digits of two facing trees (topologies mikant, clos-tree)";
  static constexpr std::uint32_t groups = 2;

  MirroredTreeLabelling(StageDigits stage_digits, bool with_middle)
      : digits(std::move(stage_digits)), has_middle(with_middle) {}
  [[nodiscard]] std::string_view name() const override { return needed; }

  [[nodiscard]] std::uint32_t levels() const { return digits.n() - 1; }
  [[nodiscard]] std::uint32_t switch_count() const {
    return (groups * levels() + (has_middle ? 1 : 0)) * digits.switches_per_stage();
  }
  [[nodiscard]] SwitchId at(std::uint32_t group, std::uint32_t level, std::uint32_t order) const {
    return digits.at(group * levels() + level, order);
  }
  [[nodiscard]] SwitchId middle(std::uint32_t order) const { return digits.at(groups * levels(), order); }

  [[nodiscard]] bool is_middle(SwitchId at) const { return digits.stage(at) == groups * levels(); }
  /// 0 or 1; not for a middle switch.
  [[nodiscard]] std::uint32_t group(SwitchId at) const { return digits.stage(at) < levels() ? 0 : 1; }
  /// 0 … n - 2, and n - 1 for a middle switch.
  [[nodiscard]] std::uint32_t level(SwitchId at) const {
    return is_middle(at) ? levels() : digits.stage(at) - group(at) * levels();
  }
  [[nodiscard]] std::uint32_t order(SwitchId at) const { return digits.order(at); }

  [[nodiscard]] std::uint32_t group(TerminalId terminal) const {
    return terminal.value() < digits.terminal_count() ? 0 : 1;
  }
  /// c_(n-1) … c_0 as a number.
  [[nodiscard]] std::uint32_t address(TerminalId terminal) const {
    return terminal.value() - group(terminal) * digits.terminal_count();
  }

  StageDigits digits;
  bool has_middle;
};

/// Throws Error when 2k^n terminals are too many.
[[nodiscard]] Topology build_mirrored_tree(std::uint32_t k, std::uint32_t n, bool has_middle,
                                           const std::string& name);

}  // namespace faultline
#pragma GCC visibility pop
