// SPDX-License-Identifier: Apache-2.0
#include "simulate/injection/injection_process.h"

#include <fmt/format.h>

namespace faultline {

void InjectionProcess::refuse_destination(TerminalId source, TerminalId destination) const {
  throw Error(
      "traffic",
      fmt::format("terminal {} as the destination of terminal {}", destination.value(), source.value()),
      fmt::format("must be one of {} terminals", terminals_));
}

}  // namespace faultline
