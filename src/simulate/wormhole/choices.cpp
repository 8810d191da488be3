// SPDX-License-Identifier: Apache-2.0
#include "simulate/wormhole/choices.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "faultline/base/random.h"

namespace faultline::wormhole {
namespace {

constexpr std::uint32_t low_bits(std::uint32_t count) { return count >= 32 ? ~0U : (1U << count) - 1; }

std::uint32_t nth_set_bit(std::uint32_t bits, std::uint32_t n) {
  for (; n != 0; --n) bits &= bits - 1;
  return static_cast<std::uint32_t>(std::countr_zero(bits));
}

}  // namespace

Chooser::Chooser(const RoutingRelation& relation, SelectionRule rule, std::uint32_t vcs, std::uint64_t seed,
                 const Outages* outages)
    : relation_(&relation),
      en_route_(&relation.en_route()),
      contract_(relation),
      topology_(relation.topology()),
      rule_(rule),
      seed_(seed),
      vc_count_(vcs),
      all_vcs_(low_bits(vcs)),
      all_classes_(low_bits(relation.virtual_channels())),
      outages_(outages) {
  for (std::uint32_t vc = 0; vc < vcs; ++vc) {
    class_of_vc_[vc] = static_cast<std::uint8_t>(vc * relation.virtual_channels() / vcs);
    vcs_of_class_[class_of_vc_[vc]] |= 1U << vc;
  }
  read_abilities();
}

void Chooser::ask(const RoutingRelation& relation) {
  relation_ = en_route_ = &relation;
  contract_ = Contract(relation);
  read_abilities();
}

void Chooser::read_abilities() {
  const bool knows_by_output =
      !rule_.reads_order && !rule_.reads_queues && (rule_.score == nullptr || rule_.score == &free_slots);
  by_bits_ = knows_by_output && en_route_->offers_output_bits();
  by_sets_ = knows_by_output && en_route_->offers_output_sets();
  injection_vcs_ = relation_->injection_vcs();
}

void Chooser::sort_by_port() {
  const auto port = [this](const RouteOption& option) {
    return topology_.role(option.channel) == ChannelRole::injection ? option.channel.value()
                                                                    : topology_.output_port(option.channel);
  };
  if (!std::ranges::is_sorted(options_, {}, port)) std::ranges::stable_sort(options_, {}, port);
}

void Chooser::inject(const Packet& packet, std::vector<Choice>& choices) {
  const auto channels = topology_.injection(packet.source);
  if (channels.size() != 1) return query_injection(packet, choices);
  const Choice known = known_injection(packet, channels.front());
  if (known.vcs == 0) return query_injection(packet, choices);
  choices.clear();
  down_ = outages_ != nullptr && outages_->is_down(channels.front());
  if (!down_) {
    choices.push_back(known);
  } else {  // what stuck() reads
    options_.clear();
    none_comes_up_ = outages_->is_down_for_good(channels.front());
  }
#ifdef FAULTLINE_CHECKS
  check_injection(packet, choices);
#endif
}

void Chooser::check_injection(const Packet& packet, std::span<const Choice> choices) {
  std::vector<Choice> queried;
  query_injection(packet, queried);
  if (!std::ranges::equal(queried, choices))
    throw std::logic_error("wormhole: known injection options are not the relation's");
}

void Chooser::query_injection(const Packet& packet, std::vector<Choice>& choices) {
  options_.clear();
  contract_.inject(packet.source, packet.destination, options_);
#ifdef FAULTLINE_CHECKS
  contract_.inject_again(packet.source, packet.destination, options_);
#endif
  leave_out_what_is_down();
  narrow(packet, vertex_of(packet.source), choices, [](const Choice&) { return std::uint32_t{0}; });
}

void Chooser::keep_what_is_up() {
  const bool any = !options_.empty();
  none_comes_up_ = outages_->none_comes_up(options_);
  std::erase_if(options_, [&](const RouteOption& option) { return outages_->is_down(option.channel); });
  down_ = any && options_.empty();
}

void Chooser::narrow_options(const Packet& packet, SwitchId at) {
  keep_lowest_tier(options_);
  if (!rule_.reads_order) sort_by_port();
  if (!rule_.commits()) return;
  options_.front() = options_[picked(packet, at.value(), [](const Choice&) { return std::uint32_t{0}; })];
  options_.resize(1);
}

Choice Chooser::choice_of(const RouteOption& option) const {
  Choice choice{option.channel, all_vcs_, option.vcs & all_classes_, option.tag, option.cost};
  if (topology_.role(option.channel) != ChannelRole::network || choice.classes == all_classes_) return choice;
  choice.vcs = 0;
  for (std::uint32_t classes = choice.classes; classes != 0; classes &= classes - 1)
    choice.vcs |= vcs_of_class_[static_cast<std::size_t>(std::countr_zero(classes))];
  return choice;
}

std::uint8_t Chooser::class_of(const Choice& choice, std::uint32_t vc) const {
  if (topology_.role(choice.channel) == ChannelRole::network) return class_of_vc_[vc];
  const auto admitted = static_cast<std::uint32_t>(std::popcount(choice.classes));
  return static_cast<std::uint8_t>(nth_set_bit(choice.classes, vc * admitted / vc_count_));
}

}  // namespace faultline::wormhole
