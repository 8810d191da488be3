// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "faultline/base/error.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Thrown by write_file if the path is fine, but the disk is full or broken.
class DiskError : public Error {
 public:
  using Error::Error;
};

}  // namespace faultline
#pragma GCC visibility pop
