// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "certificate.h"

namespace checker {

/// The rule by which a verdict holds, checked destination by destination. `entering[s]`: the different
/// buffers by which a packet may enter state s.
class Rule {
 public:
  /// Throws Refused for ranks or rings that cannot serve.
  Rule(const Header& header, std::size_t line);
  void check(const Destination& destination, const std::vector<std::vector<Number>>& entering);
  /// Throws Refused for a packet of a deadlock that was not found to be as stated.
  void finish(std::size_t line) const;

 private:
  void check_rings(std::size_t line);
  void check_acyclic(const Destination& destination, const std::vector<std::vector<Number>>& entering) const;
  void check_escape_wormhole(const Destination& destination,
                             const std::vector<std::vector<Number>>& entering) const;
  void check_descent(const Destination& destination, const std::vector<std::vector<Number>>& entering) const;
  void check_packets(const Destination& destination);
  [[nodiscard]] Number rank(const Destination& destination, Number buffer) const;

  const Header& header_;
  std::vector<Number> ring_successor_;  ///< by buffer, itself where it is in no ring
  std::vector<bool> confirmed_;         ///< by packet
};

}  // namespace checker
