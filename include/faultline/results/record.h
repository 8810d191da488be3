// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace faultline {

/// One finished case. `case_text` is a JSON object
///   {"verb": "simulate", "topology": "fat-tree:k=4,n=3", "routing": "fta", "options": {"load": 0.1, …}}
/// with every option written out (absent ones left out); `result_text` is the JSON object that the verb
/// prints (keys as in the command-line contract).
struct Record {
  std::string hash;   ///< content hash of the case's identity: equal hashes, equal results
  std::string study;  ///< title of the study that asked for it
  std::string case_text;
  std::string result_text;
  std::uint64_t seed = 0;
  std::string version;          ///< of the program
  double seconds = 0;           ///< wall time
  std::string generation = {};  ///< results_generation of the program; empty if it was too old to write one
};

}  // namespace faultline
