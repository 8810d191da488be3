// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/mirrored_tree.h"

#include <fmt/format.h>

#include "faultline/topology/builder.h"
#include "faultline/topology/limits.h"

namespace faultline {
namespace {

class Construction {
 public:
  Construction(std::uint32_t k, std::uint32_t n, bool has_middle)
      : labels_(StageDigits(k, n), has_middle), k_(k) {}

  Topology build(const std::string& name) && {
    for (std::uint32_t group = 0; group < labels_.groups; ++group)
      for (std::uint32_t level = 0; level < labels_.levels(); ++level)
        for_each_order([&](std::uint32_t order) {
          builder_.add_switch({column(group, level), order}, fmt::format("g{}.{}.{}", group, level, order));
        });
    if (labels_.has_middle)
      for_each_order([&](std::uint32_t order) {
        builder_.add_switch({labels_.levels(), order}, fmt::format("m.{}", order));
      });
    for (std::uint32_t group = 0; group < labels_.groups; ++group)
      for (std::uint32_t level = 0; level + 1 < labels_.levels(); ++level) connect_levels(group, level);
    if (labels_.levels() > 0) {
      if (labels_.has_middle)
        connect_middle();
      else
        connect_groups();
    }
    attach_terminals();
    builder_.set_labelling(std::make_unique<MirroredTreeLabelling>(labels_));
    return std::move(builder_).build(name, "minimal");
  }

 private:
  template <class Visit>
  void for_each_order(Visit visit) const {
    for (std::uint32_t order = 0; order < labels_.digits.switches_per_stage(); ++order) visit(order);
  }
  template <class Visit>
  void for_each_up_port(Visit visit) const {
    for_each_order([&](std::uint32_t order) {
      for (std::uint32_t digit = 0; digit < k_; ++digit) visit(order, digit);
    });
  }

  /// Group 0 is drawn from the left, group 1 from the right, so that they mirror each other.
  [[nodiscard]] std::uint32_t column(std::uint32_t group, std::uint32_t level) const {
    const std::uint32_t last = 2 * labels_.levels() - (labels_.has_middle ? 0 : 1);
    return group == 0 ? level : last - level;
  }

  void connect_levels(std::uint32_t group, std::uint32_t level) {
    const StageDigits& digits = labels_.digits;
    for_each_up_port([&](std::uint32_t order, std::uint32_t digit) {
      builder_.connect_both(
          {labels_.at(group, level, order), k_ + digit},
          {labels_.at(group, level + 1, digits.with_digit(order, level, digit)), digits.digit(order, level)});
    });
  }
  void connect_groups() {
    const StageDigits& digits = labels_.digits;
    const std::uint32_t top = labels_.levels() - 1;
    for_each_up_port([&](std::uint32_t order, std::uint32_t digit) {
      builder_.connect_both(
          {labels_.at(0, top, order), k_ + digit},
          {labels_.at(1, top, digits.with_digit(order, top, digit)), k_ + digits.digit(order, top)});
    });
  }
  void connect_middle() {
    const StageDigits& digits = labels_.digits;
    const std::uint32_t top = labels_.levels() - 1;
    for (std::uint32_t group = 0; group < labels_.groups; ++group)
      for_each_up_port([&](std::uint32_t order, std::uint32_t digit) {
        builder_.connect_both(
            {labels_.at(group, top, order), k_ + digit},
            {labels_.middle(digits.with_digit(order, top, digit)), group * k_ + digits.digit(order, top)});
      });
  }

  void attach_terminals() {
    const StageDigits& digits = labels_.digits;
    for (std::uint32_t group = 0; group < labels_.groups; ++group)
      for (std::uint32_t address = 0; address < digits.terminal_count(); ++address) {
        const std::uint32_t order = address % digits.switches_per_stage();
        const std::uint32_t port = address / digits.switches_per_stage();
        builder_.attach(builder_.add_terminal(), labels_.levels() > 0
                                                     ? Port{labels_.at(group, 0, order), port}
                                                     : Port{labels_.middle(order), group * k_ + port});
      }
  }

  MirroredTreeLabelling labels_;
  std::uint32_t k_;
  TopologyBuilder builder_;
};

}  // namespace

Topology build_mirrored_tree(std::uint32_t k, std::uint32_t n, bool has_middle, const std::string& name) {
  require_terminal_count(k, n, 2);
  return Construction(k, n, has_middle).build(name);
}

}  // namespace faultline
