// SPDX-License-Identifier: Apache-2.0
#include "faultline/base/random.h"
#include "faultline/topology/dragonfly.h"
#include "faultline/traffic/pattern.h"

namespace faultline::patterns {
namespace {

class GroupShiftPattern final : public TrafficPattern {
 public:
  GroupShiftPattern(const Topology& topology, const DragonflyLabelling& groups, std::uint32_t shift)
      : groups_(groups),
        shift_(shift % groups.groups()),
        a_group_(static_cast<std::uint32_t>(topology.terminal_count()) / groups.groups()) {}

  [[nodiscard]] TerminalId destination(TerminalId source, std::uint64_t random) const override {
    return TerminalId(std::size_t{target(source)} * a_group_ +
                      below(static_cast<std::uint32_t>(random), a_group_));
  }
  [[nodiscard]] bool silent(TerminalId) const override { return shift_ == 0; }
  [[nodiscard]] double share(TerminalId source, TerminalId destination) const override {
    return groups_.group(destination) == target(source) ? 1.0 / a_group_ : 0;
  }

 private:
  [[nodiscard]] std::uint32_t target(TerminalId source) const {
    return (groups_.group(source) + shift_) % groups_.groups();
  }

  const DragonflyLabelling& groups_;
  std::uint32_t shift_, a_group_;
};

struct GroupShift {
  std::uint32_t by = 1;
  static void fields(auto& field) {
    field("by", &GroupShift::by, between(1, 1U << 20),
          "distance from the source's group to its destinations' group");
  }
  static std::vector<GroupShift> samples() { return {{1}, {2}}; }
  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t) const {
    return std::make_shared<const GroupShiftPattern>(
        topology, topology.labelling<DragonflyLabelling>("group-shift", "traffic"), by);
  }
};

}  // namespace

extern constinit const PatternKind group_shift =
    pattern_kind<GroupShift>("group-shift",
                             "dragonfly: a random terminal of the group that is `by` further; minimal "
                             "routing sends all of it over one "
                             "link",
                             "Kim, Dally, Scott & Abts, ISCA 2008, section 4.1");

}  // namespace faultline::patterns
