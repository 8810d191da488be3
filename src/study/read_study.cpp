// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faultline/base/file.h"
#include "faultline/routing/kind.h"
#include "faultline/study/study.h"
#include "faultline/topology/kind.h"
#include "study/study_text.h"
#include "study/sweep.h"
#include "study/toml_file.h"

namespace faultline {
namespace {

class StudyReader {
 public:
  explicit StudyReader(const TomlFile& file) : file_(file), root_(file.root()) {}

  Study read(const std::vector<std::pair<std::string, std::string>>& overrides, std::uint64_t max_cases) {
    refuse_unknown_keys();
    Study study{text(root_, "title", {}), std::filesystem::weakly_canonical(file_.path()).string(),
                CaseList(max_cases)};
    const toml::node* given = root_.get("experiment");
    const toml::array* experiments = given == nullptr ? nullptr : given->as_array();
    if (given != nullptr && experiments == nullptr)
      throw Error("experiment", "", "must be an array of tables: [[experiment]]", location(*given));
    if (experiments == nullptr || experiments->empty())
      throw Error("experiment", "", "is required: a study has at least one [[experiment]]",
                  {file_.path(), 0});
    for (std::size_t i = 0; i < experiments->size(); ++i) {
      const std::string field = fmt::format("experiment[{}]", i);
      add_cases(file_.table(experiments->at(i), field, "experiment"), field, overrides, study.cases);
    }
    refuse_unused(overrides);
    return study;
  }

 private:
  [[nodiscard]] Location location(const toml::node& node) const { return file_.location(node); }

  void refuse_unknown_keys() const {
    // The last three are what a paper's study adds (reproduce.h).
    constexpr std::array<std::string_view, 5> known{"title", "experiment", "designs", "claim", "long"};
    refuse_others(root_, "", known, "unknown key; a study has: title, experiment");
  }

  /// Refuses keys that are none of `known`.
  void refuse_others(const toml::table& table, const std::string& above,
                     std::span<const std::string_view> known, const std::string& allowed) const {
    for (const auto& [key, node] : table)
      if (std::ranges::find(known, key.str()) == known.end())
        throw Error(Error::Parts{above + std::string(key.str()), "", allowed, nearest_name(key.str(), known),
                                 location(node)});
  }

  [[nodiscard]] std::string text(const toml::table& table, std::string_view key,
                                 const std::string& above) const {
    return file_.value_at<std::string>(table, key, above).value_or("");
  }

  /// The same error, with a location if it has none.
  [[nodiscard]] static Error located(const Error& error, const Location& location) {
    Error::Parts parts = error.parts();
    if (parts.location.file.empty()) parts.location = location;
    return Error(parts);
  }

  Scalar scalar(const toml::node& node, const std::string& field) const {
    if (const auto* v = node.as_boolean()) return v->get();
    if (const auto* v = node.as_integer()) return v->get();
    if (const auto* v = node.as_floating_point()) return v->get();
    if (const auto* v = node.as_string()) return v->get();
    if (node.is_table()) return to_compact(description(node, field));  // a traffic pattern, a fault process
    throw Error(field, "", "must be a number, a text, true or false, a table with a kind, or a list of these",
                location(node));
  }

  Value value(const toml::node& node, const std::string& field) const {
    Value value{{}, node.is_array(), location(node)};
    if (node.is_array() && node.as_array()->empty())
      throw Error(field, "[]", "is an empty list, which asks for no case; leave it out, or give a value",
                  location(node));
    if (const toml::array* items = node.as_array())
      for (const toml::node& item : *items) value.items.push_back(scalar(item, field));
    else
      value.items.push_back(scalar(node, field));
    return value;
  }

  /// "fat-tree:k=4,n=3" or {kind = "fat-tree", k = 4, n = 3}.
  Description description(const toml::node& node, const std::string& field) const {
    if (const auto* compact = node.as_string()) try {
        Description given = parse_compact(field, compact->get());
        set_location(given, location(node));
        return given;
      } catch (const Error& error) {
        throw located(error, location(node));
      }
    const toml::table* table = node.as_table();
    if (table == nullptr || !table->contains("kind"))
      throw Error(field, "", "must be a text \"kind:name=value,…\" or a table {kind = \"…\", name = value}",
                  location(node));
    Description given{field, text(*table, "kind", field + "."), {}, location(node)};
    for (const auto& [key, item] : *table)
      if (key.str() != "kind") given.fields.emplace_back(key.str(), value(item, given.path_of(key.str())));
    return given;
  }

  static void set_location(Description& description, const Location& location) {
    description.location = location;
    for (auto& [name, value] : description.fields) value.location = location;
  }

  std::vector<Description> descriptions(const toml::table& table, std::string_view key,
                                        const std::string& field) const {
    const toml::node* node = table.get(key);
    const std::string path = field + "." + std::string(key);
    if (node == nullptr) return {};
    if (!node->is_array()) return {description(*node, path)};
    if (node->as_array()->empty())
      throw Error(path, "[]", "is an empty list, which asks for no case; leave it out, or give a value",
                  location(*node));
    std::vector<Description> all;
    for (const toml::node& item : *node->as_array()) all.push_back(description(item, path));
    return all;
  }

  /// `options`: of the experiment's verb, or of all verbs if it names none.
  void refuse_unknown_keys_of(const toml::table& experiment, const std::string& field,
                              const std::vector<FieldInfo>& options, bool has_verb) const {
    std::vector<std::string_view> known{"verb", "topology", "routing"};
    for (const FieldInfo& option : options) known.emplace_back(option.name);
    refuse_others(
        experiment, field + ".", known,
        has_verb ? fmt::format("unknown field; an experiment with this verb has: {}", fmt::join(known, ", "))
                 : "unknown field; an experiment has: verb, topology, routing, and the options of its verb");
  }

  [[nodiscard]] static std::vector<FieldInfo> options_of_all_verbs() {
    std::vector<FieldInfo> all;
    for (const VerbKind* verb : verb_kinds()) std::ranges::move(verb->info.fields(), std::back_inserter(all));
    return all;
  }

  void add_cases(const toml::table& table, const std::string& field,
                 const std::vector<std::pair<std::string, std::string>>& overrides, CaseList& cases) {
    if (!table.contains("verb")) refuse_unknown_keys_of(table, field, options_of_all_verbs(), false);
    const std::string asked = text(table, "verb", field + ".");
    const VerbKind& verb =
        find_kind(verb_kinds(), {field + ".verb", asked, {}, location_of(table, "verb"), files_});
    Description options{field, asked, {}, location(table), files_};
    const std::vector<FieldInfo> known = verb.info.fields();
    refuse_unknown_keys_of(table, field, known, true);
    for (const auto& [key, node] : table)
      if (key.str() != "verb" && key.str() != "topology" && key.str() != "routing")
        options.fields.emplace_back(key.str(), value(node, options.path_of(key.str())));
    make_paths_absolute(options, known);
    for (const FieldInfo& option : known) options_.insert(option.name);
    for (const auto& [name, text] : overrides) apply_override(options, known, name, text);

    std::vector<Description> topologies = descriptions(table, "topology", field);
    if (topologies.empty())
      throw Error(field + ".topology", "", "is required: a topology, or a list of them", location(table));
    std::vector<Description> routings = descriptions(table, "routing", field);
    if (routings.empty()) routings.push_back({field + ".routing", {}, {}, location(table)});
    const auto asked_routings = named<RoutingKind>(std::move(routings));
    for (const Named<TopologyKind>& topology : named<TopologyKind>(std::move(topologies)))
      for (const Named<RoutingKind>& routing : asked_routings) try {
          cases.add({topology, routing, {verb, options}}, field);
        } catch (const Error& error) {
          throw located(named_as_set(with_lists_as_written(error, table, field), field, overrides),
                        location_of(table, error.parts().field, field, overrides));
        }
  }

  /// An option's table is passed on as a text in which the items of a list are joined by x: the same error
  /// with the list that the experiment `table` at `above` holds.
  [[nodiscard]] Error with_lists_as_written(const Error& error, const toml::table& table,
                                            const std::string& above) const {
    Error::Parts parts = error.parts();
    if (!parts.field.starts_with(above + ".")) return error;
    const std::string_view rest = std::string_view(parts.field).substr(above.size() + 1);
    const std::size_t dot = rest.find('.');
    const toml::node* const option = table.get(rest.substr(0, dot));
    if (dot == std::string_view::npos || option == nullptr) return error;
    const auto look_in = [&](const toml::node& described) {
      const toml::table* const fields = described.as_table();
      const toml::node* const list = fields == nullptr ? nullptr : fields->get(rest.substr(dot + 1));
      if (list == nullptr || !list->is_array()) return;
      std::vector<std::string> items;
      for (const Scalar& item : value(*list, parts.field).items) items.push_back(to_string(item));
      if (fmt::format("{}", fmt::join(items, "x")) == error.parts().value)
        parts.value = fmt::format("[{}]", fmt::join(items, ", "));
    };
    if (const toml::array* const all = option->as_array())
      for (const toml::node& one : *all) look_in(one);
    else
      look_in(*option);
    return Error(parts);
  }

  /// Of the key, or of the table that lacks it.
  [[nodiscard]] Location location_of(const toml::table& table, std::string_view key) const {
    const toml::node* const node = table.get(key);
    return location(node != nullptr ? *node : table);
  }
  /// Of the key in `table`, an experiment at `above`, that a field's path names; none for one that was
  /// overridden.
  [[nodiscard]] Location location_of(
      const toml::table& table, std::string_view path, const std::string& above,
      const std::vector<std::pair<std::string, std::string>>& overrides) const {
    if (!path.starts_with(above + ".")) return location(table);
    const std::string_view rest = path.substr(above.size() + 1);
    const std::string_view key = rest.substr(0, rest.find_first_of(".["));
    if (std::ranges::find(overrides, key, &std::pair<std::string, std::string>::first) != overrides.end())
      return {};
    return location_of(table, key);
  }

  /// The same error; one about an option that was overridden names --set instead of the experiment `above`.
  [[nodiscard]] static Error named_as_set(const Error& error, const std::string& above,
                                          const std::vector<std::pair<std::string, std::string>>& overrides) {
    Error::Parts parts = error.parts();
    for (const auto& [name, text] : overrides) {
      const std::string path = above + "." + name;
      if (parts.field == path || parts.field.starts_with(path + "."))
        parts.field.replace(0, above.size() + 1, "--set ");
    }
    return Error(parts);
  }

  /// Files that descriptions name lie beside the study.
  template <class Kind>
  std::vector<Named<Kind>> named(std::vector<Description> descriptions) const {
    std::vector<Named<Kind>> all;
    for (Description& given : descriptions) {
      Named<Kind>& one = all.emplace_back(std::move(given));
      if (one.kind != nullptr) make_paths_absolute(one.description, one.kind->info.fields());
    }
    return all;
  }

  void refuse_unused(const std::vector<std::pair<std::string, std::string>>& overrides) const {
    const std::vector<std::string_view> known(options_.begin(), options_.end());
    for (const auto& [name, text] : overrides)
      if (name == "verb" || name == "topology" || name == "routing")
        throw Error(
            "--set", name + "=" + text,
            "cannot be set: verb, topology and routing are what an experiment is about; change the study");
      else if (!options_.contains(name))
        throw Error(Error::Parts{
            "--set",
            name + "=" + text,
            fmt::format("is not an option of the study's questions; they have: {}", fmt::join(known, ", ")),
            nearest_name(name, known),
            {}});
  }

  static void apply_override(Description& options, const std::vector<FieldInfo>& known,
                             const std::string& name, const std::string& text) {
    if (std::ranges::find(known, name, &FieldInfo::name) == known.end()) return;
    std::erase_if(options.fields, [&](const auto& field) { return field.first == name; });
    options.fields.emplace_back(name, Value{{text}, false, {}});
  }

  /// The same whether or not the file is there yet: it is part of the case's identity.
  [[nodiscard]] std::string absolute(const std::string& path) const {
    return std::filesystem::absolute(std::filesystem::path(file_.path()).parent_path() / path)
        .lexically_normal()
        .string();
  }

  /// A file named in a study is relative to the study, wherever the program runs.
  void make_paths_absolute(Description& description, const std::vector<FieldInfo>& fields) const {
    for (auto& [name, value] : description.fields) {
      const auto field = std::ranges::find(fields, name, &FieldInfo::name);
      if (field == fields.end()) continue;
      for (Scalar& item : value.items)
        if (is_path(*field, item))
          item = to_string(item).empty() ? item : Scalar(absolute(to_string(item)));
        else if (field->type == FieldType::nested)
          item = with_absolute_paths(to_string(item), *field, description.path_of(name), value.location);
    }
  }

  /// The same for the descriptions within a field, which commas separate.
  [[nodiscard]] std::string with_absolute_paths(const std::string& text, const FieldInfo& field,
                                                const std::string& path, const Location& location) const try {
    std::vector<std::string> items = split_items(text, path, location);
    for (std::string& item : items)
      if (item.find(':') != std::string::npos) item = one_with_absolute_paths(item, field, path, location);
    return fmt::format("{}", fmt::join(items, ","));
  } catch (const Error& error) {
    throw located(error, location);
  }

  /// Its text is unchanged if it names no file.
  [[nodiscard]] std::string one_with_absolute_paths(const std::string& text, const FieldInfo& field,
                                                    const std::string& path, const Location& location) const {
    Description nested = parse_compact(path, text);
    set_location(nested, location);
    const std::vector<FieldInfo> fields = find_kind(field.rule.catalogue, nested).fields();
    const bool names_none = std::ranges::none_of(nested.fields, [&](const auto& given) {
      const auto found = std::ranges::find(fields, given.first, &FieldInfo::name);
      return found != fields.end() && std::ranges::any_of(given.second.items, [&](const Scalar& item) {
               return is_path(*found, item);
             });
    });
    if (names_none) return text;
    make_paths_absolute(nested, fields);
    return to_compact(nested);
  }

  const TomlFile& file_;
  const toml::table& root_;
  std::shared_ptr<InputFiles> files_ = std::make_shared<InputFiles>();
  std::set<std::string> options_;  ///< that the experiments' verbs have
};

}  // namespace

Study read_study_text(const std::string& content, const std::filesystem::path& path,
                      const std::vector<std::pair<std::string, std::string>>& overrides,
                      std::uint64_t max_cases) {
  return read_study_toml(TomlFile(content, path.string()), overrides, max_cases);
}

Study read_study_toml(const TomlFile& file, const std::vector<std::pair<std::string, std::string>>& overrides,
                      std::uint64_t max_cases) {
  return StudyReader(file).read(overrides, max_cases);
}

Study read_study(const std::filesystem::path& path,
                 const std::vector<std::pair<std::string, std::string>>& overrides) {
  return read_study_text(read_file(path, "study"), path, overrides);
}

}  // namespace faultline
