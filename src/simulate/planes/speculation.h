// SPDX-License-Identifier: Apache-2.0
// Speculation: heads request a VC and the crossbar in the same cycle, and use only what no other request
// takes (Dally & Towles, section 16.4). Few do so in a cycle, so this runs, switch by switch, after the
// vector part has granted the others.
#pragma once

#include <span>
#include <tuple>

#include "simulate/planes/group_allocation.h"

namespace faultline::wormhole::planes {

template <class Word, std::uint32_t Vcs>
class Speculation : protected GroupAllocation<Word, Vcs> {
  using Base = GroupAllocation<Word, Vcs>;

 protected:
  using State = typename Base::State;

  Speculation(const Run& run, State& state, std::uint32_t region, std::vector<Delivery>* log)
      : Base(run, state, region, log),
        pointers_(timing_.speculative ? topology_.switch_count() * wiring_.ports : 0) {}

  using Base::vectors_, Base::heads_, Base::lane, Base::lanes_, Base::now_, Base::number_of, Base::planes_,
      Base::rows_, Base::wormhole_, Base::timing_, Base::topology_, Base::wiring_;
  using typename Base::VcPosition;

  /// The scalar part of a group's cycle. True when flits have left.
  bool work_off(std::uint32_t group, const Lists& lists, const Work& work) {
    Base::work_off(group, lists, work);
    return timing_.speculative && speculate();
  }

 private:
  struct SpeculativeRequest {
    VcPosition position;
    std::uint32_t output = 0;
    bool open = true, offered = false, accepted = false;

    [[nodiscard]] bool same_pair(const SpeculativeRequest& other) const {
      return position.at == other.position.at && position.port == other.position.port &&
             output == other.output;
    }
  };
  struct Pointers {
    std::uint8_t next_input = 0;   ///< of the port as an output
    std::uint8_t next_output = 0;  ///< of the port as an input
  };

  /// Heads that request VCs of an output speculate on getting one, if neither their input nor the output has
  /// been granted. Of two VCs of an input that want the same output the first speculates.
  bool speculate() {
    speculative_.clear();
    this->for_each_request([this](const VcPosition& position, std::uint32_t output) {
      if (!is_taken(position, output)) speculative_.push_back({position, output});
    });
    std::ranges::sort(speculative_, {}, [](const SpeculativeRequest& request) {
      return std::tuple(request.position.at, request.output, request.position.port, request.position.vc);
    });
    speculative_.erase(std::unique(speculative_.begin(), speculative_.end(),
                                   [](auto& a, auto& b) { return a.same_pair(b); }),
                       speculative_.end());
    bool sent = false;
    for (auto first = speculative_.begin(); first != speculative_.end();) {
      const auto end = std::find_if(first, speculative_.end(), [&](const SpeculativeRequest& request) {
        return request.position.at != first->position.at;
      });
      sent |= match({first, end});
      first = end;
    }
    return sent;
  }
  [[nodiscard]] bool is_taken(const VcPosition& position, std::uint32_t output) const {
    bool taken = false;
    for (std::uint32_t v = 0; v < Vcs; ++v)
      taken |=
          position.here.has(rows_.served(v), position.port) || position.here.has(rows_.granted(v), output);
    return taken;
  }

  /// The speculative requests of one switch. What was matched with a head that got no VC, or one without a
  /// credit, stays unused.
  bool match(std::span<SpeculativeRequest> requests) {
    if (requests.size() == 1) return accept(requests.front(), true);
    bool sent = false;
    for (std::uint32_t iteration = 0; iteration < wormhole_.allocation_iterations; ++iteration) {
      if (wormhole_.allocation == Allocation::islip) {
        choose(requests, &SpeculativeRequest::open, &SpeculativeRequest::offered,
               [&](const SpeculativeRequest& request) { return at_output(request); });
        choose(requests, &SpeculativeRequest::offered, &SpeculativeRequest::accepted,
               [&](const SpeculativeRequest& request) { return at_input(request); });
      } else {
        choose(requests, &SpeculativeRequest::open, &SpeculativeRequest::offered,
               [&](const SpeculativeRequest& request) { return at_input(request); });
        choose(requests, &SpeculativeRequest::offered, &SpeculativeRequest::accepted,
               [&](const SpeculativeRequest& request) { return at_output(request); });
      }
      bool any = false;
      for (const SpeculativeRequest& request : requests) {
        if (!request.accepted) continue;
        any = true;
        sent |= accept(request, iteration == 0);
        for (SpeculativeRequest& other : requests)
          if (other.position.port == request.position.port || other.output == request.output)
            other.open = false;
      }
      if (!any) break;
    }
    return sent;
  }

  /// `learns`: the pointers move past each other.
  bool accept(const SpeculativeRequest& request, bool learns) {
    if (learns) {
      const auto& [here, at, port, v] = request.position;
      pointers(at, request.output).next_input = static_cast<std::uint8_t>(port + 1);
      pointers(at, port).next_output = static_cast<std::uint8_t>(request.output + 1);
    }
    return forward(request);
  }
  [[nodiscard]] Pointers& pointers(std::uint32_t at, std::uint32_t port) {
    return pointers_[at * wiring_.ports + port];
  }
  /// A request at an arbiter: which arbiter it is, and its distance from the arbiter's pointer.
  struct Contender {
    std::uint32_t arbiter, distance;
  };
  [[nodiscard]] Contender at_output(const SpeculativeRequest& request) {
    return {request.output,
            distance(request.position.port, pointers(request.position.at, request.output).next_input)};
  }
  [[nodiscard]] Contender at_input(const SpeculativeRequest& request) {
    return {request.position.port,
            distance(request.output, pointers(request.position.at, request.position.port).next_output)};
  }
  [[nodiscard]] std::uint32_t distance(std::uint32_t port, std::uint32_t pointer) const {
    return port >= pointer ? port - pointer : port + wiring_.ports - pointer;
  }
  /// Sets `to` for those with `from` that are nearest to their arbiter's pointer.
  template <class At>
  void choose(std::span<SpeculativeRequest> requests, bool SpeculativeRequest::*from,
              bool SpeculativeRequest::*to, At at) {
    for (SpeculativeRequest& request : requests) {
      request.*to = request.*from && std::ranges::none_of(requests, [&](const SpeculativeRequest& rival) {
                      return rival.*from && at(rival).arbiter == at(request).arbiter &&
                             at(rival).distance < at(request).distance;
                    });
    }
  }

  /// As the vector part moves a flit.
  bool forward(const SpeculativeRequest& request) {
    const auto& [here, at, port, v] = request.position;
    if (here.has(rows_.waiting(v), port)) return false;
    const std::uint32_t output = request.output, w = heads_[number_of(at, port, v)].output % Vcs;
    if (!here.has(rows_.has_credit(w), output)) return false;
    if (!here.count_down(rows_.flits(v), planes_, port)) here.clear(rows_.filled(v), port);
    if (!here.count_down(rows_.credits(w), planes_, output)) {
      here.clear(rows_.has_credit(w), output);
      here.set(rows_.blocked(v), port);
    }
    here.set(rows_.granted(w), output);
    for (std::uint32_t other = 0; other < Vcs; ++other) here.put(rows_.serve_from(other), port, other > v);
    log_byte(at, output) |= code_of(Vcs, w);
    log_byte(at, port) |= static_cast<std::uint8_t>(code_of(Vcs, v) << 4);
    if (here.count_down(rows_.left(v), planes_, port)) return true;
    here.set(rows_.idle(v), port);
    here.clear(rows_.blocked(v), port);
    here.clear(rows_.allocated(w), output);
    if (!wormhole_.atomic_vcs) here.set(rows_.freed(w), output);
    this->finish(request.position);
    return true;
  }
  [[nodiscard]] std::uint8_t& log_byte(std::uint32_t at, std::uint32_t port) const {
    return vectors_.log_of(now_)[vectors_.log_offset(at / lanes_, port) + at % lanes_];
  }

  std::vector<SpeculativeRequest> speculative_;
  std::vector<Pointers> pointers_;  ///< by switch * ports + port
};

}  // namespace faultline::wormhole::planes
