// SPDX-License-Identifier: Apache-2.0
// Packets in the network, and the queues of them that virtual channels hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faultline/routing/relation.h"
#include "faultline/simulate/clock.h"
#include "simulate/measurement/measurement.h"
#include "simulate/switches/huge_pages.h"
#include "simulate/switches/prefetch.h"

namespace faultline::wormhole {

using PacketIndex = std::uint32_t;
inline constexpr PacketIndex no_packet = ~PacketIndex{0};

struct Packet {
  TerminalId source, destination;
  std::uint32_t sequence = 0;
  std::uint16_t hops = 0;
  std::uint8_t vc_class = 0;  ///< the relation's name of the VC that the head occupies
  bool lost = false;          ///< it was on a channel that went down
  Tag tag = 0;
  Time generated = 0, injected = 0;

  [[nodiscard]] Delivery delivered_at(Time cycle, std::uint32_t flits) const {
    return {.source = source.value(),
            .sequence = sequence,
            .destination = destination.value(),
            .generated = generated,
            .injected = injected,
            .delivered = cycle,
            .hops = hops,
            .flits = flits};
  }
  [[nodiscard]] std::string name(const Topology& topology) const {
    return topology.name(source) + " -> " + topology.name(destination) + " #" + std::to_string(sequence);
  }
};

class PacketPool {
 public:
  PacketIndex add(const Packet& packet) {
    if (free_.empty()) {
      packets_.push_back(packet);
      return static_cast<PacketIndex>(packets_.size() - 1);
    }
    const PacketIndex index = free_.back();
    free_.pop_back();
    packets_[index] = packet;
    return index;
  }
  void remove(PacketIndex index) { free_.push_back(index); }

  [[nodiscard]] Packet& operator[](PacketIndex index) { return packets_[index]; }
  [[nodiscard]] const Packet& operator[](PacketIndex index) const { return packets_[index]; }
  [[nodiscard]] std::size_t count() const { return packets_.size() - free_.size(); }
  [[nodiscard]] std::size_t bytes() const {
    return packets_.capacity() * sizeof(Packet) + free_.capacity() * sizeof(PacketIndex);
  }

 private:
  std::vector<Packet> packets_;
  std::vector<PacketIndex> free_;
};

/// How many packets may have been given a VC while their heads have not come to its front: all flits of each
/// but the last are in the buffer.
inline std::uint32_t max_queued(std::uint32_t buffer_flits, std::uint32_t least_packet_flits) {
  return buffer_flits / least_packet_flits + 1;
}

/// One queue per VC, of `most` such packets. The sender knows where it pushes, the receiver where it pops:
/// neither has to read the other's words.
class PacketQueues {
 public:
  using Position = std::uint16_t;

  PacketQueues(std::size_t queues, std::uint32_t most) : length_(most), slots_(queues * length_) {}

  /// Refers to the queues, which must not move.
  class View {
   public:
    explicit View(PacketQueues& queues) : length_(queues.length_), slots_(queues.slots_.data()) {}

    [[nodiscard]] PacketIndex& at(std::size_t queue, Position position) const {
      return slots_[queue * length_ + position];
    }
    /// The same, and goes on to the next position.
    PacketIndex& pass(std::size_t queue, Position& position) const {
      PacketIndex& packet = at(queue, position);
      position = static_cast<Position>(position + 1U == length_ ? 0 : position + 1);
      return packet;
    }
    [[nodiscard]] Position before(Position position) const {
      return static_cast<Position>((position == 0 ? length_ : position) - 1);
    }
    void prefetch(std::size_t queue, Position position) const { faultline::prefetch(&at(queue, position)); }

   private:
    std::uint32_t length_;
    PacketIndex* slots_;
  };

  [[nodiscard]] std::size_t bytes() const { return slots_.size() * sizeof(PacketIndex); }

 private:
  std::uint32_t length_;
  HugeVector<PacketIndex> slots_;
};

}  // namespace faultline::wormhole
