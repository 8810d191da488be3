// SPDX-License-Identifier: Apache-2.0
#include "simulate/cut_through/event_driven_run.h"

namespace faultline::cut_through {

Outcome run_with_64_ports(const Run& run) { return run_with_ports<64>(run); }

}  // namespace faultline::cut_through
