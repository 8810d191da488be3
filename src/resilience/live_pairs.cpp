// SPDX-License-Identifier: Apache-2.0
#include "resilience/live_pairs.h"

#include <algorithm>
#include <map>

namespace faultline::survival {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

/// The component that each switch is, or none; empty where switches do not fail.
std::vector<std::uint32_t> component_of_switch(const FaultComponents& components) {
  const Topology& topology = components.topology();
  std::vector<std::uint32_t> result;
  if (!components.units().contains(FaultUnit::switch_)) return result;
  result.resize(topology.switch_count(), none);
  for (std::uint32_t component = 0; component < components.count(); ++component)
    if (components.unit(component) == FaultUnit::switch_) result[components.member(component)] = component;
  return result;
}

std::vector<std::uint32_t> sorted_unique(std::vector<std::uint32_t> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

LivePairs::LivePairs(const FaultComponents& components)
    : terminals_(components.topology().terminal_count()),
      attachments_of_(components.count()),
      failed_(components.count()) {
  const Topology& topology = components.topology();
  const std::vector<std::uint32_t> component_of = component_of_switch(components);
  if (component_of.empty()) return;
  std::map<std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>, std::uint64_t> groups;
  for (const TerminalId terminal : topology.terminals()) {
    std::vector<std::uint32_t> injection, ejection;
    for (const ChannelId channel : topology.injection(terminal))
      injection.push_back(component_of[topology.target(channel).index()]);
    for (const ChannelId channel : topology.ejection(terminal))
      ejection.push_back(component_of[topology.source(channel).index()]);
    ++groups[{sorted_unique(injection), sorted_unique(ejection)}];
  }
  for (const auto& [switches, terminals] : groups) {
    std::vector<std::uint32_t> either = switches.first;
    either.insert(either.end(), switches.second.begin(), switches.second.end());
    for (const std::uint32_t component : sorted_unique(either))
      attachments_of_[component].push_back(static_cast<std::uint32_t>(attachments_.size()));
    attachments_.push_back({switches.first, switches.second, terminals});
  }
  seen_.resize(attachments_.size());
}

bool LivePairs::all_failed(const std::vector<std::uint32_t>& switches) const {
  return std::ranges::all_of(switches, [&](std::uint32_t component) { return failed_[component]; });
}

std::uint64_t LivePairs::count(std::span<const std::uint32_t> failed) {
  if (attachments_.empty()) return terminals_ * (terminals_ - 1);
  for (const std::uint32_t component : failed) failed_[component] = true;
  std::uint64_t no_source = 0, no_destination = 0, neither = 0;
  std::vector<std::uint32_t> touched;
  for (const std::uint32_t component : failed)
    for (const std::uint32_t index : attachments_of_[component]) {
      if (seen_[index]) continue;
      seen_[index] = true;
      touched.push_back(index);
      const Attachment& attachment = attachments_[index];
      const bool mute = all_failed(attachment.injection), deaf = all_failed(attachment.ejection);
      if (mute) no_source += attachment.terminals;
      if (deaf) no_destination += attachment.terminals;
      if (mute && deaf) neither += attachment.terminals;
    }
  for (const std::uint32_t component : failed) failed_[component] = false;
  for (const std::uint32_t index : touched) seen_[index] = false;
  const std::uint64_t both = terminals_ - no_source - no_destination + neither;
  return (terminals_ - no_source) * (terminals_ - no_destination) - both;
}

}  // namespace faultline::survival
