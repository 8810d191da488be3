// SPDX-License-Identifier: Apache-2.0
// The oracle: says the model as directly as possible, looks at everything in every cycle.
#include <algorithm>
#include <deque>
#include <optional>

#include "simulate/arrivals.h"
#include "simulate/cut_through/model.h"
#include "simulate/timeline.h"

namespace faultline::cut_through {
namespace {

struct Packet {
  TerminalId source, destination;
  std::uint32_t sequence = 0;
  Time generated = 0, injected = 0;
  Tag tag = 0;
  std::uint32_t hops = 0;
};

/// A packet in a buffer: its head is there from `arrives`, its tail has left at `leaves`.
struct Place {
  Packet packet;
  Time arrives = 0;
  Time leaves = never;
  std::optional<RouteOptions> routed;
};

struct Buffer {
  std::deque<Place> places;

  void forget_left(Time now) {
    while (!places.empty() && places.front().leaves <= now) places.pop_front();
  }
  [[nodiscard]] Place* head() {
    const auto first = std::ranges::find(places, never, &Place::leaves);
    return first == places.end() ? nullptr : &*first;
  }
  [[nodiscard]] bool will_free_a_place() const {
    return std::ranges::any_of(places, [](const Place& place) { return place.leaves != never; });
  }
};

/// A channel with the buffer of its sender and that of its receiver.
struct Channel {
  Buffer sending, receiving;
  Time written = 0;  ///< the sender's buffer takes the next packet from here on
  Time sent = 0;     ///< the channel takes the next packet from here on
  Time read = 0;     ///< the receiver's buffer gives the next packet from here on
};

struct Source {
  std::deque<Packet> queue;
  std::uint32_t sequence = 0;
  Time next = never;
};

class CycleDriven {
 public:
  CycleDriven(const RoutingRelation& relation, const TrafficPattern& pattern, const SimulationSpec& spec,
              std::vector<Delivery>* log)
      : relation_(relation),
        topology_(relation.topology()),
        spec_(spec),
        timing_(spec),
        arrivals_(pattern, spec),
        timeline_(Timeline::of(spec)),
        measurement_(timeline_, topology_.terminal_count(), spec, log),
        channels_(topology_.channel_count()),
        sources_(topology_.terminal_count()) {}

  Outcome run(const Progress& progress) {
    for (const TerminalId terminal : topology_.terminals()) start(terminal);
    for (std::size_t bin = 0; bin < timeline_.bin_count(); ++bin) {
      for (; now_ < timeline_.end_of(bin); ++now_) step();
      if (progress) progress(static_cast<std::uint64_t>(now_), static_cast<std::uint64_t>(timeline_.limit));
      if (now_ > 0 && measurement_.all_served(now_, senders_)) break;
    }
    return outcome();
  }

 private:
  void start(TerminalId terminal) {
    if (arrivals_.silent(terminal)) return;
    ++senders_;
    sources_[terminal.index()].next = arrivals_.time_of(terminal, 0, -1);
  }

  void step() {
    for (Channel& channel : channels_) {
      channel.sending.forget_left(now_);
      channel.receiving.forget_left(now_);
    }
    for (const TerminalId terminal : topology_.terminals()) {
      generate(terminal);
      while (inject(terminal)) {
      }
    }
    for (const SwitchId at : topology_.switches()) grant_inputs(at);
    for (const ChannelId channel : topology_.channels()) start_channel(channel);
  }

  void generate(TerminalId terminal) {
    Source& source = sources_[terminal.index()];
    while (source.next == now_) {
      measurement_.generated(now_);
      const Packet packet{.source = terminal,
                          .destination = arrivals_.destination(terminal, source.sequence),
                          .sequence = source.sequence,
                          .generated = now_};
      if (injection_options(packet).empty())
        measurement_.dropped(now_, Drop::unreachable);
      else
        source.queue.push_back(packet);
      source.next = arrivals_.time_of(terminal, ++source.sequence, now_);
    }
  }

  bool inject(TerminalId terminal) {
    Source& source = sources_[terminal.index()];
    if (source.queue.empty()) return false;
    Packet packet = source.queue.front();
    RouteOptions options = injection_options(packet);
    std::erase_if(options, [&](const RouteOption& option) {
      const Channel& channel = channels_[option.channel.index()];
      return channel.sent > now_ || free_at_receiver(option.channel) == 0;
    });
    if (options.empty()) return false;
    const RouteOption option = pick(options, draw_for(packet, Decision::injection_tie, terminal.value()),
                                    [&](ChannelId c) { return free_at_receiver(c); });
    packet.injected = now_;
    packet.tag = option.tag;
    measurement_.injected(now_);
    source.queue.pop_front();
    send(option.channel, packet, now_);
    return true;
  }

  void grant_inputs(SwitchId at) {
    const auto inputs = topology_.inputs(at);
    if (inputs.empty()) return;
    const auto first = rotation(spec_.seed, at.value(), now_, static_cast<std::uint32_t>(inputs.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i) grant(at, inputs[(first + i) % inputs.size()]);
  }

  void grant(SwitchId at, ChannelId input) {
    Place* const head = ready_head(input);
    if (head == nullptr) return;
    RouteOptions options = wanted(at, input, *head);
    if (options.empty()) {
      measurement_.dropped(now_, Drop::stuck);
      leave(input, *head);
      return;
    }
    std::erase_if(options, [&](const RouteOption& option) { return !can_be_had(option.channel); });
    if (options.empty()) return;
    Packet packet = head->packet;
    const RouteOption option = pick(options, draw_for(packet, Decision::tie, at.value()),
                                    [&](ChannelId c) { return free_at_output(c); });
    packet.tag = option.tag;
    ++packet.hops;
    ++packet_hops_;
    leave(input, *head);
    Channel& output = channels_[option.channel.index()];
    output.written = now_ + timing_.packet;
    if (timing_.buffers == BufferPlace::input)
      send(option.channel, packet, now_ + timing_.crossbar);
    else
      output.sending.places.push_back({.packet = packet, .arrives = now_ + timing_.crossbar, .routed = {}});
  }

  Place* ready_head(ChannelId input) {
    Channel& channel = channels_[input.index()];
    Place* const head = channel.receiving.head();
    return head != nullptr && head->arrives + timing_.routing <= now_ && channel.read <= now_ ? head
                                                                                              : nullptr;
  }

  /// The packet in `place` starts to leave the input buffer of `input`.
  void leave(ChannelId input, Place& place) {
    Channel& channel = channels_[input.index()];
    channel.read = now_ + timing_.packet;
    place.leaves = now_ + timing_.packet;
    if (timing_.buffers != BufferPlace::output) return;
    // No buffer here: the tail leaves the sender as much earlier as the head did, and not before the sender
    // can know.
    const Time tail_left = now_ + std::max<Time>(1, timing_.packet - timing_.routing -
                                                        static_cast<Time>(topology_.fly_cycles(input)));
    place.leaves = tail_left;
    channel.sent = std::max(channel.sent, tail_left);
    for (Place& waiting : channel.sending.places)
      if (waiting.leaves == never) {
        waiting.leaves = tail_left;
        break;
      }
  }

  bool can_be_had(ChannelId output) {
    return channels_[output.index()].written <= now_ && free_at_output(output) > 0;
  }

  [[nodiscard]] bool ejects(ChannelId channel) const {
    return topology_.kind(channel) == ChannelKind::ejection;
  }

  [[nodiscard]] std::size_t free_at_output(ChannelId output) const {
    if (timing_.buffers == BufferPlace::input) return free_at_receiver(output);
    return timing_.places - channels_[output.index()].sending.places.size();
  }
  [[nodiscard]] std::size_t free_at_receiver(ChannelId channel) const {
    const std::size_t places = timing_.buffers == BufferPlace::output ? 1 : timing_.places;
    return places - channels_[channel.index()].receiving.places.size();
  }

  /// The first packet in the sender's buffer that is not on its way goes if it can.
  void start_channel(ChannelId id) {
    Channel& channel = channels_[id.index()];
    const auto first = std::ranges::find_if(channel.sending.places, [&](const Place& place) {
      return place.leaves == never && place.arrives != never;
    });
    if (first == channel.sending.places.end() || first->arrives > now_ || channel.sent > now_) return;
    if (!ejects(id) && free_at_receiver(id) == 0) return;
    const bool held_until_granted = timing_.buffers == BufferPlace::output && !ejects(id);
    if (held_until_granted)
      first->arrives = never;  // on the channel; leave() says when its tail has left
    else
      first->leaves = now_ + timing_.packet;
    send(id, first->packet, now_);
  }

  void send(ChannelId id, const Packet& packet, Time start) {
    Channel& channel = channels_[id.index()];
    channel.sent = start + timing_.packet;
    const Time arrives = start + static_cast<Time>(topology_.fly_cycles(id));
    if (!ejects(id)) {
      channel.receiving.places.push_back({.packet = packet, .arrives = arrives, .routed = {}});
      return;
    }
    ++sent_to_terminals_;
    const Time tail = arrives + timing_.packet;
    if (tail < timeline_.limit) landed_.push_back(tail);
    measurement_.delivered({.source = packet.source.value(),
                            .sequence = packet.sequence,
                            .destination = packet.destination.value(),
                            .generated = packet.generated,
                            .injected = packet.injected,
                            .delivered = tail,
                            .hops = packet.hops});
  }

  std::uint32_t draw_for(const Packet& packet, Decision decision, std::uint32_t place) const {
    return draw(spec_.seed, decision, packet.source.value(), packet.sequence, place);
  }

  /// The options that a packet competes for, one a channel, by position in `order`.
  RouteOptions candidates(RouteOptions options, std::span<const ChannelId> order,
                          std::uint32_t random) const {
    if (options.empty()) return options;
    const std::uint8_t tier = std::ranges::min(options, {}, &RouteOption::tier).tier;
    std::erase_if(options, [&](const RouteOption& option) { return option.tier != tier; });
    if (spec_.selection.candidates == SelectionRule::Candidates::first) return {options.front()};
    std::ranges::stable_sort(options, {}, [&](const RouteOption& option) {
      return std::ranges::find(order, option.channel) - order.begin();
    });
    options.erase(std::ranges::unique(options, {}, &RouteOption::channel).begin(), options.end());
    if (spec_.selection.candidates == SelectionRule::Candidates::one_drawn)
      return {options[below(random, static_cast<std::uint32_t>(options.size()))]};
    return options;
  }

  RouteOptions injection_options(const Packet& packet) const {
    RouteOptions options;
    relation_.inject(packet.source, packet.destination, options);
    return candidates(options, topology_.injection(packet.source),
                      draw_for(packet, Decision::injection_route, packet.source.value()));
  }

  const RouteOptions& wanted(SwitchId at, ChannelId input, Place& place) const {
    if (!place.routed) {
      RouteOptions options;
      relation_.route({.at = at,
                       .destination = place.packet.destination,
                       .held = input,
                       .vc = 0,
                       .tag = place.packet.tag},
                      options);
      place.routed =
          candidates(options, topology_.outputs(at), draw_for(place.packet, Decision::route, at.value()));
    }
    return *place.routed;
  }

  template <class Free>
  RouteOption pick(RouteOptions options, std::uint32_t random, Free free) const {
    if (spec_.selection.by_free_buffer) {
      std::size_t most = 0;
      for (const RouteOption& option : options) most = std::max(most, free(option.channel));
      std::erase_if(options, [&](const RouteOption& option) { return free(option.channel) != most; });
    }
    return options[below(random, static_cast<std::uint32_t>(options.size()))];
  }

  /// No place is free, nor will one be unless the head at the other end moves.
  [[nodiscard]] bool shut(ChannelId id) {
    if (ejects(id)) return false;
    Channel& channel = channels_[id.index()];
    const bool receiver_shut = free_at_receiver(id) == 0 && !channel.receiving.will_free_a_place();
    if (timing_.buffers == BufferPlace::input) return receiver_shut;
    return receiver_shut && channel.sending.places.size() == timing_.places &&
           !channel.sending.will_free_a_place();
  }

  std::vector<Blocked> blocked_heads() {
    std::vector<Blocked> blocked;
    for (const SwitchId at : topology_.switches())
      for (const ChannelId input : topology_.inputs(at)) {
        Place* const head = ready_head(input);
        if (head == nullptr) continue;
        Blocked entry{input, {}};
        for (const RouteOption& option : wanted(at, input, *head)) entry.wants.push_back(option.channel);
        if (!entry.wants.empty() && std::ranges::all_of(entry.wants, [&](ChannelId id) { return shut(id); }))
          blocked.push_back(entry);
      }
    return blocked;
  }

  /// Counted where packets are, not from what has been counted already.
  [[nodiscard]] std::uint64_t packets_in_flight() const {
    std::uint64_t count = sent_to_terminals_ - static_cast<std::uint64_t>(std::ranges::count_if(
                                                   landed_, [&](Time tail) { return tail < now_; }));
    for (const Source& source : sources_) count += source.queue.size();
    const auto not_gone = [](const Buffer& buffer) {
      return static_cast<std::uint64_t>(std::ranges::count_if(
          buffer.places, [](const Place& place) { return place.leaves == never && place.arrives != never; }));
    };
    for (const Channel& channel : channels_) count += not_gone(channel.sending) + not_gone(channel.receiving);
    return count;
  }

  Outcome outcome() {
    Outcome outcome{measurement_.result(now_, packets_in_flight()), measurement_.checksum(now_)};
    SimulationResult& result = outcome.result;
    result.packet_hops = packet_hops_;
    result.flit_hops = packet_hops_ * spec_.packet_flits;
    --now_;  // heads as they were in the last cycle
    for (const ChannelId channel : find_deadlock(blocked_heads()))
      result.deadlock_cycle.push_back(topology_.name(channel));
    result.deadlock = !result.deadlock_cycle.empty();
    return outcome;
  }

  const RoutingRelation& relation_;
  const Topology& topology_;
  const SimulationSpec& spec_;
  Timing timing_;
  Arrivals arrivals_;
  Timeline timeline_;
  Measurement measurement_;
  std::vector<Channel> channels_;
  std::vector<Source> sources_;
  std::size_t senders_ = 0;
  Time now_ = 0;
  std::uint64_t packet_hops_ = 0, sent_to_terminals_ = 0;
  std::vector<Time> landed_;
};

}  // namespace

Outcome run_cycle_driven(const RoutingRelation& relation, const TrafficPattern& pattern,
                         const SimulationSpec& spec, const Progress& progress, std::vector<Delivery>* log) {
  return CycleDriven(relation, pattern, spec, log).run(progress);
}

}  // namespace faultline::cut_through
