// SPDX-License-Identifier: Apache-2.0
// Routings whose heads search for a path as they go.
#pragma once

#include "faultline/routing/relation.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Part of a relation whose heads search, with what switches know of their own neighbours, until they have
/// tried every way.
class Searching {
 public:
  Searching() = default;
  Searching(const Searching&) = delete;
  Searching& operator=(const Searching&) = delete;
  virtual ~Searching() = default;

  /// A relation that offers all ways forward that the search may try. While only switches fail, the search
  /// serves a pair exactly where switches that knew all would find a way among them. Null where it may end
  /// before it has tried them all.
  [[nodiscard]] virtual RelationPtr searched() const = 0;
};

}  // namespace faultline
#pragma GCC visibility pop
