// SPDX-License-Identifier: Apache-2.0
// The oracle: implements the model as directly as possible, and examines everything in every cycle.
#include <algorithm>
#include <optional>
#include <stdexcept>

#include "faultline/routing/states.h"
#include "simulate/cut_through/control_counts.h"
#include "simulate/cut_through/cycle_arbiters.h"
#include "simulate/cut_through/cycle_choice.h"
#include "simulate/cut_through/cycle_control.h"
#include "simulate/cut_through/cycle_network.h"
#include "simulate/cut_through/cycle_state.h"
#include "simulate/cut_through/deadlock.h"
#include "simulate/cut_through/model.h"
#include "simulate/faults/lasting_paths.h"
#include "simulate/faults/outages.h"
#include "simulate/faults/reroutings.h"
#include "simulate/injection/injection_process.h"
#include "simulate/measurement/timeline.h"

namespace faultline::cut_through {
namespace {

#ifdef FAULTLINE_CHECKS
constexpr bool checked = true;
#else
constexpr bool checked = false;
#endif
using namespace plain;

class CycleDriven : CycleNetwork {
 public:
  CycleDriven(const RoutingRelation& relation, const TrafficPattern& pattern, const SimulationSpec& spec,
              std::vector<Delivery>* log)
      : CycleNetwork(relation, spec),
        injection_(relation.topology().terminal_count(), pattern, spec),
        reroutings_(spec),
        lasting_paths_(topology_, spec.faults),
        choice_(relation, spec, outages_),
        agents_(relation, spec),
        epochs_(topology_.switch_count()),
        timeline_(Timeline::of(spec)),
        measurement_(timeline_, topology_.terminal_count(), spec, injection_.is_trace(), log),
        sources_(topology_.terminal_count()),
        arbiters_(topology_, buffers_an_input(), spec) {
    choice_.set_last_relation(!reroutings_.any_ahead(timeline_.limit));
    if (spec.measurement.channel_load) channel_flits_.resize(topology_.channel_count());
  }

  Outcome run(const Progress& progress) {
    for (const TerminalId terminal : topology_.terminals()) start(terminal);
    for (std::size_t bin = 0; bin < timeline_.bin_count() && deadlock_.channels.empty(); ++bin) {
      for (; now_ < timeline_.end_of(bin); ++now_) {
        end_if_set(spec_.stop);
        step();
      }
      if (progress)
        progress("cycles", static_cast<std::uint64_t>(now_), static_cast<std::uint64_t>(timeline_.limit));
      const bool stops = measurement_.may_stop(now_, senders_);
      if (stops || searches_after(bin, timeline_.bin_count()))
        deadlock_ = find_deadlock(topology_, vcs_, blocked_heads());
      if (stops) break;
    }
    return outcome();
  }

 private:
  void start(TerminalId terminal) {
    if (injection_.silent(terminal)) return;
    ++senders_;
    sources_[terminal.index()].next = injection_.time_of(terminal, 0, -1);
  }

  void step() {
    outages_.advance(now_, [&](ChannelId channel) {
      if (topology_.role(channel) == ChannelRole::injection)
        drop_unreachable(sources_[topology_.terminal(channel).index()]);
      else
        ++epochs_[topology_.source(channel).index()];
    });
    if (const RoutingRelation* changed = reroutings_.advance(now_)) reroute(*changed);
    gone_ += std::erase_if(landing_, [&](Time tail) { return tail < now_; });
    for (Channel& channel : channels_) channel.forget_left(now_);
    for (const TerminalId terminal : topology_.terminals()) {
      generate(terminal);
      while (inject(terminal)) {
      }
    }
    for (const SwitchId at : topology_.switches()) grant_inputs(at);
    for (const ChannelId channel : topology_.channels()) start_channel(channel);
    if constexpr (checked) check_conservation();
  }

  void reroute(const RoutingRelation& relation) {
    choice_.ask(relation);
    choice_.set_last_relation(!reroutings_.any_ahead(timeline_.limit));
    for (std::uint32_t& epoch : epochs_) ++epoch;
    for (Source& source : sources_) drop_unreachable(source);
  }

  /// Of the packets that wait at a source.
  void drop_unreachable(Source& source) {
    const std::size_t lost = std::erase_if(
        source.queue, [&](const Packet& packet) { return !choice_.is_reachable(packet, packet.source); });
    for (std::size_t i = 0; i < lost; ++i) drop(Drop::unreachable);
  }

  void generate(TerminalId terminal) {
    Source& source = sources_[terminal.index()];
    while (source.next == now_) {
      const std::uint32_t flits = injection_.flits(terminal, source.sequence);
      measurement_.generated(now_, flits);
      ++generated_;
      const Packet packet{.source = terminal,
                          .destination = injection_.destination(terminal, source.sequence),
                          .sequence = source.sequence,
                          .generated = now_,
                          .flits = static_cast<Time>(flits)};
      if (!choice_.is_reachable(packet, terminal))
        drop(Drop::unreachable);
      else
        source.queue.push_back(packet);
      source.next = injection_.time_of(terminal, ++source.sequence, now_);
    }
  }

  bool inject(TerminalId terminal) {
    Source& source = sources_[terminal.index()];
    return inject_from(terminal, source.answers) || inject_from(terminal, source.again) ||
           inject_own(terminal);
  }

  bool inject_from(TerminalId terminal, Postbox& box) {
    while (box.ready(now_) && gives_up(terminal, box.items.front().packet)) box.items.pop_front();
    if (!box.ready(now_)) return false;
    Packet packet = box.items.front().packet;
    const std::optional<Candidate> chosen = chosen_injection(packet, terminal, true);
    if (!chosen) return false;
    box.items.pop_front();
    if (packet.control && !packet.out) control_.sends(packet.news.is_fault);
    packet.tag = chosen->tag;
    packet.out = false;
    count_flits(chosen->taken.channel, packet);
    send(chosen->taken, packet, now_);
    return true;
  }

  /// True, and the packet is lost, if nothing leads from `terminal` to its destination, nor ever will. A
  /// relay to which nothing leads is skipped first.
  bool gives_up(TerminalId terminal, Packet& packet) {
    if (!choice_.is_offered_anything(packet, terminal)) packet.relay = {};
    if (choice_.is_reachable(packet, terminal)) return false;
    if (!packet.control)
      drop(Drop::unreachable);
    else
      control_.give_up(packet.out, packet.news.is_fault);
    return true;
  }

  /// The option by which a packet of `terminal` is injected in this cycle; absent if it cannot be.
  std::optional<Candidate> chosen_injection(const Packet& packet, TerminalId terminal, bool again) {
    const auto can_be_had = [&](VirtualChannel at) {
      return channels_[at.channel.index()].sent <= now_ && free_at_receiver(at) != 0;
    };
    const bool has_room = packet.control && own_lanes();
    if (!takes_any(terminal, has_room)) return std::nullopt;  // before the relation is asked
    Candidates candidates;
    if (agents_.present() && !again) {
      candidates = chosen_by_agent(packet, choice_.ways(packet, terminal, can_be_had));
    } else {
      candidates = choice_.injection(packet, terminal);
      std::erase_if(candidates, [&](const Candidate& candidate) { return !can_be_had(candidate.taken); });
    }
    if (candidates.empty()) return std::nullopt;
    return choice_.pick(candidates, choice_.draw_for(packet, Decision::injection_tie, terminal.value()),
                        [&](VirtualChannel at) { return free_at_receiver(at); });
  }

  /// `has_room`: the packet uses a lane.
  [[nodiscard]] bool takes_any(TerminalId terminal, bool has_room) const {
    return std::ranges::any_of(topology_.injection(terminal), [&](ChannelId id) {
      const Channel& channel = channels_[id.index()];
      const auto buffers = std::span(channel.receiving).first(vcs_);
      return channel.sent <= now_ && (has_room || std::ranges::any_of(buffers, [&](const Buffer& buffer) {
                                        return buffer.slots.size() < timing_.slots;
                                      }));
    });
  }

  Candidates chosen_by_agent(const Packet& packet, const RouteOptions& ways) {
    Candidates candidates;
    if (ways.empty()) return candidates;
    const std::uint32_t random = choice_.draw_for(packet, Decision::agent, packet.source.value());
    const RouteOption& way = ways[agents_.choose(packet.source, packet.destination, now_, ways, mix(random))];
    for_each_vc(way.vcs, [&](std::uint8_t vc) {
      candidates.push_back({.taken = {way.channel, vc}, .tag = way.tag, .cost = way.cost});
    });
    return candidates;
  }

  bool inject_own(TerminalId terminal) {
    Source& source = sources_[terminal.index()];
    if (source.queue.empty()) return false;
    Packet packet = source.queue.front();
    const std::optional<Candidate> found = chosen_injection(packet, terminal, false);
    if (!found) return false;
    const Candidate& chosen = *found;
    packet.injected = now_;
    packet.tag = chosen.tag;
    packet.way = {chosen.taken.channel, chosen.tag};
    const Time first_since = std::max(packet.generated, source.first_since);
    measurement_.injected({terminal.value(), now_, first_since, packet.generated});
    source.queue.pop_front();
    source.first_since = now_;
    count_flits(chosen.taken.channel, packet);
    send(chosen.taken, packet, now_);
    return true;
  }

  void grant_inputs(SwitchId at) {
    if (spec_.selection.reads_queues)  // as queues are before anything is granted
      for_each_ready(at, [&](VirtualChannel input, Slot& head) { (void)wanted(at, input, head); });
    meet_dead_channels(at);
    drop_stuck(at);
    if (agents_.present())
      for (bool first = true; match(at, Priority::yes, first); first = false) {
      }
    for (bool first = true; match(at, Priority::no, first); first = false) {
    }
  }

  /// The source of a packet that is about to take a dead channel is notified, once, by a lane of the input
  /// where the packet is.
  void meet_dead_channels(SwitchId at) {
    if (!agents_.present()) return;
    for_each_ready(at, [&](VirtualChannel input, Slot& head) {
      Packet& packet = head.packet;
      const std::optional<ChannelId> dead = wanted(at, input, head).dead;
      if (!dead || packet.control || packet.met_dead) return;
      packet.met_dead = true;
      control_.meets_dead_channel();
      if (packet.lost) return;  // the rest of a lost packet notifies nobody
      const Packet notice = notification(packet, now_, *cut_through_.agents, *dead);
      control_.sends(true);
      std::deque<Slot>& lane = channels_[input.channel.index()].receiving[lane_].slots;
      const auto later = std::ranges::find_if(
          lane, [&](const Slot& slot) { return slot.leaves == never && slot.arrives > now_; });
      lane.insert(later, {.packet = notice, .arrives = now_, .routed = {}});
    });
  }

  void drop_stuck(SwitchId at) {
    for_each_ready(at, [&](VirtualChannel input, Slot& head) {
      if (!wanted(at, input, head).stuck) return;
      if (head.packet.control)
        control_.lost();
      else
        drop(why_stuck(head.packet.lost, is_dead(input.channel)));
      leave(input.channel, head);
    });
  }

  enum class Priority : std::uint8_t { no, yes };

  /// One round of requests, grants and acceptances among packets that have priority, or among the others;
  /// false if there are no requests.
  bool match(SwitchId at, Priority priority, bool learns) {
    std::vector<Request> asking;
    for_each_ready(at, [&](VirtualChannel input, Slot& head) {
      if (head.packet.has_priority() != (priority == Priority::yes)) return;
      Candidates candidates = wanted(at, input, head).candidates;
      std::erase_if(candidates, [&](const Candidate& candidate) { return !can_be_had(candidate); });
      if (candidates.empty()) return;
      const Candidate chosen =
          choice_.pick(candidates, choice_.draw_for(head.packet, Decision::tie, at.value()),
                       [&](VirtualChannel output) { return free_at_output(output); });
      asking.push_back({input, &head, chosen});
    });
    for (const Request& request : arbiters_.accepted(asking, now_)) {
      grant(request);
      if (learns) arbiters_.served(request);
    }
    return !asking.empty();
  }

  void grant(const Request& request) {
    const auto& [input, head, chosen] = request;
    if (input.vc == lane_) control_.leaves(ready_in_lane(input.channel));
    Packet packet = head->packet;
    if (timing_.buffers == Buffering::output)  // it has waited on the channel until now
      packet.lost |= loses(input.channel, head->arrives - fly(input.channel), now_ + packet.flits);
    packet.tag = chosen.tag;
    packet.out = chosen.out;
    ++packet.hops;
    count_hop(packet);
    count_flits(chosen.taken.channel, packet);
    const Time passed = passed_at(*head, now_, spec_.speedup.internal);
    leave(input.channel, *head);
    Channel& output = channels_[chosen.taken.channel.index()];
    output.written.take(passed);
    if (timing_.buffers == Buffering::input)
      send(chosen.taken, packet, now_ + timing_.crossbar);
    else
      output.sending.slots.push_back({.packet = packet, .arrives = now_ + timing_.crossbar, .routed = {}});
  }

  /// The first packet in the sender's buffer that is not yet in flight starts if it can.
  void start_channel(ChannelId id) {
    Channel& channel = channels_[id.index()];
    if (outages_.is_down_for_good(id)) return drop_unsent(channel);
    const auto first = std::ranges::find_if(channel.sending.slots, [&](const Slot& slot) {
      return slot.leaves == never && slot.arrives != never;
    });
    if (first == channel.sending.slots.end() || first->arrives > now_ || channel.sent > now_) return;
    if (outages_.is_down(id)) return;
    if (!ejects(id) && free_at_receiver({id, 0}) == 0) return;
    const bool held_until_granted = timing_.buffers == Buffering::output && !ejects(id);
    if (held_until_granted)
      first->arrives = never;  // on the channel; leave() says when its tail has left
    else
      first->leaves = now_ + first->packet.flits;
    send({id, 0}, first->packet, now_);
  }

  /// The channel never comes up again.
  void drop_unsent(Channel& channel) {
    std::erase_if(channel.sending.slots, [&](const Slot& slot) {
      if (slot.leaves != never || slot.arrives > now_)
        return false;  // it has left, is leaving, or is not there yet
      drop(why_stuck(slot.packet.lost, false));
      return true;
    });
  }

  void send(VirtualChannel taken, Packet packet, Time start) {
    Channel& channel = channels_[taken.channel.index()];
    channel.sent = start + packet.flits;
    const Time arrives = start + fly(taken.channel);
    if (ejects(taken.channel) || timing_.buffers != Buffering::output)
      packet.lost |= loses(taken.channel, now_, arrives + packet.flits);
    if (!ejects(taken.channel)) {
      channel.receiving[taken.vc].slots.push_back({.packet = packet, .arrives = arrives, .routed = {}});
      return;
    }
    const TerminalId terminal = topology_.terminal(taken.channel);
    const Time tail = arrives + packet.flits;
    if ((packet.out || packet.relay.valid()) && !packet.lost && !is_dead(taken.channel))
      return send_again(terminal, packet, tail);
    if (packet.control) return end_of_control(packet, tail);
    landing_.push_back(tail);
    if (packet.lost) return measurement_.dropped(tail, Drop::link_failed);
    if (is_dead(taken.channel)) return measurement_.dropped(tail, Drop::dead_channel);
    measurement_.delivered({.source = packet.source.value(),
                            .sequence = packet.sequence,
                            .destination = packet.destination.value(),
                            .generated = packet.generated,
                            .injected = packet.injected,
                            .delivered = tail,
                            .hops = packet.hops,
                            .flits = static_cast<std::uint32_t>(packet.flits)});
    if (agents_.present() && !packet.met_dead)
      sources_[terminal.index()].answers.put(tail, acknowledgement(packet, tail, *cut_through_.agents));
  }

  /// A terminal re-injects a packet, unless none of its paths to the destination can come up again.
  void send_again(TerminalId terminal, Packet packet, Time tail) {
    if (lasting_paths_.lead(terminal, packet.destination, tail)) {
      measurement_.sent_again(tail);
      packet.out = packet.sent_again = true;
      packet.relay = choice_.relay(packet, terminal);
      if (packet.relay.valid() && !lasting_paths_.lead(terminal, packet.relay, packet.destination, tail))
        packet.relay = {};
      return sources_[terminal.index()].again.put(tail, packet);
    }
    if (packet.control) return control_.lost();
    landing_.push_back(tail);
    measurement_.dropped(tail, Drop::unreachable);
  }

  void end_of_control(const Packet& packet, Time tail) {
    if (packet.lost) return control_.lost();
    control_.arrives(tail - packet.generated);
    agents_.arrives(packet.source, tail, packet.sequence, packet.news);
  }

  void count_hop(const Packet& packet) {
    if (packet.control) return control_.hops(packet.flits);
    ++packet_hops_;
    flit_hops_ += static_cast<std::uint64_t>(packet.flits);
  }
  void count_flits(ChannelId channel, const Packet& packet) {
    if (spec_.measurement.channel_load)
      channel_flits_[channel.index()] += static_cast<std::uint64_t>(packet.flits);
  }

  void drop(Drop reason) {
    measurement_.dropped(now_, reason);
    ++gone_;
  }

  const Routed& wanted(SwitchId at, VirtualChannel input, Slot& slot) const {
    const std::uint32_t epoch = epochs_[at.index()];
    if (!slot.routed || slot.routed->epoch != epoch) {
      slot.routed = choice_.output(at, input, slot.packet,
                                   [&](const RouteOption& option) { return queued(at, option); });
      slot.routed->epoch = epoch;
    }
    return *slot.routed;
  }

  /// As they were in the last cycle. None while a channel may still come up, or the relation change: nobody
  /// waits for ever then.
  BlockedHeads blocked_heads() {
    if (now_ == 0 || outages_.any_ahead(timeline_.limit) || reroutings_.any_ahead(timeline_.limit)) return {};
    BlockedHeads blocked;
    --now_;
    for (const SwitchId at : topology_.switches())
      for_each_ready(at, [&](VirtualChannel input, Slot& head) {
        if (input.vc == lane_) return;  // the next channel's lane has space for all of them
        const Candidates& wants = wanted(at, input, head).candidates;
        if (wants.empty() || !std::ranges::all_of(wants, [&](const Candidate& c) { return shut(c); })) return;
        std::vector<VcIndex> for_any;
        for (const Candidate& candidate : wants) for_any.push_back(choice_.rings().number(candidate.taken));
        blocked.add({.vc = choice_.rings().number(input),
                     .source = head.packet.source,
                     .destination = head.packet.destination,
                     .sequence = head.packet.sequence},
                    for_any);
      });
    ++now_;
    return blocked;
  }

  /// Counted from where packets are, not from other counters.
  [[nodiscard]] std::uint64_t packets_in_flight() const {
    auto count =
        static_cast<std::uint64_t>(std::ranges::count_if(landing_, [&](Time tail) { return tail >= now_; }));
    for (const Source& source : sources_) count += source.queue.size() + source.again.data_packets();
    for (const Channel& channel : channels_) count += channel.packets();
    return count;
  }

  /// Every packet is accounted for once, and no buffer exceeds its capacity.
  void check_conservation() const {
    if (generated_ != gone_ + packets_in_flight())
      throw std::logic_error("cut-through: a packet was lost or made");
    const std::size_t receiving = timing_.buffers == Buffering::output ? 1 : timing_.slots;
    if (!std::ranges::all_of(
            channels_, [&](const Channel& channel) { return channel.fits(timing_.slots, receiving, vcs_); }))
      throw std::logic_error("cut-through: a buffer holds more than it has slots for");
  }

  Outcome outcome() {
    for (const TerminalId terminal : topology_.terminals())
      if (const Source& source = sources_[terminal.index()]; !source.queue.empty())
        measurement_.waits(terminal, std::max(source.queue.front().generated, source.first_since),
                           source.queue.front().generated);
    Outcome outcome{measurement_.result(now_, packets_in_flight()), measurement_.checksum(now_)};
    SimulationResult& result = outcome.result;
    result.packet_hops = packet_hops_;
    result.flit_hops = flit_hops_;
    if (agents_.present()) {
      result.control = control_.figures();
      result.control->sources = agents_.figures(now_);
    }
    result.channel_flits = std::move(channel_flits_);
    deadlock_.report(result);
    return outcome;
  }

  InjectionProcess injection_;
  Reroutings reroutings_;
  LastingPaths lasting_paths_;
  CycleChoice choice_;
  AgentsOfRun agents_;
  ControlCounts control_;
  /// By switch: how many times channels of its outputs went down or came up, or the relation changed.
  std::vector<std::uint32_t> epochs_;
  Timeline timeline_;
  Measurement measurement_;
  std::vector<Source> sources_;
  CycleArbiters arbiters_;
  std::size_t senders_ = 0;
  Deadlock deadlock_;
  std::uint64_t packet_hops_ = 0, flit_hops_ = 0, generated_ = 0, gone_ = 0;
  std::vector<std::uint64_t> channel_flits_;
  std::vector<Time> landing_;  // tails on their way to terminals
};

}  // namespace

Outcome run_cycle_driven(const RoutingRelation& relation, const TrafficPattern& pattern,
                         const SimulationSpec& spec, const Progress& progress, std::vector<Delivery>* log) {
  return CycleDriven(relation, pattern, spec, log).run(progress);
}

}  // namespace faultline::cut_through
