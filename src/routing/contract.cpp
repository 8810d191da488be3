// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "faultline/routing/states.h"
#include "routing/first_vcs.h"

namespace faultline {
namespace {

constexpr std::string_view contract_field = "routing";
#ifdef FAULTLINE_CHECKS
constexpr std::size_t asked_twice = 1;
#else
constexpr std::size_t asked_twice = 16;  // one in this many, beside the first 64
#endif

bool is_asked_twice(std::size_t number) { return number < 64 || number % asked_twice == 0; }

[[noreturn]] void refuse_ring(const std::string& member, std::string_view required) {
  throw Error(std::string(contract_field), fmt::format("{} of a bubble ring", member),
              fmt::format("must {}", required));
}

std::string where(const Topology& topology, const RouteState& state) {
  return fmt::format("at {}, which {} entered on virtual channel {} with tag {}, for {}",
                     topology.name(state.at), topology.name(state.held), state.vc, state.tag,
                     topology.name(state.destination));
}

/// Bit v: there is no virtual channel v.
std::uint32_t beyond(std::uint32_t virtual_channels) {
  constexpr std::uint32_t most = 32;
  if (virtual_channels == 0 || virtual_channels > most)
    throw Error(std::string(contract_field), fmt::format("{} virtual channels", virtual_channels),
                fmt::format("must declare from 1 to {}", most));
  return ~first_vcs(virtual_channels);
}

}  // namespace

Contract::Contract(const RoutingRelation& relation)
    : relation_(&relation),
      topology_(&relation.topology()),
      channels_(topology_->channel_count()),
      tags_(relation.tag_count()),
      no_vcs_(beyond(relation.virtual_channels())),
      relies_on_escape_(relation.relies_on_escape()) {}

std::string Contract::name(const RouteOption& option) const {
  const std::string channel = option.channel.index() < channels_
                                  ? topology_->name(option.channel)
                                  : fmt::format("channel {}", option.channel.value());
  return fmt::format("option {} (virtual channels {:#x}, tag {}, tier {})", channel, option.vcs, option.tag,
                     option.tier);
}

std::string Contract::unsound_or(const RouteOption& option, const std::string& otherwise) const {
  if (option.channel.index() >= channels_)
    return fmt::format("must be on a channel of the network, below {}", channels_);
  if (option.vcs == 0 || (option.vcs & no_vcs_) != 0)
    return fmt::format("must take virtual channels that the routing declares: at least one of 0 to {}",
                       relation_->virtual_channels() - 1);
  if (option.tag >= tags_) return fmt::format("must carry a tag that the routing declares, below {}", tags_);
  return otherwise;
}

void Contract::refuse_injection(TerminalId source, TerminalId destination, const RouteOption& option) const {
  throw Error(
      std::string(contract_field),
      fmt::format("{} from {} to {}", name(option), topology_->name(source), topology_->name(destination)),
      unsound_or(option, fmt::format("must be on an injection channel of {}", topology_->name(source))));
}

void Contract::refuse_route(const RouteState& state, const RouteOption& option) const {
  const auto required = [&] {
    const bool ejects_elsewhere = option.channel.index() < channels_ &&
                                  topology_->role(option.channel) == ChannelRole::ejection &&
                                  topology_->terminal(option.channel) != state.destination;
    return ejects_elsewhere ? fmt::format("must eject at {}", topology_->name(state.destination))
                            : fmt::format("must be on an output of {}", topology_->name(state.at));
  };
  throw Error(std::string(contract_field), fmt::format("{} {}", name(option), where(*topology_, state)),
              unsound_or(option, required()));
}

void Contract::refuse_ejection(SwitchId at, TerminalId source, TerminalId destination) const {
  throw Error(std::string(contract_field),
              fmt::format("output bits at {} for packets from {} to {}", topology_->name(at),
                          topology_->name(source), topology_->name(destination)),
              fmt::format("must eject at {}", topology_->name(destination)));
}

void Contract::refuse_escape(const RouteState& state, const RouteOption& option, std::uint8_t vc) const {
  throw Error(
      std::string(contract_field),
      fmt::format("{} on virtual channel {} {}", name(option), vc, where(*topology_, state)),
      "must belong to the escape subrelation, as all options must unless the routing declares that it "
      "relies on escape channels (relies_on_escape)");
}

void Contract::inject_again(TerminalId source, TerminalId destination, const RouteOptions& options) const {
  RouteOptions again;
  relation_->inject(source, destination, again);
  if (again != options)
    throw Error(std::string(contract_field),
                fmt::format("options from {} to {}", topology_->name(source), topology_->name(destination)),
                "must be the same however often they are asked for");
  const InjectionOffer offer = relation_->injection_offer(source, destination);
  if (offer.vcs == 0) return;
  again.clear();
  for (const ChannelId channel : topology_->injection(source))
    again.push_back({.channel = channel, .vcs = offer.vcs, .tag = offer.tag});
  if (again != options)
    throw Error(
        std::string(contract_field),
        fmt::format("options from {} to {}", topology_->name(source), topology_->name(destination)),
        "must be every injection channel, with the virtual channels and the tag that the routing declares");
}

void Contract::route_again(const RouteState& state, const RouteOptions& options) const {
  RouteState other = state;
  if (!relation_->reads_held_channel()) {
    const auto inputs = topology_->inputs(state.at);
    other.held = inputs.back() == state.held ? inputs.front() : inputs.back();
    other.vc = static_cast<std::uint8_t>(relation_->virtual_channels() - 1);
  }
  RouteOptions again;
  relation_->route(other, again);
  if (again != options)
    throw Error(std::string(contract_field), "options " + where(*topology_, state),
                relation_->reads_held_channel()
                    ? "must be the same however often they are asked for"
                    : "must be the same however often they are asked for, and on whatever channel the packet "
                      "came, unless the routing declares that it reads the held channel");
  if (relation_->offers_output_bits()) check_output_bits(state, options);
  if (relation_->offers_output_sets()) check_output_sets(state, options);
}

void Contract::inject_spot_checked(TerminalId source, TerminalId destination, RouteOptions& options) const {
  inject(source, destination, options);
  if (is_asked_twice(source.index())) inject_again(source, destination, options);
}

void Contract::route_spot_checked(std::size_t number, const RouteState& state, RouteOptions& options) const {
  route(state, options);
  if (is_asked_twice(number)) route_again(state, options);
}

std::vector<BubbleRing> Contract::bubble_rings() const {
  std::vector<BubbleRing> rings = relation_->bubble_rings();
  std::vector<bool> in_ring(channels_ * relation_->virtual_channels());
  for (const BubbleRing& ring : rings) {
    check_ring(ring);
    for (const auto& [channel, vc] : ring) {
      auto taken = in_ring[channel.index() * relation_->virtual_channels() + vc];
      if (taken)
        refuse_ring(fmt::format("{}, virtual channel {}", topology_->name(channel), vc),
                    "be in one ring, once");
      taken = true;
    }
  }
  return rings;
}

void Contract::check_ring(const BubbleRing& ring) const {
  if (ring.size() < 2) refuse_ring(fmt::format("{} virtual channels", ring.size()), "be two or more");
  for (const auto& [channel, vc] : ring)
    if (channel.index() >= channels_ || topology_->role(channel) != ChannelRole::network ||
        vc >= relation_->virtual_channels())
      refuse_ring(fmt::format("channel {}, virtual channel {}", channel.value(), vc),
                  "be a virtual channel that the routing declares, of a channel between switches");
  for (std::size_t i = 0; i < ring.size(); ++i)
    if (topology_->target(ring[i].channel) != topology_->source(ring[(i + 1) % ring.size()].channel))
      refuse_ring(topology_->name(ring[i].channel), "lead to where the next channel of the ring begins");
}

void Contract::check_output_bits(const RouteState& state, const RouteOptions& options) const {
  const auto outputs = topology_->outputs(state.at);
  const std::uint32_t vcs = relation_->virtual_channels();
  std::uint64_t bits = 0;
  bool fits = outputs.size() * vcs <= 64;
  for (const RouteOption& option : options) {
    const auto position =
        static_cast<std::size_t>(std::ranges::find(outputs, option.channel) - outputs.begin());
    fits = fits && option.tag == 0 && option.tier == 0;
    if (fits) bits |= std::uint64_t{option.vcs} << (position * vcs);
  }
  if (!fits || bits != relation_->output_bits(state.at, state.destination))
    throw Error(std::string(contract_field), "options " + where(*topology_, state),
                "must be the same as list and as output bits, which know no tag and no tier");
}

void Contract::check_output_sets(const RouteState& state, const RouteOptions& options) const {
  const auto outputs = topology_->outputs(state.at);
  const OutputSets sets = relation_->output_sets(state.at, state.destination, state.tag);
  std::size_t listed = 0;
  bool same = outputs.size() <= 64 && std::ranges::all_of(sets.parts, [](const auto& part) {
                return part.outputs == 0 || part.vcs != 0;
              });
  for (std::size_t i = 0; same && i < outputs.size(); ++i) {
    RouteOption expected{.channel = outputs[i], .vcs = 0, .tag = sets.tag};
    for (const OutputSets::Part& part : sets.parts)
      if ((part.outputs >> i & 1) != 0) expected.vcs |= part.vcs;
    const auto found = std::ranges::find(options, outputs[i], &RouteOption::channel);
    if (expected.vcs == 0 && found == options.end()) continue;
    if (found != options.end()) expected.cost = found->cost;
    same = found != options.end() && *found == expected;
    ++listed;
  }
  if (!same || listed != options.size())
    throw Error(std::string(contract_field), "options " + where(*topology_, state),
                "must be the same as list and as output sets, which know one tag and no tier");
}

namespace {

/// Engines keep the outputs of each relative position, and look them up by its number.
class RelativePositions {
 public:
  explicit RelativePositions(const RoutingRelation& relation)
      : relation_(relation),
        first_(relation.offers_output_bits() || relation.offers_output_sets() ? relation.relative_positions()
                                                                              : 0) {}

  void check(TerminalId destination) {
    if (first_.empty()) return;
    for (const SwitchId at : relation_.topology().switches()) {
      const std::uint32_t position = relation_.relative_position(at, destination);
      if (position >= first_.size())
        refuse(fmt::format("relative position {}", position), at, destination,
               fmt::format("must be below {}, their number", first_.size()));
      auto& [other, its_destination] = first_[position];
      if (!other.valid()) {
        other = at;
        its_destination = destination;
      } else if (!have_equal_outputs(at, destination, other, its_destination)) {
        refuse(fmt::format("relative position {}", position), at, destination,
               fmt::format("must be another than at {} for {}, where packets take other outputs",
                           relation_.topology().name(other), relation_.topology().name(its_destination)));
      }
    }
  }

 private:
  [[nodiscard]] bool have_equal_outputs(SwitchId at, TerminalId destination, SwitchId other,
                                        TerminalId its_destination) const {
    if (relation_.offers_output_bits() &&
        relation_.output_bits(at, destination) != relation_.output_bits(other, its_destination))
      return false;
    if (!relation_.offers_output_sets()) return true;
    constexpr Tag most_tags = 4;  // of which there may be one for each switch
    for (Tag tag = 0; tag < std::min(relation_.relative_tags(), most_tags); ++tag)
      if (relation_.output_sets(at, destination, tag) != relation_.output_sets(other, its_destination, tag))
        return false;
    return true;
  }
  [[noreturn]] void refuse(const std::string& value, SwitchId at, TerminalId destination,
                           const std::string& required) const {
    throw Error(std::string(contract_field),
                fmt::format("{} at {} for {}", value, relation_.topology().name(at),
                            relation_.topology().name(destination)),
                required);
  }

  const RoutingRelation& relation_;
  std::vector<std::pair<SwitchId, TerminalId>> first_;  // by position: of the first pair that has it
};

}  // namespace

void check_contract(const RoutingRelation& relation, std::size_t max_states) {
  const std::size_t count = relation.topology().terminal_count();
  if (count == 0) return;
  // A stride that has no factor in common with the count visits every terminal once.
  std::size_t stride = std::max<std::size_t>(1, count * 5 / 8);
  while (std::gcd(stride, count) != 1) ++stride;
  RelativePositions positions(relation);
  for (std::size_t i = 0, seen = 0; i < count && seen < max_states; ++i) {
    const TerminalId destination(i * stride % count);
    seen += enumerate_states(relation, destination).count() + count;
    positions.check(destination);
  }
}

}  // namespace faultline
