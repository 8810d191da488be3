// SPDX-License-Identifier: Apache-2.0
#include "usage.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "faultline/routing/kind.h"
#include "faultline/study/case.h"
#include "faultline/topology/kind.h"

namespace faultline::app {
namespace {

/// The words that the help of a field lists: "how to switch (one of: vct, wormhole) [vct]" (allowed_text).
std::vector<std::string> words_in(const std::string& help) {
  constexpr std::string_view before = "(one of: ";
  const std::size_t found = help.rfind(before);
  if (found == std::string::npos) return {};
  std::vector<std::string> words;
  for (std::size_t start = found + before.size(); start < help.size();) {
    const std::size_t end = std::min(help.find_first_of(",;)", start), help.size());
    words.push_back(help.substr(start, end - start));
    if (end == help.size() || help[end] != ',') break;
    start = end + 2;
  }
  return words;
}

/// The values of an option: the names of kinds, or the words in its help.
std::vector<std::string> values_of(const std::string& verb, const std::string& name,
                                   const std::string& help) {
  const auto strings = [](const std::vector<std::string_view>& names) {
    return std::vector<std::string>(names.begin(), names.end());
  };
  if (std::ranges::find(verb_kinds(), verb, [](const auto* one) { return one->info.name; }) !=
      verb_kinds().end()) {
    if (name == "topology") return strings(names_of(&infos_of<TopologyKind>));
    if (name == "routing") return strings(names_of(&infos_of<RoutingKind>));
  }
  return words_in(help);
}

OptionUsage usage_of_option(const CLI::Option& option, const std::string& verb) {
  OptionUsage usage{.names = {},
                    .help = option.get_description(),
                    .takes_value = option.get_items_expected_max() > 0,
                    .is_required = option.get_required(),
                    .values = {}};
  if (option.get_positional()) {
    usage.names.push_back(option.get_name(true));
    usage.values = values_of(verb, usage.names.front(), usage.help);
    return usage;
  }
  for (const std::string& name : option.get_snames()) usage.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) usage.names.push_back("--" + name);
  if (!option.get_lnames().empty()) usage.values = values_of(verb, option.get_lnames().front(), usage.help);
  return usage;
}

void add_usage(const CLI::App& command, const std::string& above, std::vector<VerbUsage>& verbs) {
  for (const CLI::App* one : command.get_subcommands({})) {
    VerbUsage usage{.name = above + one->get_name(),
                    .summary = one->get_description(),
                    .positionals = {},
                    .options = {},
                    .has_sub_verbs = !one->get_subcommands({}).empty()};
    for (const CLI::Option* option : one->get_options())
      (option->get_positional() ? usage.positionals : usage.options)
          .push_back(usage_of_option(*option, usage.name));
    verbs.push_back(std::move(usage));
    add_usage(*one, above + one->get_name() + " ", verbs);
  }
}

}  // namespace

ProgramUsage usage_of(const CLI::App& program) {
  ProgramUsage usage{.summary = program.get_description(), .footer = program.get_footer(), .verbs = {}};
  add_usage(program, "", usage.verbs);
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
