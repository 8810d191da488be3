// SPDX-License-Identifier: Apache-2.0
// What the lists of a group lead to is prefetched before they are processed, in three steps: each finds in
// the cache what the one before has fetched, if some time has passed between them.
#pragma once

#include "simulate/planes/heads.h"

namespace faultline::wormhole::planes {

template <class Word, std::uint32_t Vcs>
class Prefetches : protected Heads<Word, Vcs> {
  using Base = Heads<Word, Vcs>;

 protected:
  using Base::asks_unrouted_, Base::heads_, Base::number_of, Base::output_port, Base::packets_, Base::queues_;
  using Base::Base;

  void fetch_heads(std::uint32_t group, const Lists& lists, const Work& work) const {
    fetch_heads(group, lists.fresh, work.fresh);
    fetch_heads(group, lists.asking, work.asking);
    fetch_heads(group, lists.tails, work.tails);
  }
  void fetch_behind_heads(std::uint32_t group, const Lists& lists, const Work& work) {
    for (std::uint32_t i = 0; i < work.fresh; ++i) {
      const VcIndex number = number_of(group, lists.fresh[i]);
      queues_.prefetch(number, heads_[number].popped);
    }
    fetch_behind_asking(group, lists.asking, work.asking);
    for (std::uint32_t i = 0; i < work.tails; ++i) fetch_output(group, lists.tails[i]);
  }
  /// Of heads that will be routed.
  void fetch_packets(std::uint32_t group, const Lists& lists, const Work& work) const {
    for (std::uint32_t i = 0; i < work.fresh; ++i) fetch_front(number_of(group, lists.fresh[i]));
    if (!asks_unrouted_) return;
    for (std::uint32_t i = 0; i < work.asking; ++i)
      if (const VcIndex number = number_of(group, lists.asking[i]); !heads_[number].routed)
        fetch_front(number);
  }

 private:
  void fetch_heads(std::uint32_t group, const Event* events, std::uint32_t count) const {
    for (std::uint32_t i = 0; i < count; ++i) prefetch(&heads_[number_of(group, events[i])]);
  }
  /// Where heads that are not routed find their packets, and the packets of others.
  void fetch_behind_asking(std::uint32_t group, const Event* asking, std::uint32_t count) const {
    for (std::uint32_t i = 0; i < count; ++i) {
      const VcIndex number = number_of(group, asking[i]);
      const auto& head = heads_[number];
      const void* const read_next[] = {&queues_.at(number, head.popped), &packets_[head.packet]};
      prefetch(read_next[head.routed ? 1 : 0]);
    }
  }
  void fetch_front(VcIndex number) const { prefetch(&packets_[queues_.at(number, heads_[number].popped)]); }
  void fetch_output(std::uint32_t group, const Event& event) {
    const auto& head = heads_[number_of(group, event)];
    prefetch(&output_port((group << this->lane_bits_) + event.lane, head.output / Vcs));
    prefetch(&packets_[head.packet]);
  }
};

}  // namespace faultline::wormhole::planes
