// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "faultline/routing/relation.h"
#include "simulate/clock.h"
#include "simulate/huge_pages.h"

namespace faultline::cut_through {

/// (source, sequence) names it. Half a line; it stays where it is while its number moves from buffer to
/// buffer.
struct alignas(32) Packet {
  std::uint32_t source, sequence, destination;
  std::uint32_t hops;  ///< switches that it has been routed at
  Time generated, injected;
  Tag tag;
};
static_assert(sizeof(Packet) == 32);

using PacketId = std::uint32_t;

/// Room for as many packets as sources and buffers hold; what is never used is never touched.
class PacketStore {
 public:
  explicit PacketStore(std::size_t capacity)
      : capacity_(capacity), packets_(HugePageAllocator<Packet>().allocate(capacity)) {}

  [[nodiscard]] Packet& operator[](PacketId id) { return packets_.get()[id]; }
  [[nodiscard]] const Packet& operator[](PacketId id) const { return packets_.get()[id]; }

 private:
  friend class PacketPool;
  struct Release {
    void operator()(Packet* packets) const { HugePageAllocator<Packet>().deallocate(packets, 0); }
  };
  std::size_t capacity_;
  std::unique_ptr<Packet, Release> packets_;
  std::atomic<std::size_t> given_{0};
};

/// The packets that one thread gives to its sources. The one that was released last is the next one, because
/// it is in the cache.
class PacketPool {
 public:
  explicit PacketPool(PacketStore& store) : store_(store) {}

  [[nodiscard]] PacketId take() {
    if (free_.empty()) grow();
    const PacketId id = free_.back();
    free_.pop_back();
    return id;
  }
  void release(PacketId id) { free_.push_back(id); }

 private:
  static constexpr std::size_t step = 64;

  void grow() {
    const std::size_t first = store_.given_.fetch_add(step, std::memory_order_relaxed);
    const std::size_t end = std::min(first + step, store_.capacity_);
    if (first >= end) throw std::logic_error("cut-through: more packets than places");
    for (std::size_t id = end; id-- > first;) free_.push_back(static_cast<PacketId>(id));
  }

  PacketStore& store_;
  std::vector<PacketId> free_;
};

}  // namespace faultline::cut_through
