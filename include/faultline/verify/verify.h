// SPDX-License-Identifier: Apache-2.0
// Is a routing connected, free of livelock and free of deadlock? With a proof or a counterexample.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "faultline/base/progress.h"
#include "faultline/base/stop.h"
#include "faultline/routing/admissible.h"
#include "faultline/routing/pair_classes.h"
#include "faultline/routing/switching.h"

#pragma GCC visibility push(default)
namespace faultline {

/// How freedom of deadlock was decided, the strongest statement first.
enum class DeadlockMethod : std::uint8_t {
  acyclic_dependencies,  ///< no cycle among the channel dependencies (Dally & Seitz, 1987)
  escape,    ///< an escape subrelation whose extended dependencies have no cycle (Duato, 1995); under
             ///< cut-through switching: buffers in an order that every packet can always descend
  bubble,    ///< the same, with rings that keep a bubble (Carrión et al., 1997)
  deadlock,  ///< refuted: packets were found each of which waits for others of the set
  unproved,  ///< neither
};
[[nodiscard]] std::string_view to_string(DeadlockMethod method);

/// A packet of a deadlock: it waits at the end of `channel`, and every virtual channel that it may take next
/// is held by the packets `waits_for` (positions in the same list).
struct WaitingPacket {
  VirtualChannel holds;
  TerminalId source, destination;
  std::vector<std::uint32_t> waits_for;
};

/// A packet's head moves to the end of `channel`, on virtual channel `vc`, with `tag`.
struct ScheduledStep {
  std::uint32_t packet = 0;  ///< its position in Verdict::deadlock
  ChannelId channel;         ///< first an injection channel, then network channels
  std::uint8_t vc = 0;
  Tag tag = 0;
};

/// How packets of a pair come to a stop.
struct DeadEnd {
  TerminalId source, destination;
  std::vector<ChannelId> walk;   ///< by the fewest channels; none: the source has no option
  bool on_dead_channel = false;  ///< the last of them is dead; else the switch behind it offers no option
  std::uint8_t vc = 0;           ///< of the packet on the last channel
  Tag tag = 0;                   ///< of the packet at that switch
  friend bool operator==(const DeadEnd&, const DeadEnd&) = default;
};

struct VerifySpec {
  Switching switching = Switching::cut_through;
  SourceRole source = SourceRole::any;
  /// The selection function commits a waiting packet to one of its options, for any virtual channel of which
  /// it then waits: an escape channel of another option does not help.
  bool selection_commits = false;
  bool takes_first = false;   ///< SelectionRule::takes_first: only the first option of a state is followed
  std::uint32_t threads = 1;  ///< never changes the answer
  std::size_t listed_pairs = 20;     ///< at most this many unreachable pairs are listed
  std::size_t listed_livelocks = 0;  ///< likewise of those that may travel for ever
  StopFlag stop = nullptr;           ///< once set, verify() throws Stopped
};

struct Verdict {
  PairCounts pairs;  ///< all ordered pairs
  /// Pairs that are neither served nor likely. A terminal all of whose injection channels, or ejection
  /// channels, have failed does not count.
  std::uint64_t unreachable_pairs = 0;
  std::vector<std::pair<TerminalId, TerminalId>> unreachable;  ///< the first of them, by destination
  std::optional<DeadEnd> dead_end;  ///< of the first of these whose packets may stop
  /// The first pairs of the class livelock, and stalled ones that may also travel for ever, by destination;
  /// those to a disconnected terminal also count.
  std::vector<std::pair<TerminalId, TerminalId>> livelocks;

  std::optional<std::uint32_t>
      max_hops;  ///< maximum number of switches that a packet traverses; absent: no bound
  std::vector<ChannelId>
      endless_walk;  ///< if there is none: a cycle of channels that a packet may follow for ever

  bool deadlock_free = false;  ///< proved
  DeadlockMethod method = DeadlockMethod::unproved;
  std::vector<WaitingPacket> deadlock;
  /// From the empty network to the deadlock, where each buffer holds one packet.
  std::vector<ScheduledStep> schedule;
  /// If proved: the position of each virtual channel (channel * virtual channels + vc) in the order that
  /// proves it, `unranked` if it plays no part.
  std::vector<std::uint32_t> ranks;
  static constexpr std::uint32_t unranked = ~std::uint32_t{0};

  std::uint64_t states = 0;  ///< reachable ones, over all destinations
  std::uint64_t moves = 0;   ///< between them, ejection included, injection not
  std::uint64_t dependencies =
      0;  ///< pairs of virtual channels of which a packet may hold one and request the other

  /// Pairs that do not arrive because all injection channels of the source have failed, or all ejection
  /// channels of the destination.
  [[nodiscard]] std::uint64_t cut_off_pairs() const {
    return pairs.total() - pairs[PairClass::served] - pairs[PairClass::likely] - unreachable_pairs;
  }
  [[nodiscard]] bool connected() const { return unreachable_pairs == 0; }
  [[nodiscard]] bool livelock_free() const { return max_hops.has_value(); }
  [[nodiscard]] bool positive() const { return connected() && livelock_free() && deadlock_free; }
};

/// Packets are as long as buffers allow: under cut-through switching a packet waits in one buffer; under
/// wormhole switching it stretches over any number of channels. The escape method for wormhole assumes, as
/// Duato does, that a virtual channel is given to a packet only when it is empty. Ejection always drains. A
/// deadlock that is shown needs packets no longer than a buffer, as many of each as fill it. `dead` are the
/// failed channels; the relation is the one that switches and sources use (build_relation with
/// SourceOffers::every_start, so that the proof holds while sources still learn). Packets that are stuck or
/// lost on a dead channel release their buffer. Memory: one destination's states, the dependencies, for the
/// escape method under wormhole switching one bit per pair of escape channels, and for the schedule of a
/// deadlock the states of every destination that is tried for it.
[[nodiscard]] Verdict verify(const RoutingRelation& relation, const FaultSet& dead, const VerifySpec& spec,
                             const Progress& progress = {});

/// Whether freedom of deadlock is proved whatever channels fail and recover, and whatever a selection
/// function commits to: any option of any tier may be the only one that is left. Under wormhole switching,
/// each must have an escape of its own.
[[nodiscard]] bool deadlock_free_whatever_fails(const RoutingRelation& relation, Switching switching);

/// The packets of a deadlock as (source, destination), `copies` of each: inject these and nothing else.
[[nodiscard]] std::vector<std::pair<TerminalId, TerminalId>> packets_of(
    const std::vector<WaitingPacket>& deadlock, std::uint32_t copies = 1);

/// What a certificate says beside the verdict.
struct CertificateSpec {
  Switching switching = Switching::cut_through;
  bool selection_commits = false;  ///< a waiting packet requests only one of its options
  bool takes_first = false;        ///< VerifySpec::takes_first
  std::string routing = "-";       ///< a label
  /// For a relation with more states than these, only one destination of each class is written if
  /// automorphisms of the network map it to the others and dependencies are acyclic.
  std::uint64_t states_in_full = 20'000'000;
  std::uint32_t threads = 1;
};

/// The certificate of the verdict on `offered` under `damage`, in the format of checker/FORMAT.md. It quotes
/// `offered`, the relation before switches rule out anything; `verdict` is verify()'s on
/// admissible_relation(offered, damage, SourceOffers::every_start), which faultline-check derives from it:
/// one on other options of the sources is rejected. Throws Error("verify.certificate") for the method
/// `unproved`, which leaves nothing to certify.
[[nodiscard]] std::string certificate_text(const RelationPtr& offered, const Damage& damage,
                                           const Verdict& verdict, const CertificateSpec& spec);

}  // namespace faultline
#pragma GCC visibility pop
