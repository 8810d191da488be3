// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace faultline::report {

/// The front end as web/ builds it: one HTML page with a mark where the title and one where the data belong.
[[nodiscard]] std::string_view page_template();

inline constexpr std::string_view title_mark = "<!--faultline:title-->";
inline constexpr std::string_view data_mark = "<!--faultline:data-->";

}  // namespace faultline::report
