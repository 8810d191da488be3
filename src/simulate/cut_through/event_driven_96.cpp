// SPDX-License-Identifier: Apache-2.0
#include "simulate/cut_through/event_driven_run.h"

namespace faultline::cut_through {

#ifndef FAULTLINE_CHECKS  // see run_event_driven()
Outcome run_with_96_ports(const Run& run) { return run_with_ports<96>(run); }
#endif

}  // namespace faultline::cut_through
