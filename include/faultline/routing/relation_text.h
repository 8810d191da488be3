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

/// The relation as a text of the format faultline-relation 1: every state that packets can come to by any
/// option of any tier. Memory: the text, and one destination's states.
[[nodiscard]] std::string relation_text(const RoutingRelation& relation);
/// The same for some destinations, in rising order: part of a certificate, no relation file.
[[nodiscard]] std::string relation_text(const RoutingRelation& relation,
                                        const std::vector<TerminalId>& destinations);

/// What `file` says, on a topology of the same channels; `path` for errors. Throws Error("routing.file") with
/// the first channel that is not the topology's.
[[nodiscard]] RelationPtr tabulated_relation(TopologyPtr topology,
                                             std::shared_ptr<const formats::RelationFile> file,
                                             const std::string& path);

}  // namespace faultline
#pragma GCC visibility pop
