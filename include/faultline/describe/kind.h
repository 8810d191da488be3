// SPDX-License-Identifier: Apache-2.0
// What the kinds of all catalogues have in common.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "faultline/describe/fields.h"

#pragma GCC visibility push(default)
namespace faultline {

struct CanonicalPart;

/// The part of a kind that does not depend on what it builds. Plain data, constant-initialised.
struct KindInfo {
  std::string_view name;     ///< as users write it: "ft-ruft-212"; its file is kinds/ft_ruft_212.cpp
  std::string_view summary;  ///< one line
  std::string_view source;   ///< paper and section, or book and chapter
  std::vector<FieldInfo> (*fields)();
  std::vector<Description> (*samples)();  ///< small instances, the test matrix
  /// Validates. Throws Error.
  Parameters (*read)(const Description& given);
  /// The description that `parameters` were read from with every field written out.
  Description (*write_out)(const Description& given, const Parameters& parameters);
  /// What stands within fields and identifies a case with all of its own (Rule::is_written_out).
  std::vector<CanonicalPart> (*parts)(const Parameters& parameters);

  /// Validated, every field written out. Throws Error.
  [[nodiscard]] Description canonical(const Description& given) const {
    return write_out(given, read(given));
  }
};

/// A description as it counts for the identity of a case.
struct CanonicalPart {
  const KindInfo* kind;
  Description description;  ///< canonical
};

namespace detail {

template <class Params>
[[nodiscard]] std::vector<CanonicalPart> parts_of(const Params& params) {
  std::vector<CanonicalPart> parts;
  const auto add = [&]<class Kind>(const Nested<Kind>& nested) {
    if (!nested.is_none()) parts.push_back({&nested.resolved.kind().info, nested.resolved.description()});
  };
  auto visitor = [&]<class Owner, class Member>(std::string_view, Member Owner::*member, const Rule& rule,
                                                std::string_view) {
    using Traits = MemberTraits<Member>;
    if constexpr (is_nested<typename Traits::Item> && !Traits::list) {
      if (!rule.is_written_out) return;
      if constexpr (!Traits::optional)
        add(params.*member);
      else if (params.*member)
        add(*(params.*member));
    }
  };
  Params::fields(visitor);
  return parts;
}

}  // namespace detail

/// `Params` has `fields(visitor)` and `samples()` → std::vector<Params>. If fields constrain each other,
/// or hold more than one value, it also has `check(description)`, which throws Error with the description's
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
            auto params = read_params<Params>(given);
            if constexpr (requires { params.check(given); }) params.check(given);
            return Parameters::of(std::move(params));
          },
          [](const Description& given, const Parameters& parameters) {
            Description full = describe_params(given.path, given.kind, parameters.as<Params>());
            full.location = given.location;
            full.files = given.files;
            return full;
          },
          [](const Parameters& parameters) { return detail::parts_of(parameters.as<Params>()); }};
}

/// The names of a catalogue's kinds, sorted.
[[nodiscard]] std::vector<std::string_view> names_of(Catalogue catalogue);

/// The kind of a catalogue that `description.kind` names. Throws Error naming the known ones and the nearest.
[[nodiscard]] const KindInfo& find_kind(Catalogue catalogue, const Description& description);

}  // namespace faultline
#pragma GCC visibility pop
