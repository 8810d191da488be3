// SPDX-License-Identifier: Apache-2.0
// faultline-check FILE: is this certificate of 'faultline verify' true, and is it about my network?
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "compare.h"
#include "switches.h"

namespace {

constexpr const char* usage =
    "faultline-check FILE [--network FILE] [--relation FILE] [--dead FILE] [--expect TEXT]\n"
    "Checks a certificate of 'faultline verify --certificate FILE', or of\n"
    "'faultline design switches --certificate FILE'. A certificate proves something about\n"
    "the relation that is written in it. Give files of your own to check that this is your network;\n"
    "they are compared line by line:\n"
    "  --network FILE   your list of cables: lines 'n FROM TO', 'i TERMINAL SWITCH', 'e SWITCH TERMINAL'\n"
    "  --relation FILE  the relation that is installed (format faultline-relation 1)\n"
    "  --dead FILE      the numbers of the channels that are dead, one a line\n"
    "  --expect TEXT    the topology or the routing that it must be labelled with\n"
    "Exits 0 when all that it says is proved, 1 when it is not, 2 when there is nothing to read\n"
    "or the arguments are wrong.\n";

struct Arguments {
  std::string certificate;
  std::optional<std::string> network, relation, dead, expect;

  [[nodiscard]] bool compares() const { return network || relation || dead || expect; }
};

/// As one line, whatever a path or a label contains.
std::string printable(const std::string& text) {
  std::string line = text.substr(0, 1000);
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    const bool is_control_of_utf8 = i > 0 && line[i - 1] == '\xc2' && byte >= 0x80 && byte < 0xa0;
    if (is_control_of_utf8) line[i - 1] = '?';
    if (byte < 0x20 || byte == 0x7f || is_control_of_utf8) line[i] = '?';
  }
  return line;
}

/// Throws std::invalid_argument, which says what is wrong.
Arguments arguments_of(int argc, char** argv) {
  Arguments arguments;
  const auto refuse = [](std::string_view word, const char* reason) {
    throw std::invalid_argument("'" + printable(std::string(word)) + "' " + reason);
  };
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    std::optional<std::string>* option = word == "--network"    ? &arguments.network
                                         : word == "--relation" ? &arguments.relation
                                         : word == "--dead"     ? &arguments.dead
                                         : word == "--expect"   ? &arguments.expect
                                                                : nullptr;
    if (option != nullptr && i + 1 == argc) refuse(word, "needs a value");
    if (option != nullptr)
      *option = argv[++i];
    else if (word.starts_with("--"))
      refuse(word, "is not an option");
    else if (!arguments.certificate.empty())
      refuse(word, "is a second file; give one certificate");
    else
      arguments.certificate = word;
  }
  if (arguments.certificate.empty()) throw std::invalid_argument("no certificate is given");
  return arguments;
}

constexpr std::uintmax_t max_bytes = std::uintmax_t{1} << 36;

int complain(const std::string& path, const char* reason) {
  (void)std::fprintf(stderr, "faultline-check: %s %s\n", printable(path).c_str(), reason);
  return 2;
}

/// Null, or why there is nothing to check. Faultline writes no endless files.
const char* read(const std::string& path, std::string& text) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status)) return "is missing";
  if (!std::filesystem::is_regular_file(status)) return "is not a regular file";
  const auto bytes = std::filesystem::file_size(path, failure);
  if (failure || bytes > max_bytes) return "is too large";
  std::ifstream file(path, std::ios::binary);
  text.resize(bytes);  // and no more than that, in case it never ends
  if (!file.read(text.data(), static_cast<std::streamsize>(bytes))) return "cannot be read";
  return nullptr;
}

/// Nothing for a file that cannot be read, or is empty though it must not be. A list may be empty.
std::optional<std::string> content(const std::string& path, bool may_be_empty = false) {
  std::string text;
  const char* reason = read(path, text);
  if (reason == nullptr && text.empty() && !may_be_empty) reason = "is empty";
  if (reason == nullptr) return text;
  (void)complain(path, reason);
  return std::nullopt;
}

using Compare = void (*)(const checker::Certificate&, std::string_view);

/// False where the reader's file cannot be read.
bool compare(const checker::Certificate& certificate, const std::optional<std::string>& path,
             Compare compare_with, bool may_be_empty = false) {
  if (!path) return true;
  const auto text = content(*path, may_be_empty);
  if (!text) return false;
  try {
    compare_with(certificate, *text);
  } catch (const checker::Refused& refused) {
    throw std::runtime_error(*path + ", " + refused.what());
  }
  return true;
}

/// Cables do not tell which relation is installed, nor which channels are dead.
void say_what_is_not_compared(const Arguments& arguments, const checker::Certificate& certificate) {
  if (!arguments.relation)
    std::printf(
        "this holds for the relation inside the certificate; compare it with the installed one by "
        "--relation%s\n",
        arguments.network ? "" : ", or its cables with yours by --network");
  if (!arguments.dead && !certificate.dead.empty())
    std::printf("the certificate takes %zu channel%s for dead; compare %s by --dead\n",
                certificate.dead.size(), certificate.dead.size() == 1 ? "" : "s",
                certificate.dead.size() == 1 ? "it" : "them");
}

int run(const Arguments& arguments) {
  const auto text = content(arguments.certificate);
  if (!text) return 2;
  if (text->starts_with(checker::switches_keyword)) {
    if (arguments.compares())
      return complain(arguments.certificate, "certifies a design: it cannot be compared with a network");
    std::printf("accepted: %s\n", checker::check(*text).c_str());
    return 0;
  }
  const checker::Certificate certificate = checker::read_certificate(*text);
  if (!compare(certificate, arguments.network, checker::compare_network) ||
      !compare(certificate, arguments.relation, checker::compare_relation) ||
      !compare(certificate, arguments.dead, checker::compare_dead, true))
    return 2;
  if (arguments.expect && *arguments.expect != certificate.topology &&
      *arguments.expect != certificate.routing)
    throw std::runtime_error("it is labelled '" + printable(certificate.topology) + "' with '" +
                             printable(certificate.routing) + "', not '" + printable(*arguments.expect) +
                             "'");
  std::printf("accepted: %s\n", checker::check(certificate).c_str());
  say_what_is_not_compared(arguments, certificate);
  return 0;
}

int run_and_report(const Arguments& arguments) {
  try {
    const int status = run(arguments);
    return std::fflush(stdout) == 0 ? status : complain("standard output", "cannot be written");
  } catch (const std::bad_alloc& error) {
    return complain(arguments.certificate, error.what());
  } catch (const std::exception& refused) {
    std::printf("rejected: %s\n", printable(refused.what()).c_str());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::fputs(usage, stdout);
    return std::fflush(stdout) == 0 ? 0 : complain("standard output", "cannot be written");
  }
  Arguments arguments;
  try {
    arguments = arguments_of(argc, argv);
  } catch (const std::invalid_argument& wrong) {
    (void)std::fprintf(stderr, "faultline-check: %s\n%s", wrong.what(), usage);
    return 2;
  }
  return run_and_report(arguments);
}
