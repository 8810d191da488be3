// SPDX-License-Identifier: Apache-2.0
#include "agent/link_fault_table.h"

#include <algorithm>

namespace faultline {
namespace {

bool is_on(std::span<const ChannelId> path, ChannelId channel) {
  return std::ranges::find(path, channel) != path.end();
}

}  // namespace

void LinkFaultTable::notify(ChannelId channel) {
  const auto known = std::ranges::find(entries_, channel, &Entry::channel);
  if (known == entries_.end()) {
    if (rules_.max_entries != 0 && entries_.size() == rules_.max_entries) entries_.erase(entries_.begin());
    entries_.push_back({.channel = channel});
    return;
  }
  ++known->stage;
  known->attempt = 0;
}

bool LinkFaultTable::rules_out(std::span<const ChannelId> path) const {
  return rules_.permanent_attempts == 0 && std::ranges::any_of(entries_, [&](const Entry& entry) {
           return is_permanent(entry) && is_on(path, entry.channel);
         });
}

bool LinkFaultTable::admits(std::span<const ChannelId> path) {
  if (rules_out(path)) return false;
  bool ripe = true;
  for (const Entry& entry : entries_)
    if (is_on(path, entry.channel))
      ripe &= entry.attempt >= (is_permanent(entry) ? rules_.permanent_attempts : rules_.attempts);
  if (ripe) return true;
  for (Entry& entry : entries_)
    if (is_on(path, entry.channel)) ++entry.attempt;
  return false;
}

std::size_t LinkFaultTable::clear(std::span<const ChannelId> path) {
  return std::erase_if(entries_, [&](const Entry& entry) { return is_on(path, entry.channel); });
}

bool LinkFaultTable::touches(std::span<const ChannelId> path) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) { return is_on(path, entry.channel); });
}

}  // namespace faultline
