// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

namespace faultline::app::verbs {

extern constinit const Command design{"design", "propose a network that meets given requirements", nullptr};

}  // namespace faultline::app::verbs
