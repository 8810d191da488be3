// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace faultline::survival {

/// Maximum flow by shortest augmenting paths; for networks whose flow is small.
class Flow {
 public:
  static constexpr std::uint32_t unlimited = ~std::uint32_t{0};

  explicit Flow(std::uint32_t nodes) : first_(nodes, none) {}

  /// The arc's number.
  std::uint32_t add_arc(std::uint32_t from, std::uint32_t to, std::uint32_t capacity);
  /// At most `limit` + 1, at which the search stops. `unlimited` if a path has no limit.
  [[nodiscard]] std::uint32_t run(std::uint32_t source, std::uint32_t sink, std::uint32_t limit);
  /// After run: the flow through an arc of limited capacity.
  [[nodiscard]] std::uint32_t through(std::uint32_t arc) const { return arcs_[arc ^ 1U].capacity; }
  /// After run: whether the arc leads out of the part that the source still reaches, a minimum cut.
  [[nodiscard]] bool in_cut(std::uint32_t arc) const {
    return reached_[arcs_[arc ^ 1U].to] && !reached_[arcs_[arc].to];
  }
  /// After run: by node, the part of the residual network whose nodes reach each other.
  [[nodiscard]] std::vector<std::uint32_t> residual_parts() const;
  /// Whether an arc of limited capacity is in some minimum cut: it is full, and no residual path leads from
  /// its tail to its head (Picard & Queyranne, On the structure of all minimum cuts, 1980).
  [[nodiscard]] bool in_some_cut(std::uint32_t arc, const std::vector<std::uint32_t>& residual_parts) const {
    return arcs_[arc].capacity == 0 && residual_parts[arcs_[arc ^ 1U].to] != residual_parts[arcs_[arc].to];
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Arc {
    std::uint32_t to, next, capacity;
  };
  bool find_path(std::uint32_t source, std::uint32_t sink);

  std::vector<std::uint32_t> first_;  // by node: its first arc
  std::vector<Arc> arcs_;             // an arc and its reverse are neighbours
  std::vector<bool> reached_;
  std::vector<std::uint32_t> arrived_by_, queue_;
};

}  // namespace faultline::survival
