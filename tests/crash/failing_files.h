// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace faultline {

/// The environment in which the `call`-th call that changes a file of `folder` fails (shim/failing_files.cpp
/// says how), or none where that is 0. Their number is written to `count`.
inline std::vector<std::string> failing_files(const std::filesystem::path& folder, const std::string& how,
                                              long call, const std::filesystem::path& count) {
  return {"LD_PRELOAD=" FAULTLINE_FAILING_FILES, "FAILING_FOLDER=" + folder.string(), "FAILING_HOW=" + how,
          "FAILING_CALL=" + std::to_string(call), "FAILING_COUNT=" + count.string()};
}

}  // namespace faultline
