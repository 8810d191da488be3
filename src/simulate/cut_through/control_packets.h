// SPDX-License-Identifier: Apache-2.0
// Control packets for sources, and packets that are taken out of the network to be re-injected.
#pragma once

#include <optional>

#include "simulate/cut_through/chooser.h"
#include "simulate/cut_through/control_counts.h"
#include "simulate/cut_through/outbox.h"
#include "simulate/cut_through/packets.h"
#include "simulate/measurement/measurement.h"

namespace faultline::cut_through {

/// Of one region.
template <class Set>
class ControlPackets {
 public:
  ControlPackets(BufferState& network, const Chooser<Set>& chooser, Measurement& measurement,
                 PacketPool& pool, Outbox& outbox)
      : packets_(network.packets),
        chooser_(chooser),
        measurement_(measurement),
        pool_(pool),
        outbox_(outbox),
        lasting_paths_(network.lasting_paths) {}

  ControlCounts counts;

  enum class Arrival : std::uint8_t {
    of_data,        ///< the packet ends here
    taken,          ///< it is re-injected, or is a control packet
    without_a_path  ///< data that the terminal should re-inject; its destination is out of reach for good
  };
  /// The tail of a packet arrives at `terminal` at `tail`, over a channel that is `dead` or not.
  Arrival arrives(PacketId id, TerminalId terminal, bool dead, Time tail) {
    const Packet& packet = packets_[id];
    const PacketHeader& header = packets_.header(id);
    const bool is_relayed = packet.destination != header.final;
    if ((header.out || is_relayed) && !packet.is_lost() && !dead) {
      if (lasting_paths_.lead(terminal, TerminalId(header.final), tail)) {
        send_again(id, terminal, tail);
        return Arrival::taken;
      }
      if (!packet.is_control()) return Arrival::without_a_path;
      lose(id);
      return Arrival::taken;
    }
    if (!packet.is_control()) return Arrival::of_data;
    if (packet.is_lost()) {
      lose(id);
    } else {
      counts.arrives(tail - packet.generated);
      outbox_.send(Letter{Letter::Type::news, TerminalId(packet.source), id, tail});
    }
    return Arrival::taken;
  }

  /// For a packet that has reached its destination, unless its source has been notified.
  void acknowledge(PacketId id, Time tail) {
    if (packets_.header(id).met_dead) return;
    const PacketId answer = answer_to(id, tail);
    PacketHeader& header = packets_.header(answer);
    header.is_fault = false;
    header.value = static_cast<std::uint32_t>(tail - packets_[id].injected);
    outbox_.send(Letter{Letter::Type::answer, TerminalId(packets_[id].destination), answer, tail});
  }

  /// The notification that a packet is about to take a dead channel. None is sent for the rest of a lost
  /// packet.
  [[nodiscard]] std::optional<PacketId> notification(PacketId id, Time now) {
    PacketHeader& header = packets_.header(id);
    header.met_dead = true;
    counts.meets_dead_channel();
    if (packets_[id].is_lost()) return std::nullopt;
    const PacketId notice = answer_to(id, now);
    packets_.header(notice).value = header.value;
    counts.sends(true);
    return notice;
  }

 private:
  void send_again(PacketId id, TerminalId terminal, Time tail) {
    Packet& packet = packets_[id];
    PacketHeader& header = packets_.header(id);
    measurement_.sent_again(tail);
    header.out = header.sent_again = true;
    const TerminalId relay = chooser_.relay(packet, terminal, TerminalId(header.final));
    const bool serves = relay.valid() && lasting_paths_.lead(terminal, relay, TerminalId(header.final), tail);
    packet.destination = serves ? relay.value() : header.final;
    outbox_.send(Letter{Letter::Type::again, terminal, id, tail});
  }
  void lose(PacketId control) {
    counts.lost();
    pool_.release(control);
  }

  /// Made at `now`, for the source of packet `id`.
  PacketId answer_to(PacketId id, Time now) {
    const PacketId made = pool_.take();
    const Packet& data = packets_[id];
    const PacketHeader& of_data = packets_.header(id);
    packets_[made] = {.source = data.source,
                      .sequence = data.sequence,
                      .destination = data.source,
                      .hops = Packet::control,
                      .generated = now,
                      .injected = now,
                      .tag = 0};
    packets_.header(made) = {.way_tag = of_data.way_tag,
                             .entered = now,
                             .final = data.source,
                             .value = 0,
                             .answers = of_data.final,
                             .way_channel = of_data.way_channel,
                             .is_fault = true,
                             .met_dead = false,
                             .out = false,
                             .sent_again = false};
    return made;
  }

  PacketStore& packets_;
  const Chooser<Set>& chooser_;
  Measurement& measurement_;
  PacketPool& pool_;
  Outbox& outbox_;
  LastingPaths lasting_paths_;
};

}  // namespace faultline::cut_through
