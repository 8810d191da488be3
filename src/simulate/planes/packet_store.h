// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "simulate/switches/huge_pages.h"
#include "simulate/wormhole/packets.h"

namespace faultline::wormhole::planes {

/// Of a packet that has not begun its stay at a switch: its hops count the stays before the present one, so
/// that only there and at its destination they are changed, where the packet is read anyway.
inline constexpr std::uint16_t no_hops = 0xffff;

/// The packets of all regions. Each region takes those that it creates from its own spare ones, and keeps
/// those that end in it.
class PacketStore {
 public:
  /// By region: packets that it may create in a cycle.
  explicit PacketStore(const std::vector<std::size_t>& max_made) {
    for (const std::size_t most : max_made) pools_.push_back({{}, most});
    prepare();
  }

  /// Between cycles, while no region works: gives all regions enough for the next one.
  void prepare() {
    for (Pool& pool : pools_)
      if (pool.spare.size() < pool.max_made) fill(pool);
  }

  [[nodiscard]] std::size_t count() const {
    std::size_t count = packets_.size();
    for (const Pool& pool : pools_) count -= pool.spare.size();
    return count;
  }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t bytes = packets_.capacity() * sizeof(Packet);
    for (const Pool& pool : pools_) bytes += pool.spare.capacity() * sizeof(PacketIndex);
    return bytes;
  }

 private:
  friend class RegionPackets;
  struct alignas(64) Pool {
    std::vector<PacketIndex> spare;
    std::size_t max_made;
  };

  /// From the region with the largest surplus, or new ones.
  [[gnu::noinline]] void fill(Pool& pool) {
    const auto beyond_need = [](const Pool& other) {
      return other.spare.size() - std::min(other.spare.size(), other.max_made);
    };
    Pool& richest = *std::ranges::max_element(pools_, {}, beyond_need);
    const std::size_t missing = pool.max_made - pool.spare.size();
    if (const std::size_t more = beyond_need(richest); more >= 2 * missing) {
      const auto first = richest.spare.end() - static_cast<std::ptrdiff_t>(more / 2);
      pool.spare.insert(pool.spare.end(), first, richest.spare.end());
      richest.spare.erase(first, richest.spare.end());
      return;
    }
    for (std::size_t i = 0; i < pool.max_made; ++i)
      pool.spare.push_back(static_cast<PacketIndex>(packets_.size() + i));
    packets_.resize(packets_.size() + pool.max_made);
  }

  HugeVector<Packet> packets_;
  std::vector<Pool> pools_;  // by region
};

/// A region's access to them.
class RegionPackets {
 public:
  RegionPackets(PacketStore& store, std::uint32_t region)
      : store_(store), spare_(store.pools_[region].spare) {
    look_again();
  }

  /// At the beginning of a cycle: prepare() may have moved them.
  void look_again() { packets_ = store_.packets_.data(); }

  /// The packet that take_next() will take: it is written where it stays.
  [[nodiscard]] Packet& next() { return packets_[spare_.back()]; }
  PacketIndex take_next() {
    const PacketIndex index = spare_.back();
    spare_.pop_back();
    return index;
  }
  void remove(PacketIndex index) { spare_.push_back(index); }
  [[nodiscard]] Packet& operator[](PacketIndex index) { return packets_[index]; }
  [[nodiscard]] const Packet& operator[](PacketIndex index) const { return packets_[index]; }

 private:
  PacketStore& store_;
  std::vector<PacketIndex>& spare_;
  Packet* packets_;
};

}  // namespace faultline::wormhole::planes
