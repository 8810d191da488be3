// SPDX-License-Identifier: Apache-2.0
// Reads from the words of the fast engine what is rarely needed.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "simulate/planes/speculation.h"

namespace faultline::wormhole::planes {

template <class Word, std::uint32_t Vcs>
class Inspectable : protected Speculation<Word, Vcs> {
  using Base = Speculation<Word, Vcs>;

 protected:
  using Base::Base;
  using Base::vectors_, Base::heads_, Base::lanes_, Base::now_, Base::planes_, Base::rows_, Base::wormhole_,
      Base::timing_, Base::topology_, Base::vc_count_, Base::wiring_, Base::lane, Base::number_of;
  using typename Base::VcPosition;

  /// For the search for a deadlock, VCs numbered as in the plain engine: heads that find no free VC, and
  /// packets whose next buffer is full. No other VC can wait for ever: a VC that is empty while its packet
  /// has flits to come has room for them.
  [[nodiscard]] Waits waits() {
    Waits waits;
    const std::vector<VcIndex> holders = holders_of_outputs();
    std::vector<VcIndex> others;
    const auto waits_or_is_blocked = [this](const Lane<Word> here, std::uint32_t v) {
      return here[rows_.waiting(v)] | here[rows_.blocked(v)];
    };
    for_each_input(waits_or_is_blocked, [&](const VcPosition& position) {
      find_obstacles(position, holders, others);
      if (!others.empty()) waits.add(input_of(position), others);
    });
    return waits;
  }
  [[nodiscard]] VcIndex number_of_input(ChannelId channel, std::uint32_t v) const {
    return number_of(topology_.target(channel).value(), wiring_.input_port[channel.index()], v);
  }

  /// visit(channel, flits) for each packet that has an output VC: flits that have not left.
  template <class Visit>
  void for_each_active(Visit visit) {
    for_each_holder([&](const VcPosition& position) {
      visit(*output_of(position), position.here.count(rows_.left(position.vc), planes_, position.port) +
                                      this->rest_of(number_of(position)));
    });
  }

  /// At the end of a cycle. Every position of every buffer is free and known to be so, free and not yet known
  /// to be so, occupied, or reserved.
  void check_credits() {
    for (const ChannelId channel : topology_.channels())
      for (std::uint32_t v = 0; v < vc_count_; ++v)
        if (slots_of(channel, v) != wormhole_.buffer_flits)
          throw std::logic_error("wormhole: a credit was lost or made");
    if (vectors_.summed_vcs != 0)
      for (std::uint32_t at = 0; at < topology_.switch_count(); ++at)
        if (this->owns(at)) check_sums(at);
  }

 private:
  void check_sums(std::uint32_t at) {
    const Lane<Word> here = lane(at);
    for (std::uint32_t port = 0; port < wiring_.ports; ++port) {
      std::uint32_t sum = 0;
      for (std::uint32_t w = 0; w < vc_count_; ++w)
        if ((vectors_.summed_vcs >> w & 1) != 0)
          sum += here.count(rows_.credits(w), planes_, port) + (here.has(rows_.granted(w), port) ? 1U : 0U);
      if (sum != here.count(rows_.credit_sum(), rows_.credit_sum_planes(), port))
        throw std::logic_error("wormhole: the credits of an output are not the sum of those of its VCs");
    }
  }
  [[nodiscard]] VcIndex input_of(const VcPosition& position) const {
    return wiring_.input[position.at * wiring_.ports + position.port].value() * vc_count_ + position.vc;
  }
  [[nodiscard]] bool is_empty(const VcPosition& position) const {
    return position.here.count(rows_.flits(position.vc), planes_, position.port) == 0;
  }

  /// What a VC waits for; nobody: it moves, or will be discarded.
  void find_obstacles(const VcPosition& position, const std::vector<VcIndex>& holders,
                      std::vector<VcIndex>& others) {
    others.clear();
    const auto& head = heads_[number_of(position)];
    if (!position.here.has(rows_.waiting(position.vc), position.port)) {
      const auto output = output_of(position);
      const std::uint32_t w = head.output % Vcs;
      if (output && !is_empty(position) && is_full(*output, w))
        others.push_back(output->value() * vc_count_ + w);
    } else if (head.routed) {
      for (std::uint32_t w = 0; w < vc_count_; ++w)
        for (Word ports = head.candidates_of(w); ports != 0;) {
          const std::uint32_t port = take_lowest(ports);
          const ChannelId output = wiring_.output[position.at * wiring_.ports + port];
          if (is_free(output, w)) return others.clear();
          others.push_back(obstacle(output, w, holders[number_of(position.at, port, w)]));
        }
    }
  }
  /// What has to move before an output VC becomes free: its own buffer, if that keeps its holder from moving.
  [[nodiscard]] VcIndex obstacle(ChannelId output, std::uint32_t w, VcIndex holder) {
    if (holder == no_vc) return output.value() * vc_count_ + w;
    const VcPosition position = this->position_of(holder);
    const bool keeps_holder = !is_empty(position) && is_full(output, w);
    return keeps_holder ? output.value() * vc_count_ + w : input_of(position);
  }
  /// By output VC: the input VC whose packet has it, or none.
  [[nodiscard]] std::vector<VcIndex> holders_of_outputs() {
    std::vector<VcIndex> holders(heads_.size(), no_vc);
    for_each_holder([&](const VcPosition& position) {
      const std::uint32_t output = heads_[number_of(position)].output;
      holders[number_of(position.at, output / Vcs, output % Vcs)] = number_of(position);
    });
    return holders;
  }
  /// Input VCs whose packet has an output VC.
  template <class Visit>
  void for_each_holder(Visit visit) {
    const auto is_given = [this](const Lane<Word> here, std::uint32_t v) {
      return ~(here[rows_.idle(v)] | here[rows_.waiting(v)]);
    };
    for_each_input(is_given, [&](const VcPosition& position) {
      if (this->has_output(position.here, position.port, position.vc)) visit(position);
    });
  }
  /// visit(position) for the input VCs v in ports_of(lane of a switch, v).
  template <class PortsOf, class Visit>
  void for_each_input(PortsOf ports_of, Visit visit) {
    for (std::uint32_t at = 0; at < topology_.switch_count(); ++at)
      for (std::uint32_t v = 0; v < vc_count_; ++v) {
        const Lane<Word> here = lane(at);
        for (auto ports = static_cast<Word>(ports_of(here, v)); ports != 0;)
          visit(VcPosition{here, at, take_lowest(ports), v});
      }
  }

  [[nodiscard]] std::optional<ChannelId> output_of(const VcPosition& position) {
    if (!this->has_output(position.here, position.port, position.vc)) return {};
    return wiring_.output[position.at * wiring_.ports + heads_[number_of(position)].output / Vcs];
  }

  [[nodiscard]] std::uint32_t credits_of(ChannelId channel, std::uint32_t w) {
    return lane(topology_.source(channel).value())
        .count(rows_.credits(w), planes_, wiring_.output_port[channel.index()]);
  }
  [[nodiscard]] bool is_free(ChannelId channel, std::uint32_t w) {
    return !lane(topology_.source(channel).value())
                .has(rows_.allocated(w), wiring_.output_port[channel.index()]) &&
           (!wormhole_.atomic_vcs || credits_of(channel, w) == wormhole_.buffer_flits);
  }
  [[nodiscard]] bool is_full(ChannelId channel, std::uint32_t v) {
    return topology_.target(channel).valid() && flits_in(channel, v) == wormhole_.buffer_flits;
  }
  [[nodiscard]] std::uint32_t flits_in(ChannelId channel, std::uint32_t v) {
    return lane(topology_.target(channel).value())
        .count(rows_.flits(v), planes_, wiring_.input_port[channel.index()]);
  }

  /// Flits that passed in the last `cycles` cycles up to this one; `shift`: 0 by an output, 4 by an input.
  [[nodiscard]] std::uint32_t passed(SwitchId at, std::uint32_t port, std::uint32_t vc, std::uint32_t shift,
                                     Time cycles) const {
    const std::size_t byte = vectors_.log_offset(at.value() / lanes_, port) + at.value() % lanes_;
    std::uint32_t flits = 0;
    for (Time at_cycle = now_; at_cycle > now_ - cycles; --at_cycle)
      flits += names(vectors_.log_of(at_cycle)[byte] >> shift & 15, Vcs, vc) ? 1U : 0U;
    return flits;
  }
  /// At the end of a cycle.
  [[nodiscard]] std::uint32_t slots_of(ChannelId channel, std::uint32_t v) {
    const Time flit = timing_.flit_delay(topology_, channel),
               credit = timing_.credit_delay(topology_, channel);
    const SwitchId from = topology_.source(channel), to = topology_.target(channel);
    if (!to.valid())
      return credits_of(channel, v) + passed(from, wiring_.output_port[channel.index()], v, 0, flit + credit);
    const std::uint32_t sent =
        from.valid() ? credits_of(channel, v) + passed(from, wiring_.output_port[channel.index()], v, 0, flit)
                     : this->credits_of_sender(channel, v) + this->flying(channel, v);
    std::uint32_t coming = 0;
    for (const RegionMail& mail : this->state_.mail)
      for (std::size_t slot = 0; slot < mail.returns_at.size(); ++slot)
        if (slot != this->slot(now_, mail.returns_at.size()))  // those have come
          coming += static_cast<std::uint32_t>(
              std::ranges::count(mail.returns_at[slot], number_of_input(channel, v)));
    return sent + flits_in(channel, v) + coming +
           passed(to, wiring_.input_port[channel.index()], v, 4, credit);
  }
};

}  // namespace faultline::wormhole::planes
