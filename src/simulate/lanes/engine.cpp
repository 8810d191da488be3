// SPDX-License-Identifier: Apache-2.0
#include "simulate/lanes/engine.h"

#include <algorithm>
#include <memory>

#include "simulate/lanes/wiring.h"
#include "simulate/timeline.h"
#include "simulate/wormhole/choices.h"
#include "simulate/wormhole/packets.h"
#include "simulate/wormhole/sources.h"
#include "simulate/wormhole/waiting.h"

namespace faultline::wormhole::lanes {
namespace {

/// Thrown where only the plain engine can go on.
struct NeedsPlainEngine {};

struct AlignedDelete {
  void operator()(void* words) const { ::operator delete[](words, std::align_val_t{64}); }
};
template <class Word>
using Aligned = std::unique_ptr<Word[], AlignedDelete>;

template <class Word>
Aligned<Word> zeros(std::size_t count) {
  Word* const words = static_cast<Word*>(
      ::operator new[](std::max<std::size_t>(count, 1) * sizeof(Word), std::align_val_t{64}));
  std::fill_n(words, count, Word{0});
  return Aligned<Word>(words);
}

/// The first set bit from `from` on, or from the beginning where there is none.
std::uint32_t round_robin(std::uint64_t bits, std::uint32_t from) {
  const std::uint64_t preferred = bits >> from << from;
  return static_cast<std::uint32_t>(std::countr_zero(preferred != 0 ? preferred : bits));
}

template <class Word>
Word take_lowest(Word& bits) {
  const Word lowest = bits & (~bits + 1);
  bits ^= lowest;
  return lowest;
}

template <class Word>
std::uint32_t next_index(Word& bits) {
  const auto index = static_cast<std::uint32_t>(std::countr_zero(bits));
  bits &= bits - 1;
  return index;
}

/// The packet at the front of an input VC, and what it wants.
struct Front {
  PacketIndex packet = no_packet;
  std::uint8_t port = 0;
  std::uint8_t vcs = 0;
  std::uint8_t next_output = 0;  ///< accept pointer of VC allocation
  std::uint8_t next_input = 0;   ///< grant pointer of the output VC of the same number
};

/// A terminal's end of its injection channel.
struct Sender {
  std::uint32_t at = 0;
  std::uint8_t first_bit = 0;  ///< of VC 0 of the port
  std::uint8_t vc = 0;         ///< of the packet, or of the last one
  std::uint16_t left = 0;
  std::uint16_t delay = 0, fly = 0;
};

template <class Word>
class Engine {
 public:
  Engine(const Kernel& kernel, Shape shape, const RoutingRelation& relation, const TrafficPattern& pattern,
         const SimulationSpec& spec, std::vector<Delivery>* log)
      : topology_(relation.topology()),
        spec_(spec),
        timing_(spec),
        vc_count_(vc_count(relation, spec)),
        chooser_(relation, spec.selection, vc_count_, spec.seed),
        arrivals_(pattern, spec),
        timeline_(Timeline::of(spec)),
        measurement_(timeline_, topology_.terminal_count(), spec, log),
        sources_(arrivals_, chooser_, measurement_, topology_.terminal_count(), timeline_.limit),
        rows_{shape.planes, shape.ports},
        ports_(shape.ports),
        vcs_a_switch_(shape.ports * port_bits),
        wiring_(topology_, shape.ports),
        lanes_(sizeof(Word) == 8 ? kernel.wide_lanes : kernel.narrow_lanes),
        groups_(static_cast<std::uint32_t>((topology_.switch_count() + lanes_ - 1) / lanes_)),
        pulls_(topology_, wiring_, timing_, lanes_, groups_),
        fronts_(topology_.switch_count() * vcs_a_switch_),
        ejecting_(fronts_.size(), no_packet),
        wanting_(topology_.switch_count() * shape.ports),
        queues_(fronts_.size(), spec.buffer_flits, spec.packet_flits),
        senders_(topology_.terminal_count()),
        wake_(topology_.terminal_count(), never) {
    if constexpr (sizeof(Word) == 4)
      advance_ = kernel.narrow(shape);
    else
      advance_ = kernel.wide(shape);
    connect_terminals();
    make_fabric();
  }

  Outcome run(const Progress& progress) {
    for (std::size_t bin = 0; bin < timeline_.bin_count(); ++bin) {
      for (; now_ < timeline_.end_of(bin); ++now_) step();
      if (progress) progress(static_cast<std::uint64_t>(now_), static_cast<std::uint64_t>(timeline_.limit));
      if (now_ > 0 && measurement_.all_served(now_, sources_.senders())) break;
      const std::size_t landed = std::erase_if(landings_, [this](Time at) { return at < now_; });
      if (looks_for_deadlock(bin, landed) && !find_deadlock(vc_states()).empty()) break;
    }
    return outcome(find_deadlock(vc_states()));
  }

 private:
  void connect_terminals() {
    for (const TerminalId terminal : topology_.terminals()) {
      wake_[terminal.index()] = sources_.first_generated(terminal);
      if (topology_.injection(terminal).empty()) continue;
      const ChannelId channel = topology_.injection(terminal).front();
      Sender& sender = senders_[terminal.index()];
      sender.at = topology_.target(channel).value();
      sender.first_bit = static_cast<std::uint8_t>(topology_.input_port(channel) * port_bits);
      sender.vc = static_cast<std::uint8_t>(vc_count_ - 1);
      sender.delay = static_cast<std::uint16_t>(timing_.flit_delay(topology_, channel));
      sender.fly = static_cast<std::uint16_t>(topology_.fly_cycles(channel));
      window_ = std::max<std::uint32_t>(window_, sender.delay + sender.fly);
    }
  }

  void make_fabric() {
    fabric_.groups = groups_;
    fabric_.lanes = lanes_;
    fabric_.slots = std::bit_ceil(std::max(static_cast<std::uint32_t>(pulls_.longest), window_) + 1);
    fabric_.packet_flits = spec_.packet_flits;
    row_words_ = zeros<Word>(std::size_t{groups_} * rows_.count() * lanes_);
    log_words_ = zeros<Word>(std::size_t{fabric_.slots} * 2 * fabric_.switches());
    sent_words_ = zeros<Word>(std::size_t{fabric_.slots} * fabric_.switches());
    pull_words_ = zeros<Word>(pulls_.words.size());
    std::ranges::copy(pulls_.words, pull_words_.get());
    pulls_.words = {};
    fabric_.rows = row_words_.get();
    fabric_.log = log_words_.get();
    fabric_.sent = sent_words_.get();
    fabric_.pulls = pulls_.pulls.data();
    fabric_.pull_words = pull_words_.get();
    if (spec_.buffer_flits > window_)
      fabric_.crowded_plane = static_cast<std::uint32_t>(std::bit_width(spec_.buffer_flits - window_)) - 1;
    for (std::uint32_t at = 0; at < topology_.switch_count(); ++at) reset(at);
  }

  void reset(std::uint32_t at) {
    constexpr auto all = static_cast<Word>(~Word{0});
    for (std::uint32_t plane = 0; plane < rows_.planes; ++plane)
      row(at, rows_.credits(plane)) = (spec_.buffer_flits >> plane & 1) != 0 ? all : 0;
    for (std::uint32_t port = 0; port < ports_; ++port)
      row(at, rows_.grant_from(port)) = row(at, rows_.accept_from(port)) = all;
    row(at, rows_.serve_from()) = row(at, rows_.idle()) = all;
  }

  [[nodiscard]] Word& row(std::uint32_t at, std::uint32_t which) {
    return row_words_[(std::size_t{at / lanes_} * rows_.count() + which) * lanes_ + at % lanes_];
  }
  [[nodiscard]] Word row(std::uint32_t at, std::uint32_t which) const {
    return row_words_[(std::size_t{at / lanes_} * rows_.count() + which) * lanes_ + at % lanes_];
  }

  void step() {
    for (std::uint32_t terminal = 0; terminal < wake_.size(); ++terminal)
      if (wake_[terminal] <= now_) send_from(TerminalId(terminal));
    for (std::uint32_t group = 0; group < groups_; ++group) {
      LaneSets sets = advance_(fabric_, group, now_);
      const std::uint32_t first = group * lanes_;
      while (sets.allocate != 0) allocate(first + next_index(sets.allocate));
      while (sets.tails != 0) finish(first + next_index(sets.tails));
      while (sets.routed != 0) route(first + next_index(sets.routed));
    }
  }

  // Sources

  void send_from(TerminalId terminal) {
    Sender& sender = senders_[terminal.index()];
    if (sender.left == 0) {
      start_packet(terminal, sender);
      if (sender.left == 0) return;
    } else if (!has_room(sender, sender.vc)) {
      return;
    }
    fabric_.sent_at(now_ + sender.delay)[sender.at] |= Word{1} << (sender.first_bit + sender.vc);
    if (--sender.left == 0) wake_[terminal.index()] = sources_.first_generated(terminal);
  }

  void start_packet(TerminalId terminal, Sender& sender) {
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
    sender.left = static_cast<std::uint16_t>(spec_.packet_flits);
    packet.injected = now_;
    packet.tag = choice.tag;
    packet.vc_class = chooser_.class_of(choice, vc);
    measurement_.injected(now_);
    queues_.push(std::size_t{sender.at} * vcs_a_switch_ + sender.first_bit + vc, packets_.add(packet));
    sources_.advance(terminal);
    wake_[terminal.index()] = 0;
  }

  /// What a terminal knows of a buffer: flits that have left it less than a flight ago still count, as do
  /// those under way.
  [[nodiscard]] bool has_room(const Sender& sender, std::uint32_t vc) const {
    const std::uint32_t bit = sender.first_bit + vc;
    if (spec_.buffer_flits > window_ && (row(sender.at, rows_.crowded()) >> bit & 1) == 0) return true;
    Word places = 0;
    for (std::uint32_t plane = 0; plane < rows_.planes; ++plane)
      places += (row(sender.at, rows_.flits(plane)) >> bit & 1) << plane;
    for (Time at = now_; at < now_ + sender.delay; ++at) places += fabric_.sent_at(at)[sender.at] >> bit & 1;
    for (Time at = now_ - 1; at >= now_ - sender.fly; --at)
      places += fabric_.log_of(at)[fabric_.switches() + sender.at] >> bit & 1;
    return places < spec_.buffer_flits;
  }

  // Once a packet and switch

  void route(std::uint32_t at) {
    row(at, rows_.retry()) = 1;
    for (Word fresh = row(at, rows_.routed()); fresh != 0;) {
      const std::uint32_t bit = next_index(fresh);
      const std::size_t vc = std::size_t{at} * vcs_a_switch_ + bit;
      Front& front = fronts_[vc];
      front.packet = queues_.pop(vc);
      Packet& packet = packets_[front.packet];
      chooser_.route(packet, wiring_.input[std::size_t{at} * ports_ + bit / port_bits], choices_);
      if (choices_.size() != 1) throw NeedsPlainEngine{};
      const Choice& choice = choices_.front();
      front.port = static_cast<std::uint8_t>(topology_.output_port(choice.channel));
      front.vcs = static_cast<std::uint8_t>(choice.vcs);
      packet.tag = choice.tag;
      wanting_[std::size_t{at} * ports_ + front.port] |= Word{1} << bit;
    }
  }

  /// One iteration of iSLIP over (port, VC); each head wants one port, so that ports do not meet. Asking
  /// again next cycle is in vain unless somebody lost to another, or a VC has become free since.
  void allocate(std::uint32_t at) {
    bool again = false;
    Word* const wanting = wanting_.data() + std::size_t{at} * ports_;
    for (std::uint32_t port = 0; port < ports_; ++port) {
      const Word heads = wanting[port];
      if (heads == 0) continue;
      const auto free = static_cast<std::uint32_t>(~row(at, rows_.allocated()) >> (port * port_bits)) & 15;
      if (free == 0) continue;
      if ((heads & (heads - 1)) == 0)
        give_to_only(at, heads, port, free);
      else
        again |= match(at, heads, port, free);
    }
    row(at, rows_.retry()) = again ? 1 : 0;
  }

  void give_to_only(std::uint32_t at, Word head, std::uint32_t port, std::uint32_t free) {
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(head));
    const Front& front = front_of(at, bit);
    if (const std::uint64_t vcs = front.vcs & free; vcs != 0)
      give(at, bit, round_robin(vcs << (port * port_bits), front.next_output));
  }

  bool match(std::uint32_t at, Word heads, std::uint32_t port, std::uint32_t free) {
    Word granted[port_bits]{}, lucky = 0;
    for (std::uint32_t vcs = free; vcs != 0;) {
      const std::uint32_t vc = next_index(vcs);
      Word asking = 0;
      for (Word left = heads; left != 0;) {
        const Word head = take_lowest(left);
        if ((front_of(at, static_cast<std::uint32_t>(std::countr_zero(head))).vcs >> vc & 1) != 0)
          asking |= head;
      }
      if (asking == 0) continue;
      granted[vc] = Word{1} << round_robin(asking, front_of(at, port * port_bits + vc).next_input);
      lucky |= granted[vc];
    }
    const bool any = lucky != 0;
    while (lucky != 0) {
      const Word head = take_lowest(lucky);
      std::uint64_t offers = 0;
      for (std::uint32_t vc = 0; vc < port_bits; ++vc)
        offers |= std::uint64_t{(granted[vc] & head) != 0} << (port * port_bits + vc);
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(head));
      give(at, bit, round_robin(offers, front_of(at, bit).next_output));
    }
    return any;
  }

  void give(std::uint32_t at, std::uint32_t bit, std::uint32_t output) {
    const std::uint32_t port = output / port_bits, vc = output % port_bits;
    Front& front = front_of(at, bit);
    Packet& packet = packets_[front.packet];
    ++packet.hops;
    ++given_;
    const Socket& next = wiring_.downstream[std::size_t{at} * ports_ + port];
    if (next.valid()) {
      packet.vc_class = chooser_.class_of_network_vc(vc);
      queues_.push(std::size_t{next.at} * vcs_a_switch_ + next.port * port_bits + vc, front.packet);
    } else {
      ejecting_[std::size_t{at} * vcs_a_switch_ + output] = front.packet;
    }
    front.next_output = static_cast<std::uint8_t>(output + 1 == vcs_a_switch_ ? 0 : output + 1);
    front_of(at, output).next_input = static_cast<std::uint8_t>(bit + 1 == vcs_a_switch_ ? 0 : bit + 1);
    const Word head = Word{1} << bit;
    wanting_[std::size_t{at} * ports_ + port] ^= head;
    row(at, rows_.waiting()) ^= head;
    row(at, rows_.to_port(port)) |= head;
    row(at, rows_.to_vc(vc)) |= head;
    row(at, rows_.allocated()) |= Word{1} << output;
  }

  /// Tails have left: their output VCs are free, and packets for terminals will be there after the flight.
  void finish(std::uint32_t at) {
    Word freed = row(at, rows_.freed());
    row(at, rows_.allocated()) &= ~freed;
    row(at, rows_.retry()) = 1;
    while (freed != 0) {
      const std::uint32_t output = next_index(freed);
      PacketIndex& ejected = ejecting_[std::size_t{at} * vcs_a_switch_ + output];
      if (ejected == no_packet) continue;
      const ChannelId channel = wiring_.output[std::size_t{at} * ports_ + output / port_bits];
      const Time lands = now_ + timing_.flit_delay(topology_, channel);
      measurement_.delivered(packets_[ejected].delivered_at(lands));
      landings_.push_back(lands);
      packets_.remove(ejected);
      ejected = no_packet;
    }
  }

  [[nodiscard]] Front& front_of(std::uint32_t at, std::uint32_t bit) {
    return fronts_[std::size_t{at} * vcs_a_switch_ + bit];
  }

  // At the end, and at the ends of bins

  std::vector<VcState> vc_states() const {
    std::vector<VcState> states(topology_.switch_count() * vcs_a_switch_);
    for (std::uint32_t at = 0; at < topology_.switch_count(); ++at)
      for (std::uint32_t bit = 0; bit < vcs_a_switch_; ++bit) describe(at, bit, states);
    return states;
  }

  /// VCs are numbered by switch and bit; an output VC is the input VC at its other end. Those that lead to
  /// terminals, where nobody waits for ever, have no number.
  void describe(std::uint32_t at, std::uint32_t bit, std::vector<VcState>& states) const {
    const VcIndex vc = at * vcs_a_switch_ + bit;
    VcState& state = states[vc];
    const std::uint32_t flits = count(at, bit, rows_.flits(0));
    state.empty = flits == 0;
    state.full = flits == spec_.buffer_flits;
    if ((row(at, rows_.waiting()) >> bit & 1) != 0) {
      const std::uint32_t port = fronts_[vc].port;
      const Socket& next = wiring_.downstream[std::size_t{at} * ports_ + port];
      if (!next.valid()) return;
      state.front = VcState::Front::waiting;
      for (std::uint32_t vcs = fronts_[vc].vcs; vcs != 0;) {
        const std::uint32_t v = next_index(vcs);
        const VcIndex output = next.at * vcs_a_switch_ + next.port * port_bits + v;
        state.wants.push_back(output);
        states[output].free = (row(at, rows_.allocated()) >> (port * port_bits + v) & 1) == 0;
      }
    } else if (const std::uint32_t output = output_of(at, bit); output != vcs_a_switch_) {
      const Socket& next = wiring_.downstream[std::size_t{at} * ports_ + output / port_bits];
      if (!next.valid()) return;
      state.front = VcState::Front::active;
      state.output = next.at * vcs_a_switch_ + next.port * port_bits + output % port_bits;
      states[state.output].holder = vc;
    }
  }

  [[nodiscard]] std::uint32_t count(std::uint32_t at, std::uint32_t bit, std::uint32_t first_plane) const {
    std::uint32_t sum = 0;
    for (std::uint32_t plane = 0; plane < rows_.planes; ++plane)
      sum += static_cast<std::uint32_t>(row(at, first_plane + plane) >> bit & 1) << plane;
    return sum;
  }

  /// The output VC that an input VC's packet has, or vcs_a_switch_.
  [[nodiscard]] std::uint32_t output_of(std::uint32_t at, std::uint32_t bit) const {
    for (std::uint32_t output = 0; output < vcs_a_switch_; ++output)
      if (((row(at, rows_.to_port(output / port_bits)) & row(at, rows_.to_vc(output % port_bits))) >> bit &
           1) != 0)
        return output;
    return vcs_a_switch_;
  }

  Outcome outcome(const std::vector<VcIndex>& deadlock) {
    const auto flying =
        static_cast<std::uint64_t>(std::ranges::count_if(landings_, [this](Time at) { return at >= now_; }));
    Outcome outcome{measurement_.result(now_, sources_.drain(now_) + packets_.count() + flying),
                    measurement_.checksum(now_)};
    SimulationResult& result = outcome.result;
    count_hops(result);
    result.deadlock = !deadlock.empty();
    for (const VcIndex vc : deadlock) {
      const std::uint32_t at = vc / vcs_a_switch_, bit = vc % vcs_a_switch_;
      result.deadlock_cycle.push_back(
          topology_.name(wiring_.input[std::size_t{at} * ports_ + bit / port_bits]));
      result.deadlock_packets.push_back(packets_[fronts_[vc].packet].name(topology_));
    }
    return outcome;
  }

  /// All flits of packets that were given a VC have passed, but for those that are left.
  void count_hops(SimulationResult& result) const {
    std::uint64_t active = 0, left = 0;
    for (std::uint32_t at = 0; at < topology_.switch_count(); ++at)
      for (std::uint32_t bit = 0; bit < vcs_a_switch_; ++bit)
        if (output_of(at, bit) != vcs_a_switch_) {
          ++active;
          left += count(at, bit, rows_.left(0));
        }
    result.packet_hops = given_ - active;
    result.flit_hops = given_ * spec_.packet_flits - left;
  }

  const Topology& topology_;
  const SimulationSpec& spec_;
  Timing timing_;
  std::uint32_t vc_count_;
  Chooser chooser_;
  Arrivals arrivals_;
  Timeline timeline_;
  Measurement measurement_;
  Sources sources_;
  Rows rows_;
  std::uint32_t ports_, vcs_a_switch_;
  Wiring wiring_;
  std::uint32_t lanes_, groups_;
  Pulls<Word> pulls_;
  std::vector<Front> fronts_;          // by switch and bit
  std::vector<PacketIndex> ejecting_;  // by switch and bit: the packet that has an output VC to a terminal
  std::vector<Word> wanting_;          // by switch and output port: input VCs that wait for a VC of it
  PacketPool packets_;
  PacketQueues queues_;  // by switch and bit
  std::vector<Sender> senders_;
  std::vector<Time> wake_;  // by terminal: the next cycle in which it has something to do
  Fabric<Word> fabric_;
  Advance<Word> advance_ = nullptr;
  Aligned<Word> row_words_, log_words_, sent_words_, pull_words_;
  std::uint32_t window_ = 1;  ///< flits that a terminal's knowledge of a buffer may lag behind
  Time now_ = 0;
  std::uint64_t given_ = 0;
  std::vector<Time> landings_;  // tails on their way to terminals
  std::vector<Choice> choices_;
};

}  // namespace

std::optional<Shape> shape_of(const RoutingRelation& relation, const SimulationSpec& spec) {
  const Topology& topology = relation.topology();
  constexpr std::uint32_t most_count = 255;
  const bool reference = Timing(spec).head == 1 && !spec.pipeline.speculative &&
                         spec.allocation == Allocation::islip && spec.allocation_iterations == 1 &&
                         spec.arbitration == Arbitration::round_robin && !spec.atomic_vcs;
  if (!reference || vc_count(relation, spec) > port_bits || spec.buffer_flits > most_count ||
      spec.packet_flits > most_count)
    return {};
  for (const TerminalId terminal : topology.terminals())
    if (topology.injection(terminal).size() > 1) return {};
  Shape wanted;
  for (const ChannelId channel : topology.channels()) {
    if (topology.source(channel).valid())
      wanted.ports = std::max(wanted.ports, topology.output_port(channel) + 1);
    if (topology.target(channel).valid())
      wanted.ports = std::max(wanted.ports, topology.input_port(channel) + 1);
  }
  wanted.planes = static_cast<std::uint32_t>(std::bit_width(std::max(spec.buffer_flits, spec.packet_flits)));
  for (const Shape& shape : shapes)
    if (shape.ports >= wanted.ports && shape.planes >= wanted.planes) return shape;
  return {};
}

std::optional<Outcome> run(const Kernel& kernel, Shape shape, const RoutingRelation& relation,
                           const TrafficPattern& pattern, const SimulationSpec& spec,
                           const Progress& progress, std::vector<Delivery>* log) {
  try {
    if (shape.wide()) return Engine<std::uint64_t>(kernel, shape, relation, pattern, spec, log).run(progress);
    return Engine<std::uint32_t>(kernel, shape, relation, pattern, spec, log).run(progress);
  } catch (const NeedsPlainEngine&) {
    return {};
  }
}

}  // namespace faultline::wormhole::lanes
