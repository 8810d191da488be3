// SPDX-License-Identifier: Apache-2.0
// The labelling of dragonflies.
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/topology/topology.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Dragonfly (Kim, Dally, Scott & Abts, ISCA 2008, section 3): groups of a switches, every two of a group
/// linked, with p terminals and h global links a switch. There are a * h + 1 groups, every two linked once.
/// Switch s is in group s / a, terminal t on switch t / p; global link l of a group (on its switch l / h)
/// leads to group l, or l + 1 from the group's own number on.
class DragonflyLabelling final : public Labelling {
 public:
  static constexpr std::string_view needed = "groups of a dragonfly (topology dragonfly)";

  struct Shape {
    std::uint32_t p = 1, a = 1, h = 1;
    [[nodiscard]] std::uint32_t groups() const { return a * h + 1; }
  };

  /// `local`: the channel from each switch to each other of its group, at switch * a + position of the other;
  /// `global`: from each group to each other, at group * a * h + number of the global link.
  DragonflyLabelling(Shape shape, std::vector<ChannelId> local, std::vector<ChannelId> global)
      : shape_(shape), local_(std::move(local)), global_(std::move(global)) {}

  [[nodiscard]] std::string_view name() const override { return needed; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::uint32_t groups() const { return shape_.groups(); }
  [[nodiscard]] std::uint32_t group(SwitchId at) const { return at.value() / shape_.a; }
  [[nodiscard]] SwitchId home(TerminalId terminal) const { return SwitchId(terminal.index() / shape_.p); }
  [[nodiscard]] std::uint32_t group(TerminalId terminal) const { return group(home(terminal)); }

  /// From a switch to another of its group.
  [[nodiscard]] ChannelId local(SwitchId from, SwitchId to) const {
    return local_[from.index() * shape_.a + to.index() % shape_.a];
  }
  /// Between two different groups.
  [[nodiscard]] ChannelId global(std::uint32_t from, std::uint32_t to) const {
    return global_[std::size_t{from} * shape_.a * shape_.h + link_to(from, to)];
  }
  /// The switch of group `from` at which global(from, to) starts.
  [[nodiscard]] SwitchId gateway(std::uint32_t from, std::uint32_t to) const {
    return SwitchId(std::size_t{from} * shape_.a + link_to(from, to) / shape_.h);
  }

  /// The number of the global link of group `from` that leads to group `to`.
  [[nodiscard]] static std::uint32_t link_to(std::uint32_t from, std::uint32_t to) {
    return to < from ? to : to - 1;
  }

 private:
  Shape shape_;
  std::vector<ChannelId> local_, global_;
};

}  // namespace faultline
#pragma GCC visibility pop
