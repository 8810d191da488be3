// SPDX-License-Identifier: Apache-2.0
// What the verbs of real fabrics share on the command line.
#pragma once

#include <string>
#include <vector>

#include "command_options.h"
#include "faultline/base/file.h"
#include "faultline/fault/components.h"
#include "faultline/study/case.h"

namespace faultline::app {

/// The positional `dump` and the option --tables.
struct FabricWords {
  std::string dump, tables;

  void add_to(CommandOptions& options);
  /// Of topology `fabric`.
  [[nodiscard]] Description description() const;
  /// The files that are given, for refuse_lost_files(): they have no hashes.
  [[nodiscard]] std::vector<CaseInput> files() const;
};

/// The files that `fabric export` and `fabric repair` write to a folder.
struct FabricPaths {
  explicit FabricPaths(const std::string& folder);
  std::string dump, lids, tables;
};

/// The names of the components that `words` call (components_called). Throws Error("cut") for a word
/// that calls none or several, and for a component that is called twice.
[[nodiscard]] std::vector<std::string> cut_components(const FaultComponents& components,
                                                      const std::vector<std::string>& words);

/// Of tables by which packets need several virtual lanes.
inline constexpr const char* several_lanes_remark =
    "packets on these tables can deadlock: the routing needs several virtual lanes, and tables hold no "
    "service levels";
/// The last line where tables were written that do not hold.
inline constexpr const char* do_not_load =
    "the tables are written, but do not load them: see above what does not hold\n";

/// Creates the folder if only it is missing. Throws Error("output").
void require_folder(const std::string& folder);

}  // namespace faultline::app
