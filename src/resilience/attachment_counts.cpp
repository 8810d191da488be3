// SPDX-License-Identifier: Apache-2.0
#include "resilience/attachment_counts.h"

#include <algorithm>
#include <ranges>

namespace faultline::survival {

AttachmentCounts::AttachmentCounts(std::shared_ptr<const Attachments> attachments,
                                   const FaultComponents& components, Survival survival, std::uint32_t lanes)
    : attachments_(std::move(attachments)),
      components_(components, survival),
      terminals_of_(components.count()),
      lanes_(lanes),
      counts_(std::size_t{attachments_->row_count()} * lanes),
      selves_(std::size_t{attachments_->self_row_count()} * lanes),
      failed_(components.count()),
      seen_(components.topology().terminal_count()) {
  for (const Attachments::Side* side : {&attachments_->sources(), &attachments_->destinations()}) {
    for (const Attachments::Class& one : side->classes)
      std::fill_n(counts_.begin() + std::ptrdiff_t{one.row(one.full())} * lanes, lanes,
                  static_cast<std::uint32_t>(one.terminals.size()));
    for (const TerminalId terminal : components.topology().terminals())
      for (const ChannelId channel : side->channels[terminal.index()])
        for (const Component component : components_.of(channel))
          terminals_of_[component].push_back(terminal);
  }
  for (const auto& [classes, self] : attachments_->selves()) {
    const std::uint32_t full =
        attachments_->self_row(classes.first, attachments_->sources().classes[classes.first].full(),
                               classes.second, attachments_->destinations().classes[classes.second].full());
    std::fill_n(selves_.begin() + std::ptrdiff_t{full} * lanes, lanes, self.terminals);
  }
}

void AttachmentCounts::fill_masks(std::uint64_t* masks) const {
  const std::size_t words = lanes_ / 64;
  std::fill_n(masks, attachments_->row_count() * words, 0);
  for (const Attachments::Side* side : {&attachments_->sources(), &attachments_->destinations()})
    for (const Attachments::Class& one : side->classes)
      std::fill_n(masks + one.row(one.full()) * words, words, ~std::uint64_t{0});
}

void AttachmentCounts::load(const FaultBlock& block, std::uint64_t* masks) {
  cut_off_.assign(block.lanes, {});
  for (std::uint32_t lane = 0; lane < block.lanes; ++lane) {
    touched_.clear();
    for (const Component component : block.set(lane)) {
      failed_[component] = true;
      for (const TerminalId terminal : terminals_of_[component]) {
        if (!seen_[terminal.index()]) touched_.push_back(terminal);
        seen_[terminal.index()] = true;
      }
    }
    for (const TerminalId terminal : touched_) {
      load_terminal(terminal, lane, masks);
      seen_[terminal.index()] = false;
    }
    for (const Component component : block.set(lane)) failed_[component] = false;
  }
}

Pattern AttachmentCounts::pattern(const std::vector<ChannelId>& channels) const {
  Pattern result = 0;
  for (std::size_t i = 0; i < channels.size(); ++i)
    if (std::ranges::none_of(components_.of(channels[i]),
                             [&](Component component) { return failed_[component]; }))
      result |= Pattern{1} << i;
  return result;
}

void AttachmentCounts::add(std::vector<std::uint32_t>& table, std::uint32_t row, std::uint32_t lane,
                           int change) {
  std::uint32_t& count = table[std::size_t{row} * lanes_ + lane];
  changed_.push_back({&table, row, lane, count});
  count += static_cast<std::uint32_t>(change);
}

void AttachmentCounts::load_terminal(TerminalId terminal, std::uint32_t lane, std::uint64_t* masks) {
  const auto move_to = [&](const Attachments::Class& one, Pattern left) {
    if (left == one.full()) return;
    add(counts_, one.row(one.full()), lane, -1);
    if (left == 0) return;
    add(counts_, one.row(left), lane, 1);
    masks[one.row(left) * (lanes_ / 64) + lane / 64] |= std::uint64_t{1} << (lane % 64);
  };
  const auto class_on = [&](const Attachments::Side& side) -> const Attachments::Class& {
    return side.classes[side.class_of[terminal.index()]];
  };
  const Attachments::Class& sending = class_on(attachments_->sources());
  const Attachments::Class& receiving = class_on(attachments_->destinations());
  const Pattern out = pattern(attachments_->sources().channels[terminal.index()]);
  const Pattern in = pattern(attachments_->destinations().channels[terminal.index()]);
  move_to(sending, out);
  move_to(receiving, in);
  if (out != sending.full() || in != receiving.full()) {
    const auto self_row = [&](Pattern left, Pattern right) {
      return attachments_->first_self_row(terminal) + (left - 1) * receiving.full() + right - 1;
    };
    add(selves_, self_row(sending.full(), receiving.full()), lane, -1);
    if (out != 0 && in != 0) add(selves_, self_row(out, in), lane, 1);
  }
  if (out == 0) ++cut_off_[lane].sources;
  if (in == 0) ++cut_off_[lane].destinations;
  if (out == 0 || in == 0) ++cut_off_[lane].either;
}

void AttachmentCounts::unload(std::uint64_t* masks) {
  for (const Cell& cell : std::views::reverse(changed_))
    (*cell.table)[std::size_t{cell.row} * lanes_ + cell.lane] = cell.before;
  for (const Attachments::Side* side : {&attachments_->sources(), &attachments_->destinations()})
    for (const Attachments::Class& one : side->classes)
      if (one.full() > 1)
        std::fill_n(masks + one.first_row * (lanes_ / 64), (one.full() - 1) * (lanes_ / 64), 0);
  changed_.clear();
}

std::uint64_t AttachmentCounts::cut_off_pairs(std::uint32_t lane) const {
  const std::uint64_t all = seen_.size();
  const auto& [sources, destinations, either] = cut_off_[lane];
  // Pairs that are left: those of a source and a destination that still have channels, less those of one
  // terminal.
  const std::uint64_t left = (all - sources) * (all - destinations) - (all - either);
  return all * (all - 1) - left;
}

}  // namespace faultline::survival
