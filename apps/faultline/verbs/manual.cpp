// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "command_line.h"
#include "faultline/base/version.h"
#include "usage.h"

namespace faultline::app::verbs {
namespace {

/// Escaped for roff: hyphens as a shell reads them, lines kept as lines, and none that begins with a control
/// character.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '\n')
      result += "\n.br\n\\&";
    else
      result += c;
  }
  return text.starts_with('.') || text.starts_with('\'') ? "\\&" + result : result;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }

std::string option_text(const OptionUsage& option, bool is_positional) {
  std::string names;
  for (const std::string& name : option.names)
    names += (names.empty() ? "" : ", ") + (is_positional ? "\\fI" + roff(name) + "\\fR" : bold(name));
  return fmt::format(".TP\n{}{}\n{}\n", names,
                     option.takes_value && !is_positional ? " \\fIvalue\\fR" : std::string(),
                     roff(option.help));
}

std::string verb_text(const VerbUsage& verb) {
  std::string heading = "faultline " + verb.name;
  for (const OptionUsage& one : verb.positionals)
    heading += one.is_required ? " " + one.names.front() : " [" + one.names.front() + "]";
  std::string text = fmt::format(".SS {}\n{}\n", roff(heading), roff(verb.summary));
  for (const OptionUsage& one : verb.positionals) text += option_text(one, true);
  for (const OptionUsage& one : verb.options) text += option_text(one, false);
  return text;
}

std::string page(const ProgramUsage& program) {
  std::string text = fmt::format(
      ".TH FAULTLINE 1 \"\" \"faultline {}\" \"User Commands\"\n.SH NAME\nfaultline \\- interconnection "
      "networks "
      "that keep working when links and switches fail\n.SH SYNOPSIS\n.B faultline\n.I "
      "verb\n[\\fIoptions\\fR]\n"
      ".SH DESCRIPTION\n{}\n.PP\n{}\n.SH VERBS\n",
      version, roff(program.summary), roff(program.footer));
  for (const VerbUsage& verb : program.verbs) text += verb_text(verb);
  return text + ".SH SEE ALSO\n.BR faultline\\-check (1)\n";
}

Run add(CommandOptions options) {
  return [options](Interruption&) {
    fmt::print("{}", page(usage_of(options)));
    return success;
  };
}

}  // namespace

extern constinit const Command manual{"manual", "print the manual page: every verb with its options (roff)",
                                      &add};

}  // namespace faultline::app::verbs
