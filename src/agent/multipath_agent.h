// SPDX-License-Identifier: Apache-2.0
// What the agents `drb` and `ft-drb` share.
#pragma once

#include <memory>
#include <optional>

#include "agent/link_fault_table.h"
#include "agent/multipath.h"

namespace faultline {

/// Divides the packets of each pair among its open paths; with `faults`, avoids paths with channels that the
/// table lists as down.
[[nodiscard]] std::unique_ptr<SourceAgent> multipath_agent(
    const AgentContext& context, const Multipath::Rules& paths,
    const std::optional<LinkFaultTable::Rules>& faults);

/// The parameters of the multipath.
struct MultipathSpec {
  std::uint32_t open = 4;
  double upper = 130, lower = 55;

  [[nodiscard]] Multipath::Rules rules() const { return {open, upper / 100, lower / 100}; }
};

/// Those fields of `Params`, which derives from MultipathSpec.
template <class Params>
void multipath_fields(auto& field) {
  const auto member = []<class Value>(Value MultipathSpec::*of) { return static_cast<Value Params::*>(of); };
  field("open", member(&MultipathSpec::open), between(1, 64),
        "maximum number of open paths of a pair, besides permanently dead ones");
  field("upper", member(&MultipathSpec::upper), between(1, 1e6),
        "joint latency of the open paths above which one more is opened, in % of the least latency that one "
        "of the pair's paths has alone in the network, for a packet of mean length");
  field("lower", member(&MultipathSpec::lower), between(0, 1e6),
        "likewise, the joint latency below which one is closed");
}

/// Throws Error unless the thresholds are in order.
inline void check_multipath(const MultipathSpec& spec, const Description& given) {
  if (spec.lower >= spec.upper)
    throw Error(given.path_of("lower"), std::to_string(spec.lower),
                "must be below the upper threshold, " + std::to_string(spec.upper));
}

}  // namespace faultline
