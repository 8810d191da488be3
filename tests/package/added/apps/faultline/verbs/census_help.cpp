// SPDX-License-Identifier: Apache-2.0
// A verb that is not a question about one network.
#include <fmt/format.h>

#include "command_line.h"

namespace faultline::app::verbs {
namespace {

Run add(CommandOptions options) {
  auto word = std::make_shared<std::string>();
  options.positional("word", *word, "to print");
  return [word](Interruption&) {
    fmt::print("census: {}\n", *word);
    return success;
  };
}

}  // namespace

extern constinit const Command census_help{"census-help", "print a word", &add};

}  // namespace faultline::app::verbs
