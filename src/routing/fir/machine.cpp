// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "faultline/routing/fir.h"

namespace faultline {
namespace {

/// Figure 3.1: the masked destination in the cyclic interval.
bool in_interval(const FirRegisters& registers, std::uint32_t destination) {
  const std::uint32_t masked = destination & registers.mask;
  const bool from_first = masked >= registers.first, to_last = masked <= registers.last;
  return registers.first <= registers.last ? from_first && to_last : from_first || to_last;
}

/// Figures 4.4 and 4.6.
bool allowed(const FirSwitch& at, std::size_t channel, const FirHeader& header) {
  const bool interval = in_interval(at.channels[channel], header.destination);
  if (!at.fault_tolerant) return interval;
  if ((at.adaptive >> channel & 1U) != 0) return interval && header.adaptive && !header.misrouting;
  const bool is_e1 = (at.escape >> channel & 1U) != 0;
  if (is_e1 == header.to_intermediate) return false;
  return header.misrouting ? (header.misroute_ports >> (channel / at.vcs) & 1U) != 0 : interval;
}

}  // namespace

std::uint64_t fir_allowed(const FirSwitch& at, const FirHeader& header) {
  std::uint64_t found = 0;
  for (std::size_t channel = 0; channel < at.channels.size(); ++channel)
    found |= std::uint64_t{allowed(at, channel, header)} << channel;
  return found;
}

std::uint64_t fir_routed(const FirSwitch& at, std::uint64_t allowed) {
  std::uint64_t routed = 0;
  for (std::uint64_t rest = allowed; rest != 0; rest &= rest - 1) {
    const auto channel = static_cast<std::size_t>(std::countr_zero(rest));
    if ((at.channels[channel].preferred & allowed) == 0) routed |= std::uint64_t{1} << channel;
  }
  return routed;
}

std::uint64_t fir_with_room(const FirSwitch& at, std::uint64_t routed, std::uint64_t input,
                            std::uint64_t room_for_one, std::uint64_t room_for_two) {
  std::uint64_t found = 0;
  for (std::uint64_t rest = routed; rest != 0; rest &= rest - 1) {
    const auto channel = static_cast<std::size_t>(std::countr_zero(rest));
    const std::uint64_t one_buffer = at.channels[channel].one_buffer;
    const bool needs_one = (one_buffer & input) != 0 || one_buffer == fir_all_channels(at.channels.size());
    found |= (needs_one ? room_for_one : room_for_two) & std::uint64_t{1} << channel;
  }
  return found;
}

namespace {

std::uint32_t bits_for(std::uint64_t count) {
  return count < 2 ? 0 : static_cast<std::uint32_t>(std::bit_width(count - 1));
}

}  // namespace

FirMemory fir_memory(std::uint64_t addresses, std::uint32_t address_bits, std::uint32_t ports,
                     std::uint32_t vcs, std::uint32_t options) {
  const std::uint64_t channels = std::uint64_t{ports} * vcs;
  FirMemory memory;
  memory.fir = channels * (std::uint64_t{3} * address_bits + 2 * channels);
  memory.ft_fir = memory.fir + 2 * channels;
  memory.table = addresses * bits_for(channels) * options;
  return memory;
}

std::optional<std::uint64_t> fir_crossover(std::uint32_t ports, std::uint32_t vcs, std::uint32_t options) {
  if (bits_for(std::uint64_t{ports} * vcs) == 0 || options == 0) return std::nullopt;
  const auto is_smaller = [&](std::uint64_t addresses) {
    const FirMemory memory = fir_memory(addresses, bits_for(addresses), ports, vcs, options);
    return memory.ft_fir < memory.table;
  };
  // A table grows by its entry with each address, registers by a bit each where the addresses double: once
  // smaller for good beyond a power of two, the registers may still grow past the table again at the next.
  std::uint64_t above = 1;
  while (!is_smaller(above) || !is_smaller(above + 1)) above *= 2;
  std::uint64_t crossover = above;
  while (crossover > 1 && is_smaller(crossover - 1)) --crossover;
  return crossover;
}

}  // namespace faultline
