// SPDX-License-Identifier: Apache-2.0
// Any routing as a relation file, and a relation file as a routing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "faultline/formats/relation_file.h"
#include "faultline/routing/relation.h"

#pragma GCC visibility push(default)
namespace faultline {

/// The relation as a text of the format faultline-relation 1: every state that packets can reach by any
/// option of any tier. Memory: the text, and one destination's states. Throws Error for a relation that
/// breaks its contract.
[[nodiscard]] std::string relation_text(const RoutingRelation& relation);
/// The same for some destinations, in ascending order: part of a certificate, not a relation file.
[[nodiscard]] std::string relation_text(const RoutingRelation& relation,
                                        const std::vector<TerminalId>& destinations);

/// The relation in `file`, on a topology with the same channels; `path` for errors. Throws
/// Error("routing.file") with the first channel that differs from the topology's.
[[nodiscard]] RelationPtr tabulated_relation(TopologyPtr topology,
                                             std::shared_ptr<const formats::RelationFile> file,
                                             const std::string& path);

}  // namespace faultline
#pragma GCC visibility pop
