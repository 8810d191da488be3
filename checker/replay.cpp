// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "rules.h"

namespace checker {
namespace {

/// A network of which every buffer, and every virtual channel of an injection channel, holds one packet.
class Replay {
 public:
  explicit Replay(const Certificate& certificate)
      : certificate_(certificate), relation_(certificate.relation), progress_(certificate.packets.size()) {
    for (const auto& ring : relation_.rings)
      for (std::size_t i = 0; i < ring.size(); ++i) ring_of_[ring[i]] = &ring;
  }

  void run() {
    for (const Certificate::Step& step : certificate_.steps) take(step);
    std::size_t waiting = 0;
    for (std::size_t packet = 0; packet < progress_.size(); ++packet)
      if (progress_[packet].in_network) {
        require_blocked(packet);
        ++waiting;
      }
    if (waiting == 0) refuse("the schedule leaves no packet in the network");
  }

 private:
  struct Progress {
    bool started = false, in_network = false;
    std::size_t state = 0;
    std::pair<Number, Number> holds;  ///< channel, virtual channel
  };

  struct Known {
    Destination destination;
    Plays plays;
  };

  [[noreturn]] void refuse(const std::string& reason) const {
    throw Refused(certificate_.relation_line, reason);
  }

  /// The possible moves of packets to a destination, computed on first use.
  const Known& known(Number terminal) {
    const auto [entry, is_new] = known_.try_emplace(terminal);
    if (is_new) {
      Lines lines = certificate_.destinations[terminal];
      entry->second.destination = read_destination(lines, relation_, terminal);
      entry->second.plays = plays_of(entry->second.destination, relation_, certificate_.given);
    }
    return entry->second;
  }

  [[nodiscard]] std::vector<Move> moves_of(std::size_t packet) {
    const Certificate::Packet& who = certificate_.packets[packet];
    const Known& of = known(who.destination);
    if (progress_[packet].started) return of.plays.moves(progress_[packet].state, certificate_.given);
    std::vector<Move> starts = of.plays.starts[who.source];
    std::erase_if(starts, [&](const Move& move) { return !certificate_.given.alive(move); });
    return starts;
  }

  void take(const Certificate::Step& step) {
    Progress& packet = progress_[step.packet];
    if (packet.started && !packet.in_network) throw Refused(step.line, "a packet moves that has left");
    const auto moves = moves_of(step.packet);
    const auto move = std::ranges::find_if(moves, [&](const Move& m) {
      return m.channel == step.channel && m.vc == step.vc && m.tag == step.tag;
    });
    if (move == moves.end()) throw Refused(step.line, "a packet may not make this step");
    const std::pair<Number, Number> buffer{step.channel, step.vc};
    if (!move->ejects && filled_.contains(buffer)) throw Refused(step.line, "a packet enters a full buffer");
    if (!move->ejects && needs_bubble(packet, buffer))
      throw Refused(step.line, "a packet enters a ring that keeps a bubble, without room for two");
    if (packet.in_network) filled_.erase(packet.holds);
    packet.started = true;
    packet.in_network = !move->ejects;
    if (move->ejects) return;
    filled_.insert(buffer);
    packet.holds = buffer;
    packet.state = move->next;
  }

  /// Under cut-through switching a ring is entered from outside only if two packets fit.
  [[nodiscard]] bool needs_bubble(const Progress& from, std::pair<Number, Number> to) const {
    if (certificate_.switching != "cut-through") return false;
    const auto ring = ring_of_.find(to.first * relation_.virtual_channels + to.second);
    if (ring == ring_of_.end()) return false;
    if (!from.in_network) return true;
    const auto left = ring_of_.find(from.holds.first * relation_.virtual_channels + from.holds.second);
    return left == ring_of_.end() || left->second != ring->second;
  }

  void require_blocked(std::size_t packet) {
    const std::string who = "packet " + std::to_string(packet) + " of the deadlock ";
    const auto moves = moves_of(packet);
    const std::string lost = "may be lost on a dead channel, and releases its buffer";
    if (moves.empty()) {
      if (certificate_.stuck == "dropped") refuse(who + "is stuck, and removed");
      if (may_be_lost(packet)) refuse(who + lost);
      return;
    }
    if (certificate_.selection == "commits") {
      if (!some_option_is_full(moves)) refuse(who + "has a way out");
      return;
    }
    for (const Move& move : moves) {
      if (move.ejects) refuse(who + "has arrived");
      if (!is_full(move)) refuse(who + "has a way out");
    }
    if (may_be_lost(packet)) refuse(who + lost);
  }

  /// It also asks for a channel that is dead without its switch knowing.
  [[nodiscard]] bool may_be_lost(std::size_t packet) {
    const Progress& at = progress_[packet];
    if (!at.started) return false;
    return std::ranges::any_of(known(certificate_.packets[packet].destination).plays.admissible[at.state],
                               [&](const Move& move) { return !certificate_.given.alive(move); });
  }

  [[nodiscard]] bool is_full(const Move& move) const {
    return !move.ejects && filled_.contains({move.channel, move.vc});
  }

  /// A packet that commits may wait for one of its options, on any of its virtual channels.
  [[nodiscard]] bool some_option_is_full(const std::vector<Move>& moves) const {
    std::set<Number> options, free;
    for (const Move& move : moves) {
      options.insert(move.option);
      if (!is_full(move)) free.insert(move.option);
    }
    return free.size() < options.size();
  }

  const Certificate& certificate_;
  const Relation& relation_;
  std::vector<Progress> progress_;
  std::set<std::pair<Number, Number>> filled_;
  std::map<Number, const std::vector<Number>*> ring_of_;  ///< by buffer
  std::map<Number, Known> known_;
};

}  // namespace

void check_schedule(const Certificate& certificate) {
  if (certificate.packets.empty() || certificate.steps.empty())
    throw Refused(certificate.relation_line, "a deadlock needs packets and a schedule");
  Replay(certificate).run();
}

}  // namespace checker
