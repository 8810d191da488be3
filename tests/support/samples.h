// SPDX-License-Identifier: Apache-2.0
// Samples of every kind: its own or, for a kind that reads files, those of tests/data.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "faultline/describe/kind.h"

namespace faultline {

/// tests/data/PATH/KIND/NAME.FIELD is field FIELD of the sample NAME: the file itself where the field names a
/// file, else its first line. Samples by name.
inline std::vector<Description> samples_in_files(std::string_view path, const KindInfo& kind) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(FAULTLINE_SOURCE_DIR) / "tests/data" / path / kind.name;
  if (!fs::exists(folder)) return {};
  std::map<std::string, std::map<std::string, std::string>> fields;
  for (const auto& entry : fs::directory_iterator(folder))
    fields[entry.path().stem()][entry.path().extension().string().substr(1)] = entry.path();
  const std::vector<FieldInfo> kinds_fields = kind.fields();
  std::vector<Description> samples;
  for (const auto& [name, paths] : fields) {
    Description& sample = samples.emplace_back();
    for (const auto& [field, file] : paths) {
      const auto info = std::ranges::find(kinds_fields, field, &FieldInfo::name);
      std::string value = file;
      if (info != kinds_fields.end() && !info->rule.is_file)
        std::getline(std::ifstream(file) >> std::ws, value);
      sample.fields.push_back({field, {{value}, false, {}}});
    }
  }
  return samples;
}

/// With the kind's name, at `path`: "topology", "routing", "traffic", ….
inline std::vector<Description> samples_of(const KindInfo& kind, std::string_view path) {
  std::vector<Description> samples = kind.samples();
  for (Description& sample : samples_in_files(path, kind)) samples.push_back(std::move(sample));
  for (Description& sample : samples) {
    sample.path = path;
    sample.kind = kind.name;
  }
  return samples;
}

}  // namespace faultline
