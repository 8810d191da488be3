// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "command_line.h"
#include "faultline/base/version.h"

namespace faultline::app {
namespace {

/// CLI11 lists words that it could not place; a misspelt option deserves its nearest name.
[[noreturn]] void refuse_extra_words(const CLI::App& command) {
  const std::vector<std::string> extra = command.remaining();
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) names.push_back(option->get_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw Error(Error::Parts{"command line",
                           extra.front(),
                           "is no option of 'faultline " + command.get_name() + "'; see --help",
                           nearest_name(extra.front(), known),
                           {}});
}

[[noreturn]] void refuse_verb(const CLI::App& program, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* verb : program.get_subcommands({})) names.push_back(verb->get_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw Error(Error::Parts{"verb",
                           word,
                           fmt::format("must be one of: {}", fmt::join(names, ", ")),
                           nearest_name(word, known),
                           {}});
}

int run(int argc, char** argv) {
  CLI::App program{
      "faultline designs, verifies and simulates interconnection networks that keep working when links and "
      "switches fail.",
      "faultline"};
  program.set_version_flag("--version", std::string(version));
  program.allow_extras();
  std::vector<Verb> verbs{add_list(program)};
  for (Verb& verb : add_case_verbs(program)) verbs.push_back(std::move(verb));
  verbs.push_back(add_design(program));
  verbs.push_back(add_study(program));
  verbs.push_back(add_report(program));
  verbs.push_back(add_reproduce(program));
  program.footer("Names and parameters of every topology, routing and traffic pattern: faultline list");
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
    throw Error("command line", "", error.what());
  }
  for (const Verb& verb : verbs) {
    if (!verb.command->parsed()) continue;
    if (!verb.command->remaining().empty()) refuse_extra_words(*verb.command);
    return verb.run();
  }
  if (!program.remaining().empty()) refuse_verb(program, program.remaining().front());
  std::fputs(program.help().c_str(), stdout);
  return success;
}

}  // namespace
}  // namespace faultline::app

int main(int argc, char** argv) {
  using namespace faultline::app;
  try {
    const int code = run(argc, argv);
    if (std::fflush(stdout) != 0) throw std::runtime_error("standard output cannot be written");
    return code;
  } catch (const faultline::Error& error) {
    fmt::print(stderr, "faultline: {}\n", error.what());
    return bad_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "faultline: out of memory; ask for a smaller network\n");
    return failed_run;
  } catch (const std::exception& error) {
    fmt::print(stderr, "faultline: {}\n", error.what());
    return failed_run;
  }
}
