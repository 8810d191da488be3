// SPDX-License-Identifier: Apache-2.0
// faultline-check FILE: is this certificate of 'faultline verify' true?
#include <cstdio>
#include <fstream>
#include <iterator>

#include "certificate.h"

int main(int argc, char** argv) {
  if (argc != 2 || std::string_view(argv[1]) == "--help") {
    std::fputs(
        "faultline-check FILE: checks a certificate of 'faultline verify --certificate FILE', or of\n"
        "'faultline design switches --certificate FILE'.\n"
        "Exits 0 when all that it says is proved, 1 when it is not, 2 when there is nothing to read.\n",
        argc == 2 ? stdout : stderr);
    return argc == 2 ? 0 : 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || text.empty()) {
    std::fprintf(stderr, "faultline-check: %s cannot be read, or is empty\n", argv[1]);
    return 2;
  }
  try {
    std::printf("accepted: %s\n", checker::check(text).c_str());
    return 0;
  } catch (const checker::Refused& refused) {
    std::printf("rejected: %s\n", refused.what());
    return 1;
  }
}
