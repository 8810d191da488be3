// SPDX-License-Identifier: Apache-2.0
// Packets that nothing can lead on: they are dropped, and release their buffers as if they had continued.
#pragma once

#include <algorithm>
#include <vector>

#include "simulate/planes/injection.h"

namespace faultline::wormhole::planes {

template <class Word, std::uint32_t Vcs>
class StuckPackets : protected Injection<Word, Vcs> {
  using Base = Injection<Word, Vcs>;

 protected:
  using State = typename Base::State;
  using HeadOf = Head<Word, Vcs>;

  StuckPackets(const Run& run, State& state, std::uint32_t region, std::vector<Delivery>* log)
      : Base(run, state, region, log) {
    this->own_mail().returns_at.resize(std::bit_ceil(static_cast<std::uint32_t>(longest_credit_delay()) + 1));
  }

  using Base::heads_, Base::lane, Base::lanes_, Base::measurement_, Base::now_, Base::number_of,
      Base::packets_, Base::planes_, Base::rows_, Base::timing_, Base::topology_, Base::vectors_,
      Base::wiring_, Base::flits_of;

  /// An input VC.
  struct VcPosition {
    Lane<Word> here;
    std::uint32_t at, port, vc;
  };
  void keep_flits(const VcPosition& position, std::uint32_t flits) const {
    position.here.set_count(rows_.flits(position.vc), planes_, position.port, flits);
    if (flits == 0) position.here.clear(rows_.filled(position.vc), position.port);
  }

  [[nodiscard]] VcIndex number_of(const VcPosition& position) const {
    return number_of(position.at, position.port, position.vc);
  }
  [[nodiscard]] VcPosition position_of(VcIndex number) {
    const std::uint32_t at = this->switch_of(number);
    return {lane(at), at, this->port_of(number), number % Vcs};
  }
  [[nodiscard]] VcPosition position_of(std::uint32_t group, const Event& event) {
    return position_of(group, event, this->lane_bits_);
  }
  [[nodiscard, gnu::always_inline]] VcPosition position_of(std::uint32_t group, const Event& event,
                                                           std::uint32_t lane_bits) {
    return {{group_words_ + event.lane, lane_bits}, (group << lane_bits) + event.lane, event.port, event.vc};
  }
  [[nodiscard]] VcIndex number_of(std::uint32_t group, const Event& event) const {
    return number_of((group << this->lane_bits_) + event.lane, event.port, event.vc);
  }
  [[nodiscard]] static std::size_t slot(Time at, std::size_t slots) {
    return static_cast<std::uint32_t>(at) & (slots - 1);
  }

  void begin_discard(const VcPosition& position, HeadOf& head, Time from) {
    position.here.clear(rows_.waiting(position.vc), position.port);
    position.here.set(rows_.blocked(position.vc),
                      position.port);  // neither idle nor waiting, with nothing to request
    constexpr std::uint32_t no_output = 0;
    position.here.set_count(rows_.output_code(0, position.vc), code_bits, position.port, no_output, Vcs);
    head.ports = 0;
    head.alike = true;
    head.listed = false;
    discards_.push_back({number_of(position), flits_of(packets_[head.packet]), from});
  }

  /// An input VC that is neither idle nor waiting: false where its packet is being discarded.
  [[nodiscard]] bool has_output(const Lane<Word> here, std::uint32_t port, std::uint32_t v) const {
    return here.count(rows_.output_code(0, v), code_bits, port, Vcs) != 0;
  }

  /// The other regions read this in the present cycle; it may be discarded in the next.
  void take_returns() {
    auto& own = this->own_mail().returns_at;
    own[slot(now_ - 1, own.size())].clear();
    for (const RegionMail& mail : this->state_.mail)
      for (const VcIndex number : mail.returns_at[slot(now_, own.size())]) credit_comes_back(number);
  }

  /// At the end of a cycle: a packet that is stuck releases its slots as if it had continued.
  void discard() {
    std::erase_if(discards_, [this](Discard& stuck) {
      const VcPosition position = position_of(stuck.number);
      const std::uint32_t flits = position.here.count(rows_.flits(position.vc), planes_, position.port);
      if (stuck.from > now_ || flits == 0) return false;
      keep_flits(position, flits - 1);
      return_credit(stuck.number);
      if (--stuck.left != 0) return false;
      position.here.set(rows_.idle(position.vc), position.port);
      position.here.clear(rows_.blocked(position.vc), position.port);
      const bool lost = packets_[heads_[stuck.number].packet].lost;
      measurement_.dropped(now_, why_stuck(lost, this->is_dead(this->input_channel(stuck.number))));
      packets_.remove(heads_[stuck.number].packet);
      heads_[stuck.number].routed = false;
      ++gone_;
      return true;
    });
  }

  std::uint64_t gone_ = 0;       ///< packets that were dropped
  Word* group_words_ = nullptr;  ///< rows of the group that is worked on

  struct Discard {
    VcIndex number;
    std::uint32_t left;  ///< flits
    Time from;
  };
  std::vector<Discard> discards_;

 private:
  [[nodiscard]] Time longest_credit_delay() const {
    Time longest = 0;
    for (const ChannelId channel : topology_.channels())
      longest = std::max(longest, timing_.credit_delay(topology_, channel));
    return longest;
  }

  void return_credit(VcIndex number) {
    const ChannelId channel = this->input_channel(number);
    auto& returns_at = this->own_mail().returns_at;
    returns_at[slot(now_ + timing_.credit_delay(topology_, channel), returns_at.size())].push_back(number);
  }

  /// Where the sender is in this region.
  void credit_comes_back(VcIndex number) {
    const ChannelId channel = this->input_channel(number);
    if (topology_.role(channel) == ChannelRole::injection) {
      this->credit_returns(channel, number % Vcs);
      return;
    }
    const std::uint32_t at = topology_.source(channel).value();
    if (!this->owns(at)) return;
    lane(at).set(rows_.returned(number % Vcs), wiring_.output_port[channel.index()]);
    vectors_.returns[at / lanes_] = 1;
    this->keep_active(at / lanes_, now_);
  }
};

}  // namespace faultline::wormhole::planes
