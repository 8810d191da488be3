// SPDX-License-Identifier: Apache-2.0
#include "resilience/circuit/attachment_tables.h"

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

}  // namespace faultline::survival
