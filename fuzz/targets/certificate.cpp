// SPDX-License-Identifier: Apache-2.0
// Certificates, for the checker.
#include "certificate.h"

#include <cstring>

#include "targets.h"

namespace faultline::fuzz {

extern constinit const Target certificate{
    "certificate", [](std::string_view bytes) {
      try {
        const std::string said = checker::check(bytes);
        canary(!said.empty() && bytes.find("\nrouting Q") != std::string_view::npos);
      } catch (const checker::Refused& refused) {
        if (std::strncmp(refused.what(), "line ", 5) != 0) defect("a refusal without its line");
      }
    }};

}  // namespace faultline::fuzz
