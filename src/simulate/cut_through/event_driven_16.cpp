// SPDX-License-Identifier: Apache-2.0
#include "simulate/cut_through/event_driven_run.h"

namespace faultline::cut_through {

#ifndef FAULTLINE_CHECKS  // see common_ports()
Outcome run_with_16_ports(const Run& run, NetworkState& network) { return run_with_ports<16>(run, network); }
#endif

}  // namespace faultline::cut_through
