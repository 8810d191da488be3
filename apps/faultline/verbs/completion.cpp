// SPDX-License-Identifier: Apache-2.0
// Scripts that complete verbs, options and their values in a shell. In each of them the verb is the longest
// sequence of first words that names one.
#include <fmt/format.h>

#include "command_line.h"
#include "shell_words.h"
#include "usage.h"

namespace faultline::app::verbs {
namespace {

template <class Words>
std::string spaced(const Words& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

/// What "$verb $word" is while the verb is being read: " study", " design", "design switches".
std::string verb_patterns(const std::vector<VerbUsage>& verbs, const char* between) {
  std::string text;
  for (const VerbUsage& verb : verbs)
    text += fmt::format("{}\"{}{}\"", text.empty() ? "" : between,
                        verb.name.find(' ') == std::string::npos ? " " : "", verb.name);
  return text;
}

/// visit("verb:word before", values) for every position whose values are known: the first positional stands
/// after the verb's last word.
template <class Visit>
void for_each_known_position(const std::vector<VerbUsage>& verbs, Visit visit) {
  for (const VerbUsage& verb : verbs) {
    if (!verb.positionals.empty() && !verb.positionals.front().values.empty())
      visit(verb.name + ":" + verb.name.substr(verb.name.rfind(' ') + 1), verb.positionals.front().values);
    for (const OptionUsage& option : verb.options)
      for (const std::string& name : option.names)
        if (!option.values.empty()) visit(verb.name + ":" + name, option.values);
  }
}

/// visit(verb, its options) for the program's name alone, and for each verb.
template <class Visit>
void for_each_stage(const std::vector<VerbUsage>& verbs, Visit visit) {
  visit("", {});
  for (const VerbUsage& verb : verbs) visit(verb.name, verb.options);
}

std::string bash_script(const std::vector<VerbUsage>& verbs) {
  std::string text = fmt::format(
      "# bash completion for faultline; printed by 'faultline completion bash'.\n_faultline() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} verb= word words=\n"
      "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n    case \"$verb $word\" in\n"
      "      {}) verb=\"${{verb:+$verb }}$word\" ;;\n      *) break ;;\n    esac\n  done\n"
      "  case \"$verb:$before\" in\n",
      verb_patterns(verbs, " | "));
  for_each_known_position(verbs, [&](const std::string& position, const std::vector<std::string>& values) {
    text += fmt::format("    {}) words={} ;;\n", in_quotes(position), in_quotes(spaced(values)));
  });
  text += "  esac\n  [[ -n $words && $current != -* ]] || case \"$verb\" in\n";
  for_each_stage(verbs, [&](const std::string& name, const std::vector<OptionUsage>& options) {
    std::string words;
    for (const auto& [word, summary] : next_words(verbs, name)) words += word + " ";
    for (const OptionUsage& option : options) words += spaced(option.names) + " ";
    text += fmt::format("    {}) words={} ;;\n", in_quotes(name), in_quotes(words));
  });
  return text +
         "  esac\n  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n}\n"
         "complete -o default -F _faultline faultline\n";
}

std::string zsh_script(const std::vector<VerbUsage>& verbs) {
  std::string text = fmt::format(
      "#compdef faultline\n# printed by 'faultline completion zsh'\n_faultline() {{\n"
      "  local verb= word before=${{words[CURRENT-1]}}\n  local -a known\n"
      "  for word in ${{words[2,CURRENT-1]}}; do\n    case \"$verb $word\" in\n"
      "      ({}) verb=\"${{verb:+$verb }}$word\" ;;\n      (*) break ;;\n    esac\n  done\n"
      "  [[ ${{words[CURRENT]}} = -* ]] || case \"$verb:$before\" in\n",
      verb_patterns(verbs, " | "));
  for_each_known_position(verbs, [&](const std::string& position, const std::vector<std::string>& values) {
    text += fmt::format("    ({}) compadd -- {}; return ;;\n", in_quotes(position), spaced(values));
  });
  text += "  esac\n  case \"$verb\" in\n";
  const auto described = [](std::string word, const std::string& help) {
    return " " + in_quotes(word + ":" + help);  // the first colon ends the word
  };
  for_each_stage(verbs, [&](const std::string& name, const std::vector<OptionUsage>& options) {
    std::string list;
    for (const auto& [word, summary] : next_words(verbs, name)) list += described(word, summary);
    for (const OptionUsage& option : options)
      for (const std::string& word : option.names) list += described(word, option.help);
    text += fmt::format("    ({}) known=({}) ;;\n", in_quotes(name), list);
  });
  return text + "  esac\n  _describe 'verb or option' known\n  _files\n}\n_faultline \"$@\"\n";
}

std::string fish_script(const std::vector<VerbUsage>& verbs) {
  std::string text = fmt::format(
      "# fish completion for faultline; printed by 'faultline completion fish'.\nfunction "
      "__faultline_verb_is\n"
      "    set -l verb ''\n    for word in (commandline -opc)[2..-1]\n        switch \"$verb $word\"\n"
      "            case {}\n                set verb (string trim \"$verb $word\")\n            case '*'\n"
      "                break\n        end\n    end\n    test \"$verb\" = \"$argv[1]\"\nend\n",
      verb_patterns(verbs, " "));
  const auto at = [](const std::string& verb) {
    return "complete -c faultline -n " + in_quotes("__faultline_verb_is \"" + verb + "\"");
  };
  for (const auto& [word, summary] : next_words(verbs, ""))
    text += fmt::format("{} -f -a {} -d {}\n", at(""), word, in_quotes(summary));
  for (const VerbUsage& verb : verbs) {
    for (const auto& [word, summary] : next_words(verbs, verb.name))
      text += fmt::format("{} -f -a {} -d {}\n", at(verb.name), word, in_quotes(summary));
    if (!verb.positionals.empty() && !verb.positionals.front().values.empty())
      text += fmt::format("{} -a {}\n", at(verb.name), in_quotes(spaced(verb.positionals.front().values)));
    for (const OptionUsage& option : verb.options) {
      std::string names;
      for (const std::string& name : option.names)
        names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      const std::string values = option.values.empty() ? "" : " -f -a " + in_quotes(spaced(option.values));
      text += fmt::format("{}{}{}{} -d {}\n", at(verb.name), names, option.takes_value ? " -r" : "", values,
                          in_quotes(option.help));
    }
  }
  return text;
}

Run add(CommandOptions options) {
  auto shell = std::make_shared<std::string>();
  options.positional("shell", *shell, "bash, zsh or fish");
  options.complete("shell", {"bash", "zsh", "fish"});
  return [options, shell](Interruption&) {
    const std::vector<VerbUsage> verbs = usage_of(options).verbs;
    if (*shell == "bash")
      fmt::print("{}", bash_script(verbs));
    else if (*shell == "zsh")
      fmt::print("{}", zsh_script(verbs));
    else if (*shell == "fish")
      fmt::print("{}", fish_script(verbs));
    else
      throw Error("shell", *shell, "must be one of: bash, zsh, fish");
    return success;
  };
}

}  // namespace

extern constinit const Command completion{
    "completion", "print a script that completes verbs, options and their values in bash, zsh or fish", &add};

}  // namespace faultline::app::verbs
