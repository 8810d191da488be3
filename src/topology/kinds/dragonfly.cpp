// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/dragonfly.h"

#include <fmt/format.h>

#include "faultline/topology/builder.h"
#include "faultline/topology/kind.h"
#include "faultline/topology/limits.h"

namespace faultline::topologies {
namespace {

/// Ports of a switch: its terminals, then the other switches of its group, then its global links.
class Plan {
 public:
  explicit Plan(DragonflyLabelling::Shape shape)
      : shape_(shape),
        local_(std::size_t{shape.groups()} * shape.a * shape.a),
        global_(std::size_t{shape.groups()} * shape.a * shape.h) {}

  Topology build(const std::string& name) && {
    for (std::uint32_t group = 0; group < shape_.groups(); ++group)
      for (std::uint32_t i = 0; i < shape_.a; ++i)
        builder_.add_switch({group, i}, fmt::format("g{}.{}", group, i));
    for (std::uint32_t group = 0; group < shape_.groups(); ++group) link_group(group);
    for (std::uint32_t low = 0; low < shape_.groups(); ++low)
      for (std::uint32_t high = low + 1; high < shape_.groups(); ++high) link_groups(low, high);
    for (std::uint32_t at = 0; at < shape_.groups() * shape_.a; ++at)
      for (std::uint32_t port = 0; port < shape_.p; ++port)
        builder_.attach(builder_.add_terminal(), {SwitchId(at), port});
    builder_.set_labelling(
        std::make_unique<DragonflyLabelling>(shape_, std::move(local_), std::move(global_)));
    return std::move(builder_).build(name, "dragonfly-minimal");
  }

 private:
  [[nodiscard]] SwitchId at(std::uint32_t group, std::uint32_t i) const {
    return SwitchId(std::size_t{group} * shape_.a + i);
  }
  [[nodiscard]] Port local_port(std::uint32_t group, std::uint32_t from, std::uint32_t to) const {
    return {at(group, from), shape_.p + (to < from ? to : to - 1)};
  }
  [[nodiscard]] Port global_port(std::uint32_t group, std::uint32_t link) const {
    return {at(group, link / shape_.h), shape_.p + shape_.a - 1 + link % shape_.h};
  }

  void link_group(std::uint32_t group) {
    for (std::uint32_t low = 0; low < shape_.a; ++low)
      for (std::uint32_t high = low + 1; high < shape_.a; ++high) {
        builder_.connect_both(local_port(group, low, high), local_port(group, high, low));
        local_[at(group, low).index() * shape_.a + high] = next_channel();
        local_[at(group, high).index() * shape_.a + low] = next_channel();
      }
  }

  void link_groups(std::uint32_t low, std::uint32_t high) {
    const std::uint32_t links = shape_.a * shape_.h;
    const std::uint32_t up = DragonflyLabelling::link_to(low, high);
    const std::uint32_t down = DragonflyLabelling::link_to(high, low);
    builder_.connect_both(global_port(low, up), global_port(high, down));
    global_[std::size_t{low} * links + up] = next_channel();
    global_[std::size_t{high} * links + down] = next_channel();
  }

  ChannelId next_channel() { return ChannelId(channels_++); }

  DragonflyLabelling::Shape shape_;
  TopologyBuilder builder_;
  std::vector<ChannelId> local_, global_;
  std::size_t channels_ = 0;
};

struct Dragonfly {
  std::uint32_t p = 0;
  std::uint32_t a = 0;
  std::uint32_t h = 0;

  static void fields(auto& field) {
    field("p", &Dragonfly::p, between(1, 1024).required(), "terminals on each switch");
    field("a", &Dragonfly::a, between(1, 1024).required(),
          "switches in each group, every two of them linked");
    field("h", &Dragonfly::h, between(1, 1024).required(),
          "global links of each switch; a * h + 1 groups, every two of them linked once");
  }
  static std::vector<Dragonfly> samples() { return {{1, 2, 1}, {2, 2, 1}, {1, 3, 1}, {1, 2, 2}}; }

  [[nodiscard]] std::uint64_t terminal_total() const {
    return saturating_product(std::uint64_t{a} * h + 1, std::uint64_t{a} * p);
  }
  [[nodiscard]] Topology build(const std::string& name) const {
    const DragonflyLabelling::Shape shape{p, a, h};
    const std::uint64_t switches = std::uint64_t{shape.groups()} * a;
    if (switches * p > max_terminals || switches * (a + h) > 16 * max_terminals)
      throw Error("topology.a", fmt::format("{}", a),
                  fmt::format("must make at most {} terminals and {} network channels (with p={} and h={})",
                              max_terminals, 16 * max_terminals, p, h));
    return Plan(shape).build(name);
  }
};

}  // namespace

extern constinit const TopologyKind dragonfly = topology_kind<Dragonfly>(
    "dragonfly", "groups of switches, each fully linked, and every two groups linked once",
    "Kim, Dally, Scott & Abts, ISCA 2008, section 3");

}  // namespace faultline::topologies
