// SPDX-License-Identifier: Apache-2.0
// What the generated arrays of kinds (cmake/Layers.cmake) check.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace faultline {

/// Kinds are named as their files are, so that no two have one name: kinds/ft_ruft.cpp defines "ft-ruft".
/// Returns true, for the initialization of a variable, or throws std::logic_error.
template <class Kind, std::size_t count>
bool require_names_of_files(const Kind* const (&kinds)[count], const std::string_view (&files)[count],
                            std::string_view folder) {
  for (std::size_t i = 0; i < count; ++i) {
    std::string name(files[i]);
    std::ranges::replace(name, '_', '-');
    if (kinds[i]->info.name != name)
      throw std::logic_error(fmt::format("{}/{}.cpp defines a kind named '{}'; it must be '{}', as its file",
                                         folder, files[i], kinds[i]->info.name, name));
  }
  return true;
}

}  // namespace faultline
