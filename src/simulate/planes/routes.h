// SPDX-License-Identifier: Apache-2.0
// The options of relations that give them as bits or sets (RoutingRelation::output_bits, output_sets), as the
// rows of a switch: output ports by VC. Where there are few relative positions, or few pairs of a switch and
// a destination, the relation is queried once for each, and the answer kept as a number among a few different
// ones.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "faultline/simulate/clock.h"
#include "simulate/planes/state.h"
#include "simulate/planes/wiring.h"
#include "simulate/switches/prefetch.h"
#include "simulate/wormhole/choices.h"

namespace faultline::wormhole::planes {

template <class Word, std::uint32_t Vcs>
class Routes {
 public:
  /// Output ports that are offered, all of them and by VC, and the packet's tag with them.
  struct Route {
    Word ports = 0;
    Word candidates[Vcs]{};
    Tag tag = 0;
    bool alike = false;   ///< the same for every VC
    bool summed = false;  ///< the same for those whose credits are summed
    friend bool operator==(const Route&, const Route&) = default;
  };

  Routes(const Topology& topology, const WiringView& wiring, const Chooser& chooser, std::uint32_t vc_count,
         std::uint32_t summed_vcs, Tag tag_count)
      : topology_(topology),
        wiring_(wiring),
        chooser_(chooser),
        all_vcs_((1U << vc_count) - 1),
        summed_vcs_(summed_vcs),
        terminals_(topology.terminal_count()),
        different_(1) {
    different_.reserve(max_different);
    for (std::uint32_t vc = 0; vc < vc_count; ++vc)
      vcs_of_class_[chooser.class_of_network_vc(vc)] |= 1U << vc;
    all_classes_ = static_cast<std::uint32_t>((std::uint64_t{1} << chooser.classes()) - 1);
    for (std::uint32_t bit = 0; bit < std::size(output_of_bit_); ++bit)
      output_of_bit_[bit] = static_cast<std::uint8_t>(bit / chooser.classes());
    for (const SwitchId at : topology.switches()) {
      const auto outputs = topology.outputs(at);
      has_all_ports_.push_back(outputs.empty() ||
                               wiring.output_port[outputs.back().index()] + 1U == outputs.size());
      Word ejects = 0;
      for (const ChannelId channel : outputs)
        if (topology.role(channel) == ChannelRole::ejection)
          ejects = static_cast<Word>(ejects | Word{1} << wiring.output_port[channel.index()]);
      ejects_.push_back(ejects);
    }
    read_abilities();
    const std::size_t pairs = topology.switch_count() * topology.terminal_count(),
                      positions = chooser.relative_positions();
    by_position_ = positions != 0 && chooser.relative_tags() <= max_known / positions &&
                   std::ranges::find(has_all_ports_, 0) == has_all_ports_.end();
    if (by_position_) {
      known_tags_ = chooser.relative_tags();
      known_.resize(positions * known_tags_);
    } else if (tag_count == 1 && pairs <= max_known)
      known_.resize(pairs);
  }

  /// None if routes are not kept: they must be queried.
  [[nodiscard, gnu::always_inline]] const Route* find(std::uint32_t at, TerminalId destination, Tag tag) {
    if (tag >= known_tags_) [[unlikely]]
      return nullptr;
    if (known_.empty()) return own_.empty() ? nullptr : &own_route(at, destination, tag);
    const std::size_t index = index_of(at, destination, tag);
    if (known_[index] == unknown) [[unlikely]]
      if (!learn(index, ask(at, destination, tag))) return nullptr;
    return &different_[known_[index]];
  }
  [[nodiscard, gnu::always_inline]] Route ask(std::uint32_t at, TerminalId destination, Tag tag) const {
    if (is_plain_) return plain_route(chooser_.output_bits(SwitchId(at), destination));
    return ask_in_general(at, destination, tag);
  }
  [[gnu::noinline, nodiscard]] Route ask_in_general(std::uint32_t at, TerminalId destination, Tag tag) const {
    if (chooser_.by_sets()) return route_of(at, chooser_.output_sets(SwitchId(at), destination, tag));
    return route_of(at, chooser_.output_bits(SwitchId(at), destination));
  }
  /// No route is kept, and each is some ports with any VC of these.
  [[nodiscard]] bool are_plain() const { return is_plain_ && known_.empty() && own_.empty(); }
  /// Where they are: those ports.
  [[nodiscard]] Word plain_ports(std::uint32_t at, TerminalId destination) const {
    return static_cast<Word>(chooser_.output_bits(SwitchId(at), destination));
  }
  /// What find() reads is not in the first-level cache.
  [[nodiscard]] bool are_far() const { return !by_position_ && known_.size() > near_bytes; }
  /// Where they are far.
  void prefetch(std::uint32_t at, TerminalId destination) const {
    faultline::prefetch(&known_[index_of(at, destination, 0)]);
  }
  /// From now on, another relation is used.
  void forget() {
    read_abilities();
    own_.clear();
    if (by_position_) known_.clear();  // it may have other positions
    std::ranges::fill(known_, unknown);
  }

  /// VCs of a channel that stand for some of the relation's names of them.
  [[nodiscard]] std::uint32_t vcs_of(ChannelId channel, std::uint32_t classes) const {
    if (topology_.role(channel) == ChannelRole::ejection) return all_vcs_;
    std::uint32_t vcs = 0;
    for (classes &= all_classes_; classes != 0;) vcs |= vcs_of_class_[take_lowest(classes)];
    return vcs;
  }

 private:
  void read_abilities() {
    is_plain_ = !chooser_.by_sets() && chooser_.classes() == 1 &&
                std::ranges::find(has_all_ports_, 0) == has_all_ports_.end();
  }
  [[nodiscard]] std::size_t index_of(std::uint32_t at, TerminalId destination, Tag tag) const {
    if (by_position_) return chooser_.relative_position(SwitchId(at), destination) * known_tags_ + tag;
    return at * terminals_ + destination.index();
  }
  static constexpr std::size_t near_bytes = std::size_t{1} << 14;  ///< they stay in the first-level cache
  static constexpr std::size_t max_known = std::size_t{1}
                                           << 17;  // looking up more of them would be slower than querying
  static constexpr std::uint8_t unknown = 0;
  static constexpr std::size_t max_different = 256, max_own = 4096;

  /// Bits that are ports, and any VC of each.
  [[nodiscard]] Route plain_route(std::uint64_t bits) const {
    Route route{.ports = static_cast<Word>(bits), .alike = true};
#pragma GCC unroll 8
    for (std::uint32_t w = 0; w < Vcs; ++w)
      route.candidates[w] = static_cast<Word>((all_vcs_ >> w & 1) != 0 ? bits : 0);
    return route;
  }
  [[nodiscard]] Route route_of(std::uint32_t at, std::uint64_t bits) const {
    const std::uint32_t classes = chooser_.classes();
    if (classes == 1 && has_all_ports_[at] != 0) return plain_route(bits);
    Route route;
    const auto outputs = topology_.outputs(SwitchId(at));
    while (bits != 0) {
      const std::uint32_t position = output_of_bit_[lowest(bits)], first = position * classes;
      const std::uint32_t port = wiring_.output_port[outputs[position].index()];
      const std::uint32_t vcs = vcs_of(outputs[position], static_cast<std::uint32_t>(bits >> first));
      route.ports = static_cast<Word>(route.ports | Word{1} << port);
#pragma GCC unroll 8
      for (std::uint32_t w = 0; w < Vcs; ++w)
        route.candidates[w] =
            static_cast<Word>(route.candidates[w] | static_cast<Word>(vcs >> w & 1) << port);
      bits &= ~(std::uint64_t{all_classes_} << first);
    }
    compare(route);
    return route;
  }
  [[nodiscard]] Route route_of(std::uint32_t at, const OutputSets& sets) const {
    Route route{.tag = sets.tag};
    for (const OutputSets::Part& part : sets.parts) {
      const Word ports = ports_of(at, part.outputs);
      // on an ejection channel all VCs stand for any class
      const auto ejecting = static_cast<Word>(ports & ejects_[at]);
      std::uint32_t vcs = 0;
      for (std::uint32_t classes = part.vcs; classes != 0;) vcs |= vcs_of_class_[take_lowest(classes)];
      route.ports = static_cast<Word>(route.ports | ports);
#pragma GCC unroll 8
      for (std::uint32_t w = 0; w < Vcs; ++w)
        route.candidates[w] =
            static_cast<Word>(route.candidates[w] | ((vcs >> w & 1) != 0 ? ports : Word{0}) |
                              ((all_vcs_ >> w & 1) != 0 ? ejecting : Word{0}));
    }
    compare(route);
    return route;
  }
  void compare(Route& route) const {
    route.alike = true;
    for (std::uint32_t w = 0; w < Vcs; ++w)
      route.alike &= (all_vcs_ >> w & 1) == 0 || route.candidates[w] == route.ports;
    route.summed = summed_vcs_ != 0;
    for (std::uint32_t w = 0; w < Vcs; ++w)
      route.summed &=
          (summed_vcs_ >> w & 1) == 0 || route.candidates[w] == route.candidates[lowest(summed_vcs_)];
  }
  [[nodiscard]] Word ports_of(std::uint32_t at, std::uint64_t outputs) const {
    if (has_all_ports_[at] != 0) return static_cast<Word>(outputs);
    const auto channels = topology_.outputs(SwitchId(at));
    Word ports = 0;
    while (outputs != 0)
      ports =
          static_cast<Word>(ports | Word{1} << wiring_.output_port[channels[take_lowest(outputs)].index()]);
    return ports;
  }

  [[nodiscard]] const Route& own_route(std::uint32_t at, TerminalId destination, Tag tag) {
    Own& own = own_[index_of(at, destination, tag)];
    if (!own.is_known) [[unlikely]]
      own = {ask(at, destination, tag), true};
    return own.route;
  }

  /// False if there are too many different ones: from then on, a few positions have one each, or none are
  /// kept.
  [[gnu::noinline]] bool learn(std::size_t index, const Route& route) {
    auto found = std::find(different_.begin() + 1, different_.end(), route);
    if (found == different_.end()) {
      if (different_.size() == max_different) {
        if (by_position_ && known_.size() <= max_own) own_.resize(known_.size());
        known_.clear();
        return false;
      }
      different_.push_back(route);
      found = different_.end() - 1;
    }
    known_[index] = static_cast<std::uint8_t>(found - different_.begin());
    return true;
  }

  const Topology& topology_;
  const WiringView wiring_;
  const Chooser& chooser_;
  std::uint32_t all_vcs_, summed_vcs_, all_classes_ = 0;
  std::uint32_t vcs_of_class_[max_virtual_channels]{};
  std::uint8_t output_of_bit_[64]{};         ///< the position among the outputs of a switch
  std::vector<std::uint8_t> has_all_ports_;  ///< by switch: the i-th output is port i
  std::vector<Word> ejects_;                 ///< by switch: ports that lead to terminals
  Tag known_tags_ = 1;                       ///< those of kept routes are lower
  std::size_t terminals_;
  bool by_position_ = false;
  bool is_plain_ = false;            ///< every route is a plain_route()
  std::vector<std::uint8_t> known_;  ///< by index_of(): number of the route
  std::vector<Route> different_;     ///< the first is that of no pair
  struct Own {
    Route route;
    bool is_known = false;
  };
  std::vector<Own> own_;  ///< by index_of(), in place of `known_`
};

}  // namespace faultline::wormhole::planes
