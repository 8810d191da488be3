// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "faultline/base/file.h"

namespace faultline {

/// A verb's answer: the JSON of the command-line contract, and the files that belong to it: a certificate,
/// tables, an export. The caller writes them (write_files).
struct Answer {
  // NOLINTNEXTLINE(google-explicit-constructor): most answers are their JSON
  Answer(nlohmann::ordered_json answer, std::vector<OutputFile> brought = {})
      : json(std::move(answer)), files(std::move(brought)) {}

  nlohmann::ordered_json json;
  std::vector<OutputFile> files;
};

}  // namespace faultline
