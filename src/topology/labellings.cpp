// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/labellings.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "faultline/topology/limits.h"

namespace faultline {
namespace {

/// Throws where k^n is not a number of terminals.
std::uint32_t checked_base(std::uint32_t k, std::uint32_t n) {
  if (k < 2 || n == 0 || saturating_power(k, n) > max_terminals)
    throw std::logic_error(fmt::format(
        "StageDigits({}, {}): k must be at least 2, n at least 1, and k^n at most {}", k, n, max_terminals));
  return k;
}

}  // namespace

StageDigits::StageDigits(std::uint32_t k, std::uint32_t n)
    : k_(checked_base(k, n)), n_(n), powers_{Divisor(1)} {
  for (std::uint32_t exponent = 0; exponent < n; ++exponent) powers_.emplace_back(powers_.back().value() * k);
}

Automorphism renaming(const Topology& topology, const StageDigits& digits, const DigitChange& change) {
  const std::uint32_t k = digits.k(), digit = change.digit, copies = change.copies;
  const auto changed = [&](std::uint32_t address, std::uint32_t position) {
    return digits.with_digit(address, position, change.image(digits.digit(address, position)));
  };
  const auto at = [&](SwitchId one) {
    const std::uint32_t stage = digits.stage(one), order = digits.order(one);
    if (digit == stage) return one;
    return digits.at(stage, changed(order, digit < stage ? digit : digit - 1));
  };
  const auto port = [&](SwitchId one, std::uint32_t output) {
    if (digits.stage(one) != digit) return output;
    const std::uint32_t half = output / (k * copies), value = output / copies % k;
    return (half * k + change.image(value)) * copies + output % copies;
  };
  return renaming(
      topology, at, [&](TerminalId one) { return TerminalId(changed(one.value(), digit)); }, port);
}

std::vector<Automorphism> TreeLabelling::automorphisms(const Topology& topology) const {
  std::vector<Automorphism> all;
  for (std::uint32_t digit = 0; digit < digits.n(); ++digit)
    all.push_back(
        renaming(topology, digits, {digit, [&](std::uint32_t value) { return (value + 1) % digits.k(); }}));
  return all;
}

/// A terminal that is attached crosswise shares a switch with the one whose number differs in the lowest bit:
/// permuting digit 0 preserves such pairs.
std::vector<Automorphism> RuftLabelling::automorphisms(const Topology& topology) const {
  const std::uint32_t last = digits.n() - 1;
  std::vector<Automorphism> all;
  const auto add = [&](std::uint32_t digit, std::function<std::uint32_t(std::uint32_t)> image) {
    const std::uint32_t copies = digit < last ? parallel : attachment == Attachment::parallel ? 2 : 1;
    all.push_back(renaming(topology, digits, {digit, std::move(image), copies}));
  };
  const auto step = [&](std::uint32_t by) {
    return [this, by](std::uint32_t value) { return (value + by) % digits.k(); };
  };
  const bool in_pairs = attachment == Attachment::crossed;
  add(0, step(in_pairs ? 2 : 1));
  if (in_pairs) add(0, [](std::uint32_t value) { return value ^ 1U; });
  for (std::uint32_t digit = 1; digit < digits.n(); ++digit) add(digit, step(1));
  return all;
}

namespace {

infiniband::CableEnd end_at(const FabricLabelling& fabric, TerminalId terminal,
                            std::span<const ChannelId> channels, ChannelId channel) {
  const auto position = std::ranges::find(channels, channel) - channels.begin();
  const infiniband::CableEnd& first = fabric.terminal_ports[terminal.index()];
  return {first.node, first.port + static_cast<std::uint32_t>(position)};
}

}  // namespace

infiniband::CableEnd FabricLabelling::sending_end(const Topology& topology, ChannelId channel) const {
  if (const SwitchId at = topology.source(channel); at.valid())
    return {switch_nodes[at.index()], topology.output_port(channel) + first_port};
  const TerminalId terminal = topology.terminal(channel);
  return end_at(*this, terminal, topology.injection(terminal), channel);
}

infiniband::CableEnd FabricLabelling::receiving_end(const Topology& topology, ChannelId channel) const {
  if (const SwitchId at = topology.target(channel); at.valid())
    return {switch_nodes[at.index()], topology.input_port(channel) + first_port};
  const TerminalId terminal = topology.terminal(channel);
  return end_at(*this, terminal, topology.ejection(terminal), channel);
}

}  // namespace faultline
