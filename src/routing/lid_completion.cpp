// SPDX-License-Identifier: Apache-2.0
#include "routing/lid_completion.h"

#include <deque>

#include "routing/arrivals.h"

namespace faultline {
namespace {

class LidCompletion {
 public:
  LidCompletion(const CabledNetwork& network, const LidPackets& packets, const PortsTowards& wished,
                AcyclicDependencies* dependencies, PortsTowards& ports)
      : network_(network),
        wished_(wished),
        dependencies_(dependencies),
        ports_(ports),
        arrivals_(network.topology, network.fabric, network.dead, packets.ends),
        may_have_one_(network.topology.switch_count(), true) {
    for (const SwitchId at : packets.lost_at) may_have_one_[at.index()] = false;
  }

  void give_wished() { add_neighbours({}); }

  /// False where what is left would close a cycle.
  bool give_all(const std::vector<bool>& comes_first, bool closes_cycles_at_last) {
    for (add_neighbours(comes_first);; add_neighbours(comes_first)) {
      if (give_one_of(first_) || give_one_of(others_)) continue;
      if (closing_a_cycle_is_all_that_is_left() && !closes_cycles_at_last) return false;
      if (closing_a_cycle_.empty()) return true;
      give(closing_a_cycle_.front());
    }
  }

 private:
  struct Way {
    ChannelId channel;
    std::uint8_t port;
  };

  [[nodiscard]] bool lacks_one(SwitchId at) const {
    return ports_[at.index()] == no_port && may_have_one_[at.index()];
  }
  [[nodiscard]] SwitchId start(const Way& way) const { return network_.topology.source(way.channel); }

  void add_neighbours(const std::vector<bool>& comes_first) {
    arrivals_.for_each_way_in([&](ChannelId channel, std::uint8_t port) {
      const Way way{channel, port};
      const std::size_t from = start(way).index();
      if (ports_[from] == port) arrivals_.add(start(way));
      if (!lacks_one(start(way))) return;
      if (wished_[from] != port)
        (!comes_first.empty() && comes_first[from] ? first_ : others_).push_back(way);
      else if (closes_no_cycle(channel))
        give(way);
      else
        closing_a_cycle_.push_back(way);
    });
  }
  /// False where none is left that closes no cycle.
  bool give_one_of(std::deque<Way>& ways) {
    for (; !ways.empty(); ways.pop_front()) {
      if (arrivals_.has(start(ways.front()))) continue;
      if (closes_no_cycle(ways.front().channel)) {
        give(ways.front());
        return true;
      }
      closing_a_cycle_.push_back(ways.front());
    }
    return false;
  }
  /// Removes ways of switches that have found another one.
  bool closing_a_cycle_is_all_that_is_left() {
    while (!closing_a_cycle_.empty() && arrivals_.has(start(closing_a_cycle_.front())))
      closing_a_cycle_.pop_front();
    return !closing_a_cycle_.empty();
  }
  void give(const Way& way) {
    ports_[start(way).index()] = way.port;
    arrivals_.add(start(way));
  }

  /// Of packets that come by the channel, to a switch that has a port or is an end. Adds the dependency then.
  bool closes_no_cycle(ChannelId held) {
    const SwitchId next = network_.topology.target(held);
    const ChannelId wanted = network_.ports.channel(next, ports_[next.index()]);
    return dependencies_ == nullptr || !wanted.valid() || dependencies_->add(held, wanted);
  }

  const CabledNetwork& network_;
  const PortsTowards& wished_;
  AcyclicDependencies* dependencies_;
  PortsTowards& ports_;
  Arrivals arrivals_;
  std::vector<bool> may_have_one_;  // by switch
  std::deque<Way> first_, others_, closing_a_cycle_;
};

}  // namespace

void give_wished_ports(const CabledNetwork& network, const LidPackets& packets, const PortsTowards& wished,
                       AcyclicDependencies& dependencies, PortsTowards& ports) {
  LidCompletion(network, packets, wished, &dependencies, ports).give_wished();
}

bool give_missing_ports(const CabledNetwork& network, const LidPackets& packets, const WishedPorts& wished,
                        AcyclicDependencies* dependencies, PortsTowards& ports) {
  return LidCompletion(network, packets, wished.towards, dependencies, ports)
      .give_all(wished.comes_first, false);
}

void give_missing_ports_anyway(const CabledNetwork& network, const LidPackets& packets,
                               const WishedPorts& wished, AcyclicDependencies* dependencies,
                               PortsTowards& ports) {
  (void)LidCompletion(network, packets, wished.towards, dependencies, ports)
      .give_all(wished.comes_first, true);
}

}  // namespace faultline
