// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>

#include "faultline/routing/fir.h"

namespace faultline {
namespace {

std::string binary(std::uint64_t value, std::size_t bits) { return fmt::format("{:0{}b}", value, bits); }

std::string channel_name(const FirSwitch& at, std::size_t channel) {
  const std::string& port = at.ports[channel / at.vcs];
  const std::size_t vc = channel % at.vcs;
  if (!at.fault_tolerant) return at.vcs == 1 ? port : fmt::format("{}.{}", port, vc);
  if ((at.adaptive >> channel & 1U) != 0) return fmt::format("{} A{}", port, vc - 2);
  return port + ((at.escape >> channel & 1U) != 0 ? " E1" : " E0");
}

/// Appends the lowest `bits` of `value`, the highest first.
void append(std::string& digits, std::uint64_t value, std::size_t bits) { digits += binary(value, bits); }

std::string hexadecimal(std::string digits) {
  digits.insert(0, (4 - digits.size() % 4) % 4, '0');
  std::string text;
  for (std::size_t i = 0; i < digits.size(); i += 4)
    text += fmt::format("{:x}", std::stoul(digits.substr(i, 4), nullptr, 2));
  return text;
}

}  // namespace

std::string fir_text(const FirSwitch& at, const std::string& name) {
  const std::size_t count = at.channels.size();
  const int wide = static_cast<int>(std::max<std::size_t>(count, 3)),
            address = static_cast<int>(std::max(3U, at.address_bits));
  std::string text = fmt::format("switch {} (address {})\n", name, binary(at.address, at.address_bits));
  text += fmt::format("  {:8} {:{a}} {:{a}} {:{a}} {:{w}} {:{w}}{}\n", "channel", "FI", "LI", "MR", "RRR",
                      "BR", at.fault_tolerant ? " H Adapt" : "", fmt::arg("a", address), fmt::arg("w", wide));
  for (std::size_t channel = 0; channel < count; ++channel) {
    const FirRegisters& one = at.channels[channel];
    text += fmt::format("  {:8} {:{a}} {:{a}} {:{a}} {:{w}} {:{w}}", channel_name(at, channel),
                        binary(one.first, at.address_bits), binary(one.last, at.address_bits),
                        binary(one.mask, at.address_bits), binary(one.preferred, count),
                        binary(one.one_buffer, count), fmt::arg("a", address), fmt::arg("w", wide));
    if (at.fault_tolerant)
      text += fmt::format(" {} {}", at.escape >> channel & 1U, at.adaptive >> channel & 1U);
    text += '\n';
  }
  return text;
}

std::string fir_memory_image(const FirSwitch& at) {
  std::string text;
  const std::size_t count = at.channels.size();
  for (std::size_t channel = 0; channel < count; ++channel) {
    const FirRegisters& one = at.channels[channel];
    std::string digits;
    for (const std::uint32_t value : {one.first, one.last, one.mask}) append(digits, value, at.address_bits);
    for (const std::uint64_t value : {one.preferred, one.one_buffer}) append(digits, value, count);
    if (at.fault_tolerant) {
      append(digits, at.escape >> channel & 1U, 1);
      append(digits, at.adaptive >> channel & 1U, 1);
    }
    text += hexadecimal(std::move(digits)) + '\n';
  }
  return text;
}

}  // namespace faultline
