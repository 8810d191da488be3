// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/sort_unique.h"
#include "faultline/routing/states.h"
#include "faultline/verify/verify.h"
#include "verify/buffers.h"

namespace faultline {
namespace {

using Move = DestinationStates::Move;

class Writer {
 public:
  Writer(const RoutingRelation& relation, const FaultSet& dead, Switching switching, const Verdict& verdict)
      : relation_(relation),
        topology_(relation.topology()),
        dead_(dead),
        switching_(switching),
        verdict_(verdict),
        buffers_(relation) {}

  std::string text() && {
    write_header();
    write_network();
    write_proof();
    for (const TerminalId destination : topology_.terminals()) write_destination(destination);
    add("end\n");
    return std::move(text_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  void write_header() {
    add("faultline-certificate 1\n");
    add("network {}\n", topology_.name());
    add("switching {}\n", switching_ == Switching::wormhole ? "wormhole" : "cut-through");
    add("verdict {}\n", name(verdict_.method));
    add("unreachable-pairs {}\n", verdict_.unreachable_pairs);
    if (verdict_.max_hops)
      add("max-hops {}\n", *verdict_.max_hops);
    else
      add("max-hops unbounded\n");
    add("states {}\nmoves {}\ndependencies {}\n", verdict_.states, verdict_.moves, verdict_.dependencies);
  }

  void write_network() {
    add("virtual-channels {}\nswitches {}\n", buffers_.virtual_channels(), topology_.switch_count());
    add("channels {}\n", topology_.network_channel_count());
    for (const ChannelId channel : id_range<ChannelId>(0, topology_.network_channel_count()))
      add("c {} {} {}\n", topology_.source(channel).value(), topology_.target(channel).value(),
          topology_.name(channel));
    add("terminals {}\n", topology_.terminal_count());
    for (const TerminalId terminal : topology_.terminals())
      add("t {} {}\n", switches_of(topology_.injection(terminal)), switches_of(topology_.ejection(terminal)));
  }

  /// The switches at the ends of a terminal's healthy channels.
  [[nodiscard]] std::string switches_of(std::span<const ChannelId> channels) const {
    std::vector<std::uint32_t> switches;
    for (const ChannelId channel : channels)
      if (!dead_.failed(channel))
        switches.push_back((topology_.kind(channel) == ChannelKind::injection ? topology_.target(channel)
                                                                              : topology_.source(channel))
                               .value());
    return switches.empty() ? "-" : fmt::format("{}", fmt::join(switches, ","));
  }

  void write_proof() {
    if (verdict_.method == DeadlockMethod::bubble)
      for (const BubbleRing& ring : relation_.bubble_rings()) {
        add("ring");
        for (const VirtualChannel at : ring) add(" {}", buffers_.number(at.channel, at.vc));
        add("\n");
      }
    if (!verdict_.ranks.empty()) {
      add("ranks");
      for (const std::uint32_t rank : verdict_.ranks)
        if (rank == Verdict::unranked)
          add(" -");
        else
          add(" {}", rank);
      add("\n");
    }
    for (const WaitingPacket& packet : verdict_.deadlock) {
      add("packet {} {} {} waits", packet.source.value(), packet.destination.value(),
          buffers_.number(packet.holds.channel, packet.holds.vc));
      for (const std::uint32_t other : packet.waits_for) {
        const VirtualChannel held = verdict_.deadlock[other].holds;
        add(" {}", buffers_.number(held.channel, held.vc));
      }
      add("\n");
    }
  }

  void write_destination(TerminalId destination) {
    const DestinationStates states = enumerate_states(relation_, destination, dead_);
    add("destination {}\n", destination.value());
    write_injections(states);
    for (std::size_t state = 0; state < states.count(); ++state) {
      add("s {}", states.switches[state].value());
      for (const Move& move : states.moves_of(state)) {
        if (move.next == DestinationStates::ejected)
          add(" e");
        else
          add(" {}{}{}", buffers_.number(move.channel, move.vc), move.escape ? '!' : '>', move.next);
      }
      add("\n");
    }
  }

  /// Terminals whose packets start in the same states share a line.
  void write_injections(const DestinationStates& states) {
    std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> sources;
    for (const TerminalId source : topology_.terminals()) {
      std::vector<std::uint32_t> first;
      for (const Move& move : states.injections_of(source)) first.push_back(move.next);
      sort_unique(first);
      if (!first.empty()) sources[first].push_back(source.value());
    }
    for (const auto& [first, terminals] : sources)
      add("i {} {}\n", fmt::join(first, ","), fmt::join(terminals, " "));
  }

  const RoutingRelation& relation_;
  const Topology& topology_;
  const FaultSet& dead_;
  Switching switching_;
  const Verdict& verdict_;
  Buffers buffers_;
  std::string text_;
};

}  // namespace

std::string certificate_text(const RoutingRelation& relation, const FaultSet& dead, Switching switching,
                             const Verdict& verdict) {
  if (verdict.method == DeadlockMethod::unproved)
    throw Error("verify.certificate", "unproved", "needs a proof or a deadlock to certify; none was found");
  return Writer(relation, dead, switching, verdict).text();
}

}  // namespace faultline
