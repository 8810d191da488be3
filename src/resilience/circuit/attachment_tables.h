// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "resilience/circuit/attachments.h"
#include "resilience/kernels/terminal_tables.h"

namespace faultline::survival {

[[nodiscard]] AttachmentTables attachment_tables(const Attachments& attachments,
                                                 const FaultComponents& components, Survival survival);

}  // namespace faultline::survival
