// SPDX-License-Identifier: Apache-2.0
// Certificates of both types, for the checker.
#include "certificate.h"

#include <algorithm>
#include <cstring>

#include "switches.h"
#include "targets.h"

namespace faultline::fuzz {
namespace {

/// All sets of faults are tried, which takes time in proportion to their number.
constexpr checker::Number max_sets = 1000;

std::string check(std::string_view bytes) {
  return bytes.starts_with(checker::switches_keyword) ? checker::check_switches(bytes, max_sets)
                                                      : checker::check(bytes);
}

/// Of the first line that names a routing.
std::size_t label_length(std::string_view bytes) {
  constexpr std::string_view keyword = "\nrouting ";
  const std::size_t at = bytes.find(keyword);
  if (at == std::string_view::npos) return 0;
  bytes.remove_prefix(at + keyword.size());
  return std::min(bytes.find('\n'), bytes.size());
}

}  // namespace

extern constinit const Target certificate{"certificate", [](std::string_view bytes) {
                                            try {
                                              const std::string said = check(bytes);
                                              canary(!said.empty() && label_length(bytes) > 40);
                                            } catch (const checker::Refused& refused) {
                                              if (std::strncmp(refused.what(), "line ", 5) != 0)
                                                defect("a refusal without its line");
                                            }
                                          }};

}  // namespace faultline::fuzz
