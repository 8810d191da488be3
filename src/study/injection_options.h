// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include "faultline/describe/description.h"
#include "study/unused_options.h"

namespace faultline {

/// Refuses options of `simulate` about what sources generate that would change nothing (refuse_unused()).
template <class Verb>
void check_injection_options(const Verb& asked, const Description& given, bool is_trace) {
  const Verb none{};
  if (is_trace && asked.packet_flits != none.packet_flits)
    refuse_unused(given, "packet-flits", asked.packet_flits,
                  "must be left out: the trace says how long packets are");
  if (is_trace && asked.injection != none.injection)
    refuse_unused(given, "injection", asked.injection,
                  "must be left out: the trace says when packets are sent");
  if (asked.injection != "bursty" && asked.burst_packets != none.burst_packets)
    refuse_unused(given, "burst-packets", fmt::format("{}", asked.burst_packets),
                  "must be used with injection bursty");
}

}  // namespace faultline
