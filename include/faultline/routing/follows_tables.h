// SPDX-License-Identifier: Apache-2.0
// Routings that were read from a fabric.
#pragma once

#include "faultline/infiniband/forwarding_tables.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Part of a relation by which switches follow forwarding tables.
class FollowsTables {
 public:
  FollowsTables() = default;
  FollowsTables(const FollowsTables&) = delete;
  FollowsTables& operator=(const FollowsTables&) = delete;
  virtual ~FollowsTables() = default;

  [[nodiscard]] virtual const infiniband::ForwardingTables& tables() const = 0;
};

}  // namespace faultline
#pragma GCC visibility pop
