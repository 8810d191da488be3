// SPDX-License-Identifier: Apache-2.0
#include "resilience/attachment_counts.h"

#include <algorithm>
#include "base/sort_unique.h"

namespace faultline::survival {
namespace {

using Side = Attachments::Side;

void add_terminals(AttachmentTables& tables, const Attachments& attachments,
                   const FaultComponents& components, Survival survival) {
  const ComponentsOfChannel channels(components, survival);
  std::vector<std::vector<std::uint32_t>> terminals_of(components.count());
  std::uint32_t ports = 0;
  for (const TerminalId terminal : components.topology().terminals()) {
    std::vector<std::uint32_t> all;
    const auto add_ports = [&](const Side& side) {
      for (const ChannelId channel : side.channels[terminal.index()]) {
        const auto of = channels.of(channel);
        tables.components_of_port.add({of.begin(), of.end()});
        all.insert(all.end(), of.begin(), of.end());
      }
    };
    add_ports(attachments.sources());
    add_ports(attachments.destinations());
    sort_unique(all);
    for (const Component component : all)
      terminals_of[component].push_back(static_cast<std::uint32_t>(terminal.index()));
    const Attachments::Class& sending = attachments.sources().class_at(terminal);
    const Attachments::Class& receiving = attachments.destinations().class_at(terminal);
    tables.terminals.push_back({ports, sending.ports, receiving.ports, sending.first_row, receiving.first_row,
                                attachments.first_self_row(terminal)});
    ports += sending.ports + receiving.ports;
  }
  for (const auto& list : terminals_of) tables.terminals_of.add(list);
}

/// Row by row, each lane what the row's entry says.
std::vector<std::uint32_t> in_every_lane(const std::vector<std::uint32_t>& rows, std::uint32_t lanes) {
  std::vector<std::uint32_t> table;
  table.reserve(rows.size() * lanes);
  for (const std::uint32_t entry : rows) table.insert(table.end(), lanes, entry);
  return table;
}

}  // namespace

AttachmentTables attachment_tables(const Attachments& attachments, const FaultComponents& components,
                                   Survival survival) {
  AttachmentTables tables;
  add_terminals(tables, attachments, components, survival);
  tables.counts.resize(attachments.row_count());
  for (const Side* side : {&attachments.sources(), &attachments.destinations()})
    for (const Attachments::Class& one : side->classes)
      tables.counts[one.row(one.full())] = static_cast<std::uint32_t>(one.terminals.size());
  tables.selves.resize(attachments.self_row_count());
  for (const auto& [classes, self] : attachments.selves()) {
    const Pattern left = attachments.sources().classes[classes.first].full();
    const Pattern right = attachments.destinations().classes[classes.second].full();
    tables.selves[attachments.self_row(classes.first, left, classes.second, right)] = self.terminals;
  }
  return tables;
}

AttachmentCounts::AttachmentCounts(const AttachmentTables& tables, Rows& values, std::uint32_t first_row)
    : tables_(tables),
      values_(values),
      first_row_(first_row),
      lanes_(static_cast<std::uint32_t>(64 * values.words())),
      counts_(in_every_lane(tables.counts, lanes_)),
      selves_(in_every_lane(tables.selves, lanes_)),
      cut_off_(lanes_) {
  for (std::uint32_t row = 0; row < tables.counts.size(); ++row)
    std::fill_n(values.row(first_row + row), values.words(),
                tables.counts[row] != 0 ? ~std::uint64_t{0} : std::uint64_t{0});
}

PatternRows AttachmentCounts::rows() {
  return {.masks = values_.row(first_row_),
          .words = static_cast<std::uint32_t>(values_.words()),
          .counts = counts_.data(),
          .selves = selves_.data(),
          .cut_off = cut_off_.data(),
          .lanes = lanes_};
}

void AttachmentCounts::load(const FaultBlock& block) {
  const auto words = static_cast<std::uint32_t>(values_.words());
  for (std::uint32_t lane = 0; lane < block.lanes; ++lane)
    for_each_hit(
        tables_.view(), Lane{values_.data(), words, lane}, block.faults,
        [set = block.set(lane)](std::uint32_t i) { return set[i]; },
        [&](std::uint32_t terminal, const PortsLeft& left) {
          hits_.push_back({terminal, lane, left});
        });
  for (const Hit& hit : hits_) move_terminal(tables_.terminals[hit.terminal], rows(), hit.lane, hit.left, 1);
}

void AttachmentCounts::unload() {
  for (const Hit& hit : hits_)
    move_terminal(tables_.terminals[hit.terminal], rows(), hit.lane, hit.left, std::uint32_t{0} - 1);
  hits_.clear();
}

}  // namespace faultline::survival
