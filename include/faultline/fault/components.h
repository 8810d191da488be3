// SPDX-License-Identifier: Apache-2.0
// What may fail as one piece, for a unit and a scope.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faultline/fault/fault_set.h"

namespace faultline {

enum class FaultUnit : std::uint8_t { channel, link, switch_, terminal };
enum class FaultScope : std::uint8_t {
  network,   ///< channels and links between switches
  terminal,  ///< injection and ejection
  all,
};

[[nodiscard]] std::string_view name(FaultUnit unit);
[[nodiscard]] std::string_view name(FaultScope scope);
/// Throw Error(field) for a name that is none.
[[nodiscard]] FaultUnit fault_unit(std::string_view name, std::string_view field);
[[nodiscard]] FaultScope fault_scope(std::string_view name, std::string_view field);

/// The components 0 … count() - 1 that may fail, each with the channels that it takes down. Every switch
/// counts for scopes network and all, only those that hold terminals for scope terminal; a terminal counts
/// for every scope.
class FaultComponents {
 public:
  FaultComponents(TopologyPtr topology, FaultUnit unit, FaultScope scope);

  [[nodiscard]] std::size_t count() const { return offsets_.size() - 1; }
  [[nodiscard]] FaultUnit unit() const { return unit_; }
  [[nodiscard]] FaultScope scope() const { return scope_; }
  [[nodiscard]] const Topology& topology() const { return *topology_; }
  /// The index of the channel, link, switch or terminal that a component is.
  [[nodiscard]] std::uint32_t member(std::size_t component) const { return members_[component]; }
  /// The channels that die with a component.
  [[nodiscard]] std::span<const ChannelId> channels(std::size_t component) const {
    return std::span(channels_).subspan(offsets_[component], offsets_[component + 1] - offsets_[component]);
  }
  [[nodiscard]] std::string name(std::size_t component) const;
  [[nodiscard]] FaultSet fault_set(std::span<const std::uint32_t> components) const;

 private:
  TopologyPtr topology_;
  FaultUnit unit_;
  FaultScope scope_;
  std::vector<std::uint32_t> members_;  ///< channel, link, switch or terminal index of each component
  std::vector<std::uint32_t> offsets_;
  std::vector<ChannelId> channels_;
};

}  // namespace faultline
