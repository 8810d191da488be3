// SPDX-License-Identifier: Apache-2.0
// The state of the event-driven engine: a network's ports and buffers as flat arrays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "faultline/topology/topology.h"
#include "simulate/cut_through/deadlock.h"
#include "simulate/cut_through/model.h"
#include "simulate/cut_through/port_bits.h"
#include "simulate/cut_through/rings.h"
#include "simulate/huge_pages.h"

namespace faultline::cut_through {

/// (source, sequence) names it. 32 bytes, because copying packets between buffers is half of the work.
struct Packet {
  std::uint32_t source : 20, hops : 12;
  std::uint32_t sequence;
  std::uint32_t destination;
  Time generated, injected;
  Time ready;  ///< in an input: when it is routed; in an output: when its head is there
  Tag tag;
};
static_assert(sizeof(Packet) == 32);

inline constexpr std::size_t max_sources = std::size_t{1} << 20;

/// Who fills an input: an output of a switch, or an injector of a terminal.
class Sender {
 public:
  Sender() = default;
  static Sender output(std::size_t index) { return Sender(static_cast<std::uint32_t>(index)); }
  static Sender injector(std::size_t index) {
    return Sender(static_cast<std::uint32_t>(index) | injector_bit);
  }
  [[nodiscard]] bool is_injector() const { return (value_ & injector_bit) != 0; }
  [[nodiscard]] std::uint32_t index() const { return value_ & ~injector_bit; }

 private:
  static constexpr std::uint32_t injector_bit = std::uint32_t{1} << 31;
  explicit Sender(std::uint32_t value) : value_(value) {}
  std::uint32_t value_ = 0;
};

/// Inputs and outputs of a switch stand next to each other, padded for the scans. Each virtual channel has
/// its own: that of channel i (in the topology's order) and VC v is port i * VCs + v.
struct Switch {
  std::uint32_t first_input = 0, first_output = 0;
  std::uint16_t padded_inputs = 0, padded_outputs = 0;
  std::uint16_t inputs = 0;
  Time next =
      never;  ///< when there is something to do: a head becomes eligible, or a blocked one may find an output
  std::uint64_t wanted = 0;   ///< the outputs that blocked heads want
  std::uint64_t entered = 0;  ///< those of them that a blocked head would come into a ring with
};

struct Input {
  Time read = 0;         ///< gives the next packet from here on
  Time credit_lead = 0;  ///< by how much sooner than a packet has been read the sender may use its place
  Sender sender;
  std::uint32_t at = 0;  ///< switch
  ChannelId channel;
  std::uint16_t head : 7 = 0, count : 7 = 0;
  std::uint16_t tags_differ : 1 = 0;  ///< between the head's options; else they all have next_tag
  std::uint8_t vc = 0;
  Tag next_tag = 0;
};

/// free_from() of Fabric has, for each output, the cycles from which 1, 2, … places are free; `never` where
/// the packet that will leave is not known to have left.
struct alignas(64) Output {
  static constexpr std::uint32_t near_places = 8;
  static constexpr std::uint32_t ejects = ~std::uint32_t{0};
  Time sent = 0;                  ///< the channel takes the next packet from here on
  Time written = 0;               ///< the buffer takes the next packet from here on
  std::uint32_t target = ejects;  ///< input at the other end
  Time fly = 0;
  std::uint32_t at = 0;  ///< switch
  std::uint16_t port = 0;
  std::uint16_t unknown = 0;  ///< places of which it is not known when they will be free
  std::uint16_t waiting_head = 0, waiting = 0;
  std::uint16_t credits_head = 0, credits = 0;
  Time near_credits[near_places] = {};  ///< see Fabric::credits_of_output
};

/// A terminal's end of an injection channel; its places are those of the input at the other end.
struct Injector {
  Time sent = 0;
  std::uint32_t target = 0;
  Time fly = 0;
  std::uint32_t terminal = 0;
  std::uint32_t unknown = 0;
  std::uint64_t flits = 0;  ///< of the packets that it has sent
};

/// How the three placements of buffers differ; otherwise they run alike.
struct Placement {
  std::uint32_t input_places;  ///< packets that an input holds
  bool free_when_credited;     ///< an output's place is free when the receiver says so, not when the tail has
                               ///< left
  bool ejection_has_places;    ///< an ejecting output has a buffer that can be full

  explicit Placement(const Timing& timing)
      : input_places(timing.buffers == BufferPlace::output ? 1 : timing.places),
        free_when_credited(timing.buffers != BufferPlace::both),
        ejection_has_places(timing.buffers != BufferPlace::input) {}
};

/// The fewest cycles between …
struct Lookahead {
  Time grant;      ///< … a grant and the next switch's looking at the packet
  Time injection;  ///< … an injection and the first switch's looking at the packet
  Time credit;     ///< … a grant and the sender's use of the place that it will free
};

/// The position after `position`, and the one of an entry fewer than 2 * size from the start of a ring.
inline std::uint16_t next_in_ring(std::uint16_t position, std::uint32_t size) {
  return position + 1U == size ? std::uint16_t{0} : static_cast<std::uint16_t>(position + 1);
}
inline std::uint32_t in_ring(std::uint32_t position, std::uint32_t size) {
  return position < size ? position : position - size;
}

struct Fabric {
  Fabric(const RoutingRelation& relation, const Timing& timing);

  [[nodiscard]] std::size_t bytes() const;
  /// How many of the packets in buffers.
  [[nodiscard]] std::uint64_t packets_generated_before(Time end);
  /// Heads that could have been granted before `end` but for places of which it is not known when they will
  /// be free.
  [[nodiscard]] std::vector<Blocked> blocked_heads(const Topology& topology, Time end);
  /// The head of `input` has been routed, and nothing that it wants is known to get free.
  [[nodiscard]] bool shut_out(std::uint32_t input);
  [[nodiscard]] Lookahead lookahead(const Topology& topology) const;
  /// From flits by output and those of the injectors.
  [[nodiscard]] std::vector<std::uint64_t> flits_by_channel(const Topology& topology,
                                                            std::span<const std::uint64_t> by_output) const;
  /// All virtual channels of the channel that `port` belongs to.
  [[nodiscard]] std::uint64_t siblings(unsigned port) const {
    return vcs == 1 ? bit(port) : vc_mask << (port / vcs * vcs);
  }

  [[nodiscard]] Packet* packets_of_input(std::uint32_t input) {
    return &input_packets[std::size_t{input} * input_places];
  }
  [[nodiscard]] Packet* packets_of_output(std::uint32_t output) {
    return &output_packets[std::size_t{output} * places];
  }
  /// From when on the places at the other end are free that the output has not used: within the output where
  /// they fit, because they are used together.
  [[nodiscard]] Time* credits_of_output(std::uint32_t output) {
    return input_places <= Output::near_places ? outputs[output].near_credits
                                               : &credits[std::size_t{output} * input_places];
  }
  /// Level l of a switch: for each of its outputs, from when on l + 1 places are free. Level 0 is never
  /// before `written`.
  [[nodiscard]] Time* free_from(const Switch& at, std::uint32_t level) {
    return &output_free[std::size_t{at.first_output} * places + std::size_t{level} * at.padded_outputs];
  }
  [[nodiscard]] Time* free_from(std::uint32_t injector) {
    return &injector_free[std::size_t{injector} * input_places];
  }

  /// A packet is written into the buffer of an output until `written`; meanwhile no other virtual channel of
  /// that channel takes one.
  void take_place(const Switch& at, unsigned port, Time written) {
    Output& output = outputs[at.first_output + port];
    if (output.target != Output::ejects || placement.ejection_has_places) {
      for (std::uint32_t level = 0; level + 1 < places; ++level)
        free_from(at, level)[port] = free_from(at, level + 1)[port];
      free_from(at, places - 1)[port] = never;
      ++output.unknown;
    }
    Time* const first = free_from(at, 0);
    const auto write = [&](std::size_t sibling) {
      outputs[at.first_output + sibling].written = written;
      first[sibling] = std::max(first[sibling], written);
    };
    if (vcs == 1) return write(port);
    for (std::size_t sibling = port / vcs * vcs, end = sibling + vcs; sibling < end; ++sibling)
      write(sibling);
  }

  /// It becomes known from when on the oldest place of which it was not known is free. Returns true when a
  /// head may have waited for that: when no other is free, or no two that it takes to enter a ring.
  bool free_place(Output& output, Time free) {
    const std::uint32_t level = places - output.unknown--;
    free_from(switches[output.at], level)[output.port] = level == 0 ? std::max(free, output.written) : free;
    return level <= last_awaited_level;
  }

  Timing timing;
  Placement placement;
  std::uint32_t places, input_places;
  std::uint32_t vcs;
  std::uint64_t vc_mask;  ///< of the first channel of a switch
  std::uint32_t last_awaited_level;
  Rings rings;
  HugeVector<Switch> switches;
  HugeVector<Time> eligible;  ///< by input: when its head may be granted
  HugeVector<std::uint64_t>
      candidates;                     ///< by input: the outputs that its head competes for; 0: not routed yet
  HugeVector<std::uint64_t> entered;  ///< by input, where there are rings: those that lead into one
  HugeVector<Input> inputs;
  HugeVector<Packet> input_packets;
  HugeVector<Output> outputs;
  HugeVector<Packet> output_packets;  ///< those that wait for the channel
  HugeVector<Time> credits;           ///< by output, where they do not fit into it
  HugeVector<Time> output_free;
  HugeVector<Injector> injectors;  ///< by terminal, numbered like ports
  std::vector<std::uint32_t> first_injector;
  HugeVector<Time> injector_free;
  HugeVector<std::uint8_t>
      position_of_channel;  ///< among the outputs of its switch or the injection channels of its terminal
};

}  // namespace faultline::cut_through
