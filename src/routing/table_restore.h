// SPDX-License-Identifier: Apache-2.0
// Forwarding tables that go back to what they were once what has failed is repaired.
#pragma once

#include "routing/table_repair.h"

namespace faultline {

/// The entries of `reference` from which paths over links that are wholly alive lead to the terminal, and
/// those of `in_use` at other switches. A column of `reference` that leads there from every switch at which
/// terminals inject is taken as it is. Both have the same columns. No new loop: what is in use leads to the
/// terminal, or to a switch with an entry of `reference`. Dependencies may close a cycle, where both are
/// mixed.
[[nodiscard]] ForwardingColumns with_restored_paths(const Topology& topology, const FaultSet& known,
                                                    const ForwardingColumns& reference,
                                                    const ForwardingColumns& in_use);

}  // namespace faultline
