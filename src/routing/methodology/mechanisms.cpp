// SPDX-License-Identifier: Apache-2.0
#include "routing/methodology/mechanisms.h"

#include <string>

#include "faultline/base/error.h"

namespace faultline {

Mechanisms parse_mechanisms(std::string_view letters) {
  Mechanisms mechanisms{.intermediate = false, .deterministic = false, .misrouting = false};
  if (letters == "none") return mechanisms;
  const auto refuse = [&] {
    throw Error("routing.mechanisms", std::string(letters),
                "must be none, or some of the letters i (intermediate switches), d (adaptivity off), "
                "m (misrouting), each once");
  };
  for (const char letter : letters) {
    bool* const mechanism = letter == 'i'   ? &mechanisms.intermediate
                            : letter == 'd' ? &mechanisms.deterministic
                            : letter == 'm' ? &mechanisms.misrouting
                                            : nullptr;
    if (mechanism == nullptr || *mechanism) refuse();
    *mechanism = true;
  }
  if (letters.empty()) refuse();
  return mechanisms;
}

}  // namespace faultline
