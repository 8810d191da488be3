// SPDX-License-Identifier: Apache-2.0
// What every catalogued component has in common, and how to find one by name.
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faultline/describe/fields.h"

#pragma GCC visibility push(default)
namespace faultline {

/// The part of a kind that does not depend on what it builds. Plain data, constant-initialised.
struct KindInfo {
  std::string_view name;     ///< as users write it: "ft-ruft-212"; its file is kinds/ft_ruft_212.cpp
  std::string_view summary;  ///< one line
  std::string_view source;   ///< paper and section, or book and chapter
  std::vector<FieldInfo> (*fields)();
  std::vector<Description> (*samples)();               ///< small instances, the test matrix
  Description (*canonical)(const Description& given);  ///< validated, every field written out
};

/// `Params` has `fields(visitor)` and `samples()` → std::vector<Params>. If fields constrain each other, or
/// hold more than one value, it also has `check(description)`, which throws Error with the description's
/// path.
template <class Params>
[[nodiscard]] consteval KindInfo kind_info(std::string_view name, std::string_view summary,
                                           std::string_view source) {
  return {name,
          summary,
          source,
          &fields_of<Params>,
          [] {
            std::vector<Description> descriptions;
            for (const Params& sample : Params::samples())
              descriptions.push_back(describe_params("sample", {}, sample));
            return descriptions;
          },
          [](const Description& given) {
            const Params params = read_params<Params>(given);
            if constexpr (requires { params.check(given); }) params.check(given);
            Description full = describe_params(given.path, given.kind, params);
            full.place = given.place;
            full.files = given.files;
            return full;
          }};
}

/// The rule of a field that holds a component of a catalogue: component<pattern_kinds>().
template <auto kinds>
[[nodiscard]] Rule component() {
  return {.catalogue = [] {
    std::vector<const KindInfo*> infos;
    for (const auto* kind : kinds()) infos.push_back(&kind->info);
    return infos;
  }};
}

/// Throws Error for `description.kind`, which is not in `known`.
[[noreturn]] void refuse_kind(const Description& description, std::vector<std::string_view> known);

/// The kind named by `description.kind`. Throws Error naming the known ones and the nearest.
template <class Kind>
[[nodiscard]] const Kind& find_kind(std::span<const Kind* const> catalogue, const Description& description) {
  std::vector<std::string_view> names;
  for (const Kind* kind : catalogue) {
    if (kind->info.name == description.kind) return *kind;
    names.push_back(kind->info.name);
  }
  refuse_kind(description, std::move(names));
}
[[nodiscard]] const KindInfo& find_kind(Catalogue catalogue, const Description& description);

}  // namespace faultline
#pragma GCC visibility pop
