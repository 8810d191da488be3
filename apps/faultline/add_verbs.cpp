// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "command_line.h"

namespace faultline::app {
namespace {

/// "design" for "design switches"; the program's own command for a name of one word.
CLI::App& parent_of(const Command& command, CLI::App& program) {
  const std::size_t space = command.name.rfind(' ');
  return space == std::string_view::npos
             ? program
             : *program.get_subcommand(std::string(command.name.substr(0, space)));
}

}  // namespace

std::vector<Verb> add_verbs(CLI::App& program) {
  std::vector<Verb> verbs = add_questions(program);
  std::vector<const Command*> others(commands().begin(), commands().end());
  std::ranges::sort(others, {}, &Command::name);  // "design" before "design switches"
  for (const Command* one : others) {
    const std::string own_name(one->name.substr(one->name.rfind(' ') + 1));
    CLI::App* command = parent_of(*one, program).add_subcommand(own_name, std::string(one->summary));
    command->allow_extras();
    verbs.push_back({command, one->add == nullptr ? Run() : one->add(*command)});
  }
  return verbs;
}

}  // namespace faultline::app
