// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace faultline {

/// The field of every pattern that reads a file, as errors name it.
inline constexpr const char* file_field = "traffic.file";

}  // namespace faultline
