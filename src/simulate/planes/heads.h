// SPDX-License-Identifier: Apache-2.0
// Packets at the front of input VCs: routed, and parked until a VC becomes free.
#pragma once

#include <tuple>

#include "simulate/planes/head_requests.h"
#include "simulate/planes/routes.h"
#include "simulate/planes/stuck_packets.h"

namespace faultline::wormhole::planes {

template <class Word, std::uint32_t Vcs>
class Heads : protected StuckPackets<Word, Vcs> {
  using Base = StuckPackets<Word, Vcs>;

 protected:
  using State = typename Base::State;

  Heads(const Run& run, State& state, std::uint32_t region, std::vector<Delivery>* log)
      : Base(run, state, region, log),
        by_free_slots_(spec_.selection.score == &free_slots),
        keeps_lists_(spec_.selection.score != nullptr && !by_free_slots_),
        asks_at_(std::bit_ceil(static_cast<std::uint32_t>(timing_.head) + 1)),
        unrouted_(this->list_length()),
        asks_unrouted_(state.vectors.asks_unrouted),
        routes_(topology_, wiring_, chooser_, this->vc_count_, state.vectors.summed_vcs,
                run.relation.tag_count()),
        head_requests_(state.vectors, state.draw_keys.data()) {
    if (!spec_.faults.outages.empty()) {
      down_ports_.resize(topology_.switch_count());
      down_for_good_.resize(topology_.switch_count());
    }
  }

  using Base::asks_from_, Base::rest_, Base::tags_, Base::chooser_, Base::output_port, Base::vectors_,
      Base::events_, Base::heads_, Base::lanes_, Base::measurement_, Base::max_counted_, Base::now_,
      Base::outages_, Base::packets_, Base::planes_, Base::queues_, Base::rows_, Base::spec_, Base::wormhole_,
      Base::timing_, Base::topology_, Base::wiring_, Base::flits_of, Base::number_of, Base::lane,
      Base::begin_discard, Base::position_of, Base::slot;
  using typename Base::HeadOf;
  using typename Base::VcPosition;

  /// At the beginning of a cycle: heads that make requests from now on, credits that return from dropped
  /// packets.
  void begin() {
    if (timing_.head > 1) {
      for (const VcIndex number : asks_at_[slot(now_, asks_at_.size())])
        if (const VcPosition position = position_of(number);
            asks_from_[number] == now_ && position.here.has(rows_.waiting(position.vc), position.port))
          position.here.set(rows_.asking(position.vc), position.port);
      asks_at_[slot(now_, asks_at_.size())].clear();
    }
    this->take_returns();
  }

  /// Heads without a virtual channel route again with the present options. Where these do not depend on
  /// queues either, they have changed only at switches with a channel that has.
  void choose_again() {
    find_what_is_down();
    if (this->relation_changed_ || spec_.selection.reads_queues) {
      for (const SwitchId at : topology_.switches()) choose_again_at(at.value());
      return;
    }
    for (const ChannelId channel : this->changed_channels_)
      if (topology_.role(channel) != ChannelRole::injection)
        choose_again_at(topology_.source(channel).value());
  }

  /// Between two cycles: routes those heads of this region that would be routed in the next, except for
  /// packets that are stuck.
  void route_unrouted() {
    packets_.look_again();
    for (VcIndex number = 0; number < heads_.size(); ++number) {
      if (heads_[number].routed || !this->owns(this->switch_of(number))) continue;
      const VcPosition position = position_of(number);
      if (!position.here.has(rows_.waiting(position.vc), position.port)) continue;
      take_front(number);
      if (arrive(position, heads_[number])) continue;
      heads_[number].popped = queues_.before(heads_[number].popped);
      heads_[number].routed = false;
      --packets_[heads_[number].packet].hops;
    }
  }

  /// Heads of a group ask: more than two a switch, so that what they have in common is worth keeping.
  [[nodiscard]] bool are_many(std::uint32_t asking) const { return asking > 2 * lanes_; }

  std::vector<Choice> choices_;
  bool by_free_slots_, keeps_lists_;
  bool all_summed_ = true;                ///< heads so far: Head::summed, or alike
  std::vector<std::uint8_t> by_vectors_;  ///< by group, where possible: VCs are allocated by vectors
  struct List {
    std::vector<Choice> choices;
    const Choice* requested = nullptr;  ///< in this cycle
  };
  std::vector<List> lists_;  ///< by input VC, where any is `listed`
  std::vector<std::vector<VcIndex>> asks_at_;
  std::vector<Event> unrouted_;  ///< heads of a group that ask before they are routed
  bool asks_unrouted_;           ///< VectorState::asks_unrouted, of groups that list heads

  // Routes

  void find_what_is_down() {
    if (this->relation_changed_) routes_.forget();
    for (const ChannelId channel : this->changed_channels_) {
      if (topology_.role(channel) == ChannelRole::injection) continue;
      Word& ports = down_ports_[topology_.source(channel).index()];
      const auto port = static_cast<Word>(Word{1} << wiring_.output_port[channel.index()]);
      ports = static_cast<Word>(outages_.is_down(channel) ? ports | port : ports & ~port);
      if (outages_.is_down_for_good(channel))
        add_bit(down_for_good_[topology_.source(channel).index()], wiring_.output_port[channel.index()]);
    }
  }

  void choose_again_at(std::uint32_t at) {
    if (!this->owns(at)) return;
    const Lane<Word> here = lane(at);
    for (std::uint32_t v = 0; v < Vcs; ++v)
      for (Word ports = here[rows_.waiting(v)]; ports != 0;) {
        const VcPosition position{here, at, take_lowest(ports), v};
        HeadOf& head = heads_[number_of(position)];
        if (!head.routed) continue;  // it will be, in this cycle
        if (head.parked) unpark(here, head, position.port, v);
        here.clear(rows_.asking(v), position.port);
        if (!choose(position, head, false)) {
          begin_discard(position, head, now_);
        } else if (asks_from_.empty() || asks_from_[number_of(position)] <= now_) {
          here.set(rows_.asking(v), position.port);
        }
      }
  }

  void take_front(VcIndex number) {
    HeadOf& head = heads_[number];
    head.routed = true;
    take_packet(number, head);
  }
  void take_packet(VcIndex number, HeadOf& head) {
    head.packet = queues_.pass(number, head.popped);
    prefetch(&packets_[head.packet]);
  }

  /// Takes the packets of those that ask before they are routed.
  void take_fronts(std::uint32_t group, const Event* asking, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const VcIndex number = number_of(group, asking[i]);
      if (HeadOf& head = heads_[number]; !head.routed) take_packet(number, head);
    }
  }
  /// Takes and routes them, where there are so many that branches which depend on a head cost more than a
  /// list.
  [[gnu::noinline]] void route_asking(std::uint32_t group, const Event* asking, std::uint32_t count) {
    Event* const unrouted = unrouted_.data();
    std::uint32_t unrouted_count = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      unrouted[unrouted_count] = asking[i];
      unrouted_count += heads_[number_of(group, asking[i])].routed ? 0U : 1U;
    }
    for (std::uint32_t i = 0; i < unrouted_count; ++i) {
      const VcIndex number = number_of(group, unrouted[i]);
      take_packet(number, heads_[number]);
    }
    for (std::uint32_t i = 0; i < unrouted_count; ++i) {
      const VcPosition position = position_of(group, unrouted[i]);
      first_ask(position, heads_[number_of(position)]);
    }
  }
  /// False where the packet is stuck.
  bool first_ask(const VcPosition& position, HeadOf& head) {
    head.routed = true;
    if (arrive(position, head)) return true;
    begin_discard(position, head, now_);
    position.here.clear(rows_.asking(position.vc), position.port);
    return false;
  }

  /// A head that has waited, when VCs begin to be allocated by vectors.
  void put_head(const VcPosition& position) {
    const VcIndex number = number_of(position);
    HeadOf& head = heads_[number];
    if (head.routed) return put_request(position, head);
    take_front(number);
    if (arrive(position, head)) return;
    begin_discard(position, head, now_ + 1);
    position.here.clear(rows_.asking(position.vc), position.port);
  }

  /// Fresh heads, unless they ask before they are routed.
  [[gnu::noinline]] void route(std::uint32_t group, const Lists& lists, Work& work) {
    if (spec_.selection.reads_queues)  // heads of a switch look one after the other
      std::sort(lists.fresh, lists.fresh + work.fresh, [](const Event& a, const Event& b) {
        return std::tuple(a.lane, a.port, a.vc) < std::tuple(b.lane, b.port, b.vc);
      });
    for (std::uint32_t i = 0; i < work.fresh; ++i) {
      const VcIndex number = number_of(position_of(group, lists.fresh[i]));
      queues_.prefetch(number, heads_[number].popped);
    }
    for (std::uint32_t i = 0; i < work.fresh; ++i) take_front(number_of(position_of(group, lists.fresh[i])));
    if (chooser_.by_bits() && routes_.are_far())
      for (std::uint32_t i = 0; i < work.fresh; ++i) {
        const VcPosition position = position_of(group, lists.fresh[i]);
        const HeadOf& head = heads_[number_of(position)];
        routes_.prefetch(position.at, packets_[head.packet].destination);
      }
    for (std::uint32_t i = 0; i < work.fresh; ++i) {
      const Event& event = lists.fresh[i];
      const VcPosition position = position_of(group, event);
      const VcIndex number = number_of(position);
      HeadOf& head = heads_[number];
      if (!arrive(position, head)) {
        begin_discard(position, head, now_ + 1);
      } else if (timing_.head > 1) {
        asks_from_[number] = now_ + timing_.head;
        asks_at_[slot(asks_from_[number], asks_at_.size())].push_back(number);
      } else {
        position.here.set(rows_.asking(position.vc), position.port);
        if (timing_.head == 0) lists.asking[work.asking++] = event;
      }
    }
  }

  /// The packet at the front begins its stay here: false where it is stuck.
  [[gnu::always_inline]] bool arrive(const VcPosition& position, HeadOf& head) {
    begin_stay(position, head);
    return choose(position, head, true);
  }
  [[gnu::always_inline]] void begin_stay(const VcPosition& position, HeadOf& head) {
    Packet& packet = packets_[head.packet];
    ++packet.hops;
    if (this->reads_classes_) {
      const std::uint8_t vc_class = chooser_.class_of_network_vc(position.vc);
      packet.vc_class = packet.hops != 0 ? vc_class : packet.vc_class;
    }
    const std::uint32_t flits = flits_of(packet);
    const std::uint32_t counted = std::min(flits, max_counted_);
    if (!rest_.empty()) rest_[number_of(position)] = flits - counted;
    if (counted != vectors_.first_flits)
      position.here.set_count(rows_.left(position.vc), planes_, position.port, counted);
  }
  /// False where the packet is stuck. `in_cycle`: flits of this cycle have been granted already.
  [[gnu::noinline]] bool choose(const VcPosition& position, HeadOf& head, bool in_cycle) {
    if (chooser_.by_bits()) return choose_route(position, head);
    if (!spec_.selection.reads_queues && choose_option(position, head)) return true;
    chooser_.route(packets_[head.packet], wiring_.input[position.at * wiring_.ports + position.port],
                   choices_, [&](const Choice& choice) { return queued(position, choice, in_cycle); });
    if (chooser_.stuck()) return false;
    std::ranges::fill(head.candidates, Word{0});
    Word below = 0;  // ports of the choices before
    head.listed = keeps_lists_ && choices_.size() > 1;
    for (const Choice& choice : choices_) {
      const std::uint32_t port = wiring_.output_port[choice.channel.index()];
      for (std::uint32_t vcs = choice.vcs; vcs != 0;) add_bit(head.candidates[take_lowest(vcs)], port);
      head.listed |= (below >> port) != 0 || choice.tag != choices_.front().tag;
      add_bit(below, port);
    }
    head.ports = below;
    if (!choices_.empty()) keep_tag(position, choices_.front().tag);
    if (head.listed) {
      if (lists_.empty()) lists_.resize(heads_.size());
      lists_[number_of(position)].choices = choices_;
    }
    head.alike = head.summed = false;
    return true;
  }
  /// The same if one option remains, which is the usual case. False if none or several remain.
  bool choose_option(const VcPosition& position, HeadOf& head) {
    const ChannelId* const outputs = &wiring_.output[position.at * wiring_.ports];
    const RouteOptions& options = chooser_.options(
        packets_[head.packet], SwitchId(position.at),
        wiring_.input[position.at * wiring_.ports + position.port],
        [&](ChannelId channel) { return outputs[wiring_.output_port[channel.index()]] == channel; });
    if (options.size() != 1) return false;
    const RouteOption& option = options.front();
    const std::uint32_t port = wiring_.output_port[option.channel.index()];
    const std::uint32_t vcs = routes_.vcs_of(option.channel, option.vcs);
    head.ports = static_cast<Word>(Word{1} << port);
    head.listed = false;
    head.alike = vcs == (1U << this->vc_count_) - 1;
    head.summed = false;
    if (!head.alike)
      for (std::uint32_t w = 0; w < Vcs; ++w)
        head.candidates[w] = static_cast<Word>(Word{(vcs >> w & 1) != 0} << port);
    keep_tag(position, option.tag);
    return true;
  }

  /// The same for a relation whose options are bits or sets.
  [[gnu::always_inline]] bool choose_route(const VcPosition& position, HeadOf& head) {
    const Offer offer = set_options(position.at, packets_[head.packet], head);
    if (!by_vectors_.empty() && by_vectors_[position.at >> position.here.lane_bits] != 0)
      put_request(position, head);
    keep_tag(position, offer.tag);
    return head.ports != 0 || may_come_up(position.at, offer.ports);
  }
  /// What the relation offers, channels that are down included.
  struct Offer {
    Word ports;
    Tag tag;
  };
  [[gnu::always_inline]] Offer set_options(std::uint32_t at, const Packet& packet, HeadOf& head) {
    if (routes_.are_plain()) {
      const Word offered = routes_.plain_ports(at, packet.destination);
      head.ports = open_ports(at, packet, offered);
      head.listed = head.summed = false;
      head.alike = true;
      return {offered, 0};
    }
    if (const auto* const route = routes_.find(at, packet.destination, packet.tag))
      return set_options(at, packet, head, *route);
    return set_options(at, packet, head, routes_.ask(at, packet.destination, packet.tag));
  }
  [[gnu::always_inline]] Offer set_options(std::uint32_t at, const Packet& packet, HeadOf& head,
                                           const typename Routes<Word, Vcs>::Route& route) {
    const Word ports = open_ports(at, packet, route.ports);
    head.ports = ports;
    head.listed = false;
    head.alike = route.alike;
    head.summed = route.summed;
    all_summed_ &= route.alike || route.summed;
#pragma GCC unroll 8
    for (std::uint32_t w = 0; w < Vcs; ++w)
      head.candidates[w] = static_cast<Word>(route.candidates[w] & ports);
    return {route.ports, route.tag};
  }
  /// Those of the offered ports whose channels are up, or one of them.
  [[gnu::always_inline, nodiscard]] Word open_ports(std::uint32_t at, const Packet& packet,
                                                    Word offered) const {
    const Word ports = down_ports_.empty() ? offered : static_cast<Word>(offered & ~down_ports_[at]);
    const bool picks = spec_.selection.commits() && (ports & (ports - 1)) != 0;
    return picks ? pick(packet, at, ports) : ports;
  }
  /// One of these ports, or another relation offers others.
  [[gnu::noinline, nodiscard]] bool may_come_up(std::uint32_t at, Word ports) const {
    return ports != 0 && (!chooser_.is_last_relation() || (ports & ~down_for_good_[at]) != 0);
  }
  void put_request(const VcPosition& position, const HeadOf& head) {
    head_requests_.of(position.at >> this->lane_bits_, this->lane_bits_)
        .put(position.at & (lanes_ - 1), position.port * Vcs + position.vc, head,
             chooser_.draw_key(packets_[head.packet], position.at));
  }
  [[nodiscard]] Word pick(const Packet& packet, std::uint32_t at, Word ports) const {
    const auto count = static_cast<std::uint32_t>(std::popcount(std::uint64_t{ports}));
    for (std::size_t skipped = chooser_.picked_of(packet, at, count); skipped != 0; --skipped)
      take_lowest(ports);
    return static_cast<Word>(ports & -ports);
  }
  void keep_tag(const VcPosition& position, Tag tag) {
    if (!tags_.empty()) tags_[number_of(position)] = tag;
  }
  static void add_bit(Word& bits, std::uint32_t position) {
    bits = static_cast<Word>(bits | Word{1} << position);
  }

  /// Flits in the buffers that a choice leads to, as far as the switch knows, those still to come of packets
  /// that hold its virtual channels, and all of the packets whose heads wait for these.
  [[nodiscard]] std::uint32_t queued(const VcPosition& position, const Choice& choice, bool in_cycle) {
    const Lane<Word> here = position.here;
    const std::uint32_t output = wiring_.output_port[choice.channel.index()];
    std::uint32_t flits = 0;
    for (std::uint32_t vcs = choice.vcs; vcs != 0;) {
      const std::uint32_t w = take_lowest(vcs);
      flits += wormhole_.buffer_flits - here.count(rows_.credits(w), planes_, output) -
               (in_cycle && here.has(rows_.granted(w), output) ? 1 : 0);
    }
    for (std::uint32_t port = 0; port < wiring_.ports; ++port)
      for (std::uint32_t v = 0; v < Vcs; ++v) {
        const VcIndex number = number_of(position.at, port, v);
        if (here.has(rows_.waiting(v), port)) {
          const VcIndex own = number_of(position);
          const bool has_looked = number < own || !in_cycle || !here.has(rows_.fresh(v), port);
          if (number != own && has_looked) flits += waits_for(heads_[number], output, choice.vcs);
        } else if (const bool sends = in_cycle && here.has(rows_.served(v), port);
                   (sends || !here.has(rows_.idle(v), port)) && this->has_output(here, port, v) &&
                   heads_[number].output / Vcs == output &&
                   (choice.vcs >> (heads_[number].output % Vcs) & 1) != 0) {
          flits += here.count(rows_.left(v), planes_, port) + this->rest_of(number) + (sends ? 1 : 0);
        }
      }
    return flits;
  }
  [[nodiscard]] std::uint32_t waits_for(const HeadOf& head, std::uint32_t port, std::uint32_t vcs) {
    for (; vcs != 0;)
      if ((head.candidates_of(take_lowest(vcs)) >> port & 1) != 0) return flits_of(packets_[head.packet]);
    return 0;
  }

  void unpark(const Lane<Word> here, HeadOf& head, std::uint32_t port, std::uint32_t vc) {
    head.parked = false;
    for (Word ports = head.ports; ports != 0;) here.clear(rows_.parked(take_lowest(ports), vc), port);
  }

  Routes<Word, Vcs> routes_;
  HeadRequests<Word, Vcs> head_requests_;
  std::vector<Word> down_ports_, down_for_good_;  ///< by switch, where channels go down
};

}  // namespace faultline::wormhole::planes
