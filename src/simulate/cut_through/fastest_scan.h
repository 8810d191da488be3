// SPDX-License-Identifier: Apache-2.0
// The fastest scan for this processor, chosen when the program starts and called through pointers: an engine
// for each of them would take too long to compile. Switches::visit() also has the AVX-512 scan inlined.
#pragma once

#include "simulate/cut_through/scan.h"
#include "simulate/cut_through/scan_avx2.h"
#include "simulate/cut_through/scan_avx512.h"

namespace faultline::cut_through {

#ifdef FAULTLINE_VECTOR_SCANS

template <std::uint32_t Ports>
struct ScanFunctions {
  std::uint64_t (*due)(const Time* times, Time now);
  NarrowResult (*look)(const Time* eligible, const Time* free, const std::uint32_t* candidates, Time now);
  std::uint64_t (*wanted)(const std::uint32_t* candidates, std::uint64_t set);
  Time (*next)(const Time* eligible, Time now, const Time* free, std::uint64_t set);

  template <class Scan>
  static ScanFunctions of() {
    return {Scan::template due<Ports>, Scan::template look<Ports>, Scan::template wanted<Ports>,
            Scan::template next<Ports>};
  }
  static ScanFunctions fastest() {
    if (Avx512Scan::available()) return of<Avx512Scan>();
    if (Avx2Scan::available()) return of<Avx2Scan>();
    return of<BaseScan>();
  }
};

struct FastestScan : PlainScan {
  template <std::uint32_t Ports>
  [[nodiscard]] static std::uint64_t due(const Time* times, Time now) {
    return functions<Ports>.due(times, now);
  }
  template <std::uint32_t Ports>
  [[nodiscard]] static NarrowResult look(const Time* eligible, const Time* free,
                                         const std::uint32_t* candidates, Time now) {
    return functions<Ports>.look(eligible, free, candidates, now);
  }
  template <std::uint32_t Ports>
  [[nodiscard]] static std::uint64_t wanted(const std::uint32_t* candidates, std::uint64_t set) {
    return functions<Ports>.wanted(candidates, set);
  }
  template <std::uint32_t Ports>
  [[nodiscard]] static Time next(const Time* eligible, Time now, const Time* free, std::uint64_t set) {
    return functions<Ports>.next(eligible, now, free, set);
  }

 private:
  template <std::uint32_t Ports>
  inline static const ScanFunctions<Ports> functions = ScanFunctions<Ports>::fastest();
};

#else

using FastestScan = BaseScan;

#endif

}  // namespace faultline::cut_through
