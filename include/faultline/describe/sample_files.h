// SPDX-License-Identifier: Apache-2.0
// Samples of kinds that read files: the content of the files is part of the sample.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "faultline/describe/fields.h"

namespace faultline {

/// The files whose content `params` holds, under their paths; null where there is none.
template <class Params>
[[nodiscard]] std::shared_ptr<InputFiles> files_in(const Params& params) {
  std::shared_ptr<InputFiles> files;
  const auto add = [&](const InputFile& file) {
    if (!file.content) return;
    if (!files) files = std::make_shared<InputFiles>();
    files->add(file.path, *file.content);
  };
  auto visitor = [&]<class Member>(std::string_view, Member Params::*member, const Rule&, std::string_view) {
    if constexpr (std::is_same_v<Member, InputFile>) add(params.*member);
    if constexpr (std::is_same_v<Member, std::optional<InputFile>>)
      if (params.*member) add(*(params.*member));
  };
  Params::fields(visitor);
  return files;
}

/// `kind`, with samples whose descriptions can be built although no file of theirs is on the disk.
template <class Params, class Kind>
[[nodiscard]] consteval Kind with_sample_files(Kind kind) {
  kind.info.samples = [] {
    std::vector<Description> descriptions;
    for (const Params& sample : Params::samples()) {
      descriptions.push_back(describe_params("sample", {}, sample));
      descriptions.back().files = files_in(sample);
    }
    return descriptions;
  };
  return kind;
}

}  // namespace faultline
