// SPDX-License-Identifier: Apache-2.0
// The command line as data, for manual pages and completion: the options that --help prints.
#pragma once

#include <string>
#include <vector>

#include "command_options.h"

namespace faultline::app {

struct OptionUsage {
  std::vector<std::string> names;  ///< "-o", "--output"; of a positional the name in the help
  std::string help;
  bool takes_value = true;
  bool is_required = false;
  /// All that it takes, or what its value begins with; empty if any text is allowed.
  std::vector<std::string> values;
};

struct VerbUsage {
  std::string name;  ///< "design switches"
  std::string summary;
  std::vector<OptionUsage> positionals, options;
  bool has_sub_verbs = false;
};

struct ProgramUsage {
  std::string summary, footer;   ///< before and after the verbs in the help
  std::vector<VerbUsage> verbs;  ///< a sub-verb after the one it belongs to
};

/// Of the program that has a command with these options.
[[nodiscard]] ProgramUsage usage_of(const CommandOptions& options);

/// The verbs, or those below `verb` ("design"), that may be the next word; each with its summary.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> next_words(const std::vector<VerbUsage>& verbs,
                                                                          const std::string& verb);

}  // namespace faultline::app
