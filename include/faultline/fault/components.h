// SPDX-License-Identifier: Apache-2.0
// What may fail as a unit, for a fault unit and a scope.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faultline/fault/fault_set.h"

#pragma GCC visibility push(default)
namespace faultline {

enum class FaultUnit : std::uint8_t { channel, link, switch_, terminal };
inline constexpr std::array all_fault_units{FaultUnit::channel, FaultUnit::link, FaultUnit::switch_,
                                            FaultUnit::terminal};
enum class FaultScope : std::uint8_t {
  network,   ///< channels and links between switches
  terminal,  ///< injection and ejection
  all,
};

/// What may fail as a unit: one fault unit or a mixture of several ("link+switch").
class FaultUnits {
 public:
  constexpr FaultUnits(FaultUnit unit)  // NOLINT(google-explicit-constructor): one unit is a mixture
      : bits_(static_cast<std::uint8_t>(1U << static_cast<unsigned>(unit))) {}

  [[nodiscard]] constexpr bool contains(FaultUnit unit) const {
    return (bits_ >> static_cast<unsigned>(unit) & 1U) != 0;
  }
  constexpr FaultUnits& operator|=(FaultUnits other) {
    bits_ = static_cast<std::uint8_t>(bits_ | other.bits_);
    return *this;
  }
  friend constexpr bool operator==(FaultUnits, FaultUnits) = default;

 private:
  std::uint8_t bits_;
};

[[nodiscard]] constexpr FaultUnits operator|(FaultUnits a, FaultUnit b) { return a |= b; }
[[nodiscard]] constexpr FaultUnits operator|(FaultUnit a, FaultUnit b) { return FaultUnits(a) | b; }

/// All four.
[[nodiscard]] constexpr FaultUnits every_fault_unit() {
  FaultUnits units = all_fault_units.front();
  for (const FaultUnit unit : all_fault_units) units |= unit;
  return units;
}

[[nodiscard]] std::string_view to_string(FaultUnit unit);
/// "link", "link+switch".
[[nodiscard]] std::string to_string(FaultUnits units);
[[nodiscard]] std::string_view to_string(FaultScope scope);
/// Throw Error(field) for an unknown name, and for a unit named twice.
[[nodiscard]] FaultUnits fault_units(std::string_view name, std::string_view field);
[[nodiscard]] FaultScope fault_scope(std::string_view name, std::string_view field);

/// The components 0 … count() - 1 that may fail, each with the channels that it takes down. Scopes network
/// and all include every switch, scope terminal only those with terminals; every scope includes terminals. In
/// a mixture channels come first, then links, switches and terminals.
class FaultComponents {
 public:
  FaultComponents(TopologyPtr topology, FaultUnits units, FaultScope scope);

  [[nodiscard]] std::size_t count() const { return offsets_.size() - 1; }
  [[nodiscard]] FaultUnits units() const { return units_; }
  [[nodiscard]] FaultUnit unit(std::size_t component) const { return members_[component].unit; }
  [[nodiscard]] FaultScope scope() const { return scope_; }
  [[nodiscard]] const Topology& topology() const { return *topology_; }
  /// The index of the channel, link, switch or terminal that a component is.
  [[nodiscard]] std::uint32_t member(std::size_t component) const { return members_[component].index; }
  /// The channels that die with a component.
  [[nodiscard]] std::span<const ChannelId> channels(std::size_t component) const {
    return std::span(channels_).subspan(offsets_[component], offsets_[component + 1] - offsets_[component]);
  }
  [[nodiscard]] std::string name(std::size_t component) const;
  /// Throws Error("components") for one that does not exist.
  [[nodiscard]] FaultSet fault_set(std::span<const std::uint32_t> components) const;
  /// Throws Error(field) for a component that does not exist.
  void require(std::uint32_t component, std::string_view field) const;

 private:
  TopologyPtr topology_;
  FaultUnits units_;
  FaultScope scope_;
  struct Member {
    FaultUnit unit = FaultUnit::channel;
    std::uint32_t index = 0;  ///< of the channel, link, switch or terminal
  };
  std::vector<Member> members_;
  std::vector<std::uint32_t> offsets_;
  std::vector<ChannelId> channels_;
};

}  // namespace faultline
#pragma GCC visibility pop
