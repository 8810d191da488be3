// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <new>
#include <vector>

#include "faultline/routing/relation.h"
#include "faultline/simulate/clock.h"
#include "simulate/switches/untouched.h"

namespace faultline::cut_through {

/// (source, sequence) names it. Half a cache line; it stays where it is while its number moves from buffer to
/// buffer.
struct alignas(32) Packet {
  std::uint32_t source, sequence, destination;
  std::uint32_t hops;  ///< switches that have routed it; with `control` for a control packet
  Time generated;
  Time injected;  ///< its complement once the packet is lost
  Tag tag;

  static constexpr std::uint32_t control = std::uint32_t{1} << 31;
  [[nodiscard]] bool is_control() const { return (hops & control) != 0; }

  /// It was on a channel that went down.
  [[nodiscard]] bool is_lost() const { return injected < 0; }
  void lose() { injected = is_lost() ? injected : ~injected; }
  [[nodiscard]] Time injected_at() const { return is_lost() ? ~injected : injected; }
};
static_assert(sizeof(Packet) == 32);

using PacketId = std::uint32_t;

/// What a packet has in addition if sources learn, or terminals re-inject packets.
struct PacketHeader {
  Tag way_tag;          ///< with which its source injected it; for a control packet: that of its data packet
  Time entered;         ///< when it was last injected
  std::uint32_t final;  ///< its destination; meanwhile a relay takes its place
  std::uint32_t
      value;  ///< of a packet that meets a dead channel: that channel; of a control packet: News::value
  std::uint32_t answers;  ///< of a control packet: the destination of the data packet
  ChannelId way_channel;  ///< the injection channel that goes with way_tag
  bool is_fault;          ///< of a control packet: a notification
  bool met_dead;          ///< it has met a dead channel
  bool out;               ///< on its way to a terminal that is to re-inject it, or re-injected by one
  bool sent_again;        ///< some terminal has re-injected it: a control packet then has no priority
};
static_assert(sizeof(PacketHeader) == 32);

/// Space for as many packets as sources and buffers hold, and pools keep, and for `waiting` more. Packets
/// stay where they are while more of them come into use.
class PacketStore {
 public:
  PacketStore(std::size_t in_use, std::size_t waiting, std::size_t pools, bool has_headers)
      : capacity_(
            std::min<std::size_t>(in_use + pools * 4 * step + waiting, std::numeric_limits<PacketId>::max())),
        packets_(capacity_),
        headers_(has_headers ? capacity_ : 0) {}

  [[nodiscard]] Packet& operator[](PacketId id) { return packets_.get()[id]; }
  [[nodiscard]] const Packet& operator[](PacketId id) const { return packets_.get()[id]; }

  [[nodiscard]] std::size_t capacity() const { return capacity_; }

  /// Where packets have any.
  [[nodiscard]] PacketHeader& header(PacketId id) { return headers_.get()[id]; }
  [[nodiscard]] const PacketHeader& header(PacketId id) const { return headers_.get()[id]; }

  /// Handed to pools, while no region takes or returns any.
  [[nodiscard]] std::size_t given() const { return used_ - returned_.size(); }

 private:
  friend class PacketPool;
  static constexpr std::size_t step = 64;  ///< packets are handed over in groups of this size

  void give(std::vector<PacketId>& to) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < step; ++i)
      if (!returned_.empty()) {
        to.push_back(returned_.back());
        returned_.pop_back();
      } else if (used_ != capacity_)
        to.push_back(static_cast<PacketId>(used_++));
    if (to.empty()) throw std::bad_alloc();  // the numbers of packets have run out
  }
  void take_back(std::vector<PacketId>& from) {
    const std::lock_guard lock(mutex_);
    returned_.insert(returned_.end(), from.end() - step, from.end());
    from.erase(from.end() - step, from.end());
  }

  std::size_t capacity_;
  Untouched<Packet> packets_;
  Untouched<PacketHeader> headers_;  ///< of no packet where they have none
  std::mutex mutex_;                 ///< of what follows
  std::size_t used_ = 0;
  std::vector<PacketId> returned_;
};

/// The packets that a region hands to its sources. The last one released is the next one used, because it is
/// in the cache. Surplus goes back, because the packets of some regions end in others.
class PacketPool {
 public:
  explicit PacketPool(PacketStore& store) : store_(store) {}

  [[nodiscard]] PacketId take() {
    if (free_.empty()) store_.give(free_);
    const PacketId id = free_.back();
    free_.pop_back();
    return id;
  }
  void release(PacketId id) {
    free_.push_back(id);
    if (free_.size() == 3 * PacketStore::step) store_.take_back(free_);
  }
  [[nodiscard]] std::size_t spare() const { return free_.size(); }

 private:
  PacketStore& store_;
  std::vector<PacketId> free_;
};

}  // namespace faultline::cut_through
