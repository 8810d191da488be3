// SPDX-License-Identifier: Apache-2.0
// Damage, knowledge, choice: which channels are dead, who knows about them, and who chooses among the
// admissible options.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace faultline {

/// What switches know of dead channels. A switch with radius r rules out an option if every path that
/// continues from it meets a dead channel among its first r; radius 1 means its own outputs. A switch that
/// knows all rules out options without a healthy path to the destination and, where states lead back to each
/// other, those that do not come nearer.
class Knowledge {
 public:
  [[nodiscard]] static constexpr Knowledge none() { return Knowledge(0); }
  [[nodiscard]] static constexpr Knowledge within(std::uint32_t radius) { return Knowledge(radius); }
  [[nodiscard]] static constexpr Knowledge neighbours() { return Knowledge(1); }
  [[nodiscard]] static constexpr Knowledge all() { return Knowledge(everything); }

  [[nodiscard]] constexpr bool is_none() const { return radius_ == 0; }
  [[nodiscard]] constexpr bool is_all() const { return radius_ == everything; }
  /// In hops; not meaningful for all().
  [[nodiscard]] constexpr std::uint32_t radius() const { return radius_; }

  friend constexpr bool operator==(Knowledge, Knowledge) = default;

 private:
  explicit constexpr Knowledge(std::uint32_t radius) : radius_(radius) {}
  static constexpr std::uint32_t everything = ~std::uint32_t{0};
  std::uint32_t radius_;
};

/// Who chooses among a source's admissible injection options.
enum class SourceRole : std::uint8_t {
  any,   ///< no choice is assumed: a pair is served only if every choice arrives
  plan,  ///< the source knows the dead channels and offers only choices that arrive, whatever switches choose
};

/// The role under that knowledge: where switches know all, a source that plans knows no more than they do.
[[nodiscard]] constexpr SourceRole effective_role(SourceRole role, Knowledge knowledge) {
  return knowledge.is_all() ? SourceRole::any : role;
}

/// "none", "neighbours", a radius of at least 1, or "all". Throws Error(field, …) for anything else.
[[nodiscard]] Knowledge parse_knowledge(std::string_view text, std::string_view field);
[[nodiscard]] std::string to_string(Knowledge knowledge);

/// "any" or "plan". Throws Error(field, …) for anything else.
[[nodiscard]] SourceRole parse_source_role(std::string_view text, std::string_view field);
[[nodiscard]] std::string_view to_string(SourceRole role);

}  // namespace faultline
#pragma GCC visibility pop
