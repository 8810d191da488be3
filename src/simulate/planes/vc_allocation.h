// SPDX-License-Identifier: Apache-2.0
// Output VCs: heads request them, packets hold them until their tails have left. Processes the lists that the
// vector part of a group's cycle has left.
#pragma once

#include <algorithm>
#include <vector>

#include "simulate/planes/input_set.h"
#include "simulate/planes/most_credits.h"
#include "simulate/planes/prefetches.h"

namespace faultline::wormhole::planes {

template <class Word, std::uint32_t Vcs>
class VcAllocation : protected Prefetches<Word, Vcs> {
  using Base = Prefetches<Word, Vcs>;

 protected:
  using State = typename Base::State;

  VcAllocation(const Run& run, State& state, std::uint32_t region, std::vector<Delivery>* log)
      : Base(run, state, region, log), most_credits_(rows_, planes_, this->vc_count_, vectors_.summed_vcs) {
    requests_.resize(std::size_t{lanes_} * wiring_.ports);
    request_of_.resize(requests_.size());
    best_.resize(lanes_);
    best_of_all_.resize(lanes_);
  }

  using Base::chooser_, Base::vectors_, Base::given_at_, Base::rest_, Base::tags_, Base::group_words_,
      Base::heads_, Base::lane, Base::lanes_, Base::measurement_, Base::max_counted_, Base::now_,
      Base::number_of, Base::outages_, Base::output_port, Base::packets_, Base::position_of, Base::planes_,
      Base::queues_, Base::rows_, Base::spec_, Base::wormhole_, Base::topology_, Base::wiring_,
      Base::flits_of;
  using typename Base::HeadOf;
  using typename Base::VcPosition;

  void begin_group(std::uint32_t group) { group_words_ = lane(group << this->lane_bits_).first; }
  void work_off(std::uint32_t group, const Lists& lists, Work work) {
    begin_group(group);
    request_count_ = 0;
    if (this->asks_unrouted_)
      this->are_many(work.asking) ? this->route_asking(group, lists.asking, work.asking)
                                  : this->take_fronts(group, lists.asking, work.asking);
    if (work.fresh != 0) this->route(group, lists, work);
    if (work.asking != 0) allocate(group, lists.asking, work.asking);
    for (std::uint32_t i = 0; i < work.tails; ++i) finish(position_of(group, lists.tails[i]));
  }

  /// Heads that request VCs of one output.
  struct Request {
    std::uint32_t at, port;
    std::uint16_t last;  ///< the input VC that was added last
    std::uint8_t vc;     ///< find_first_vcs()
    bool contested;      ///< there are several
    bool alike;          ///< each of them requests all free VCs of the output
    InputSet<Word, Vcs> inputs;
  };

  /// Of the group that was worked on last: visit(position, output port) for each head that made a request.
  template <class Visit>
  void for_each_request(Visit visit) {
    for (std::uint32_t i = 0; i < request_count_; ++i)
      requests_[i].inputs.for_each(
          [&](std::uint32_t input) { visit(position_of(requests_[i], input), requests_[i].port); });
  }

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
      const Time left = arrives - this->timing_.after_channel(output.next == no_vc);
      packets_[head.packet].lost |=
          outages_.goes_down(channel, given_at_[number_of(position.at, port, w)], left);
    }
    if (output.next == no_vc) eject(position.at, port, head.packet, arrives);
  }

 private:
  // Tails

  void eject(std::uint32_t at, std::uint32_t port, PacketIndex number, Time arrives) {
    Packet& packet = packets_[number];
    ++packet.hops;
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
    const std::uint32_t counted = std::min(rest, max_counted_);
    rest -= counted;
    position.here.set_count(rows_.left(position.vc), planes_, position.port, counted);
    position.here.clear(rows_.idle(position.vc), position.port);
    position.here.set(rows_.allocated(w), port);
    position.here.clear(rows_.freed(w), port);
    if (!position.here.has(rows_.has_credit(w), port))
      position.here.set(rows_.blocked(position.vc), position.port);
  }

  // Virtual channels

  /// Each head requests the free VCs of one output. If no other head requests the same output, it gets the
  /// first of them from its pointer.
  void allocate(std::uint32_t group, const Event* asking, std::uint32_t count) {
    Word wanted[64 / sizeof(Word)]{};
    best_known_ = best_of_all_known_ = 0;
    many_ask_ = this->are_many(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const Event& event = asking[i];
      const VcPosition position = position_of(group, event);
      HeadOf& head = heads_[number_of(position)];
      if (!head.routed && !this->first_ask(position, head)) continue;
      const Word ports = head.listed ? best_of_list(position) : best_free(position, head, event.lane);
      if (ports == 0) {
        park(position, head);
        continue;
      }
      const std::uint32_t port = (ports & (ports - 1)) == 0 ? lowest(ports) : drawn(position, head, ports);
      prefetch(&output_port(position.at, port));
      add_request(position, head.alike, port, wanted[event.lane], event.lane * wiring_.ports + port);
    }
    if (this->exceeds_cache_) find_first_vcs();
    for (std::uint32_t i = 0; i < request_count_; ++i)
      requests_[i].contested ? match(requests_[i]) : give_first(requests_[i]);
  }
  void give_first(const Request& request) {
    give(position_of(request, request.last), request.port,
         this->exceeds_cache_ ? request.vc : first_vc(request), true);
  }
  /// For all requests with one head. Prefetches what will be written: a write that waits for memory stops
  /// those after it.
  void find_first_vcs() {
    for (std::uint32_t i = 0; i < request_count_; ++i) {
      Request& request = requests_[i];
      if (request.contested) continue;
      request.vc = static_cast<std::uint8_t>(first_vc(request));
      const OutputPort<Vcs>& output = output_port(request.at, request.port);
      if (output.next != no_vc) queues_.prefetch(output.next + request.vc, output.vcs[request.vc].pushed);
    }
  }
  /// Of the VCs that the only head to request the output asks for, the first from its pointer.
  [[nodiscard]] std::uint32_t first_vc(const Request& request) {
    const VcPosition position = position_of(request, request.last);
    const HeadOf& head = heads_[number_of(position)];
    return first_from(open_vcs(position, head, request.port), head.next_output, request.port);
  }
  [[nodiscard]] VcPosition position_of(const Request& request, std::uint32_t input) const {
    return {lane(request.at), request.at, input / Vcs, input % Vcs};
  }
  /// `wanted`: outputs of the switch that were requested before; `output`: of the group.
  void add_request(const VcPosition& position, bool alike, std::uint32_t port, Word& wanted,
                   std::uint32_t output) {
    const auto bit = static_cast<Word>(Word{1} << port);
    const bool first = (wanted & bit) == 0;
    if (first) request_of_[output] = request_count_;
    Request& request = requests_[request_of_[output]];
    if (first) {
      wanted = static_cast<Word>(wanted | bit);
      request = {position.at, port, 0, 0, false, true, {}};
      ++request_count_;
    }
    request.contested = !first;
    request.alike &= alike;
    request.last = static_cast<std::uint16_t>(position.port * Vcs + position.vc);
    request.inputs.add(request.last);
  }

  /// The VCs that a head requests of an output.
  [[nodiscard]] std::uint32_t open_vcs(const VcPosition& position, const HeadOf& head, std::uint32_t port) {
    if (head.listed) return free_vcs(position, *this->lists_[number_of(position)].requested);
    if (head.alike) return free_vcs(position.here, port);
    std::uint32_t vcs = 0;
#pragma GCC unroll 8
    for (std::uint32_t w = 0; w < Vcs; ++w) {
      const auto free = static_cast<Word>(head.candidates[w] & position.here[rows_.free(w)]);
      vcs |= static_cast<std::uint32_t>(free >> port & 1) << w;
    }
    return vcs;
  }

  [[nodiscard]] std::uint32_t free_vcs(const Lane<Word> here, std::uint32_t port) const {
    std::uint32_t vcs = 0;
#pragma GCC unroll 8
    for (std::uint32_t w = 0; w < Vcs; ++w)
      vcs |= static_cast<std::uint32_t>(here[rows_.free(w)] >> port & 1) << w;
    return vcs;
  }

 protected:
  /// Round robin from a pointer that counts the VCs of all ports.
  [[nodiscard]] static std::uint32_t first_from(std::uint32_t vcs, std::uint32_t pointer,
                                                std::uint32_t port) {
    // Without branches: processors mispredict them, for up to 5 % of a run.
    const auto past = static_cast<std::int32_t>(pointer) - static_cast<std::int32_t>(port * Vcs);
    const std::uint32_t from = std::min(static_cast<std::uint32_t>(past & ~(past >> 31)), Vcs);
    const std::uint32_t preferred = vcs >> from << from, none = preferred == 0 ? ~0U : 0;
    return lowest(preferred | (vcs & none));
  }

 private:
  // Which output a head requests: of those with a free VC, the one with the best score by the selection
  // function; ties are drawn.

  /// The outputs with the best score. Most heads have the same candidates as others of their switch, so the
  /// last ones whose scores were compared are kept.
  [[nodiscard]] Word best_free(const VcPosition& position, const HeadOf& head, std::uint32_t lane_number) {
    return head.alike ? best_of_all_vcs(position, head, lane_number)
                      : best_of_candidates(position, head, lane_number);
  }
  [[nodiscard]] Word best_of_all_vcs(const VcPosition& position, const HeadOf& head,
                                     std::uint32_t lane_number) {
    const auto any = static_cast<Word>(head.ports & position.here[rows_.any_free()]);
    if (!this->by_free_slots_ || (any & (any - 1)) == 0) return any;
    BestOfAll& best = best_of_all_[lane_number];
    if ((best_of_all_known_ >> lane_number & 1) != 0 && best.any == any) return best.ports;
    best = {any, most_credits_.of(position.here, head, any)};
    best_of_all_known_ |= std::uint64_t{1} << lane_number;
    return best.ports;
  }
  /// Compares the candidates of all VCs, which pays only where many heads ask.
  [[nodiscard]] Word best_of_candidates(const VcPosition& position, const HeadOf& head,
                                        std::uint32_t lane_number) {
    Best& best = best_[lane_number];
    if (many_ask_ && (best_known_ >> lane_number & 1) != 0 &&
        std::ranges::equal(best.candidates, head.candidates))
      return best.ports;
    Word any = 0;
#pragma GCC unroll 8
    for (std::uint32_t w = 0; w < Vcs; ++w)
      any = static_cast<Word>(any | (head.candidates[w] & position.here[rows_.free(w)]));
    if (!this->by_free_slots_ || (any & (any - 1)) == 0) return any;
    if (!many_ask_) return most_credits_.of(position.here, head, any);
    std::ranges::copy(head.candidates, best.candidates);
    best.ports = most_credits_.of(position.here, head, any);
    best_known_ |= std::uint64_t{1} << lane_number;
    return best.ports;
  }
  struct Best {
    Word candidates[Vcs];
    Word ports;
  };
  struct BestOfAll {
    Word any, ports;
  };

  [[nodiscard]] std::uint32_t drawn(const VcPosition& position, const HeadOf& head, Word ports) {
    const Packet& packet = packets_[head.packet];
    std::uint32_t chosen = take_lowest(ports);
    for (std::uint32_t ties = 2; ports != 0; ++ties) {
      const std::uint32_t port = take_lowest(ports);
      if (chooser_.replaces(packet, position.at, now_, ties)) chosen = port;
    }
    return chosen;
  }

  /// Of a head that is listed: the output of its best choice, which it requests.
  [[nodiscard]] Word best_of_list(const VcPosition& position) {
    auto& list = this->lists_[number_of(position)];
    const auto credits = [&](const Choice& choice) {
      if (free_vcs(position, choice) == 0) return -1;
      const std::uint32_t port = wiring_.output_port[choice.channel.index()];
      std::uint32_t sum = 0;
      for (std::uint32_t vcs = choice.vcs; vcs != 0;) {
        const std::uint32_t w = take_lowest(vcs);
        sum += position.here.count(rows_.credits(w), planes_, port) +
               (position.here.has(rows_.granted(w), port) ? 1 : 0);
      }
      return static_cast<int>(sum);
    };
    list.requested =
        chooser_.best(list.choices, packets_[heads_[number_of(position)].packet], position.at, now_, credits);
    if (list.requested == nullptr) return 0;
    return static_cast<Word>(Word{1} << wiring_.output_port[list.requested->channel.index()]);
  }
  [[nodiscard]] std::uint32_t free_vcs(const VcPosition& position, const Choice& choice) const {
    std::uint32_t free = 0;
    for (std::uint32_t vcs = choice.vcs; vcs != 0;)
      if (const std::uint32_t w = take_lowest(vcs);
          position.here.has(rows_.free(w), wiring_.output_port[choice.channel.index()]))
        free |= 1U << w;
    return free;
  }

  // Several heads request VCs of one output.

  using Inputs = InputSet<Word, Vcs>;

  [[gnu::noinline]] void match(const Request& request) {
    if (request.alike && wormhole_.allocation == Allocation::islip && wormhole_.allocation_iterations == 1)
      return match_alike(request);
    Inputs open[Vcs];  // by VC of the output
    list_rivals(request, open);
    for (std::uint32_t iteration = 0; iteration < wormhole_.allocation_iterations; ++iteration) {
      Winners winners;
      const std::uint32_t matched = wormhole_.allocation == Allocation::islip
                                        ? choose_inputs(request, open, winners)
                                        : choose_inputs(request, choose_vcs(request, open).of_vc, winners);
      if (matched == 0) return;
      give(request, winners, matched, iteration == 0, [&](std::uint32_t winner, std::uint32_t w) {
        open[w] = {};
        for (Inputs& inputs : open) inputs.remove(winner);
      });
    }
  }
  /// The same, in the usual case: all of them may take any free VC.
  void match_alike(const Request& request) {
    const OutputPort<Vcs>& output = output_port(request.at, request.port);
    Winners winners;
#pragma GCC unroll 8
    for (std::uint32_t w = 0; w < Vcs; ++w) winners[w] = request.inputs.first_from(output.vcs[w].next_input);
    give(request, winners, free_vcs(lane(request.at), request.port), true,
         [](std::uint32_t, std::uint32_t) {});
  }
  /// By VC of the output: the input that it chose.
  using Winners = std::uint32_t[Vcs];

  /// Of the VCs in `matched` that chose it, each winner gets the first from its pointer: gave(winner, VC).
  template <class Gave>
  void give(const Request& request, const Winners& winners, std::uint32_t matched, bool learns, Gave gave) {
    while (matched != 0) {
      const std::uint32_t winner = winners[lowest(matched)];
      std::uint32_t vcs = 0;
      // Not `? 1U : 0U`, which g++ 12 shifts wrongly with -fsanitize=undefined.
      for (std::uint32_t w = 0; w < Vcs; ++w) vcs |= std::uint32_t{winners[w] == winner} << w;
      vcs &= matched;
      matched &= ~vcs;
      const VcPosition position = position_of(request, winner);
      const std::uint32_t w = first_from(vcs, heads_[number_of(position)].next_output, request.port);
      give(position, request.port, w, learns);
      gave(winner, w);
    }
  }
  /// Of each VC the first input from its pointer; returns the VCs that have one.
  std::uint32_t choose_inputs(const Request& request, const Inputs (&inputs)[Vcs], Winners& winners) {
    const OutputPort<Vcs>& output = output_port(request.at, request.port);
    std::uint32_t matched = 0;
    for (std::uint32_t w = 0; w < Vcs; ++w) {
      winners[w] = 0;
      if (inputs[w].empty()) continue;
      winners[w] = inputs[w].first_from(output.vcs[w].next_input);
      matched |= 1U << w;
    }
    return matched;
  }
  void list_rivals(const Request& request, Inputs (&open)[Vcs]) {
    request.inputs.for_each([&](std::uint32_t input) {
      const VcPosition position = position_of(request, input);
      for (std::uint32_t vcs = open_vcs(position, heads_[number_of(position)], request.port); vcs != 0;)
        open[take_lowest(vcs)].add(input);
    });
  }
  /// Where inputs choose before outputs do: each the first VC from its pointer.
  struct ByVc {
    Inputs of_vc[Vcs];
  };
  [[nodiscard]] ByVc choose_vcs(const Request& request, const Inputs (&open)[Vcs]) {
    ByVc chosen;
    request.inputs.for_each([&](std::uint32_t input) {
      std::uint32_t vcs = 0;
      for (std::uint32_t w = 0; w < Vcs; ++w) vcs |= std::uint32_t{open[w].has(input)} << w;
      if (vcs == 0) return;
      const HeadOf& head = heads_[number_of(position_of(request, input))];
      chosen.of_vc[first_from(vcs, head.next_output, request.port)].add(input);
    });
    return chosen;
  }

 protected:
  /// `learns`: the pointers move past each other.
  void give(const VcPosition& position, std::uint32_t port_number, std::uint32_t w, bool learns) {
    give_waiting(position, heads_[number_of(position)], output_port(position.at, port_number), port_number, w,
                 learns);
    position.here.clear(rows_.waiting(position.vc), position.port);
    position.here.clear(rows_.asking(position.vc), position.port);
  }
  /// The same, but that the head's VC still counts as waiting and asking.
  [[gnu::always_inline]] void give_waiting(const VcPosition& position, HeadOf& head, OutputPort<Vcs>& port,
                                           std::uint32_t port_number, std::uint32_t w, bool learns) {
    const std::uint32_t number = port_number * Vcs + w, input = position.port * Vcs + position.vc;
    auto& output = port.vcs[w];
    if (learns) {
      head.next_output = static_cast<std::uint16_t>(number + 1);
      output.next_input = static_cast<std::uint16_t>(input + 1 == wiring_.ports * Vcs ? 0 : input + 1);
    }
    forget_output(position, head.output);
    head.output = static_cast<std::uint16_t>(number);
    head.routed = false;
    if (!given_at_.empty()) given_at_[number_of(position.at, port_number, w)] = now_;
    if (port.next != no_vc) queues_.pass(port.next + w, output.pushed) = head.packet;
    if (!tags_.empty())
      packets_[head.packet].tag =
          head.listed ? this->lists_[number_of(position)].requested->tag : tags_[number_of(position)];
    ++given_;
    if (counts_flits_) count_flits(position.at, port_number, packets_[head.packet]);
    if (head.parked) this->unpark(position.here, head, position.port, position.vc);
    set_output(position, port_number, w);
    position.here.set(rows_.allocated(w), port_number);
    position.here.put(rows_.ejects(position.vc), position.port, port.next == no_vc);
    position.here.add(rows_.blocked(position.vc), position.port,
                      !position.here.has(rows_.has_credit(w), port_number));
  }

 private:
  // The output VC of the packet at an input VC. The last packet's is forgotten some time before, because the
  // rows are often the same.

  [[gnu::always_inline]] void forget_output(const VcPosition& position, std::uint32_t number) const {
    const auto& [here, at, port, v] = position;
    if constexpr (!Rows<Word, Vcs>::numbers_ports) here.clear(rows_.to_port(number / Vcs, v), port);
    if constexpr (Vcs <= code_bits) here.clear(rows_.output_code(number % Vcs, v), port);
  }
  [[gnu::always_inline]] void set_output(const VcPosition& position, std::uint32_t to,
                                         std::uint32_t w) const {
    const auto& [here, at, port, v] = position;
    if constexpr (Rows<Word, Vcs>::numbers_ports)
      here.set_count(rows_.port_number(v), port_bits<Word>, port, to);
    else
      here.set(rows_.to_port(to, v), port);
    if constexpr (Vcs <= code_bits)
      here.set(rows_.output_code(w, v), port);
    else
      here.set_count(rows_.output_code(0, v), code_bits, port, code_of(Vcs, w), Vcs);
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
    if (head.parked || !position.here.has(rows_.waiting(position.vc), position.port)) return;
    head.parked = true;
    Word& parked_under = position.here[rows_.parked_under()];
    parked_under = static_cast<Word>(parked_under | head.ports);
    for (Word ports = head.ports; ports != 0;)
      position.here.set(rows_.parked(take_lowest(ports), position.vc), position.port);
  }
  const MostCredits<Word, Vcs> most_credits_;
  std::vector<Request> requests_;
  std::uint32_t request_count_ = 0;
  std::vector<std::uint32_t> request_of_;  ///< by output (lane * ports + port), where there is one
  std::vector<Best> best_;                 ///< by lane
  std::vector<BestOfAll> best_of_all_;     ///< the same where all VCs of the outputs serve
  bool many_ask_ = false;
  std::uint64_t best_known_ = 0, best_of_all_known_ = 0;  ///< lanes of them, in this cycle
};

}  // namespace faultline::wormhole::planes
