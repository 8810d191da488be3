// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "command_line.h"

namespace faultline::app {
std::vector<Verb> add_verbs(CLI::App& program) {
  const auto known = std::make_shared<KnownValues>();
  std::vector<Verb> verbs = add_questions(program, known);
  std::vector<const Command*> others(commands().begin(), commands().end());
  std::ranges::sort(others, {}, &Command::name);  // "design" before "design switches"
  for (const Command* one : others) {
    const CommandOptions options = CommandOptions::of_new(program, one->name, one->summary, known);
    verbs.push_back({&options.command(), one->add == nullptr ? Run() : one->add(options)});
  }
  return verbs;
}

}  // namespace faultline::app
