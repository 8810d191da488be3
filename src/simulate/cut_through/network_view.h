// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulate/cut_through/network_state.h"
#include "simulate/cut_through/scan.h"
#include "simulate/injection/injection_process.h"

namespace faultline::cut_through {

/// What is known of a network at compile time, besides its number of ports: that halves the work. All shapes
/// but `any` are BufferState::is_common(), with packets of one size, and without channel loads or queues
/// being requested.
enum class Shape : std::uint8_t {
  plain,           ///< one virtual channel, no rings, buffers at both ends of a channel
  input_buffered,  ///< any number of virtual channels, buffers at the receiving end
  any
};

template <std::uint32_t Ports, Shape shape>
class NetworkView {
 public:
  using Set = PortSet<Ports>;

  NetworkView(NetworkState<Set>& network, const InjectionProcess& injection, const SimulationSpec& spec)
      : network_(network),
        injection_(injection),
        fixed_flits_(spec.injection.packet_mix.empty() ? static_cast<Time>(spec.injection.packet_flits) : 0) {
  }

 protected:
  static constexpr bool is_plain = shape == Shape::plain, is_common = shape != Shape::any;
  /// A head is granted only an output whose receiver is known to have space, so that its packet starts at
  /// once.
  static constexpr bool starts_at_once = shape == Shape::input_buffered;

  [[nodiscard]] std::uint32_t slots_per_output() const {
    return is_common ? near_slots : network_.slots_per_output;
  }
  [[nodiscard]] std::uint32_t slots_per_input() const {
    return is_common ? near_slots : network_.slots_per_input;
  }
  [[nodiscard]] bool has_vcs() const { return !is_plain && network_.vcs > 1; }
  [[nodiscard]] bool learns() const { return !is_common && network_.traffic.learns; }
  /// There are headers of packets, and special heads.
  [[nodiscard]] bool has_headers() const { return !is_common && network_.traffic.any(); }
  [[nodiscard]] bool is_lane(std::uint32_t index) const {
    return !is_common && network_.is_lane(index % Ports);
  }
  [[nodiscard]] bool has_rings() const { return !is_plain && network_.has_rings; }
  [[nodiscard]] bool free_when_credited() const {
    return shape == Shape::input_buffered || (!is_common && network_.buffer_rules.free_when_credited);
  }
  [[nodiscard]] bool ejection_has_slots() const {
    return is_plain || (!is_common && network_.buffer_rules.ejection_has_slots);
  }
  [[nodiscard]] Time credit_delay(Time flits, Time fly) const {
    return is_common ? flits : network_.credit_delay(flits, fly);
  }
  /// Cycles in which a packet passes a point.
  [[nodiscard]] Time flits_of(PacketId id) const {
    if (is_common || (fixed_flits_ != 0 && !learns())) return fixed_flits_;
    const Packet& packet = network_.packets[id];
    if (packet.is_control()) return network_.traffic.control_flits;
    if (fixed_flits_ != 0) return fixed_flits_;
    return static_cast<Time>(injection_.flits(TerminalId(packet.source), packet.sequence));
  }
  Slot* slots(std::uint32_t index, Input& input) {
    return is_common ? input.near : network_.slots_of_input(index);
  }
  Slot* slots(std::uint32_t index, Output& output) {
    return is_common ? output.near : network_.slots_of_output(index);
  }
  Time* free_from(std::uint32_t at, std::uint32_t level) {
    return &network_.output_free[(std::size_t{at} * slots_per_output() + level) * Ports];
  }
  Time& read_from(std::uint32_t at, std::uint32_t port) {
    return is_plain ? network_.inputs[at * Ports + port].read : network_.read_from(at, port);
  }
  /// For scans: by input of the switch, as far as it has a head.
  auto candidates_at(std::uint32_t at) const {
    if constexpr (Ports > 64)
      return CandidatesOfHeads{network_, at * Ports};
    else
      return &network_.candidates[std::size_t{at} * Ports * rows_a_switch<Ports>];
  }
  /// The first virtual channel of the channel that `port` belongs to.
  std::uint32_t first_sibling(std::uint32_t port) const {
    return is_plain ? port : port - network_.vc_of_port[port];
  }
  /// All of them.
  Set siblings(std::uint32_t port) const { return is_plain ? only<Set>(port) : network_.siblings(port); }

  NetworkState<Set>& network_;

 private:
  struct CandidatesOfHeads {
    const NetworkState<Set>& network;
    std::uint32_t first;
    Set operator[](std::uint32_t input) const { return network.candidates_of(first + input); }
  };

  const InjectionProcess& injection_;
  Time fixed_flits_;  ///< of every packet; 0: they differ
};

}  // namespace faultline::cut_through
