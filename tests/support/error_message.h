// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "faultline/base/error.h"

namespace faultline::testing_support {

/// What the Error that `act` throws says; "accepted" if it throws none.
template <class Act>
std::string error_message(Act act) {
  try {
    act();
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace faultline::testing_support
