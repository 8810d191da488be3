// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

namespace faultline::app::verbs {

extern constinit const Command fabric{
    "fabric", "examine and repair real InfiniBand fabrics and their forwarding tables", nullptr};

}  // namespace faultline::app::verbs
