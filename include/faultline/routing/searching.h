// SPDX-License-Identifier: Apache-2.0
// Routings whose heads search for a path while they travel.
#pragma once

#include "faultline/routing/relation.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Part of a relation whose heads search, with what switches know of their own neighbours, until they have
/// tried every path.
class Searching {
 public:
  Searching() = default;
  Searching(const Searching&) = delete;
  Searching& operator=(const Searching&) = delete;
  virtual ~Searching() = default;

  /// A relation that offers all paths that the search may try. While only switches fail, the search serves a
  /// pair exactly if switches that know all faults would find a path among them. Null if the search may end
  /// before it has tried them all.
  [[nodiscard]] virtual RelationPtr searched() const = 0;
};

}  // namespace faultline
#pragma GCC visibility pop
