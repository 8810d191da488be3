// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "faultline/study/study.h"

namespace faultline {

/// read_study() of a file whose content is known already.
[[nodiscard]] Study read_study_text(const std::string& content, const std::filesystem::path& path,
                                    const std::vector<std::pair<std::string, std::string>>& overrides,
                                    std::uint64_t max_cases = CaseList::max_cases);

}  // namespace faultline
