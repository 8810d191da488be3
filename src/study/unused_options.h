// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "faultline/describe/description.h"

namespace faultline {

/// Throws where an option was given on the command line but would change nothing. A study may give it all the
/// same: to all of its experiments with --set, or to a list of networks of which some use it.
inline void refuse_unused(const Description& given, const std::string& name, const std::string& value,
                          const std::string& allowed) {
  const bool is_of_a_study = !given.location.file.empty();
  if (!is_of_a_study) throw Error(given.path_of(name), value, allowed);
}

}  // namespace faultline
