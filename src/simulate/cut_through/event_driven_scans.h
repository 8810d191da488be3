// SPDX-License-Identifier: Apache-2.0
// The scan that this processor is best at.
#pragma once

#include "simulate/cut_through/event_driven_run.h"
#include "simulate/cut_through/scan_avx2.h"
#include "simulate/cut_through/scan_avx512.h"

namespace faultline::cut_through {

#ifdef FAULTLINE_CHECKS  // with sanitizers each takes half a minute to compile
constexpr std::uint32_t most_ports_of_all_scans = 8;
#else
constexpr std::uint32_t most_ports_of_all_scans = 64;
#endif

template <std::uint32_t Ports>
Outcome run_with_ports(const Run& run, Fabric& fabric) {
#ifdef FAULTLINE_VECTOR_SCANS
  if constexpr (Ports <= most_ports_of_all_scans) {
    if (Avx512Scan::available()) return run_scanning<Avx512Scan, Ports>(run, fabric);
    if (Avx2Scan::available()) return run_scanning<Avx2Scan, Ports>(run, fabric);
  }
#endif
  return run_scanning<BaseScan, Ports>(run, fabric);
}

}  // namespace faultline::cut_through
