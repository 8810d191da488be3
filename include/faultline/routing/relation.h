// SPDX-License-Identifier: Apache-2.0
// Where a packet may go next: the pure routing relation that verification, resilience and simulation all
// read.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faultline/fault/fault_set.h"
#include "faultline/routing/plan_figures.h"
#include "faultline/routing/plan_search.h"
#include "faultline/topology/topology.h"

#pragma GCC visibility push(default)
namespace faultline {

using Tag = std::uint64_t;

/// What a packet's head knows at a switch. `held` is the channel on which it arrived (never invalid), `vc`
/// the virtual channel that it occupies there, `tag` that of the option it took last.
struct RouteState {
  SwitchId at;
  TerminalId destination;
  ChannelId held;
  std::uint8_t vc = 0;
  Tag tag = 0;
};

/// One continuation. Options that share a channel but differ in anything else are different options: a packet
/// that takes one takes all of it. A higher tier may be taken only if every option of the lower ones is ruled
/// out (admissible.h).
struct RouteOption {
  ChannelId channel;
  std::uint32_t vcs = 1;  ///< bit v: virtual channel v may be taken
  Tag tag = 0;            ///< handed to the next switch; below RoutingRelation::tag_count()
  std::uint8_t tier = 0;
  std::uint16_t cost = 0;  ///< channels from here to the terminal if this option is taken; 0: not known

  friend bool operator==(const RouteOption&, const RouteOption&) = default;
};

using RouteOptions = std::vector<RouteOption>;

/// An option on every injection channel of a terminal, all with these virtual channels and this tag, tier 0
/// and no cost.
struct InjectionOffer {
  std::uint32_t vcs = 0;  ///< 0: not known, and inject() has to be called
  Tag tag = 0;
};

/// Options of a switch that all have the same tag and tier 0, as sets: an option for each output that is in a
/// part, with the virtual channels of the parts that it is in.
struct OutputSets {
  struct Part {
    std::uint64_t outputs = 0;  ///< bit i: the i-th output of the switch
    std::uint32_t vcs = 0;  ///< bit v: virtual channel v of each of them; none only if there are no outputs
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::array<Part, 2> parts{};
  Tag tag = 0;
  friend bool operator==(const OutputSets&, const OutputSets&) = default;
};

struct VirtualChannel {
  ChannelId channel;
  std::uint8_t vc = 0;
  friend bool operator==(const VirtualChannel&, const VirtualChannel&) = default;
};

/// Virtual channels in the order in which packets pass them, the last one leading back to the first. Under
/// cut-through switching a packet that comes from outside may enter one only if its buffer has room for two
/// packets: the bubble that stays keeps the ring moving (Puente et al., Adaptive Bubble Router, 2001).
using BubbleRing = std::vector<VirtualChannel>;

/// Whether what is claimed of deadlocks also holds while channels fail and recover.
enum class WhileChannelsFail : std::uint8_t {
  without_escapes,  ///< unless it relies on escape channels: one may fail while a packet still waits for
                    ///< others
  yes,              ///< every option, of every tier, has an escape of its own
  no,               ///< options of higher tiers may lead into a deadlock
};

/// What a routing guarantees. It is taken at its word: `minimal` by always_progresses(), the others by the
/// guard that refuses simulations with deadlocks (`faultline simulate`). For the kinds that are shipped
/// tests check each part (tests/verify/claims_test.cpp, tests/relation/guard_test.cpp); claim nothing for a
/// routing of your own that verify() does not show.
struct Claim {
  bool minimal = false;        ///< with nothing dead, every path has the fewest hops
  bool deadlock_free = false;  ///< under wormhole switching
  bool deadlock_free_cut_through = false;
  WhileChannelsFail while_channels_fail = WhileChannelsFail::without_escapes;
  std::optional<std::uint32_t> tolerates;  ///< N: any N failed network links leave every pair connected
};

/// Pure: no random numbers, no clock, no simulator state. Safe to call from several threads.
///
/// The contract of every answer (contract.h checks it; a breach is an Error):
/// - an option of inject() is on an injection channel of the source, an option of route() on an output of the
///   switch: a network channel, or an ejection channel of the destination;
/// - its virtual channels are at least one, and below virtual_channels(), its tag is below tag_count();
/// - the same question has the same answer, in the same order; `held` and `vc` are part of the question only
///   where reads_held_channel() says so.
class RoutingRelation {
 public:
  explicit RoutingRelation(TopologyPtr topology) : topology_(std::move(topology)) {}
  RoutingRelation(const RoutingRelation&) = delete;
  RoutingRelation& operator=(const RoutingRelation&) = delete;
  virtual ~RoutingRelation() = default;

  [[nodiscard]] const Topology& topology() const { return *topology_; }
  [[nodiscard]] const TopologyPtr& shared_topology() const { return topology_; }

  /// Appends the injection channels that a packet from `source` to `destination` may take; by default all,
  /// tag 0.
  virtual void inject(TerminalId source, TerminalId destination, RouteOptions& options) const;

  /// The virtual channels that inject() offers on every injection channel, with tag 0, tier 0 and no cost,
  /// whatever the destination; then code that visits all pairs need not call it. 0: inject() has to be
  /// called. A relation that does not override inject() may return 1.
  [[nodiscard]] virtual std::uint32_t injection_vcs() const { return 0; }
  /// The same for packets from `source` to `destination`, with any tag. No virtual channels mean
  /// that this is unknown, not that inject() offers something else.
  [[nodiscard]] virtual InjectionOffer injection_offer(TerminalId /*source*/,
                                                       TerminalId /*destination*/) const {
    return {injection_vcs()};
  }
  /// Where inject() will read what it knows of this pair, if a table of pairs exceeds the caches; else null.
  /// Callers that know ahead what they will ask may prefetch it.
  [[nodiscard]] virtual const void* injection_entry(TerminalId /*source*/, TerminalId /*destination*/) const {
    return nullptr;
  }

  /// Appends the network or ejection channels that a packet in `state` may take next; none if it is stuck.
  virtual void route(const RouteState& state, RouteOptions& options) const = 0;

  /// True if output_bits() is equivalent to route(): the options depend on `at` and `destination` alone, each
  /// has tag 0 and tier 0, and no switch has more than 64 virtual channels at its outputs.
  [[nodiscard]] virtual bool offers_output_bits() const { return false; }

  /// The options as one word, for an engine that routes at every hop: bit i * virtual_channels() + v is
  /// virtual channel v of the i-th output of the switch.
  [[nodiscard]] virtual std::uint64_t output_bits(SwitchId at, TerminalId destination) const;
  /// Where output_bits() will read what it knows of this pair, if a table of pairs exceeds the nearest
  /// caches; else null, and then it is null for every pair.
  [[nodiscard]] virtual const void* output_entry(SwitchId /*at*/, TerminalId /*destination*/) const {
    return nullptr;
  }

  /// True if output_sets() is equivalent to route(): the options depend on `at`, `destination` and `tag`
  /// alone, and no switch has more than 64 outputs.
  [[nodiscard]] virtual bool offers_output_sets() const { return false; }

  /// The options as sets, whatever the number of virtual channels.
  [[nodiscard]] virtual OutputSets output_sets(SwitchId at, TerminalId destination, Tag tag) const;

  /// Where the options depend on where the destination stands, seen from the switch, and not on the switch:
  /// pairs with the same number have the same output_bits(), or output_sets() for each tag below
  /// relative_tags(). Numbers are below relative_positions(); 0: there are none.
  [[nodiscard]] virtual std::uint32_t relative_positions() const { return 0; }
  [[nodiscard]] virtual std::uint32_t relative_position(SwitchId /*at*/, TerminalId /*destination*/) const {
    return 0;
  }
  /// Fewer than all where tags name switches.
  [[nodiscard]] virtual Tag relative_tags() const { return tag_count(); }

  /// For packets that have only taken options of this relation since their injection: one that offers them
  /// the same wherever they come, and may answer sooner. By default this one. It lives as long as this one.
  [[nodiscard]] virtual const RoutingRelation& en_route() const { return *this; }

  /// Tags that options carry are 0 … tag_count() - 1.
  [[nodiscard]] virtual std::uint64_t tag_count() const { return 1; }

  /// Virtual channels per channel; options name 0 … virtual_channels() - 1.
  [[nodiscard]] virtual std::uint32_t virtual_channels() const { return 1; }

  /// True when route() reads `held` or `vc`; otherwise (at, destination, tag) determine the options.
  [[nodiscard]] virtual bool reads_held_channel() const { return false; }

  /// The switch that a packet with this tag visits before its destination; invalid if there is none. legs.h
  /// splits paths at it.
  [[nodiscard]] virtual SwitchId intermediate(Tag /*tag*/) const { return {}; }

  [[nodiscard]] virtual Claim claim() const { return {}; }

  /// True if, with nothing dead, every path that a packet may take leads to its destination and none revisits
  /// a state: switches that know all faults then have nothing to rule out.
  [[nodiscard]] virtual bool always_progresses() const { return claim().minimal; }

  /// The rings whose bubble condition the claim for cut-through relies on.
  [[nodiscard]] virtual std::vector<BubbleRing> bubble_rings() const { return {}; }

  /// True if taking `option` on `vc` in `state` belongs to the escape subrelation, which must be free of
  /// deadlock by itself and available to every packet (Duato, 1995); ejection always does, and is not asked
  /// about. By default every option does.
  [[nodiscard]] virtual bool is_escape(const RouteState& state, const RouteOption& option,
                                       std::uint8_t vc) const;

  /// True if is_escape() is ever false; it may not be where this is false. Under wormhole switching the
  /// escape subrelation guarantees anything only if a switch gives a virtual channel to a packet while it is
  /// empty: a packet behind another one's tail could not leave by its own escape. The simulator then
  /// allocates virtual channels that way.
  [[nodiscard]] virtual bool relies_on_escape() const { return false; }

  /// True if a switch that has no living option for a packet hands it to one of its terminals, which
  /// re-injects it by any option of inject(): it is out of the network meanwhile, so that what is proved of
  /// packets from that terminal holds for it. Otherwise such a packet waits. (In-transit buffers: Flich,
  /// Malumbres, López & Duato, ICS 2000.) For cut-through switching.
  [[nodiscard]] virtual bool sends_again() const { return false; }

  /// Where the routing is recomputed without dead channels, and cannot be built if it then needs more virtual
  /// channels (TooFewVirtualChannels): how many it may use. Absent: that cannot happen.
  [[nodiscard]] virtual std::optional<std::uint32_t> most_virtual_channels() const { return std::nullopt; }

  /// Remarks for people: oddities that do not make the relation unusable.
  [[nodiscard]] virtual std::vector<std::string> remarks() const { return {}; }

  /// For Survival::plans: which pairs the routing serves for any faults, whatever faults this relation knows.
  /// `kernel`: "reference", a plain search for each pair; "word"; or any other name, the fastest here.
  [[nodiscard]] virtual std::unique_ptr<PlanSearch> plan_search(std::string_view /*kernel*/) const {
    return nullptr;
  }
  /// What the sources hold for the faults that the relation knows; null if they hold nothing.
  [[nodiscard]] virtual const PlanFigures* plan_figures() const { return nullptr; }

  /// Switching elements that a switch needs for the turns this routing can ask for: inputs times outputs of
  /// its multiplexers (paper 1, section 3.1.1 and Table 3). By default a full crossbar.
  [[nodiscard]] virtual std::uint64_t switching_elements(SwitchId at) const;

 private:
  TopologyPtr topology_;
};

using RelationPtr = std::shared_ptr<const RoutingRelation>;

}  // namespace faultline
#pragma GCC visibility pop
