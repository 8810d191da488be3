// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

// cmake/FrontEnd.cmake generates the assembler file that includes the page between these symbols.
extern "C" const char faultline_page_begin[];
extern "C" const char faultline_page_end[];

namespace faultline::report {

std::string_view page_template() { return {faultline_page_begin, faultline_page_end}; }

}  // namespace faultline::report
