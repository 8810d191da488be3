// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "faultline/base/error.h"
#include "faultline/describe/description.h"

namespace faultline {

/// Throws Error where a file or a seed is given that the attachment does not use. A seed that was given
/// cannot be told from the default where they are equal: canonical descriptions hold every seed.
template <class Kind>
void check_attachment_fields(const Kind& asked, const Description& given) {
  if (asked.file && asked.attachment != "file")
    throw Error(given.path_of("file"), asked.file->path, "must be used with attachment=file", given.location);
  if (asked.seed != Kind{}.seed && asked.attachment != "random")
    throw Error(given.path_of("seed"), std::to_string(asked.seed), "must be used with attachment=random",
                given.location);
}

}  // namespace faultline
