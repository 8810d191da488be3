// SPDX-License-Identifier: Apache-2.0
// The positionals and options of a command. CLI11 parses them; its header takes seconds to compile, so it is
// included only where members are defined.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faultline/describe/description.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI
namespace faultline {
struct FieldInfo;
struct WorkLimits;
}  // namespace faultline

namespace faultline::app {

/// Of the options and positionals of a program: all that one takes, or what its value begins with. Any text
/// is allowed for those that are not here.
using KnownValues = std::map<const CLI::Option*, std::vector<std::string>>;

/// The options of one command. Values are written when the command line is parsed, and must live as long as
/// the program.
class CommandOptions {
 public:
  CommandOptions(CLI::App& command, std::shared_ptr<KnownValues> known)
      : command_(&command), known_(std::move(known)) {}
  /// The options of a new command; "design switches" is created below `design`, which must exist. Commands of
  /// one program share `known`.
  static CommandOptions of_new(CLI::App& program, std::string_view name, std::string_view summary,
                               std::shared_ptr<KnownValues> known);

  [[nodiscard]] CLI::App& command() const { return *command_; }
  /// The program that the command belongs to, directly or through another command.
  [[nodiscard]] const CLI::App& program() const;
  [[nodiscard]] const KnownValues& known_values() const { return *known_; }

  void positional(const std::string& name, std::string& value, const std::string& help);
  void optional_positional(const std::string& name, std::string& value, const std::string& help);
  /// One word at least, and all that follow.
  void words(const std::string& name, std::vector<std::string>& values, const std::string& help);

  void option(const std::string& names, std::string& value, const std::string& help);
  void required_option(const std::string& names, std::string& value, const std::string& help);
  /// May be given several times, once for each value.
  void repeated(const std::string& names, std::vector<std::string>& values, const std::string& help);
  /// Between 1 and `most`.
  void count(const std::string& names, std::uint32_t& value, std::uint32_t most, const std::string& help);
  void flag(const std::string& names, bool& value, const std::string& help);

  /// Shells complete these for `name`, "--routing" or a positional that was declared before.
  void complete(const std::string& name, std::vector<std::string> values);
  /// The same, with the names of kinds and, unless it is empty, one more word.
  void complete_kinds(const std::string& name, std::vector<std::string_view> kinds,
                      std::string_view more = {});

  /// --jobs of a command that computes; by default as many as the processor runs at a time.
  void jobs(std::uint32_t& value, const std::string& help);
  /// --cpu-hours and --memory-gib.
  void limits(WorkLimits& limits);
  /// One option for each field, to be collected by the returned function into a description of `verb`.
  [[nodiscard]] std::function<Description()> fields(const std::string& verb,
                                                    const std::vector<FieldInfo>& fields);

 private:
  CLI::App* command_;
  std::shared_ptr<KnownValues> known_;
};

}  // namespace faultline::app
