// SPDX-License-Identifier: Apache-2.0
#include "routing/table_completion.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "routing/path_layers.h"
#include "routing/reserved_tree.h"
#include "routing/table_dependencies.h"

namespace faultline {
namespace {

class TableCompletion {
 public:
  TableCompletion(const CabledNetwork& network, const std::vector<LidPackets>& packets)
      : network_(network),
        packets_(packets),
        can_send_(network.topology.switch_count()),
        of_fixed_(dependencies_of(&LidPackets::fixed)),
        of_kept_(dependencies_of(&LidPackets::kept)) {
    for (const ChannelId channel : network.topology.channels())
      if (network.topology.role(channel) == ChannelRole::network && !network.dead.failed(channel))
        can_send_[network.topology.source(channel).index()] = true;
  }

  std::vector<PortsTowards> run() && {
    constexpr bool with_tree = true;
    if (of_kept_ && (give_all(Kept::all, !with_tree) || give_all(Kept::all, with_tree))) return ports_;
    if (of_fixed_ && (give_all(Kept::some, !with_tree) || give_all(Kept::some, with_tree) ||
                      give_all(Kept::none, with_tree)))
      return ports_;
    begin(of_kept_ || !of_fixed_ || nothing_is_missing() ? Kept::all : Kept::some, with_tree);
    // LIDs of switches are the last, and terminals send to these as well.
    for (std::size_t lid = packets_.size(); lid-- != 0;)
      if (!give(lid))
        give_missing_ports_anyway(network_, packets_[lid], as_before(lid), dependencies(), ports_[lid]);
    return ports_;
  }

 private:
  enum class Kept : std::uint8_t { all, some, none };

  [[nodiscard]] std::optional<AcyclicDependencies> dependencies_of(PortsTowards LidPackets::*ports) const {
    const Dependencies numbers(network_.topology);
    std::vector<std::uint32_t> uses(numbers.count());
    for (const LidPackets& one : packets_)
      for_each_dependency(network_.topology, network_.ports, one.*ports,
                          [&](ChannelId held, ChannelId wanted) { ++uses[numbers.of(held, wanted)]; });
    return acyclic_dependencies(network_.topology, std::move(uses));
  }
  /// Null if cycles cannot be avoided anyway.
  [[nodiscard]] AcyclicDependencies* dependencies() { return dependencies_ ? &*dependencies_ : nullptr; }

  void begin(Kept kept, bool with_tree) {
    kept_ = kept;
    dependencies_ = kept == Kept::all ? of_kept_ : of_fixed_;
    ports_.clear();
    for (const LidPackets& one : packets_) ports_.push_back(kept == Kept::all ? one.kept : one.fixed);
    tree_.reset();
    if (with_tree && dependencies_) tree_ = reserve_tree(network_.topology, network_.dead, *dependencies_);
    to_root_.assign(network_.topology.switch_count(), no_port);
    if (tree_ && kept != Kept::all) to_root_ = along_tree({tree_->root});
    if (kept != Kept::some) return;
    for (std::size_t lid = 0; lid < packets_.size(); ++lid)
      if (packets_[lid].kept != packets_[lid].fixed)
        give_wished_ports(network_, packets_[lid], packets_[lid].kept, *dependencies_, ports_[lid]);
  }
  /// False, and some lack ports, where that would close a cycle.
  bool give_all(Kept kept, bool with_tree) {
    begin(kept, with_tree);
    if (with_tree && !tree_ && kept != Kept::none) return false;  // as without
    for (std::size_t lid = 0; lid < packets_.size(); ++lid)
      if (!give(lid)) return false;
    return true;
  }
  bool give(std::size_t lid) {
    if (!lacks_one(lid)) return true;
    if (kept_ != Kept::none && give_missing(lid, as_before(lid))) return true;
    if (kept_ == Kept::all) return false;
    if (give_anew(lid, otherwise(lid))) return true;
    return tree_ && is_of_switch(lid) && give_anew(lid, along_tree(packets_[lid].ends));
  }
  [[nodiscard]] bool is_of_switch(std::size_t lid) const { return !packets_[lid].otherwise.empty(); }
  [[nodiscard]] bool lacks_one(std::size_t lid) const {
    for (const SwitchId at : network_.topology.switches())
      if (ports_[lid][at.index()] == no_port && can_send_[at.index()]) return true;
    return false;
  }
  /// From what is kept: then no entry is changed where that is to no purpose.
  [[nodiscard]] bool nothing_is_missing() const {
    return std::ranges::all_of(packets_, [&](const LidPackets& one) {
      PortsTowards ports = one.kept;
      return give_missing_ports(network_, one, {ports}, nullptr, ports) && ports == one.kept;
    });
  }
  bool give_missing(std::size_t lid, const WishedPorts& wished) {
    return give_missing_ports(network_, packets_[lid], wished, dependencies(), ports_[lid]);
  }
  /// Where only the fixed ports stay.
  bool give_anew(std::size_t lid, const PortsTowards& wished) {
    take_back(lid);
    return give_missing(lid, {wished});
  }
  void take_back(std::size_t lid) {
    PortsTowards& ports = ports_[lid];
    const PortsTowards& fixed = packets_[lid].fixed;
    for_each_dependency(network_.topology, network_.ports, ports, [&](ChannelId held, ChannelId wanted) {
      if (fixed[network_.topology.source(held).index()] == no_port) dependencies_->remove(held, wanted);
    });
    ports = fixed;
  }

  [[nodiscard]] WishedPorts as_before(std::size_t lid) const {
    const LidPackets& one = packets_[lid];
    WishedPorts wished{one.before, std::vector<bool>(one.before.size())};
    for (const SwitchId at : network_.topology.switches()) {
      if (network_.ports.behind(at, one.before[at.index()]).valid()) continue;
      wished.comes_first[at.index()] = true;
      wished.towards[at.index()] = otherwise(lid)[at.index()];
    }
    return wished;
  }
  /// Packets for a terminal go on from the root by a fixed port. If all turn there, they close no cycle.
  [[nodiscard]] const PortsTowards& otherwise(std::size_t lid) const {
    return is_of_switch(lid) ? packets_[lid].otherwise : to_root_;
  }
  [[nodiscard]] PortsTowards along_tree(const std::vector<SwitchId>& ends) const {
    PortsTowards ports;
    for (const ChannelId next : tree_->forest.towards(ends))
      ports.push_back(next.valid() ? network_.fabric.output_port(network_.topology, next) : no_port);
    return ports;
  }

  const CabledNetwork& network_;
  const std::vector<LidPackets>& packets_;
  std::vector<bool> can_send_;                                   // by switch: to another one
  const std::optional<AcyclicDependencies> of_fixed_, of_kept_;  // none if they close a cycle

  // Of one attempt
  Kept kept_ = Kept::all;
  std::optional<AcyclicDependencies> dependencies_;
  std::optional<ReservedTree> tree_;  // its turns are among the dependencies
  PortsTowards to_root_;              // along it
  std::vector<PortsTowards> ports_;   // by LID
};

}  // namespace

std::vector<PortsTowards> complete_tables(const CabledNetwork& network,
                                          const std::vector<LidPackets>& packets) {
  return TableCompletion(network, packets).run();
}

}  // namespace faultline
