// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>

#include "command_line.h"
#include "faultline/base/disk_error.h"
#include "faultline/base/version.h"

namespace faultline::app {
namespace {

/// "faultline design switches".
std::string full_name(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == nullptr ? "faultline" : full_name(*parent) + " " + command.get_name();
}

[[noreturn]] void refuse_verb(const CLI::App& command, const std::string& field, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* verb : command.get_subcommands({})) names.push_back(verb->get_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw Error(Error::Parts{
      field, word, fmt::format("must be one of: {}", fmt::join(names, ", ")), nearest_name(word, known), {}});
}

/// CLI11 lists words that it could not place; a misspelt option deserves its nearest name.
void refuse_extra_words(const CLI::App& command) {
  const std::vector<CLI::App*> chosen = command.get_subcommands();
  if (!chosen.empty()) refuse_extra_words(*chosen.front());
  const std::vector<std::string> extra = command.remaining();
  const bool lacks_verb = chosen.empty() && !command.get_subcommands({}).empty();
  if (lacks_verb) refuse_verb(command, command.get_name(), extra.empty() ? "" : extra.front());
  if (extra.empty()) return;
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) names.push_back(option->get_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string option = extra.front().substr(0, extra.front().find('='));  // --load=0.1
  throw Error(Error::Parts{"command line",
                           extra.front(),
                           "is not an option of '" + full_name(command) + "'; see --help",
                           nearest_name(option, known),
                           {}});
}

/// CLI11 says "--load: At Most 1 required but received 2", or "--load: 1 required  missing".
[[noreturn]] void refuse_values(const CLI::ArgumentMismatch& error) {
  const std::string_view text = error.what();
  const std::size_t colon = text.find(": ");
  const std::string_view rest = colon == std::string_view::npos ? text : text.substr(colon);
  const std::string option(text.substr(0, colon));
  if (rest.find("At Most 1 ") != std::string_view::npos)
    throw Error("command line", option, "is given twice; give it only once");
  if (rest.starts_with(": 1 required") && rest.ends_with("missing"))
    throw Error("command line", option, "needs a value");
  throw Error("command line", "", std::string(text));
}

void refuse_words_before_verb(const CLI::App& program) {
  if (!program.remaining().empty()) refuse_verb(program, "verb", program.remaining().front());
}

int run(int argc, char** argv, Interruption& interruption) {
  CLI::App program{
      "faultline designs, verifies and simulates interconnection networks that keep working when links and "
      "switches fail.",
      "faultline"};
  program.set_version_flag("--version", std::string(version));
  program.allow_extras();
  program.require_subcommand(0, 1);
  const std::vector<Verb> verbs = add_verbs(program);
  program.footer(
      "Names and parameters of every topology, routing and traffic pattern: faultline list\n"
      "Exit status: 0 done, 1 failed or output not written, 2 bad input, 3 not proved or not true (verify, "
      "statements, fabric), 130 and 143 interrupted.");
  try {
    program.parse(argc, argv);
  } catch (const CLI::ArgumentMismatch& error) {
    refuse_words_before_verb(program);
    refuse_values(error);
  } catch (const CLI::ParseError& error) {
    refuse_words_before_verb(program);
    if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
    throw Error("command line", "", error.what());
  }
  refuse_words_before_verb(program);
  for (const CLI::App* chosen : program.get_subcommands()) refuse_extra_words(*chosen);
  for (const Verb& verb : verbs)
    if (verb.command->parsed() && verb.run) return verb.run(interruption);
  std::fputs(program.help().c_str(), stdout);
  return success;
}

/// A file that we open must not get the number of a standard stream that the caller closed: our output would
/// go into it.
void keep_standard_descriptors() {
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(standard, F_GETFD) < 0 && errno == EBADF)
      (void)::open("/dev/null", standard == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // using it still fails
}

/// A reader that closed the pipe knows that something is missing.
int report_unwritten_output() {
  if (errno != EPIPE) complain(std::string("standard output cannot be written: ") + std::strerror(errno));
  return failed_run;
}

int run_and_report(int argc, char** argv, Interruption& interruption) {
  try {
    const int code = run(argc, argv, interruption);
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? code : report_unwritten_output();
  } catch (const DiskError& error) {
    complain(error.what());
  } catch (const faultline::Error& error) {
    complain(error.what());
    return bad_input;
  } catch (const std::bad_alloc&) {
    complain("out of memory; choose a smaller network");
  } catch (const Stopped&) {
    complain("interrupted; nothing was finished");
  } catch (const std::system_error& error) {  // also of fmt, if not all could be printed
    if (std::ferror(stdout) != 0) {
      errno = error.code().value();
      return report_unwritten_output();
    }
    complain(printable(error.what(), 1000));
  } catch (const std::exception& error) {
    complain(printable(error.what(), 1000));
  }
  return failed_run;
}

}  // namespace
}  // namespace faultline::app

int main(int argc, char** argv) {
  using namespace faultline::app;
  keep_standard_descriptors();
  ::signal(SIGPIPE, SIG_IGN);  // write() reports a reader that stopped
  ::signal(SIGXFSZ, SIG_IGN);  // and a file size limit
  ::signal(SIGCHLD, SIG_DFL);  // if the caller ignores it, so would we, and lose the status of a command
  Interruption interruption;
  const int code = run_and_report(argc, argv, interruption);
  interruption.end();
  return code;
}
