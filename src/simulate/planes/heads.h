// SPDX-License-Identifier: Apache-2.0
// What happens once a packet and switch: a route, an output VC, the tail. Works through the lists that the
// vector part of a group's cycle has left.
#pragma once

#include <tuple>

#include "simulate/planes/injection.h"

namespace faultline::wormhole::planes {

template <class Word, std::uint32_t Vcs>
class Heads : protected Injection<Word, Vcs> {
  using Base = Injection<Word, Vcs>;

 protected:
  Heads(const Kernel& kernel, const RoutingRelation& relation, const TrafficPattern& pattern,
        const SimulationSpec& spec, std::vector<Delivery>* log)
      : Base(kernel, relation, pattern, spec, log),
        by_free_places_(spec.selection.score == &free_places),
        keeps_lists_(spec.selection.score != nullptr && !by_free_places_),
        given_flits_by_output_(spec.channel_load ? topology_.channel_count() : 0),
        asks_at_(std::bit_ceil(static_cast<std::uint32_t>(timing_.head) + 1)),
        returns_at_(std::bit_ceil(static_cast<std::uint32_t>(longest_credit_delay()) + 1)) {
    for (std::uint32_t vc = 0; vc < this->vc_count_; ++vc) {
      all_vcs_ |= 1U << vc;
      vcs_of_class_[chooser_.class_of_network_vc(vc)] |= 1U << vc;
    }
    for (const SwitchId at : topology_.switches()) {
      const auto outputs = topology_.outputs(at);
      has_all_ports_.push_back(outputs.empty() ||
                               wiring_.output_port[outputs.back().index()] + 1U == outputs.size());
    }
    if (!spec.outages.empty()) down_bits_.resize(topology_.switch_count());
    requests_.reserve(std::size_t{lanes_} * wiring_.ports * Vcs);
  }

  using Base::chooser_, Base::output_ports_, Base::fabric_, Base::heads_, Base::lanes_, Base::measurement_,
      Base::most_counted_, Base::now_, Base::outages_, Base::outputs_, Base::packets_, Base::planes_,
      Base::queues_, Base::rows_, Base::spec_, Base::timing_, Base::topology_, Base::wiring_, Base::flits_of,
      Base::number_of, Base::lane;
  using HeadOf = Head<Word, Vcs>;
  static constexpr bool keeps_blocked = sizeof(Word) > 1;  // as Cycle

  /// At the beginning of a cycle: heads that ask from now on, credits that come back from what was thrown
  /// away.
  void begin() {
    if (timing_.head > 1) {
      for (const VcIndex number : asks_at_[slot(now_, asks_at_.size())])
        if (const Place place = place_of(number);
            heads_[number].asks_from == now_ && place.here.has(rows_.waiting(place.vc), place.port))
          place.here.set(rows_.asking(place.vc), place.port);
      asks_at_[slot(now_, asks_at_.size())].clear();
    }
    for (const VcIndex number : returns_at_[slot(now_, returns_at_.size())]) credit_comes_back(number);
    returns_at_[slot(now_, returns_at_.size())].clear();
  }

  /// Heads that have no virtual channel yet look at what there is now.
  void choose_again() {
    find_what_is_down();
    for (const ChannelId channel : topology_.channels()) {
      if (!topology_.target(channel).valid()) continue;
      const std::uint32_t at = topology_.target(channel).value(), port = wiring_.input_port[channel.index()];
      const Lane<Word> here = lane(at);
      for (std::uint32_t v = 0; v < Vcs; ++v) {
        if (!here.has(rows_.waiting(v), port)) continue;
        HeadOf& head = heads_[number_of(at, port, v)];
        if (head.parked) unpark(here, head, port, v);
        here.clear(rows_.asking(v), port);
        if (!choose({here, at, port, v}, head, false)) {
          begin_discard({here, at, port, v}, head, now_);
        } else if (head.asks_from <= now_) {
          here.set(rows_.asking(v), port);
        }
      }
    }
  }

  /// The lists of one group's cycle.
  void work_off(std::uint32_t group, Work work) {
    group_words_ = lane(group << this->lane_bits_).first;
    fetch(group, fabric_.fresh, work.fresh, true);
    fetch(group, fabric_.asking, work.asking, false);
    fetch(group, fabric_.tails, work.tails, false);
    if (work.fresh != 0) route(group, work);
    if (work.asking != 0) allocate(group, work.asking);
    for (std::uint32_t i = 0; i < work.tails; ++i) finish(place_of(group, fabric_.tails[i]));
  }

  /// At the end of a cycle: a packet that is stuck gives its places back as if it went on.
  void discard() {
    std::erase_if(discards_, [this](const Discard& stuck) {
      const Place place = place_of(stuck.number);
      const std::uint32_t flits = place.here.count(rows_.flits(place.vc), planes_, place.port);
      if (stuck.from > now_ || flits == 0) return false;
      place.here.set_count(rows_.flits(place.vc), planes_, place.port, flits - 1);
      return_credit(stuck.number);
      HeadOf& head = heads_[stuck.number];
      if (--head.rest != 0) return false;
      place.here.set(rows_.idle(place.vc), place.port);
      place.here.clear(rows_.blocked(place.vc), place.port);
      measurement_.dropped(
          now_, this->is_dead(this->input_channel(stuck.number)) ? Drop::dead_channel : Drop::stuck);
      packets_.remove(head.packet);
      ++gone_;
      return true;
    });
  }

  std::uint64_t given_ = 0, given_flits_ = 0;
  std::uint64_t gone_ = 0;      ///< packets that are not under way any more, but for `landings_`
  std::vector<Time> landings_;  ///< of tails on their way to terminals
  std::vector<Choice> choices_;
  struct Discard {
    VcIndex number;
    Time from;
  };
  std::vector<Discard> discards_;
  bool counts_flits_ = spec_.channel_load || !spec_.packet_mix.empty();
  bool by_free_places_, keeps_lists_;
  std::vector<std::vector<Choice>> lists_;            ///< by input VC, where any is `listed`: its choices
  std::vector<std::uint64_t> given_flits_by_output_;  ///< by channel, where asked for
  std::vector<std::vector<VcIndex>> asks_at_, returns_at_;

  /// An input VC.
  struct Place {
    Lane<Word> here;
    std::uint32_t at, port, vc;
  };
  [[nodiscard]] Place place_of(VcIndex number) {
    const std::uint32_t at = this->switch_of(number);
    return {lane(at), at, this->port_of(number), number % Vcs};
  }
  [[nodiscard]] Place place_of(std::uint32_t group, const Event& event) {
    const std::uint32_t at = (group << this->lane_bits_) + event.lane;
    return {{group_words_ + event.lane, this->lane_bits_}, at, event.port, event.vc};
  }
  [[nodiscard]] static std::size_t slot(Time at, std::size_t slots) {
    return static_cast<std::uint32_t>(at) & (slots - 1);
  }

 private:
  [[nodiscard]] Time longest_credit_delay() const {
    Time longest = 0;
    for (const ChannelId channel : topology_.channels())
      longest = std::max(longest, timing_.credit_delay(topology_, channel));
    return longest;
  }

  /// Brings what is kept of input VCs near.
  void fetch(std::uint32_t group, const Event* events, std::uint32_t count, bool with_queues) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const VcIndex number =
          number_of((group << this->lane_bits_) + events[i].lane, events[i].port, events[i].vc);
      __builtin_prefetch(&heads_[number], 1);
      if (with_queues) queues_.prefetch(number);
    }
  }

  // Routes

  void find_what_is_down() {
    const std::uint32_t classes = chooser_.classes();
    if (!chooser_.by_bits() || spec_.outages.empty()) return;
    down_bits_.assign(topology_.switch_count(), 0);
    for (const SwitchId at : topology_.switches()) {
      std::uint32_t position = 0;
      for (const ChannelId channel : topology_.outputs(at)) {
        if (outages_.is_down(channel))
          down_bits_[at.index()] |= ((std::uint64_t{1} << classes) - 1) << position * classes;
        ++position;
      }
    }
  }

  [[gnu::noinline]] void route(std::uint32_t group, Work& work) {
    if (spec_.selection.reads_queues)  // heads of a switch look one after the other
      std::sort(fabric_.fresh, fabric_.fresh + work.fresh, [](const Event& a, const Event& b) {
        return std::tuple(a.lane, a.port, a.vc) < std::tuple(b.lane, b.port, b.vc);
      });
    for (std::uint32_t i = 0; i < work.fresh; ++i) {
      const Event& event = fabric_.fresh[i];
      const VcIndex number = number_of((group << this->lane_bits_) + event.lane, event.port, event.vc);
      HeadOf& head = heads_[number];
      head.packet = queues_.at(number, head.popped++);
      __builtin_prefetch(&packets_[head.packet]);
    }
    for (std::uint32_t i = 0; i < work.fresh; ++i) {
      const Event& event = fabric_.fresh[i];
      const Place place = place_of(group, event);
      const VcIndex number = number_of(place.at, place.port, place.vc);
      HeadOf& head = heads_[number];
      Packet& packet = packets_[head.packet];
      if (packet.hops != 0) packet.vc_class = chooser_.class_of_network_vc(place.vc);
      const std::uint32_t flits = flits_of(packet);
      const std::uint32_t counted = std::min(flits, most_counted_);
      head.rest = flits - counted;
      if (counted != fabric_.first_flits)
        place.here.set_count(rows_.left(place.vc), planes_, place.port, counted);
      head.asks_from = now_ + timing_.head;
      if (!choose(place, head, true)) {
        begin_discard(place, head, now_ + 1);
      } else if (timing_.head > 1) {
        asks_at_[slot(head.asks_from, asks_at_.size())].push_back(number);
      } else {
        place.here.set(rows_.asking(place.vc), place.port);
        if (timing_.head == 0) fabric_.asking[work.asking++] = event;
      }
    }
  }

  /// False where the packet is stuck. `in_cycle`: flits of this cycle have been granted already.
  [[gnu::noinline]] bool choose(const Place& place, HeadOf& head, bool in_cycle) {
    if (chooser_.by_bits()) return choose_bits(place, head);
    if (!spec_.selection.reads_queues && choose_option(place, head)) return true;
    chooser_.route(packets_[head.packet], wiring_.input[place.at * wiring_.ports + place.port], choices_,
                   [&](const Choice& choice) { return queued(place, choice, in_cycle); });
    if (choices_.empty() && !chooser_.down()) return false;
    std::ranges::fill(head.candidates, Word{0});
    Word below = 0;  // ports of the choices before
    head.listed = keeps_lists_ && choices_.size() > 1;
    for (const Choice& choice : choices_) {
      const std::uint32_t port = wiring_.output_port[choice.channel.index()];
      for (std::uint32_t vcs = choice.vcs; vcs != 0;) add_bit(head.candidates[take_lowest(vcs)], port);
      head.listed |= (below >> port) != 0 || choice.tag != choices_.front().tag;
      add_bit(below, port);
    }
    if (!choices_.empty()) head.tag = choices_.front().tag;
    if (head.listed) {
      if (lists_.empty()) lists_.resize(heads_.size());
      lists_[number_of(place.at, place.port, place.vc)] = choices_;
    }
    return true;
  }
  /// The same where one option is left, which is most often so. False where none or several are.
  bool choose_option(const Place& place, HeadOf& head) {
    const RouteOptions& options =
        chooser_.options(packets_[head.packet], wiring_.input[place.at * wiring_.ports + place.port]);
    if (options.size() != 1) return false;
    const RouteOption& option = options.front();
    const std::uint32_t port = wiring_.output_port[option.channel.index()];
    const bool ejects = output_ports_[place.at * wiring_.ports + port].next == no_vc;
    std::uint32_t vcs = 0;
    if (ejects)
      vcs = all_vcs_;
    else
      for (std::uint32_t classes = option.vcs; classes != 0;) vcs |= vcs_of_class_[take_lowest(classes)];
    for (std::uint32_t w = 0; w < Vcs; ++w)
      head.candidates[w] = static_cast<Word>(Word{(vcs >> w & 1) != 0} << port);
    head.listed = false;
    head.tag = option.tag;
    return true;
  }

  /// The same for a relation that says what it offers in one word.
  bool choose_bits(const Place& place, HeadOf& head) {
    const Packet& packet = packets_[head.packet];
    std::uint64_t bits = chooser_.output_bits(SwitchId(place.at), packet.destination);
    std::ranges::fill(head.candidates, Word{0});
    head.listed = false;
    head.tag = 0;
    if (bits == 0) return false;
    if (!spec_.outages.empty()) bits &= ~down_bits_[place.at];
    const std::uint32_t classes = chooser_.classes();
    if (spec_.selection.commits() && bits != 0) bits = pick(packet, place.at, bits, classes);
    if (classes == 1 && has_all_ports_[place.at] != 0) {
      for (std::uint32_t w = 0; w < this->vc_count_; ++w) head.candidates[w] = static_cast<Word>(bits);
      return true;
    }
    const auto outputs = topology_.outputs(SwitchId(place.at));
    for (; bits != 0; bits &= bits - 1) {
      const std::uint32_t position = lowest(bits) / classes;
      const std::uint32_t port = wiring_.output_port[outputs[position].index()];
      const bool ejects = output_ports_[place.at * wiring_.ports + port].next == no_vc;
      std::uint32_t vcs = ejects ? all_vcs_ : vcs_of_class_[lowest(bits) - position * classes];
      while (vcs != 0) add_bit(head.candidates[take_lowest(vcs)], port);
    }
    return true;
  }
  /// The bits of one output.
  [[nodiscard]] std::uint64_t pick(const Packet& packet, std::uint32_t at, std::uint64_t bits,
                                   std::uint32_t classes) const {
    std::uint64_t outputs = bits;
    if (classes != 1) {
      outputs = 0;
      for (std::uint64_t left = bits; left != 0;) outputs |= std::uint64_t{1} << take_lowest(left) / classes;
    }
    if ((outputs & (outputs - 1)) == 0) return bits;
    const auto count = static_cast<std::uint32_t>(std::popcount(outputs));
    for (std::size_t skipped = chooser_.picked_of(packet, at, count); skipped != 0; --skipped)
      outputs &= outputs - 1;
    return bits & (((std::uint64_t{1} << classes) - 1) << lowest(outputs) * classes);
  }
  static void add_bit(Word& bits, std::uint32_t place) { bits = static_cast<Word>(bits | Word{1} << place); }

  /// Flits in the buffers that a choice leads to, as far as the switch knows, those that packets which hold
  /// its virtual channels have still to send, and all of the packets whose heads wait for these.
  [[nodiscard]] std::uint32_t queued(const Place& place, const Choice& choice, bool in_cycle) {
    const Lane<Word> here = place.here;
    const std::uint32_t output = wiring_.output_port[choice.channel.index()];
    std::uint32_t flits = 0;
    for (std::uint32_t vcs = choice.vcs; vcs != 0;) {
      const std::uint32_t w = take_lowest(vcs);
      flits += spec_.buffer_flits - here.count(rows_.credits(w), planes_, output) -
               (in_cycle && here.has(rows_.granted(w), output) ? 1 : 0);
    }
    for (std::uint32_t port = 0; port < wiring_.ports; ++port)
      for (std::uint32_t v = 0; v < Vcs; ++v) {
        const VcIndex number = number_of(place.at, port, v);
        if (here.has(rows_.waiting(v), port)) {
          const VcIndex own = number_of(place.at, place.port, place.vc);
          const bool has_looked = number < own || !in_cycle || !here.has(rows_.fresh(v), port);
          if (number != own && has_looked) flits += waits_for(heads_[number], output, choice.vcs);
        } else if (here.has(rows_.to_port(output, v), port) &&
                   (choice.vcs >> (heads_[number].output % Vcs) & 1) != 0) {
          flits += here.count(rows_.left(v), planes_, port) + heads_[number].rest +
                   (in_cycle && here.has(rows_.served(v), port) ? 1 : 0);
        }
      }
    return flits;
  }
  [[nodiscard]] std::uint32_t waits_for(const HeadOf& head, std::uint32_t port, std::uint32_t vcs) {
    for (; vcs != 0;)
      if ((head.candidates[take_lowest(vcs)] >> port & 1) != 0) return flits_of(packets_[head.packet]);
    return 0;
  }

  // Virtual channels

  struct Request {
    Place place;
    std::uint32_t port = 0;
    std::uint32_t vcs = 0;
    Tag tag = 0;
  };

  /// Each head asks for the free VCs of one output. Where nobody else asks for the same output it gets the
  /// first of them from its pointer.
  void allocate(std::uint32_t group, std::uint32_t count) {
    requests_.clear();
    Word wanted[64]{}, clashes[64]{};
    std::uint64_t clashing = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Event& event = fabric_.asking[i];
      const Place place = place_of(group, event);
      HeadOf& head = heads_[number_of(place.at, place.port, place.vc)];
      Word free[Vcs], any = 0;
#pragma GCC unroll 8
      for (std::uint32_t w = 0; w < Vcs; ++w) {
        free[w] = static_cast<Word>(head.candidates[w] & place.here[rows_.free(w)]);
        any = static_cast<Word>(any | free[w]);
      }
      if (any == 0) {
        park(place, head);
        continue;
      }
      Request request{place, lowest(any), 0, head.tag};
      if (head.listed)
        choose_from_list(head, request);
      else if ((any & (any - 1)) != 0)
        request.port = best(place, head, any);
      if (!head.listed)
#pragma GCC unroll 8
        for (std::uint32_t w = 0; w < Vcs; ++w)
          request.vcs |= static_cast<std::uint32_t>(free[w] >> request.port & 1) << w;
      __builtin_prefetch(&outputs_[number_of(place.at, request.port, 0)], 1);
      if (const VcIndex next = output_ports_[place.at * wiring_.ports + request.port].next; next != no_vc)
        queues_.prefetch(next);
      const auto bit = static_cast<Word>(Word{1} << request.port);
      if ((wanted[event.lane] & bit) != 0) {
        clashes[event.lane] = static_cast<Word>(clashes[event.lane] | bit);
        clashing |= std::uint64_t{1} << event.lane;
      }
      wanted[event.lane] = static_cast<Word>(wanted[event.lane] | bit);
      requests_.push_back(request);
    }
    for (const Request& request : requests_)
      if ((clashes[request.place.at & (lanes_ - 1)] >> request.port & 1) == 0)
        give(request, first_from(request.vcs, head_of(request).next_output, request.port), true);
    for (; clashing != 0;) {
      const std::uint32_t lane_number = take_lowest(clashing);
      for (Word ports = clashes[lane_number]; ports != 0;)
        match(group * lanes_ + lane_number, take_lowest(ports));
    }
  }
  [[nodiscard]] HeadOf& head_of(const Request& request) {
    return heads_[number_of(request.place.at, request.place.port, request.place.vc)];
  }

  /// Round robin from a pointer that counts the VCs of all ports.
  [[nodiscard]] static std::uint32_t first_from(std::uint32_t vcs, std::uint32_t pointer,
                                                std::uint32_t port) {
    const std::uint32_t from = pointer > port * Vcs ? pointer - port * Vcs : 0;
    const std::uint32_t preferred = from < 32 ? vcs >> from << from : 0;
    return lowest(preferred != 0 ? preferred : vcs);
  }

  /// Of several outputs with a free VC, the one that the selection function thinks best; ties are drawn.
  [[nodiscard]] std::uint32_t best(const Place& place, const HeadOf& head, Word any) {
    if (by_free_places_) any = with_most_places(place.here, head, any);
    std::uint32_t chosen = take_lowest(any);
    const Packet& packet = packets_[head.packet];
    for (std::uint32_t ties = 2; any != 0; ++ties) {
      const std::uint32_t port = take_lowest(any);
      if (chooser_.replaces(packet, place.at, now_, ties)) chosen = port;
    }
    return chosen;
  }

  /// Those of `any` with most free places on the candidates' VCs. Counts of all ports are added at a time,
  /// bit by bit; flits that were granted in this cycle still count as places.
  [[nodiscard]] Word with_most_places(const Lane<Word> here, const HeadOf& head, Word any) const {
    constexpr std::uint32_t more_planes = 4;  // for the sum over the VCs
    Word sum[most_planes + more_planes]{};
    for (std::uint32_t w = 0; w < Vcs; ++w) {
      const auto ports = static_cast<Word>(head.candidates[w] & any);
      if (ports == 0) continue;
      auto carry = static_cast<Word>(here[rows_.granted(w)] & ports);
      std::uint32_t plane = 0;
      for (; plane < planes_; ++plane) {
        const auto places = static_cast<Word>(here[rows_.credits(w) + plane] & ports);
        const auto half = static_cast<Word>(sum[plane] ^ places);
        const auto next = static_cast<Word>((sum[plane] & places) | (carry & half));
        sum[plane] = static_cast<Word>(half ^ carry);
        carry = next;
      }
      for (; carry != 0; ++plane) {
        const auto next = static_cast<Word>(sum[plane] & carry);
        sum[plane] = static_cast<Word>(sum[plane] ^ carry);
        carry = next;
      }
    }
    for (std::uint32_t plane = planes_ + more_planes; plane-- != 0;)
      if (const auto more = static_cast<Word>(any & sum[plane]); more != 0) any = more;
    return any;
  }

  void choose_from_list(const HeadOf& head, Request& request) {
    const Lane<Word> here = request.place.here;
    const auto free_vcs = [&](const Choice& choice) {
      std::uint32_t free = 0;
      for (std::uint32_t vcs = choice.vcs; vcs != 0;)
        if (const std::uint32_t w = take_lowest(vcs);
            here.has(rows_.free(w), wiring_.output_port[choice.channel.index()]))
          free |= 1U << w;
      return free;
    };
    const auto places = [&](const Choice& choice) {
      if (free_vcs(choice) == 0) return -1;
      const std::uint32_t port = wiring_.output_port[choice.channel.index()];
      std::uint32_t sum = 0;
      for (std::uint32_t vcs = choice.vcs; vcs != 0;) {
        const std::uint32_t w = take_lowest(vcs);
        sum += here.count(rows_.credits(w), planes_, port) + (here.has(rows_.granted(w), port) ? 1 : 0);
      }
      return static_cast<int>(sum);
    };
    const Choice* const choice =
        chooser_.best(lists_[number_of(request.place.at, request.place.port, request.place.vc)],
                      packets_[head.packet], request.place.at, now_, places);
    request.port = wiring_.output_port[choice->channel.index()];
    request.vcs = free_vcs(*choice);
    request.tag = choice->tag;
  }

  /// Several heads ask for VCs of one output.
  [[gnu::noinline]] void match(std::uint32_t at, std::uint32_t port) {
    rivals_.clear();
    for (const Request& request : requests_)
      if (request.place.at == at && request.port == port) rivals_.push_back({&request, request.vcs, 0});
    for (std::uint32_t iteration = 0; iteration < spec_.allocation_iterations; ++iteration) {
      const std::uint32_t given = spec_.allocation == Allocation::islip ? outputs_choose_first(at, port)
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
    const std::uint32_t pointer = outputs_[number_of(at, port, w)].next_input, all = wiring_.ports * Vcs;
    Rival* first = nullptr;
    std::uint32_t nearest = all;
    for (Rival& rival : rivals_) {
      if ((rival.*of >> w & 1) == 0) continue;
      const std::uint32_t input = rival.request->place.port * Vcs + rival.request->place.vc;
      const std::uint32_t distance = input >= pointer ? input - pointer : input + all - pointer;
      if (distance >= nearest) continue;
      nearest = distance;
      first = &rival;
    }
    return first;
  }

  /// `learns`: the pointers move past each other.
  void give(const Request& request, std::uint32_t w, bool learns) {
    const Place& place = request.place;
    HeadOf& head = head_of(request);
    const std::uint32_t number = request.port * Vcs + w, all = wiring_.ports * Vcs;
    const std::uint32_t input = place.port * Vcs + place.vc;
    Output& output = outputs_[number_of(place.at, request.port, w)];
    if (learns) {
      head.next_output = static_cast<std::uint16_t>(number + 1 == all ? 0 : number + 1);
      output.next_input = static_cast<std::uint16_t>(input + 1 == all ? 0 : input + 1);
    }
    head.output = static_cast<std::uint16_t>(number);
    output.given = now_;
    const VcIndex next = output_ports_[place.at * wiring_.ports + request.port].next;
    if (next != no_vc) queues_.at(next + w, output.pushed++) = head.packet;
    Packet& packet = packets_[head.packet];
    packet.tag = request.tag;
    ++packet.hops;
    ++given_;
    if (counts_flits_) count_flits(place.at, request.port, packet);
    if (head.parked) unpark(place.here, head, place.port, place.vc);
    place.here.clear(rows_.waiting(place.vc), place.port);
    place.here.clear(rows_.asking(place.vc), place.port);
    place.here.set(rows_.to_port(request.port, place.vc), place.port);
    place.here.set(rows_.to_vc(w, place.vc), place.port);
    place.here.set(rows_.allocated(w), request.port);
    if constexpr (keeps_blocked)
      if (!place.here.has(rows_.has_credit(w), request.port))
        place.here.set(rows_.blocked(place.vc), place.port);
  }

  void count_flits(std::uint32_t at, std::uint32_t port, const Packet& packet) {
    const std::uint32_t flits = flits_of(packet);
    given_flits_ += flits;
    if (spec_.channel_load)
      given_flits_by_output_[wiring_.output[at * wiring_.ports + port].index()] += flits;
  }

  /// The head need not ask until a VC of one of its candidates comes free.
  void park(const Place& place, HeadOf& head) {
    place.here.clear(rows_.asking(place.vc), place.port);
    if (head.parked) return;
    head.parked = true;
    for (Word ports = candidate_ports(head); ports != 0;)
      place.here.set(rows_.parked(take_lowest(ports), place.vc), place.port);
  }
  void unpark(const Lane<Word> here, HeadOf& head, std::uint32_t port, std::uint32_t vc) {
    head.parked = false;
    for (Word ports = candidate_ports(head); ports != 0;)
      here.clear(rows_.parked(take_lowest(ports), vc), port);
  }
  [[nodiscard]] static Word candidate_ports(const HeadOf& head) {
    Word ports = 0;
    for (const Word candidates : head.candidates) ports = static_cast<Word>(ports | candidates);
    return ports;
  }

  // Tails

  /// All flits that were counted have left the input VC: the packet's, but for very long ones.
  void finish(const Place& place) {
    HeadOf& head = heads_[number_of(place.at, place.port, place.vc)];
    const std::uint32_t port = head.output / Vcs, w = head.output % Vcs;
    if (head.rest != 0) return count_on(place, head, port, w);
    place.here.clear(rows_.to_port(port, place.vc), place.port);
    place.here.clear(rows_.to_vc(w, place.vc), place.port);
    place.here.clear(rows_.allocated(w), port);
    if (!spec_.atomic_vcs) place.here.set(rows_.freed(w), port);
    const OutputPort& output = output_ports_[place.at * wiring_.ports + port];
    const Time arrives = now_ + output.flit_delay;
    if (this->drops()) {
      const ChannelId channel = wiring_.output[place.at * wiring_.ports + port];
      packets_[head.packet].lost |=
          outages_.goes_down(channel, outputs_[number_of(place.at, port, w)].given, arrives);
    }
    if (output.next == no_vc) eject(place.at, port, head.packet, arrives);
  }

  void eject(std::uint32_t at, std::uint32_t port, PacketIndex number, Time arrives) {
    const Packet& packet = packets_[number];
    if (output_ports_[at * wiring_.ports + port].terminal != packet.destination)
      chooser_.refuse_ejection(SwitchId(at), packet);
    if (packet.lost)
      measurement_.dropped(arrives, Drop::link_failed);
    else if (spec_.unseen_faults && this->is_dead(wiring_.output[at * wiring_.ports + port]))
      measurement_.dropped(arrives, Drop::dead_channel);
    else
      measurement_.delivered(packet.delivered_at(arrives, flits_of(packet)));
    landings_.push_back(arrives);
    packets_.remove(number);
  }

  void count_on(const Place& place, HeadOf& head, std::uint32_t port, std::uint32_t w) {
    const std::uint32_t counted = std::min(head.rest, most_counted_);
    head.rest -= counted;
    place.here.set_count(rows_.left(place.vc), planes_, place.port, counted);
    place.here.clear(rows_.idle(place.vc), place.port);
    if (keeps_blocked && !place.here.has(rows_.has_credit(w), port))
      place.here.set(rows_.blocked(place.vc), place.port);
  }

  // Packets that are stuck

  void begin_discard(const Place& place, HeadOf& head, Time from) {
    place.here.clear(rows_.waiting(place.vc), place.port);
    place.here.set(rows_.blocked(place.vc), place.port);  // neither idle nor waiting, and nothing to ask for
    head.rest = flits_of(packets_[head.packet]);
    discards_.push_back({number_of(place.at, place.port, place.vc), from});
  }

  void return_credit(VcIndex number) {
    const ChannelId channel = this->input_channel(number);
    if (topology_.kind(channel) == ChannelKind::injection) this->credit_returns(channel, number % Vcs, false);
    returns_at_[slot(now_ + timing_.credit_delay(topology_, channel), returns_at_.size())].push_back(number);
  }

  void credit_comes_back(VcIndex number) {
    const ChannelId channel = this->input_channel(number);
    if (topology_.kind(channel) == ChannelKind::injection)
      return this->credit_returns(channel, number % Vcs, true);
    const std::uint32_t at = topology_.source(channel).value();
    lane(at).set(rows_.returned(number % Vcs), wiring_.output_port[channel.index()]);
    fabric_.returns[at / lanes_] = 1;
    this->keep_active(at / lanes_, now_);
  }

  Word* group_words_ = nullptr;  ///< rows of the group that is worked on
  std::uint32_t all_vcs_ = 0, vcs_of_class_[Vcs]{};
  std::vector<std::uint8_t> has_all_ports_;  ///< by switch: the i-th output is port i
  std::vector<std::uint64_t> down_bits_;     ///< by switch, where channels go down: output_bits() of those
  std::vector<Request> requests_;
  std::vector<Rival> rivals_;
};

}  // namespace faultline::wormhole::planes
