// SPDX-License-Identifier: Apache-2.0
// Not in the header, because it would be compiled once for each number of ports, for more than 20 s each
// time.
#include "simulate/cut_through/terminals.h"

namespace faultline::cut_through {

void Terminals::start() {
  for_each([&](TerminalId terminal) { start(terminal); });
  for_each([&](TerminalId terminal) { run(terminal, ahead_); });
}

void Terminals::open_window() { wheel_.take(items_); }

void Terminals::run_window(Time end, bool prefetches) {
  if (!prefetches) {
    for (const std::uint32_t item : items_) run(TerminalId(item), end + ahead_);
    return;
  }
  run_in_steps(
      items_.size(), [this](std::size_t i) { prefetch_source_of(TerminalId(items_[i])); },
      [this](std::size_t i) { prefetch_next_packet(TerminalId(items_[i])); },
      [this](std::size_t i) { prefetch_choice(TerminalId(items_[i])); },
      [this, end](std::size_t i) { run(TerminalId(items_[i]), end + ahead_); });
}

void Terminals::credit(std::uint32_t index, Time free) {
  Injector& injector = network_.injectors[index];
  network_.free_of_injector(index)[network_.slots_per_input - injector.unknown--] = free;
  const TerminalId terminal(injector.terminal);
  Source& source = sources_[injector.terminal];
  if (is_single(source.choice.ports) || !offers_.empty() || !posts_.empty()) return run(terminal, 0);
  // Only this port can have become free earlier than known, which moves the terminal's event forward.
  const unsigned port = index - network_.first_injector[injector.terminal];
  if (source.exhausted || !contains(source.choice.ports, port)) return;
  const Time at = std::max(port_time(terminal, port), source.earliest);
  if (at >= source.due) return;
  source.due = at;
  keep(terminal, at);
}

void Terminals::deliver(const Letter& letter) {
  if (letter.type == Letter::Type::news) return learn(letter);
  Posts& posts = posts_[letter.to.index()];
  Postbox& box = letter.type == Letter::Type::answer ? posts.answers : posts.again;
  box.put(letter.from, letter.packet, network_.packets[letter.packet]);
  keep(letter.to, std::max(letter.from, next_turn(letter.to).at));
}

std::size_t Terminals::posted() const {
  std::size_t found = 0;
  for (const Posts& posts : posts_) found += posts.answers.size() + posts.again.size();
  return found;
}

std::uint64_t Terminals::drain(Time end) {
  std::uint64_t found = 0;
  for_each([&](TerminalId terminal) {
    for (Source& source = sources_[terminal.index()];
         !source.exhausted && network_.packets[source.next].generated < end; generate(terminal)) {
      if (!source.drained)
        measurement_.waits(terminal, source.earliest, network_.packets[source.next].generated);
      source.drained = true;
      ++found;
    }
  });
  for (const Posts& posts : posts_)
    posts.again.for_each([&](PacketId id) { found += network_.packets[id].is_control() ? 0 : 1; });
  return found + static_cast<std::uint64_t>(std::ranges::count_if(dropped_, [&](const Dropped& packet) {
           return packet.generated < end && packet.at >= end;
         }));
}

std::size_t Terminals::with_a_choice(const Topology& topology, const BufferState& network) {
  const auto has_several = [&](TerminalId terminal) {
    return topology.injection(terminal).size() * network.vcs > 1;
  };
  return offers_change(network) || network.traffic.any() ||
                 std::ranges::any_of(topology.terminals(), has_several)
             ? topology.terminal_count()
             : 0;
}

[[gnu::noinline]] void Terminals::change(TerminalId terminal) {
  Source& source = sources_[terminal.index()];
  Offers& offers = offers_[terminal.index()];
  const Time now = source.changes;
  for (std::uint32_t injector = network_.first_injector[terminal.index()];
       injector < network_.first_injector[terminal.index() + 1]; ++injector)
    network_.injectors[injector].sent = std::max(network_.injectors[injector].sent, now);
  const bool reroutes = next_rerouting(terminal.value()) == now;
  for (; next_outage(terminal.value()) == now; ++offers.next)
    offers.down ^= ports_from<TerminalPorts>(offers.next->position * network_.vcs, first_ports(network_.vcs));
  if (reroutes) ++offers.relation;
  find_next_change(terminal.value());
  if (!posts_.empty()) {
    Posts& posts = posts_[terminal.index()];
    posts.answers.choice.reset();
    posts.again.choice.reset();
    posts.changed = now;
  }
  if (source.exhausted) return;
  const Packet& packet = network_.packets[source.next];
  source.choice = own_choice(terminal, packet);
  if (source.choice.ports != 0 || !drop_unreachable(terminal, packet)) return;
  if (packet.generated < now)
    measurement_.gave_up({terminal.value(), now, source.earliest, packet.generated});
  generate(terminal);
}

Choice<TerminalPorts> Terminals::own_choice(TerminalId terminal, const Packet& packet) {
  if (learns_) [[unlikely]]
    return all_own_ways(terminal, packet);
  return chooser_of(terminal).injection(packet, terminal, down_at(terminal));
}

[[gnu::noinline]] Choice<TerminalPorts> Terminals::all_own_ways(TerminalId terminal, const Packet& packet) {
  TerminalChooser& chooser = chooser_of(terminal);
  const Choice<TerminalPorts> choice = chooser.all_ways(packet, terminal, down_at(terminal));
  posts_[terminal.index()].ways = chooser.ways();
  return choice;
}

[[gnu::noinline]] bool Terminals::drop_unreachable(TerminalId terminal, const Packet& packet) {
  const Time at = unreachable_from(terminal, packet);
  if (at == never) return false;
  if (at > packet.generated) dropped_.push_back({packet.generated, at});
  measurement_.dropped(std::max(at, packet.generated), Drop::unreachable);
  return true;
}

Time Terminals::unreachable_from(TerminalId terminal, const Packet& packet) const {
  if (offers_.empty()) return chooser_.offers_nothing(packet, terminal) ? packet.generated : never;
  const auto& relations = network_.relations;
  const auto after = std::ranges::upper_bound(relations, packet.generated, {}, &RelationFrom::at);
  const auto last = std::max(after, relations.begin() + offers_[terminal.index()].relation + 1);
  for (auto in_force = after - 1; in_force != last; ++in_force)
    if (TerminalChooser::offers_nothing(*in_force->relation, packet, terminal)) return in_force->at;
  if (last != relations.end()) return never;
  Time gone = relations.back().at;
  for (const RouteOption& option : TerminalChooser::offered(*relations.back().relation, packet, terminal))
    gone = std::max(gone, network_.outages.down_for_good_from(option.channel));
  const Time reached = std::min(sources_[terminal.index()].changes, limit_);
  return gone <= packet.generated || gone < reached ? gone : never;
}

void Terminals::start(TerminalId terminal) {
  if (injection_.silent(terminal)) return;
  ++senders_;
  Source& source = sources_[terminal.index()];
  source.next = pool_.take();
  network_.packets[source.next] = {
      .source = terminal.value(), .sequence = ~std::uint32_t{0}, .generated = -1};
  source.exhausted = false;
  generate(terminal);
}

[[gnu::noinline, gnu::flatten]] void Terminals::generate(TerminalId terminal) {
  Source& source = sources_[terminal.index()];
  Packet& packet = network_.packets[source.next];
  do {
    packet.generated = injection_.time_of(terminal, ++packet.sequence, packet.generated);
    source.exhausted = packet.generated >= limit_;
    if (source.exhausted) return;
    packet.destination = injection_.destination(terminal, packet.sequence).value();
    measurement_.generated(packet.generated, injection_.flits(terminal, packet.sequence));
    source.choice = own_choice(terminal, packet);
  } while ((source.choice.ports == 0 || network_.relations.size() > 1) && drop_unreachable(terminal, packet));
  source.earliest = std::max(source.earliest, packet.generated);
}

[[gnu::noinline]] Terminals::NextTurn Terminals::next_turn(TerminalId terminal) {
  const Source& source = sources_[terminal.index()];
  Posts& posts = posts_[terminal.index()];
  const bool idle = source.exhausted && posts.answers.empty() && posts.again.empty();
  NextTurn next{idle ? never : source.changes, Turn::change};
  const auto consider = [&](Time at, Turn turn) {
    if (at < next.at) next = {at, turn};
  };
  if (!posts.answers.empty()) consider(sending_time(terminal, posts.answers), Turn::answer);
  if (!posts.again.empty()) consider(sending_time(terminal, posts.again), Turn::again);
  if (!source.exhausted) consider(next_opening(terminal), Turn::own);
  return next;
}

[[gnu::noinline]] void Terminals::run_in_turns(TerminalId terminal, Time end) {
  for (;;) {
    const auto [at, turn] = next_turn(terminal);
    if (at >= end) return keep(terminal, at);
    if (turn == Turn::change)
      change(terminal);
    else if (turn == Turn::own)
      inject(terminal, own_way(terminal, at), at);
    else
      send(terminal, turn == Turn::answer ? posts_[terminal.index()].answers : posts_[terminal.index()].again,
           at);
  }
}

Time Terminals::sending_time(TerminalId terminal, Postbox& box) {
  if (box.ready() >= sources_[terminal.index()].changes) return box.ready();
  if (!box.choice) box.choice = choice_of(terminal, box.front());
  if (box.choice->ports == 0 && has_no_path(terminal, network_.packets[box.front()]))
    return std::max(box.ready(), posts_[terminal.index()].changed);
  return first_port_time(terminal, box.choice->ports, box.ready());
}

Choice<TerminalPorts> Terminals::choice_of(TerminalId terminal, PacketId id) {
  Packet& packet = network_.packets[id];
  const std::uint32_t final = network_.packets.header(id).final;
  TerminalChooser& chooser = chooser_of(terminal);
  const Choice<TerminalPorts> choice = chooser.injection(packet, terminal, down_at(terminal));
  if (choice.ports != 0 || packet.destination == final || !chooser.offers_nothing(packet, terminal))
    return choice;
  packet.destination = final;
  return chooser.injection(packet, terminal, down_at(terminal));
}

bool Terminals::has_no_path(TerminalId terminal, const Packet& packet) const {
  if (offers_.empty()) return chooser_.offers_nothing(packet, terminal);
  const std::uint32_t in_force = offers_[terminal.index()].relation;
  const RouteOptions options =
      TerminalChooser::offered(*network_.relations[in_force].relation, packet, terminal);
  const Time next = std::min(sources_[terminal.index()].changes, limit_);
  return options.empty() || (in_force + 1 == network_.relations.size() &&
                             std::ranges::all_of(options, [&](const RouteOption& option) {
                               return network_.outages.down_for_good_from(option.channel) < next;
                             }));
}

void Terminals::give_up(Postbox& box, Time now) {
  const PacketId id = box.front();
  if (!network_.packets[id].is_control())
    measurement_.dropped(now, Drop::unreachable);
  else
    control_.give_up(network_.packets.header(id).out, false);
  pool_.release(id);
  box.give_up();
}

void Terminals::send(TerminalId terminal, Postbox& box, Time now) {
  if (box.choice->ports == 0) return give_up(box, now);
  const PacketId id = box.front();
  Packet& packet = network_.packets[id];
  const Taken way = taken(terminal, packet, *box.choice, now);
  packet.tag = way.tag;
  const bool is_answer = packet.is_control() && !network_.packets.header(id).out;
  if (is_answer) control_.sends(false);
  enter(terminal, way.port, id, now);
  box.pop(now);
}

Taken Terminals::own_way(TerminalId terminal, Time now) {
  if (!learns_) return injection_port(terminal, now);
  const Source& source = sources_[terminal.index()];
  const Packet& packet = network_.packets[source.next];
  const TerminalId destination(packet.destination);
  return chooser_.take_way(
      packet, posts_[terminal.index()].ways, free_ports(terminal, source.choice.ports, now),
      [&](std::span<const RouteOption> ways, std::uint64_t random) {
        return agents_.choose(terminal, destination, now, ways, random);
      },
      [&](unsigned port) { return free_slots(terminal, port, now); });
}

void Terminals::learn(const Letter& letter) {
  const Packet& packet = network_.packets[letter.packet];
  const PacketHeader& header = network_.packets.header(letter.packet);
  agents_.arrives(letter.to, letter.from, packet.sequence,
                  {.is_fault = header.is_fault,
                   .way = {header.way_channel, header.way_tag},
                   .destination = TerminalId(header.answers),
                   .value = header.value});
  pool_.release(letter.packet);
}

[[gnu::flatten]] void Terminals::run(TerminalId terminal, Time end) {
  if (!posts_.empty()) [[unlikely]]
    return run_in_turns(terminal, end);
  for (Source& source = sources_[terminal.index()]; !source.exhausted;) {
    const Time next = next_opening(terminal);
    if (next < source.changes && (next < end || is_single(source.choice.ports)))
      inject(terminal, injection_port(terminal, next), next);
    else if (source.changes <= next && source.changes < end)
      change(terminal);
    else {
      source.due = std::min(next, source.changes);
      return keep(terminal, source.due);
    }
  }
}

Time Terminals::next_opening(TerminalId terminal) {
  const Source& source = sources_[terminal.index()];
  return first_port_time(terminal, source.choice.ports, source.earliest);
}

Taken Terminals::injection_port(TerminalId terminal, Time now) {
  const Source& source = sources_[terminal.index()];
  return taken(terminal, network_.packets[source.next], source.choice, now);
}

Taken Terminals::taken(TerminalId terminal, const Packet& packet, const Choice<TerminalPorts>& choice,
                       Time now) {
  const TerminalPorts ports = is_single(choice.ports)    ? choice.ports
                              : chooser_.by_free_slots() ? freest_ports(terminal, choice.ports, now)
                                                         : free_ports(terminal, choice.ports, now);
  if (choice.by_option) [[unlikely]]
    return taken_by_option(terminal, packet, ports, now);
  return {chooser_.break_tie(ports, packet, Decision::injection_tie, terminal.value()), choice.tag};
}

[[gnu::noinline]] Taken Terminals::taken_by_option(TerminalId terminal, const Packet& packet,
                                                   TerminalPorts ports, Time now) {
  return chooser_of(terminal).take_injection(packet, terminal, ports, down_at(terminal),
                                             [&](unsigned port) { return free_slots(terminal, port, now); });
}

void Terminals::inject(TerminalId terminal, Taken way, Time now) {
  Source& source = sources_[terminal.index()];
  Packet& packet = network_.packets[source.next];
  packet.injected = now;
  packet.tag = way.tag;
  measurement_.injected({terminal.value(), now, source.earliest, packet.generated});
  if (!posts_.empty())
    network_.packets.header(source.next) = {.way_tag = way.tag,
                                            .entered = now,
                                            .final = packet.destination,
                                            .value = 0,
                                            .answers = 0,
                                            .way_channel = channel_of(terminal, way.port),
                                            .is_fault = false,
                                            .met_dead = false,
                                            .out = false,
                                            .sent_again = false};
  enter(terminal, way.port, source.next, now);
  source.next = pool_.take();
  network_.packets[source.next] = {
      .source = packet.source, .sequence = packet.sequence, .generated = packet.generated};
  source.earliest = now;
  generate(terminal);
}

}  // namespace faultline::cut_through
