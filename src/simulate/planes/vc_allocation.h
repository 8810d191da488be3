// SPDX-License-Identifier: Apache-2.0
// Output VCs: heads request them, packets hold them until their tails have left. Processes the lists that the
// vector part of a group's cycle has left.
#pragma once

#include <span>

#include "simulate/planes/heads.h"

namespace faultline::wormhole::planes {

template <class Word, std::uint32_t Vcs>
class VcAllocation : protected Heads<Word, Vcs> {
  using Base = Heads<Word, Vcs>;

 protected:
  using State = typename Base::State;

  VcAllocation(const Run& run, State& state, std::uint32_t region, std::vector<Delivery>* log)
      : Base(run, state, region, log) {
    requests_.resize(std::size_t{lanes_} * wiring_.ports * Vcs);
    last_request_.resize(std::size_t{lanes_} * wiring_.ports);
  }

  using Base::candidate_ports, Base::chooser_, Base::vectors_, Base::given_at_, Base::rest_, Base::tags_,
      Base::group_words_, Base::heads_, Base::lane, Base::lanes_, Base::measurement_, Base::most_counted_,
      Base::now_, Base::number_of, Base::outages_, Base::output_port, Base::packets_, Base::position_of,
      Base::planes_, Base::queues_, Base::rows_, Base::spec_, Base::wormhole_, Base::topology_, Base::wiring_,
      Base::flits_of;
  using typename Base::HeadOf;
  using typename Base::VcPosition;

  /// Prefetches what will be processed, some time before.
  void fetch(std::uint32_t group, const Lists& lists, const Work& work) {
    fetch(group, lists.fresh, work.fresh, true);
    fetch(group, lists.asking, work.asking, vectors_.asks_unrouted);
    fetch(group, lists.tails, work.tails, false);
  }
  /// The lists of one group's cycle.
  void work_off(std::uint32_t group, const Lists& lists, Work work) {
    group_words_ = lane(group << this->lane_bits_).first;
    request_count_ = 0;
    if (vectors_.asks_unrouted) this->take_unrouted(group, lists.asking, work.asking);
    if (work.fresh != 0) this->route(group, lists, work);
    if (work.asking != 0) allocate(group, lists.asking, work.asking);
    for (std::uint32_t i = 0; i < work.tails; ++i) fetch_output(position_of(group, lists.tails[i]));
    for (std::uint32_t i = 0; i < work.tails; ++i) finish(position_of(group, lists.tails[i]));
  }

  /// A head's, for the free VCs of an output.
  struct Request {
    VcPosition position;
    std::uint32_t port, vcs;  ///< the output and its free VCs
    std::uint32_t before;     ///< contested: another request for that output; itself: there are no more
    bool contested;           ///< others request the same output
    Tag tag;                  ///< of a head that is listed
  };

  /// Those of the group that was worked on last.
  [[nodiscard]] std::span<const Request> requests() const { return {requests_.data(), request_count_}; }

  std::uint64_t given_ = 0, given_flits_ = 0;
  std::vector<Time> landings_;  ///< of tails on their way to terminals
  bool counts_flits_ = spec_.measurement.channel_load || !spec_.injection.packet_mix.empty();

  /// All flits in the planes' count have left the input VC: the packet's, except for very long ones. The
  /// vector part has released its VCs.
  void finish(const VcPosition& position) {
    const HeadOf& head = heads_[number_of(position)];
    const std::uint32_t port = head.output / Vcs, w = head.output % Vcs;
    if (this->rest_of(number_of(position)) != 0) return count_on(position, port, w);
    const OutputPort<Vcs>& output = output_port(position.at, port);
    const Time arrives = now_ + output.flit_delay;
    if (this->drops()) {
      const ChannelId channel = wiring_.output[position.at * wiring_.ports + port];
      packets_[head.packet].lost |=
          outages_.goes_down(channel, given_at_[number_of(position.at, port, w)], arrives);
    }
    if (output.next == no_vc) eject(position.at, port, head.packet, arrives);
  }

 private:
  // Tails

  void eject(std::uint32_t at, std::uint32_t port, PacketIndex number, Time arrives) {
    const Packet& packet = packets_[number];
    if (output_port(at, port).terminal != packet.destination) chooser_.refuse_ejection(SwitchId(at), packet);
    if (packet.lost)
      measurement_.dropped(arrives, Drop::link_failed);
    else if (spec_.faults.unseen && this->is_dead(wiring_.output[at * wiring_.ports + port]))
      measurement_.dropped(arrives, Drop::dead_channel);
    else
      measurement_.delivered(packet.delivered_at(arrives, flits_of(packet)));
    landings_.push_back(arrives);
    packets_.remove(number);
  }

  void count_on(const VcPosition& position, std::uint32_t port, std::uint32_t w) {
    std::uint32_t& rest = rest_[number_of(position)];
    const std::uint32_t counted = std::min(rest, most_counted_);
    rest -= counted;
    position.here.set_count(rows_.left(position.vc), planes_, position.port, counted);
    position.here.clear(rows_.idle(position.vc), position.port);
    position.here.set(rows_.allocated(w), port);
    position.here.clear(rows_.freed(w), port);
    if (!position.here.has(rows_.has_credit(w), port))
      position.here.set(rows_.blocked(position.vc), position.port);
  }

  void fetch(std::uint32_t group, const Event* events, std::uint32_t count, bool with_queues) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const VcIndex number =
          number_of((group << this->lane_bits_) + events[i].lane, events[i].port, events[i].vc);
      __builtin_prefetch(&heads_[number], 1);
      if (with_queues) queues_.prefetch(number);
    }
  }

  void fetch_output(const VcPosition& position) {
    const HeadOf& head = heads_[number_of(position)];
    __builtin_prefetch(&output_port(position.at, head.output / Vcs));
    __builtin_prefetch(&packets_[head.packet]);
  }

  // Virtual channels

  /// Each head requests the free VCs of one output. If no other head requests the same output, it gets the
  /// first of them from its pointer.
  void allocate(std::uint32_t group, const Event* asking, std::uint32_t count) {
    contested_.clear();
    Word wanted[64 / sizeof(Word)]{};
    for (std::uint32_t i = 0; i < count; ++i) {
      const Event& event = asking[i];
      const VcPosition position = position_of(group, event);
      HeadOf& head = heads_[number_of(position)];
      if (!head.routed && !this->first_ask(position, head)) continue;
      Word free[Vcs], any = 0;
#pragma GCC unroll 8
      for (std::uint32_t w = 0; w < Vcs; ++w) {
        free[w] = static_cast<Word>(head.candidates[w] & position.here[rows_.free(w)]);
        any = static_cast<Word>(any | free[w]);
      }
      if (any == 0) {
        park(position, head);
        continue;
      }
      Request& request = requests_[request_count_];
      request.position =
          position_of(group, event);  // copying `position` would have to wait until its parts are stored
      request.port = lowest(any);
      if (head.listed) {
        choose_from_list(head, request);
      } else {
        if ((any & (any - 1)) != 0) request.port = best(position, head, any);
        request.vcs = 0;
#pragma GCC unroll 8
        for (std::uint32_t w = 0; w < Vcs; ++w)
          request.vcs |= static_cast<std::uint32_t>(free[w] >> request.port & 1) << w;
      }
      __builtin_prefetch(&output_port(position.at, request.port), 1);
      add_request(request, wanted[event.lane], event.lane * wiring_.ports + request.port);
    }
    for (std::uint32_t i = 0; i < request_count_; ++i)
      if (const Request& request = requests_[i]; !request.contested)
        give(request, first_from(request.vcs, head_of(request).next_output, request.port), true);
    for (const std::uint32_t last : contested_) match(requests_[last_request_[last]]);
  }
  /// `wanted`: outputs of the switch that were requested before; `output`: of the group.
  void add_request(Request& request, Word& wanted, std::uint32_t output) {
    const auto bit = static_cast<Word>(Word{1} << request.port);
    std::uint32_t& last = last_request_[output];
    request.contested = (wanted & bit) != 0;
    request.before = request.contested ? last : request_count_;
    if (request.contested && !requests_[last].contested) {
      requests_[last].contested = true;
      contested_.push_back(output);
    }
    wanted = static_cast<Word>(wanted | bit);
    last = request_count_++;
  }
  [[nodiscard]] HeadOf& head_of(const Request& request) { return heads_[number_of(request.position)]; }

  /// Round robin from a pointer that counts the VCs of all ports.
  [[nodiscard]] static std::uint32_t first_from(std::uint32_t vcs, std::uint32_t pointer,
                                                std::uint32_t port) {
    const std::uint32_t from = pointer > port * Vcs ? pointer - port * Vcs : 0;
    const std::uint32_t preferred = from < 32 ? vcs >> from << from : 0;
    return lowest(preferred != 0 ? preferred : vcs);
  }

  /// Of several outputs with a free VC, the one with the best score by the selection function; ties are
  /// drawn.
  [[nodiscard]] std::uint32_t best(const VcPosition& position, const HeadOf& head, Word any) {
    if (this->by_free_slots_) any = with_most_credits(position.here, head, any);
    std::uint32_t chosen = take_lowest(any);
    const Packet& packet = packets_[head.packet];
    for (std::uint32_t ties = 2; any != 0; ++ties) {
      const std::uint32_t port = take_lowest(any);
      if (chooser_.replaces(packet, position.at, now_, ties)) chosen = port;
    }
    return chosen;
  }

  /// Those of `any` with most credits on the candidates' VCs. Counts of all ports are added at a time,
  /// bit by bit; flits that were granted in this cycle still count as credits.
  [[nodiscard]] Word with_most_credits(const Lane<Word> here, const HeadOf& head, Word any) const {
    if (planes_ == few_planes)
      return with_most_credits(here, head, any, std::integral_constant<std::uint32_t, few_planes>());
    return with_most_credits(here, head, any, planes_);
  }
  template <class Planes>
  [[nodiscard]] Word with_most_credits(const Lane<Word> here, const HeadOf& head, Word any,
                                       Planes planes) const {
    constexpr std::uint32_t more_planes = 4;  // for the sum over the VCs
    Word sum[most_planes + more_planes]{};
    for (std::uint32_t w = 0; w < Vcs; ++w) {
      const auto ports = static_cast<Word>(head.candidates[w] & any);
      if (ports == 0) continue;
      auto carry = static_cast<Word>(here[rows_.granted(w)] & ports);
      std::uint32_t plane = 0;
      for (; plane < planes; ++plane) {
        const auto credits = static_cast<Word>(here[rows_.credits(w) + plane] & ports);
        const auto half = static_cast<Word>(sum[plane] ^ credits);
        const auto next = static_cast<Word>((sum[plane] & credits) | (carry & half));
        sum[plane] = static_cast<Word>(half ^ carry);
        carry = next;
      }
      for (std::uint32_t more = 0; more < more_planes; ++more, ++plane) {
        const auto next = static_cast<Word>(sum[plane] & carry);
        sum[plane] = static_cast<Word>(sum[plane] ^ carry);
        carry = next;
      }
    }
    for (std::uint32_t plane = planes + more_planes; plane-- != 0;)
      if (const auto more = static_cast<Word>(any & sum[plane]); more != 0) any = more;
    return any;
  }

  void choose_from_list(const HeadOf& head, Request& request) {
    const Lane<Word> here = request.position.here;
    const auto free_vcs = [&](const Choice& choice) {
      std::uint32_t free = 0;
      for (std::uint32_t vcs = choice.vcs; vcs != 0;)
        if (const std::uint32_t w = take_lowest(vcs);
            here.has(rows_.free(w), wiring_.output_port[choice.channel.index()]))
          free |= 1U << w;
      return free;
    };
    const auto credits = [&](const Choice& choice) {
      if (free_vcs(choice) == 0) return -1;
      const std::uint32_t port = wiring_.output_port[choice.channel.index()];
      std::uint32_t sum = 0;
      for (std::uint32_t vcs = choice.vcs; vcs != 0;) {
        const std::uint32_t w = take_lowest(vcs);
        sum += here.count(rows_.credits(w), planes_, port) + (here.has(rows_.granted(w), port) ? 1 : 0);
      }
      return static_cast<int>(sum);
    };
    const Choice* const choice = chooser_.best(this->lists_[number_of(request.position)],
                                               packets_[head.packet], request.position.at, now_, credits);
    request.port = wiring_.output_port[choice->channel.index()];
    request.vcs = free_vcs(*choice);
    request.tag = choice->tag;
  }

  /// Several heads request VCs of one output.
  [[gnu::noinline]] void match(const Request& last) {
    const std::uint32_t at = last.position.at, port = last.port;
    rivals_.clear();
    for (const Request* request = &last;; request = &requests_[request->before]) {
      rivals_.push_back({request, request->vcs, 0});
      if (request == &requests_[request->before]) break;
    }
    for (std::uint32_t iteration = 0; iteration < wormhole_.allocation_iterations; ++iteration) {
      const std::uint32_t given = wormhole_.allocation == Allocation::islip ? outputs_choose_first(at, port)
                                                                            : inputs_choose_first(at, port);
      if (given == 0) break;
      for (Rival& rival : rivals_) {
        rival.open &= ~given;
        if (rival.matched == 0) continue;
        give(*rival.request, lowest(rival.matched), iteration == 0);
        rival.open = rival.matched = 0;
      }
    }
  }
  struct Rival {
    const Request* request;
    std::uint32_t open, matched;  ///< VCs
  };
  /// The VCs that were matched.
  std::uint32_t outputs_choose_first(std::uint32_t at, std::uint32_t port) {
    std::uint32_t given = 0;
    for (std::uint32_t w = 0; w < Vcs; ++w)
      if (Rival* const winner = first_rival(at, port, w, &Rival::open)) winner->matched |= 1U << w;
    for (Rival& rival : rivals_) {
      if (rival.matched == 0) continue;
      rival.matched = 1U << first_from(rival.matched, head_of(*rival.request).next_output, port);
      given |= rival.matched;
    }
    return given;
  }
  std::uint32_t inputs_choose_first(std::uint32_t at, std::uint32_t port) {
    std::uint32_t given = 0;
    for (Rival& rival : rivals_)
      if (rival.open != 0)
        rival.matched = 1U << first_from(rival.open, head_of(*rival.request).next_output, port);
    for (std::uint32_t w = 0; w < Vcs; ++w) {
      const Rival* const winner = first_rival(at, port, w, &Rival::matched);
      if (winner == nullptr) continue;
      given |= 1U << w;
      for (Rival& rival : rivals_)
        if (&rival != winner) rival.matched &= ~(1U << w);
    }
    return given;
  }
  /// Of those with VC w in `of`, the first from the output VC's pointer.
  [[nodiscard]] Rival* first_rival(std::uint32_t at, std::uint32_t port, std::uint32_t w,
                                   std::uint32_t Rival::*of) {
    const std::uint32_t pointer = output_port(at, port).vcs[w].next_input, all = wiring_.ports * Vcs;
    Rival* first = nullptr;
    std::uint32_t nearest = all;
    for (Rival& rival : rivals_) {
      if ((rival.*of >> w & 1) == 0) continue;
      const std::uint32_t input = rival.request->position.port * Vcs + rival.request->position.vc;
      const std::uint32_t distance = input >= pointer ? input - pointer : input + all - pointer;
      if (distance >= nearest) continue;
      nearest = distance;
      first = &rival;
    }
    return first;
  }

  /// `learns`: the pointers move past each other.
  void give(const Request& request, std::uint32_t w, bool learns) {
    const VcPosition& position = request.position;
    HeadOf& head = head_of(request);
    const std::uint32_t number = request.port * Vcs + w, all = wiring_.ports * Vcs;
    const std::uint32_t input = position.port * Vcs + position.vc;
    OutputPort<Vcs>& port = output_port(position.at, request.port);
    auto& output = port.vcs[w];
    if (learns) {
      head.next_output = static_cast<std::uint16_t>(number + 1 == all ? 0 : number + 1);
      output.next_input = static_cast<std::uint16_t>(input + 1 == all ? 0 : input + 1);
    }
    this->forget_output(position, head);
    head.output = static_cast<std::uint16_t>(number);
    head.routed = false;
    if (!given_at_.empty()) given_at_[number_of(position.at, request.port, w)] = now_;
    if (port.next != no_vc) queues_.at(port.next + w, output.pushed++) = head.packet;
    Packet& packet = packets_[head.packet];
    if (!tags_.empty()) packet.tag = head.listed ? request.tag : tags_[number_of(position)];
    ++packet.hops;
    ++given_;
    if (counts_flits_) count_flits(position.at, request.port, packet);
    if (head.parked) this->unpark(position.here, head, position.port, position.vc);
    position.here.clear(rows_.waiting(position.vc), position.port);
    position.here.clear(rows_.asking(position.vc), position.port);
    position.here.set(rows_.to_port(request.port, position.vc), position.port);
    position.here.set(rows_.to_vc(w, position.vc), position.port);
    position.here.set(rows_.allocated(w), request.port);
    if (port.next == no_vc)
      position.here.set(rows_.ejects(position.vc), position.port);
    else
      position.here.clear(rows_.ejects(position.vc), position.port);
    if (!position.here.has(rows_.has_credit(w), request.port))
      position.here.set(rows_.blocked(position.vc), position.port);
  }

  void count_flits(std::uint32_t at, std::uint32_t port, const Packet& packet) {
    const std::uint32_t flits = flits_of(packet);
    given_flits_ += flits;
    if (spec_.measurement.channel_load)
      this->state_.given_flits_by_output[wiring_.output[at * wiring_.ports + port].index()] += flits;
  }

  /// The head need not try again until a VC of one of its candidates becomes free.
  void park(const VcPosition& position, HeadOf& head) {
    position.here.clear(rows_.asking(position.vc), position.port);
    if (head.parked) return;
    head.parked = true;
    for (Word ports = candidate_ports(head); ports != 0;)
      position.here.set(rows_.parked(take_lowest(ports), position.vc), position.port);
  }
  std::vector<Request> requests_;
  std::uint32_t request_count_ = 0;
  std::vector<std::uint32_t> last_request_;  ///< by output (lane * ports + port), where there is one
  std::vector<std::uint32_t> contested_;     ///< outputs
  std::vector<Rival> rivals_;
};

}  // namespace faultline::wormhole::planes
