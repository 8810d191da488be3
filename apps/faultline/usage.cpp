// SPDX-License-Identifier: Apache-2.0
#include "usage.h"

#include <CLI/CLI.hpp>

namespace faultline::app {
namespace {

OptionUsage usage_of_option(const CLI::Option& option, const KnownValues& known) {
  const auto values = known.find(&option);
  OptionUsage usage{.names = {},
                    .help = option.get_description(),
                    .takes_value = option.get_items_expected_max() > 0,
                    .is_required = option.get_required(),
                    .values = values == known.end() ? std::vector<std::string>() : values->second};
  if (option.get_positional()) usage.names.push_back(option.get_name(true));
  for (const std::string& name : option.get_snames()) usage.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) usage.names.push_back("--" + name);
  return usage;
}

void add_usage(const CLI::App& command, const std::string& above, const KnownValues& known,
               std::vector<VerbUsage>& verbs) {
  for (const CLI::App* one : command.get_subcommands({})) {
    VerbUsage usage{.name = above + one->get_name(),
                    .summary = one->get_description(),
                    .positionals = {},
                    .options = {},
                    .has_sub_verbs = !one->get_subcommands({}).empty()};
    for (const CLI::Option* option : one->get_options())
      (option->get_positional() ? usage.positionals : usage.options)
          .push_back(usage_of_option(*option, known));
    verbs.push_back(std::move(usage));
    add_usage(*one, above + one->get_name() + " ", known, verbs);
  }
}

}  // namespace

ProgramUsage usage_of(const CommandOptions& options) {
  const CLI::App& program = options.program();
  ProgramUsage usage{.summary = program.get_description(), .footer = program.get_footer(), .verbs = {}};
  add_usage(program, "", options.known_values(), usage.verbs);
  return usage;
}

std::vector<std::pair<std::string, std::string>> next_words(const std::vector<VerbUsage>& verbs,
                                                            const std::string& verb) {
  const std::string before = verb.empty() ? "" : verb + " ";
  std::vector<std::pair<std::string, std::string>> words;
  for (const VerbUsage& one : verbs)
    if (one.name.starts_with(before) && one.name.find(' ', before.size()) == std::string::npos)
      words.emplace_back(one.name.substr(before.size()), one.summary);
  return words;
}

}  // namespace faultline::app
