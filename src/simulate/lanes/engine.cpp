// SPDX-License-Identifier: Apache-2.0
#include "simulate/lanes/engine.h"

#include <algorithm>

#include "simulate/huge_pages.h"
#include "simulate/lanes/inspect.h"
#include "simulate/lanes/state.h"
#include "simulate/lanes/wiring.h"
#include "simulate/wormhole/engine_base.h"

namespace faultline::wormhole::lanes {
namespace {

/// Thrown where only the plain engine can go on.
struct NeedsPlainEngine {};

template <class Word, std::uint32_t Ports>
class Engine : private EngineBase {
 public:
  Engine(const Kernel& kernel, Shape shape, const RoutingRelation& relation, const TrafficPattern& pattern,
         const SimulationSpec& spec, std::vector<Delivery>* log)
      : EngineBase(relation, pattern, spec, log),
        rows_{shape.planes, Ports},
        lanes_(sizeof(Word) == 8 ? kernel.wide_lanes : kernel.narrow_lanes),
        groups_(static_cast<std::uint32_t>((topology_.switch_count() + lanes_ - 1) / lanes_)),
        heads_(topology_.switch_count()),
        queues_(topology_.switch_count() * vcs_a_switch, spec.buffer_flits, least_flits(spec)),
        senders_(topology_.terminal_count()),
        wake_((topology_.terminal_count() + wake_block - 1) / wake_block * wake_block, never) {
    if constexpr (sizeof(Word) == 4)
      advance_ = kernel.narrow(shape);
    else
      advance_ = kernel.wide(shape);
    make_fabric(Wiring(topology_, Ports));
    connect_terminals();
    for (const ChannelId channel : topology_.channels())
      output_ports_.push_back(static_cast<std::uint8_t>(topology_.output_port(channel)));
    if (!spec.channel_load) return;
    output_flits_.resize(topology_.switch_count() * vcs_a_switch);
    injected_flits_.resize(topology_.terminal_count());
  }

  Outcome run(const Progress& progress) {
    const auto landed = [this] {
      landed_ += std::erase_if(landings_, [this](Time at) { return at < now_; });
      return landed_;
    };
    return outcome(run_bins(
        progress, [this] { step(); }, landed, [this] { return find_deadlock(inspector().vc_states()); }));
  }

 private:
  static constexpr std::uint32_t wake_block = 16;
  static constexpr std::uint32_t longest_burst = 16;
  static constexpr std::uint32_t vcs_a_switch = Ports * port_bits;

  void make_fabric(const Wiring& wiring) {
    if (lanes_ == 1)
      pushes_.emplace(topology_, wiring, timing_, groups_);
    else
      pulls_.emplace(topology_, wiring, timing_, lanes_, groups_, std::uint32_t{sizeof(Word) * 8});
    const Time longest = pushes_ ? pushes_->longest : pulls_->longest;
    for (const TerminalId terminal : topology_.terminals())
      for (const ChannelId channel : topology_.injection(terminal))
        window_ = std::max(window_, static_cast<std::uint32_t>(timing_.flit_delay(topology_, channel)) +
                                        topology_.fly_cycles(channel));
    fabric_.groups = groups_;
    fabric_.lanes = lanes_;
    fabric_.switches = groups_ * lanes_;
    fabric_.slots = std::bit_ceil(std::max(static_cast<std::uint32_t>(longest), window_) + 1);
    fabric_.packet_flits = spec_.packet_flits;
    row_words_.resize(std::size_t{rows_.count()} * fabric_.switches);
    log_words_.resize(std::size_t{fabric_.slots} * 2 * fabric_.switches);
    lane_ = {row_words_.data(), rows_.count(), lanes_, static_cast<std::uint32_t>(std::countr_zero(lanes_))};
    fabric_.sent_slots = std::bit_ceil(window_ + longest_burst);
    sent_words_.resize(std::size_t{fabric_.sent_slots} * fabric_.switches);
    fabric_.rows = row_words_.data();
    fabric_.log = log_words_.data();
    fabric_.sent = sent_words_.data();
    if (pushes_) {
      pushed_words_.resize(fabric_.slots * (2 * std::size_t{fabric_.switches} + 1));
      fabric_.pushed = pushed_words_.data();
      fabric_.pushes = pushes_->pushes.data();
    } else {
      fabric_.pulls = pulls_->pulls.data();
      fabric_.pull_lanes = pulls_->bytes.data();
      fabric_.gathered = pulls_->gathered.data();
    }
    if (spec_.buffer_flits > window_)
      fabric_.crowded_plane = static_cast<std::uint32_t>(std::bit_width(spec_.buffer_flits - window_)) - 1;
    for (std::uint32_t at = 0; at < topology_.switch_count(); ++at) reset(at, wiring);
  }

  void reset(std::uint32_t at, const Wiring& wiring) {
    constexpr auto all = static_cast<Word>(~Word{0});
    const Lane<Word> here = lane_[at];
    Heads<Word, Ports>& heads = heads_[at];
    for (std::uint32_t plane = 0; plane < rows_.planes; ++plane)
      here[rows_.credits(plane)] = (spec_.buffer_flits >> plane & 1) != 0 ? all : 0;
    here[rows_.serve_from()] = here[rows_.idle()] = all;
    for (std::uint32_t port = 0; port < Ports; ++port) {
      here[rows_.grant_from(port)] = here[rows_.accept_from(port)] = all;
      const std::size_t place = std::size_t{at} * Ports + port;
      const Socket& next = wiring.downstream[place];
      heads.next[port] = next.valid() ? next.at * vcs_a_switch + next.port * port_bits : no_vc;
      heads.input[port] = wiring.input[place];
      if (const ChannelId output = wiring.output[place]; output.valid() && !next.valid()) {
        heads.ejection_cycles[port] = timing_.flit_delay(topology_, output);
        heads.ejects |= Word{15} << (port * port_bits);
      }
    }
  }

  void connect_terminals() {
    for (const TerminalId terminal : topology_.terminals()) {
      wake_[terminal.index()] = sources_.first_generated(terminal);
      if (topology_.injection(terminal).empty()) continue;
      const ChannelId channel = topology_.injection(terminal).front();
      Sender<Word>& sender = senders_[terminal.index()];
      sender.at = topology_.target(channel).value();
      sender.crowded = &lane_[sender.at][rows_.crowded()];
      sender.first_bit = static_cast<std::uint8_t>(topology_.input_port(channel) * port_bits);
      sender.vc = static_cast<std::uint8_t>(vc_count_ - 1);
      sender.delay = static_cast<std::uint16_t>(timing_.flit_delay(topology_, channel));
      sender.fly = static_cast<std::uint16_t>(topology_.fly_cycles(channel));
    }
  }

  void step() {
    for (std::uint32_t block = 0; block < wake_.size(); block += wake_block)
      if (anybody_wakes(block)) send_from_block(block);
    for (std::uint32_t group = 0; group < groups_; ++group) {
      LaneSets sets = advance_(fabric_, group, now_);
      const std::uint32_t first = group * lanes_;
      for (std::uint32_t lanes = sets.routed; lanes != 0;) fetch(first + next_index(lanes));
      while (sets.allocate != 0) allocate(first + next_index(sets.allocate));
      while (sets.tails != 0) finish(first + next_index(sets.tails));
      while (sets.routed != 0) route(first + next_index(sets.routed));
    }
  }

  // Sources

  [[nodiscard]] bool anybody_wakes(std::uint32_t block) const {
    const Time* const wake = wake_.data() + block;
    std::uint32_t awake = 0;
    for (std::uint32_t i = 0; i < wake_block; ++i) awake |= wake[i] <= now_ ? 1U : 0U;
    return awake != 0;
  }

  void send_from_block(std::uint32_t block) {
    for (std::uint32_t terminal = block; terminal < block + wake_block; ++terminal)
      if (wake_[terminal] <= now_) send_from(TerminalId(terminal));
  }

  void send_from(TerminalId terminal) {
    Sender<Word>& sender = senders_[terminal.index()];
    if (sender.left == 0) start_packet(terminal, sender);
    if (sender.left != 0) send_burst(terminal, sender);
  }

  /// All flits that there is room for already, one a cycle from now on: nothing can take their places.
  void send_burst(TerminalId terminal, Sender<Word>& sender) {
    const std::uint32_t bit = sender.first_bit + sender.vc;
    const std::uint32_t room = spec_.buffer_flits - places_taken(sender, bit);
    const std::uint32_t flits = std::min({room, std::uint32_t{sender.left}, longest_burst});
    for (std::uint32_t i = 0; i < flits; ++i)
      fabric_.sent_at(now_ + sender.delay + static_cast<Time>(i))[sender.at] |= Word{1} << bit;
    sender.left = static_cast<std::uint16_t>(sender.left - flits);
    const Time done = now_ + static_cast<Time>(std::max(flits, 1U));
    wake_[terminal.index()] = sender.left != 0 ? done : std::max(done, sources_.first_generated(terminal));
  }

  void start_packet(TerminalId terminal, Sender<Word>& sender) {
    std::uint32_t with_room = 0;
    for (std::uint32_t vc = 0; vc < vc_count_; ++vc) with_room |= (has_room(sender, vc) ? 1U : 0U) << vc;
    if (with_room == 0) return;
    Packet packet = sources_.first(terminal, now_, choices_);
    if (!packet.source.valid()) {
      wake_[terminal.index()] = sources_.first_generated(terminal);
      return;
    }
    if (choices_.size() != 1) throw NeedsPlainEngine{};
    const Choice& choice = choices_.front();
    if ((choice.vcs & with_room) == 0) return;
    const std::uint32_t vc = round_robin(choice.vcs & with_room, sender.vc + 1U);
    sender.vc = static_cast<std::uint8_t>(vc);
    sender.left = static_cast<std::uint16_t>(flits_of(packet));
    packet.injected = now_;
    packet.tag = choice.tag;
    packet.vc_class = chooser_.class_of(choice, vc);
    if (spec_.channel_load) injected_flits_[terminal.index()] += sender.left;
    queues_.at(std::size_t{sender.at} * vcs_a_switch + sender.first_bit + vc, sender.pushed[vc]++) =
        packets_.add(packet);
    sources_.inject(terminal, now_);
  }

  [[nodiscard]] bool has_room(const Sender<Word>& sender, std::uint32_t vc) const {
    const std::uint32_t bit = sender.first_bit + vc;
    return (spec_.buffer_flits > window_ && (*sender.crowded >> bit & 1) == 0) ||
           places_taken(sender, bit) < spec_.buffer_flits;
  }

  /// What a terminal knows of a buffer: flits that have left it less than a flight ago still count, as do
  /// those under way.
  [[nodiscard]] std::uint32_t places_taken(const Sender<Word>& sender, std::uint32_t bit) const {
    std::uint32_t places = lane_[sender.at].count(rows_.flits(0), rows_.planes, bit);
    const auto add = [&](Word words) { places += static_cast<std::uint32_t>(words >> bit & 1); };
    for (Time at = now_; at < now_ + sender.delay; ++at) add(fabric_.sent_at(at)[sender.at]);
    for (Time at = now_ - 1; at >= now_ - sender.fly; --at)
      add(fabric_.log_of(at)[fabric_.switches + sender.at]);
    return places;
  }

  // Once a packet and switch

  /// Brings packets that have come to the front near, so that route() finds them there.
  void fetch(std::uint32_t at) {
    Heads<Word, Ports>& heads = heads_[at];
    for (Word fresh = lane_[at][rows_.routed()]; fresh != 0;) {
      const std::uint32_t bit = next_index(fresh);
      Front& front = heads.fronts[bit];
      front.packet = queues_.at(std::size_t{at} * vcs_a_switch + bit, front.popped++);
      __builtin_prefetch(&packets_[front.packet]);
    }
  }

  void route(std::uint32_t at) {
    const Lane<Word> here = lane_[at];
    Heads<Word, Ports>& heads = heads_[at];
    here[rows_.retry()] = 1;
    for (Word fresh = here[rows_.routed()]; fresh != 0;) {
      const std::uint32_t bit = next_index(fresh);
      Front& front = heads.fronts[bit];
      Packet& packet = packets_[front.packet];
      if (packet.hops != 0) packet.vc_class = chooser_.class_of_network_vc(bit % port_bits);
      const std::optional<Choice> choice =
          chooser_.only_route(packet, SwitchId(at), heads.input[bit / port_bits]);
      if (!choice) throw NeedsPlainEngine{};
      ++packet.hops;
      if (mixed_) set_flits_left(here, bit, flits_of(packet));
      front.port = output_ports_[choice->channel.index()];
      front.vcs = static_cast<std::uint8_t>(choice->vcs);
      packet.tag = choice->tag;
      heads.wanting[front.port] |= Word{1} << bit;
    }
  }

  /// The vector part has taken it for a packet of the largest size.
  void set_flits_left(Lane<Word> here, std::uint32_t bit, std::uint32_t flits) {
    for (std::uint32_t plane = 0; plane < rows_.planes; ++plane) {
      Word& left = here[rows_.left(plane)];
      left = (left & ~(Word{1} << bit)) | (Word{flits >> plane & 1} << bit);
    }
  }

  [[nodiscard]] std::uint32_t flits_of(const Packet& packet) const {
    return arrivals_.flits(packet.source, packet.sequence);
  }

  /// One iteration of iSLIP over (port, VC); each head wants one port, so that ports do not meet. Asking
  /// again next cycle is in vain unless somebody lost to another, or a VC has become free since.
  void allocate(std::uint32_t at) {
    const Lane<Word> here = lane_[at];
    Heads<Word, Ports>& heads = heads_[at];
    const Word allocated = here[rows_.allocated()], pending = here[rows_.waiting()] & ~here[rows_.routed()];
    here[rows_.retry()] = 0;
    if ((pending & (pending - 1)) == 0) {
      const std::uint32_t port = heads.fronts[lowest(pending)].port;
      give_to_only(here, heads, pending, port,
                   static_cast<std::uint32_t>(~allocated >> (port * port_bits)) & 15);
      return;
    }
    bool again = false;
    for (std::uint32_t port = 0; port < Ports; ++port) {
      const Word asking = heads.wanting[port];
      if (asking == 0) continue;
      const auto free = static_cast<std::uint32_t>(~allocated >> (port * port_bits)) & 15;
      if (free == 0) continue;
      if ((asking & (asking - 1)) == 0)
        give_to_only(here, heads, asking, port, free);
      else
        again |= match(here, heads, asking, port, free);
    }
    here[rows_.retry()] = again ? 1 : 0;
  }

  void give_to_only(Lane<Word> here, Heads<Word, Ports>& heads, Word head, std::uint32_t port,
                    std::uint32_t free) {
    const std::uint32_t bit = lowest(head);
    const Front& front = heads.fronts[bit];
    if (const std::uint64_t vcs = front.vcs & free; vcs != 0)
      give(here, heads, bit, round_robin(vcs << (port * port_bits), front.next_output));
  }

  bool match(Lane<Word> here, Heads<Word, Ports>& heads, Word asking, std::uint32_t port,
             std::uint32_t free) {
    Word granted[port_bits]{}, lucky = 0;
    for (std::uint32_t vcs = free; vcs != 0;) {
      const std::uint32_t vc = next_index(vcs);
      Word for_this = 0;
      for (Word left = asking; left != 0;) {
        const Word head = take_lowest(left);
        if ((heads.fronts[lowest(head)].vcs >> vc & 1) != 0) for_this |= head;
      }
      if (for_this == 0) continue;
      granted[vc] = Word{1} << round_robin(for_this, heads.outputs[port * port_bits + vc].next_input);
      lucky |= granted[vc];
    }
    const bool any = lucky != 0;
    while (lucky != 0) {
      const Word head = take_lowest(lucky);
      std::uint64_t offers = 0;
      for (std::uint32_t vc = 0; vc < port_bits; ++vc)
        offers |= std::uint64_t{(granted[vc] & head) != 0} << (port * port_bits + vc);
      const std::uint32_t bit = lowest(head);
      give(here, heads, bit, round_robin(offers, heads.fronts[bit].next_output));
    }
    return any;
  }

  void give(Lane<Word> here, Heads<Word, Ports>& heads, std::uint32_t bit, std::uint32_t output) {
    const std::uint32_t port = output / port_bits, vc = output % port_bits;
    Front& front = heads.fronts[bit];
    ++given_;
    if (counts_flits_) count_flits(heads, output, packets_[front.packet]);
    if (heads.next[port] != no_vc)
      queues_.at(heads.next[port] + vc, heads.outputs[output].pushed++) = front.packet;
    else
      heads.ejecting[output] = front.packet;
    front.next_output = static_cast<std::uint8_t>(output + 1 == vcs_a_switch ? 0 : output + 1);
    heads.outputs[output].next_input = static_cast<std::uint8_t>(bit + 1 == vcs_a_switch ? 0 : bit + 1);
    const Word head = Word{1} << bit;
    heads.wanting[port] ^= head;
    here[rows_.waiting()] ^= head;
    here[rows_.to_port(port)] |= head;
    here[rows_.to_vc(vc)] |= head;
    here[rows_.allocated()] |= Word{1} << output;
  }

  void count_flits(const Heads<Word, Ports>& heads, std::uint32_t output, const Packet& packet) {
    const std::uint32_t flits = flits_of(packet);
    given_flits_ += flits;
    if (!spec_.channel_load) return;
    const auto at = static_cast<std::size_t>(&heads - heads_.data());
    output_flits_[at * vcs_a_switch + output] += flits;
  }

  /// Tails have left: their output VCs are free, and packets for terminals will be there after the flight.
  void finish(std::uint32_t at) {
    const Lane<Word> here = lane_[at];
    Word freed = here[rows_.freed()];
    here[rows_.allocated()] &= ~freed;
    here[rows_.retry()] = 1;
    Heads<Word, Ports>& heads = heads_[at];
    for (freed &= heads.ejects; freed != 0;) {
      const std::uint32_t output = next_index(freed);
      const PacketIndex ejected = heads.ejecting[output];
      const Time lands = now_ + heads.ejection_cycles[output / port_bits];
      measurement_.delivered(packets_[ejected].delivered_at(lands, flits_of(packets_[ejected])));
      landings_.push_back(lands);
      packets_.remove(ejected);
    }
  }

  // At the end, and at the ends of bins

  [[nodiscard]] Inspector<Word, Ports> inspector() const {
    return {lane_, rows_, heads_, spec_.buffer_flits};
  }

  Outcome outcome(const std::vector<VcIndex>& deadlock) {
    const auto flying =
        static_cast<std::uint64_t>(std::ranges::count_if(landings_, [this](Time at) { return at >= now_; }));
    Outcome outcome{measurement_.result(now_, sources_.drain(now_) + packets_.count() + flying),
                    measurement_.checksum(now_)};
    SimulationResult& result = outcome.result;
    inspector().count_hops(given_, counts_flits_ ? given_flits_ : given_ * spec_.packet_flits, result);
    if (spec_.channel_load) result.channel_flits = channel_flits();
    outcome.bytes = bytes();
    result.deadlock = !deadlock.empty();
    for (const VcIndex vc : deadlock) {
      const std::uint32_t at = vc / vcs_a_switch, bit = vc % vcs_a_switch;
      result.deadlock_cycle.push_back(topology_.name(heads_[at].input[bit / port_bits]));
      result.deadlock_packets.push_back(packets_[heads_[at].fronts[bit].packet].name(topology_));
    }
    return outcome;
  }

  /// What packets have been given channels for, but for those flits that have not left.
  [[nodiscard]] std::vector<std::uint64_t> channel_flits() const {
    std::vector<std::uint64_t> by_output = output_flits_;
    inspector().take_off_flits_left(by_output);
    std::vector<std::uint64_t> flits(topology_.channel_count());
    for (const SwitchId at : topology_.switches())
      for (const ChannelId channel : topology_.outputs(at))
        for (std::uint32_t vc = 0; vc < port_bits; ++vc)
          flits[channel.index()] += by_output[at.index() * vcs_a_switch +
                                              std::size_t{output_ports_[channel.index()]} * port_bits + vc];
    for (const TerminalId terminal : topology_.terminals())
      for (const ChannelId channel : topology_.injection(terminal))
        flits[channel.index()] = injected_flits_[terminal.index()] - not_yet_sent(senders_[terminal.index()]);
    return flits;
  }

  /// Flits of a packet, or of a burst, that a terminal has not sent by now.
  [[nodiscard]] std::uint64_t not_yet_sent(const Sender<Word>& sender) const {
    std::uint64_t flits = sender.left;
    const Time first = now_ + sender.delay;
    for (Time at = first; at < first + static_cast<Time>(longest_burst); ++at)
      flits += fabric_.sent_at(at)[sender.at] >> (sender.first_bit + sender.vc) & 1;
    return flits;
  }

  [[nodiscard]] std::size_t bytes() const {
    const auto of = []<class T>(const std::vector<T>& values) { return values.size() * sizeof(T); };
    const std::size_t words =
        std::size_t{fabric_.switches} * (rows_.count() + 2 * fabric_.slots + fabric_.sent_slots);
    const std::size_t wires = pushes_ ? of(pushes_->pushes) + pushed_words_.size() * sizeof(Word)
                                      : of(pulls_->pulls) + of(pulls_->bytes) + of(pulls_->gathered);
    return words * sizeof(Word) + wires + of(heads_) + of(output_ports_) + packets_.bytes() +
           queues_.bytes() + of(senders_) + of(wake_) + sources_.bytes();
  }

  Rows rows_;
  std::uint32_t lanes_, groups_;
  std::vector<Heads<Word, Ports>> heads_;   // by switch
  std::vector<std::uint8_t> output_ports_;  // by channel
  PacketPool packets_;
  PacketQueues queues_;  // by switch and bit
  std::vector<Sender<Word>> senders_;
  std::vector<Time> wake_;        // by terminal: the next cycle in which it has something to do
  std::optional<Pulls> pulls_;    // of vectors of switches
  std::optional<Pushes> pushes_;  // of single ones
  Fabric<Word> fabric_;
  Advance<Word> advance_ = nullptr;
  HugeVector<Word> row_words_, log_words_, sent_words_, pushed_words_;
  LaneTable<Word> lane_;
  std::uint32_t window_ = 1;  ///< flits that a terminal's knowledge of a buffer may lag behind
  std::uint64_t given_ = 0, given_flits_ = 0, landed_ = 0;
  bool mixed_ = !spec_.packet_mix.empty(), counts_flits_ = mixed_ || spec_.channel_load;
  std::vector<std::uint64_t> output_flits_, injected_flits_;  // where asked for: by output VC, by terminal
  std::vector<Time> landings_;                                // tails on their way to terminals
  std::vector<Choice> choices_;
};

}  // namespace

std::optional<Outcome> run(const Kernel& kernel, Shape shape, const RoutingRelation& relation,
                           const TrafficPattern& pattern, const SimulationSpec& spec,
                           const Progress& progress, std::vector<Delivery>* log) {
  try {
    const auto with = [&]<class Word, std::uint32_t Ports>() {
      return Engine<Word, Ports>(kernel, shape, relation, pattern, spec, log).run(progress);
    };
    switch (shape.ports) {
      case 5:
        return with.template operator()<std::uint32_t, 5>();
      case 7:
        return with.template operator()<std::uint32_t, 7>();
      case 8:
        return with.template operator()<std::uint32_t, 8>();
      default:
        return with.template operator()<std::uint64_t, 16>();
    }
  } catch (const NeedsPlainEngine&) {
    return {};
  }
}

}  // namespace faultline::wormhole::lanes
