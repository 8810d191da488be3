// SPDX-License-Identifier: Apache-2.0
// A description is resolved once, where it enters: its kind is found, its fields are read and validated. The
// typed value travels from there on, and nothing below looks the name up or reads the fields again.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faultline/describe/description.h"

#pragma GCC visibility push(default)
namespace faultline {

struct KindInfo;

/// The parameters of one kind, of a type that it alone knows. Immutable; copies share them.
class Parameters {
 public:
  Parameters() = default;

  template <class Params>
  [[nodiscard]] static Parameters of(Params params) {
    Parameters parameters;
    parameters.values_ = std::make_shared<const Params>(std::move(params));
    return parameters;
  }
  /// `Params` is the type that they were made of.
  template <class Params>
  [[nodiscard]] const Params& as() const {
    return *static_cast<const Params*>(values_.get());
  }

 private:
  std::shared_ptr<const void> values_;
};

/// Throws Error for `description.kind`, which is none of `known`.
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

/// A description whose kind is found. Its fields are as they were written: one may hold several values.
template <class Kind>
struct Named {
  const Kind* kind = nullptr;  ///< null: left out, where a Kind may be (Kind::may_be_left_out)
  Description description;

  Named() = default;
  /// Throws Error for an unknown kind.
  Named(Description given) : description(std::move(given)) {
    if constexpr (requires { Kind::may_be_left_out; })
      if (description.kind.empty()) return;
    kind = &find_kind(Kind::catalogue(), description);
  }
  Named(const Kind& found, Description given) : kind(&found), description(std::move(given)) {}
};

/// A description whose kind is found and whose fields are read and validated. Where a function takes one, a
/// description is resolved in the call.
template <class Kind>
class Resolved {
 public:
  Resolved() = default;  ///< none
  /// Throws Error for an unknown kind and for its fields.
  Resolved(const Description& given) : Resolved(Named<Kind>(given)) {}
  Resolved(Named<Kind> named) : kind_(named.kind), description_(std::move(named.description)) {
    if (kind_ != nullptr) parameters_ = kind_->info.read(description_);
  }

  [[nodiscard]] bool is_none() const { return kind_ == nullptr; }
  /// Throws Error of none.
  [[nodiscard]] const Kind& kind() const {
    if (is_none())
      throw Error(description_.path.empty() ? "kind" : description_.path, "none", "must be given");
    return *kind_;
  }
  /// Not to be asked of none.
  [[nodiscard]] const Parameters& parameters() const { return parameters_; }
  /// As it was given: error paths, names and the identity of a case are made of it. Of none: where it would
  /// stand.
  [[nodiscard]] const Description& description() const { return description_; }
  /// The same with every field written out in its description.
  [[nodiscard]] Resolved canonical() const {
    Resolved full = *this;
    if (kind_ != nullptr) full.description_ = kind_->info.write_out(description_, parameters_);
    return full;
  }

 private:
  const Kind* kind_ = nullptr;
  Description description_;
  Parameters parameters_;
};

template <class Kind>
[[nodiscard]] std::string to_compact(const Resolved<Kind>& resolved) {
  return to_compact(resolved.description());
}

/// A description within a field, "hot-spot:share=0.15": as it was written, and resolved.
template <class Kind>
struct Nested {
  std::string text;
  Resolved<Kind> resolved;  ///< canonical, once it was read; none where its field allows that

  [[nodiscard]] bool is_none() const { return resolved.is_none(); }
};

/// What the kinds of a catalogue have in common, in its order.
template <class Kind>
[[nodiscard]] std::vector<const KindInfo*> infos_of() {
  std::vector<const KindInfo*> infos;
  for (const Kind* kind : Kind::catalogue()) infos.push_back(&kind->info);
  return infos;
}

}  // namespace faultline
#pragma GCC visibility pop
