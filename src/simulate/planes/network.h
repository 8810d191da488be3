// SPDX-License-Identifier: Apache-2.0
// What all parts of the fast engine work on: the vectors, packets and who is at the other end of what.
#pragma once

#include <algorithm>
#include <vector>

#include "simulate/kernels/planes_kernel.h"
#include "simulate/planes/state.h"
#include "simulate/planes/wiring.h"
#include "simulate/switches/huge_pages.h"
#include "simulate/wormhole/engine_base.h"

namespace faultline::wormhole::planes {

template <class Word, std::uint32_t Vcs>
class Network : protected EngineBase {
 protected:
  Network(const Kernel& kernel, const RoutingRelation& relation, const TrafficPattern& pattern,
          const SimulationSpec& spec, std::vector<Delivery>* log)
      : EngineBase(relation, pattern, spec, log),
        wiring_(topology_),
        lanes_(kernel.vector_bytes / static_cast<std::uint32_t>(sizeof(Word))),
        lane_bits_(static_cast<std::uint32_t>(std::countr_zero(lanes_))),
        groups_(static_cast<std::uint32_t>((topology_.switch_count() + lanes_ - 1) / lanes_)),
        planes_(
            std::max(few_planes, static_cast<std::uint32_t>(std::bit_width(spec.wormhole().buffer_flits)))),
        rows_(planes_, wiring_.ports),
        most_counted_((1U << planes_) - 1),
        advance_(kernel.advance<Word>(vc_count_, planes_ == few_planes ? planes_ : 0)),
        pulls_(topology_, wiring_, timing_, lanes_, kernel.permutes),
        heads_(topology_.switch_count() * wiring_.ports * Vcs),
        output_ports_(topology_.switch_count() * wiring_.ports),
        rest_(spec.injection.packet_flits > most_counted_ ? heads_.size() : 0),
        asks_from_(timing_.head > 1 ? heads_.size() : 0),
        tags_(relation.tag_count() > 1 || !spec.faults.reroutings.empty() ? heads_.size() : 0),
        given_at_(drops() ? heads_.size() : 0),
        queues_(heads_.size(), spec.wormhole().buffer_flits, least_flits(spec.injection)),
        active_until_(groups_, -1),
        quiet_for_(groups_),
        returns_(groups_),
        events_(std::size_t{6} * lanes_ * wiring_.ports * Vcs) {
    make_vectors();
    for (std::uint32_t at = 0; at < topology_.switch_count(); ++at) reset(at);
  }

  [[nodiscard]] Lane<Word> lane(std::uint32_t at) {
    return {
        words_.data() + (std::size_t{at >> lane_bits_} * rows_.count() << lane_bits_) + (at & (lanes_ - 1)),
        lane_bits_};
  }
  /// Number of an input or output VC.
  [[nodiscard]] VcIndex number_of(std::uint32_t at, std::uint32_t port, std::uint32_t vc) const {
    return (at * wiring_.ports + port) * Vcs + vc;
  }
  [[nodiscard]] OutputPort<Vcs>& output_port(std::uint32_t at, std::uint32_t port) {
    return output_ports_[at * wiring_.ports + port];
  }
  [[nodiscard]] ChannelId input_channel(VcIndex number) const { return wiring_.input[number / Vcs]; }
  [[nodiscard]] ChannelId output_channel(VcIndex number) const { return wiring_.output[number / Vcs]; }
  [[nodiscard]] std::uint32_t switch_of(VcIndex number) const { return number / Vcs / wiring_.ports; }
  [[nodiscard]] std::uint32_t port_of(VcIndex number) const { return number / Vcs % wiring_.ports; }

  [[nodiscard]] std::uint32_t flits_of(const Packet& packet) const {
    return injection_.flits(packet.source, packet.sequence);
  }
  [[nodiscard]] bool drops() const {
    return spec_.faults.on_failure == OnFailure::drop && !spec_.faults.outages.empty();
  }
  [[nodiscard]] bool is_dead(ChannelId channel) const {
    return spec_.faults.unseen && spec_.faults.unseen->failed(channel);
  }
  /// Flits of the front packet beyond those that the planes count.
  [[nodiscard]] std::uint32_t rest_of(VcIndex number) const { return rest_.empty() ? 0 : rest_[number]; }
  /// There are two sets of lists, used in turns.
  [[nodiscard]] Lists other_lists(const Lists& lists) {
    const std::size_t length = events_.size() / 6;
    Event* const first = events_.data() + (lists.asking == events_.data() ? 3 * length : 0);
    return {first, first + length, first + 2 * length};
  }
  /// Something comes to a switch of the group until then.
  void keep_active(std::uint32_t group, Time until) {
    active_until_[group] = std::max(active_until_[group], until);
  }

  [[nodiscard]] std::size_t network_bytes() const {
    const auto of = [](const auto& values) { return values.size() * sizeof(values[0]); };
    return of(words_) + of(log_) + of(pulls_.pulls) + of(pulls_.indices) + of(pulls_.gathered) + of(heads_) +
           of(rest_) + of(asks_from_) + of(tags_) + of(given_at_) + of(output_ports_) + of(events_) +
           packets_.bytes() + queues_.bytes();
  }

  Wiring wiring_;
  std::uint32_t lanes_, lane_bits_, groups_, planes_;
  Rows<Vcs> rows_;
  std::uint32_t most_counted_;  ///< flits that the planes count
  Advance<Word> advance_;
  Pulls pulls_;
  HugeVector<Head<Word, Vcs>> heads_;         // by input VC
  HugeVector<OutputPort<Vcs>> output_ports_;  // by switch * ports + port
  std::vector<std::uint32_t> rest_;  // by input VC, where needed: flits beyond those that the planes count
  std::vector<Time> asks_from_;      // the same: the first cycle in which a waiting head asks
  std::vector<Tag> tags_;            // the same: that the packet will have
  std::vector<Time> given_at_;  // by output VC, where needed: when it was given to the packet that has it
  PacketPool packets_;
  PacketQueues queues_;                   // by input VC
  std::vector<Time> active_until_;        // by group
  std::vector<std::uint32_t> quiet_for_;  // by group: cycles
  std::vector<std::uint8_t> returns_;     // by group
  std::vector<Event> events_;
  VectorState<Word> vectors_;
  HugeVector<Word> words_;
  HugeVector<std::uint8_t> log_;

 private:
  void make_vectors() {
    words_.resize(std::size_t{groups_} * rows_.count() * lanes_);
    vectors_.groups = groups_;
    vectors_.lanes = lanes_;
    vectors_.ports = wiring_.ports;
    vectors_.planes = planes_;
    vectors_.rows = words_.data();
    vectors_.pulls = pulls_.pulls.data();
    vectors_.pull_indices = pulls_.indices.data();
    vectors_.gathered = pulls_.gathered.data();
    Time longest = pulls_.longest;  // what terminals look back is shorter than that of any channel to them
    for (const ChannelId channel : topology_.channels())
      longest = std::max(longest, static_cast<Time>(topology_.fly_cycles(channel)) + 1);
    vectors_.slots = std::bit_ceil(static_cast<std::uint32_t>(longest) + 1);
    constexpr std::size_t register_bytes = 64;  // read beyond the last byte
    vectors_.slot_bytes =
        (vectors_.log_offset(groups_, 0) + topology_.injection_channel_count() + 2 * register_bytes - 1) /
        register_bytes * register_bytes;
    log_.resize(vectors_.slots * vectors_.slot_bytes);
    vectors_.log = log_.data();
    vectors_.buffer_flits = wormhole_.buffer_flits;
    vectors_.first_flits = std::min(spec_.injection.packet_flits, most_counted_);
    vectors_.iterations = wormhole_.allocation_iterations;
    vectors_.inputs_first = wormhole_.allocation == Allocation::separable;
    vectors_.atomic = wormhole_.atomic_vcs;
    vectors_.returns = returns_.data();
  }

  void reset(std::uint32_t at) {
    constexpr auto all = static_cast<Word>(~Word{0});
    const Lane<Word> here = lane(at);
    for (std::uint32_t v = 0; v < Vcs; ++v) {
      for (std::uint32_t plane = 0; plane < planes_; ++plane)
        here[rows_.credits(v) + plane] = (wormhole_.buffer_flits >> plane & 1) != 0 ? all : Word{0};
      here[rows_.serve_from(v)] = here[rows_.idle(v)] = here[rows_.has_credit(v)] = all;
    }
    for (std::uint32_t port = 0; port < wiring_.ports; ++port) {
      here[rows_.grant_from(port)] = here[rows_.accept_from(port)] = all;
      const std::size_t place = std::size_t{at} * wiring_.ports + port;
      const ChannelId output = wiring_.output[place];
      if (!output.valid()) continue;
      output_ports_[place].flit_delay = timing_.flit_delay(topology_, output);
      if (topology_.kind(output) == ChannelKind::ejection)
        output_ports_[place].terminal = topology_.terminal(output);
      else
        output_ports_[place].next =
            number_of(topology_.target(output).value(), wiring_.input_port[output.index()], 0);
    }
  }
};

}  // namespace faultline::wormhole::planes
