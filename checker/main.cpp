// SPDX-License-Identifier: Apache-2.0
// faultline-check FILE: is this certificate of 'faultline verify' true?
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "certificate.h"

namespace {

constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 36;

/// Null, or why there is nothing to check. An endless file is none that verify wrote.
const char* read(const char* path, std::string& text) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status)) return "is missing";
  if (!std::filesystem::is_regular_file(status)) return "is no regular file";
  const auto bytes = std::filesystem::file_size(path, failure);
  if (failure || bytes > most_bytes) return "is too large";
  std::ifstream file(path, std::ios::binary);
  text.resize(bytes);  // and no more than that, should it never end
  if (!file.read(text.data(), static_cast<std::streamsize>(bytes))) return "cannot be read";
  return text.empty() ? "is empty" : nullptr;
}

/// On one line, whatever the path holds.
int complain(const std::string& path, const char* reason) {
  std::string line = path.substr(0, 1000);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  (void)std::fprintf(stderr, "faultline-check: %s %s\n", line.c_str(), reason);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || std::string_view(argv[1]) == "--help") {
    std::fputs(
        "faultline-check FILE: checks a certificate of 'faultline verify --certificate FILE', or of\n"
        "'faultline design switches --certificate FILE'.\n"
        "Exits 0 when all that it says is proved, 1 when it is not, 2 when there is nothing to read.\n",
        argc == 2 ? stdout : stderr);
    return argc == 2 ? 0 : 2;
  }
  try {
    std::string text;
    if (const char* reason = read(argv[1], text)) return complain(argv[1], reason);
    try {
      std::printf("accepted: %s\n", checker::check(text).c_str());
      return std::fflush(stdout) == 0 ? 0 : complain("standard output", "cannot be written");
    } catch (const checker::Refused& refused) {
      std::printf("rejected: %s\n", refused.what());
      return 1;
    }
  } catch (const std::exception& error) {  // of memory, above all
    return complain(argv[1], error.what());
  }
}
