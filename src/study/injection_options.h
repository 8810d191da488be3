// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include "faultline/describe/description.h"

namespace faultline {

/// Throws where an option of `simulate` about what sources generate is given, but would change nothing.
template <class Verb>
void check_injection_options(const Verb& asked, const Description& given, bool is_trace) {
  const Verb none{};
  if (is_trace && asked.packet_flits != none.packet_flits)
    throw Error(given.path_of("packet-flits"), asked.packet_flits,
                "must be left out: the trace says how long packets are", given.location);
  if (is_trace && asked.injection != none.injection)
    throw Error(given.path_of("injection"), asked.injection,
                "must be left out: the trace says when packets are sent", given.location);
  if (asked.injection != "bursty" && asked.burst_packets != none.burst_packets)
    throw Error(given.path_of("burst-packets"), fmt::format("{}", asked.burst_packets),
                "must be used with injection bursty", given.location);
}

}  // namespace faultline
