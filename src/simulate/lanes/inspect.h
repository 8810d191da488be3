// SPDX-License-Identifier: Apache-2.0
// Reads from the words of the fast engine what is rarely asked for.
#pragma once

#include <span>
#include <vector>

#include "faultline/simulate/simulate.h"
#include "simulate/lanes/state.h"

namespace faultline::wormhole::lanes {

template <class Word, std::uint32_t Ports>
class Inspector {
 public:
  Inspector(LaneTable<Word> lanes, Rows rows, std::span<const Heads<Word, Ports>> heads,
            std::uint32_t buffer_flits)
      : lanes_(lanes), rows_(rows), heads_(heads), buffer_flits_(buffer_flits) {}

  /// For the search for a deadlock.
  [[nodiscard]] std::vector<VcState> vc_states() const {
    std::vector<VcState> states(heads_.size() * vcs_a_switch);
    for (std::uint32_t at = 0; at < heads_.size(); ++at)
      for (std::uint32_t bit = 0; bit < vcs_a_switch; ++bit) describe(at, bit, states);
    return states;
  }

  /// All flits of packets that were given a VC have passed, but for those that are left.
  void count_hops(std::uint64_t given, std::uint64_t given_flits, SimulationResult& result) const {
    std::uint64_t active = 0, left = 0;
    for_each_active([&](std::size_t, std::uint32_t flits) {
      ++active;
      left += flits;
    });
    result.packet_hops = given - active;
    result.flit_hops = given_flits - left;
  }

  /// From flits given by output VC, switch after switch.
  void take_off_flits_left(std::vector<std::uint64_t>& given) const {
    for_each_active([&](std::size_t output, std::uint32_t flits) { given[output] -= flits; });
  }

 private:
  static constexpr std::uint32_t vcs_a_switch = Ports * port_bits;

  /// visit(output VC, flits left) for each packet that has an output VC.
  template <class Visit>
  void for_each_active(Visit visit) const {
    for (std::uint32_t at = 0; at < heads_.size(); ++at)
      for (std::uint32_t bit = 0; bit < vcs_a_switch; ++bit)
        if (const std::uint32_t output = output_of(at, bit); output != vcs_a_switch)
          visit(std::size_t{at} * vcs_a_switch + output, lanes_[at].count(rows_.left(0), rows_.planes, bit));
  }

  /// VCs are numbered by switch and bit; an output VC is the input VC at its other end. Those that lead to
  /// terminals, where nobody waits for ever, have no number.
  void describe(std::uint32_t at, std::uint32_t bit, std::vector<VcState>& states) const {
    const Lane<Word> here = lanes_[at];
    const Heads<Word, Ports>& heads = heads_[at];
    const VcIndex vc = at * vcs_a_switch + bit;
    VcState& state = states[vc];
    const std::uint32_t flits = here.count(rows_.flits(0), rows_.planes, bit);
    state.empty = flits == 0;
    state.full = flits == buffer_flits_;
    if ((here[rows_.waiting()] >> bit & 1) != 0) {
      const Front& front = heads.fronts[bit];
      if (heads.next[front.port] == no_vc) return;
      state.front = VcState::Front::waiting;
      for (std::uint32_t vcs = front.vcs; vcs != 0;) {
        const std::uint32_t v = next_index(vcs);
        state.wants.push_back(heads.next[front.port] + v);
        states[heads.next[front.port] + v].free =
            (here[rows_.allocated()] >> (front.port * port_bits + v) & 1) == 0;
      }
    } else if (const std::uint32_t output = output_of(at, bit); output != vcs_a_switch) {
      if (heads.next[output / port_bits] == no_vc) return;
      state.front = VcState::Front::active;
      state.output = heads.next[output / port_bits] + output % port_bits;
      states[state.output].holder = vc;
    }
  }

  /// The output VC that an input VC's packet has, or vcs_a_switch.
  [[nodiscard]] std::uint32_t output_of(std::uint32_t at, std::uint32_t bit) const {
    const Lane<Word> here = lanes_[at];
    for (std::uint32_t output = 0; output < vcs_a_switch; ++output)
      if (((here[rows_.to_port(output / port_bits)] & here[rows_.to_vc(output % port_bits)]) >> bit & 1) != 0)
        return output;
    return vcs_a_switch;
  }

  LaneTable<Word> lanes_;
  Rows rows_;
  std::span<const Heads<Word, Ports>> heads_;
  std::uint32_t buffer_flits_;
};

}  // namespace faultline::wormhole::lanes
