// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#include "faultline/base/error.h"
#include "targets.h"

namespace faultline::fuzz {

void defect(std::string_view reason) {
  std::fprintf(stderr, "defect: %.*s\n", static_cast<int>(reason.size()), reason.data());
  std::abort();
}

void canary(bool condition) {
  if (condition && std::getenv("FAULTLINE_CANARY") != nullptr) defect("the canary");
}

void answer_or_refusal(void (*read)(std::string_view bytes), std::string_view bytes) {
  try {
    read(bytes);
  } catch (const Error& error) {
    const std::string_view said = error.what();
    if (error.parts().field.empty() || error.parts().allowed.empty()) defect("a refusal without a reason");
    if (printable(said, said.size()) != said) defect("a message that no terminal can show");
    if (said.size() > 20'000) defect("a message longer than 20,000 bytes");
  }
}

}  // namespace faultline::fuzz
