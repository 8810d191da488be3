// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "faultline/results/record.h"

namespace faultline {

/// A verb's answer: the JSON of the command-line contract, and the content of the files that its options
/// name. The caller writes them (write_files).
struct Answer {
  // NOLINTNEXTLINE(google-explicit-constructor): most answers are their JSON
  Answer(nlohmann::ordered_json answer, std::vector<AnswerFile> brought = {})
      : json(std::move(answer)), files(std::move(brought)) {}

  nlohmann::ordered_json json;
  std::vector<AnswerFile> files;
};

/// Each file is written whole or not at all, in their order. Throws Error(field) for the first that cannot be
/// written.
void write_files(const std::vector<AnswerFile>& files);

}  // namespace faultline
