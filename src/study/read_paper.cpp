// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "faultline/study/reproduce.h"
#include "faultline/topology/kind.h"
#include "study/papers.h"
#include "study/sweep.h"
#include "study/toml_file.h"

namespace faultline {
namespace {

/// What a claim says of its values, and the keys that belong to that alone.
struct ComparisonKey {
  std::string_view name;
  PaperClaim::Comparison comparison;
  std::array<std::string_view, 2> own{};
};

class ClaimReader {
  using enum PaperClaim::Comparison;

 public:
  explicit ClaimReader(const TomlFile& file) : file_(file), root_(file.root()) { read_designs(); }

  [[nodiscard]] std::vector<PaperClaim> claims() const {
    std::vector<PaperClaim> claims;
    const toml::array* tables = root_["claim"].as_array();
    if (tables == nullptr)
      throw Error("claim", "", "is required: a paper has at least one [[claim]]", {file_.path(), 0});
    for (const toml::node& node : *tables) append(file_.table(node, "claim", "claim"), claims);
    return claims;
  }
  [[nodiscard]] bool is_long() const { return file_.value_at<bool>(root_, "long", {}).value_or(false); }

 private:
  [[nodiscard]] Location location(const toml::node& node) const { return file_.location(node); }

  /// Of a claim.
  template <class Value>
  [[nodiscard]] std::optional<Value> value_at(const toml::table& table, std::string_view key) const {
    return file_.value_at<Value>(table, key, "claim.");
  }

  void read_designs() {
    const toml::table* table = root_["designs"].as_table();
    if (table == nullptr)
      throw Error("designs", "", "is required: the names of the claims", {file_.path(), 0});
    for (const auto& [name, node] : *table) {
      Design& design = designs_[std::string(name.str())];
      design.name = name.str();
      if (const toml::array* texts = node.as_array())
        for (const toml::node& text : *texts) read_located(text, design);
      else
        read_located(node, design);
      if (design.topologies.empty())
        throw Error("designs." + design.name, "", "must name a topology", location(node));
      // Shorter texts hold smaller numbers.
      std::ranges::stable_sort(design.topologies, {},
                               [](const std::string& text) { return std::pair(text.size(), text); });
      design.topology = design.topologies.front();
    }
  }

  void read_located(const toml::node& node, Design& design) const try {
    read_design(node, design);
  } catch (const Error& error) {
    Error::Parts parts = error.parts();
    parts.location = location(node);
    throw Error(parts);
  }

  /// "fat-tree:k=4,n=3 fta"; a field of the topology may be a sweep.
  void read_design(const toml::node& node, Design& design) const {
    const auto text = file_.value<std::string>(node, "designs." + design.name);
    const std::size_t blank = std::min(text.find(' '), text.size());
    Description topology = parse_compact("designs." + design.name, text.substr(0, blank));
    const KindInfo& info = Named<TopologyKind>(topology).kind->info;
    const Sweep sweep(topology, info.fields());
    constexpr std::uint64_t most = 10'000;
    if (sweep.count() > most) throw Error(topology.path, text, "must be at most 10000 topologies");
    for (std::uint64_t i = 0; i < sweep.count(); ++i)
      design.topologies.push_back(to_compact(info.canonical(sweep.at(i))));
    if (blank == text.size()) return;
    const Resolved<RoutingKind> routing(parse_compact(topology.path + ".routing", text.substr(blank + 1)));
    design.routing = to_compact(routing.canonical());
  }

  [[nodiscard]] const Design& design(std::string_view name, const Location& where) const {
    const auto found = designs_.find(std::string(name));
    if (found == designs_.end()) throw Error("claim", std::string(name), "must be one of [designs]", where);
    return found->second;
  }

  /// Of a sweep, a number would be that of the first network alone.
  [[nodiscard]] const Design& one_network(std::string_view name, const Location& where) const {
    const Design& found = design(name, where);
    if (found.topologies.size() != 1)
      throw Error("claim", std::string(name),
                  fmt::format("must be one network where numbers are compared; this design has {}",
                              found.topologies.size()),
                  where);
    return found;
  }

  [[nodiscard]] std::string text(const toml::table& table, std::string_view key, bool required = true) const {
    if (required && !table.contains(key))
      throw Error("claim." + std::string(key), "", "is required: a text", location(table));
    return value_at<std::string>(table, key).value_or("");
  }

  [[nodiscard]] bool takes_maximum(const toml::table& table) const {
    const std::string take = value_at<std::string>(table, "take").value_or("mean");
    if (take != "max" && take != "mean")
      throw Error("claim.take", take, "must be mean or max", location(*table.get("take")));
    return take == "max";
  }

  [[nodiscard]] std::vector<std::pair<std::string, nlohmann::json>> options(const toml::table& table,
                                                                            std::string_view key) const {
    std::vector<std::pair<std::string, nlohmann::json>> options;
    const toml::node* node = table.get(key);
    if (node == nullptr) return options;
    const std::string field = "claim." + std::string(key);
    if (!node->is_table()) throw Error(field, "", "must be a table of options", location(*node));
    for (const auto& [name, given] : *node->as_table())
      options.emplace_back(name.str(), option(given, field + "." + std::string(name.str())));
    return options;
  }

  [[nodiscard]] nlohmann::json option(const toml::node& node, const std::string& field) const {
    if (const auto* whole = node.as_integer()) return whole->get();
    if (const auto* real = node.as_floating_point()) return real->get();
    if (const auto* flag = node.as_boolean()) return flag->get();
    if (const auto* text = node.as_string()) return text->get();
    throw Error(field, "", "must be a number, a text, true or false", location(node));
  }

  void refuse_unknown(const toml::table& table) const {
    constexpr std::array<std::string_view, 20> known{
        "statement", "every",       "claim",   "source",   "verb",     "options", "key",
        "interval",  "take",        "printed", "at_least", "at_most",  "greater", "about",
        "than",      "relative_to", "factor",  "within",   "rounding", "note"};
    for (const auto& [key, node] : table)
      if (std::ranges::find(known, key.str()) == known.end())
        throw Error(Error::Parts{"claim." + std::string(key.str()), "",
                                 "unknown key; see faultline/study/reproduce.h",
                                 nearest_name(key.str(), known), location(node)});
  }

  /// A claim has one, and no key that belongs to another.
  [[nodiscard]] const ComparisonKey& comparison_of(const toml::table& table) const {
    static constexpr std::array keys{ComparisonKey{"printed", number, {"rounding"}},
                                     ComparisonKey{"at_least", at_least},
                                     ComparisonKey{"at_most", at_most},
                                     ComparisonKey{"greater", greater, {"than", "factor"}},
                                     ComparisonKey{"about", about, {"than", "within"}},
                                     ComparisonKey{"statement", every, {"every"}}};
    const ComparisonKey* found = nullptr;
    for (const ComparisonKey& key : keys) {
      if (!table.contains(key.name)) continue;
      if (found != nullptr)
        throw Error("claim." + std::string(key.name), "",
                    fmt::format("must be in another claim than {}", found->name),
                    location(*table.get(key.name)));
      found = &key;
    }
    if (found == nullptr)
      throw Error("claim", "", "must have one of: printed, at_least, at_most, greater, about, statement",
                  location(table));
    for (const ComparisonKey& other : keys)
      for (const std::string_view key : other.own)
        if (table.contains(key) && std::ranges::find(found->own, key) == found->own.end())
          throw Error("claim." + std::string(key), "", fmt::format("must be left out with {}", found->name),
                      location(*table.get(key)));
    return *found;
  }

  void append_statement(const toml::table& table, std::vector<PaperClaim>& claims) const {
    const toml::array* designs = table["every"].as_array();
    if (designs == nullptr)
      throw Error("claim.every", "", "must be a list of designs, where a statement is named",
                  location(table));
    for (const toml::node& one : *designs)
      claims.push_back({.text = text(table, "claim"),
                        .source = text(table, "source"),
                        .note = text(table, "note", false),
                        .verb = "statements",
                        .key = "/statements/" + text(table, "statement"),
                        .comparison = every,
                        .design = design(file_.value<std::string>(one, "claim.every"), location(one))});
  }

  void append(const toml::table& table, std::vector<PaperClaim>& claims) const {
    refuse_unknown(table);
    const auto& [key, comparison, own] = comparison_of(table);
    if (comparison == every) return append_statement(table, claims);
    PaperClaim claim{.text = text(table, "claim"),
                     .source = text(table, "source"),
                     .note = text(table, "note", false),
                     .verb = text(table, "verb"),
                     .key = text(table, "key"),
                     .interval_key = text(table, "interval", false),
                     .options = options(table, "options"),
                     .relative_to = options(table, "relative_to"),
                     .takes_maximum = takes_maximum(table),
                     .comparison = comparison,
                     .rounding = value_at<double>(table, "rounding").value_or(0)};
    if (comparison == greater || comparison == about) return append_comparisons(table, claim, claims);
    const toml::node& numbers = *table.get(key);
    const std::string field = "claim." + std::string(key);
    if (!numbers.is_table()) throw Error(field, "", "must be numbers by design", location(numbers));
    append_numbers(field, *numbers.as_table(), claim, claims);
  }

  void append_numbers(const std::string& field, const toml::table& numbers, PaperClaim claim,
                      std::vector<PaperClaim>& claims) const {
    for (const auto& [name, node] : numbers) {
      claim.design = one_network(name.str(), location(node));
      claim.printed = file_.value<double>(node, field + "." + std::string(name.str()));
      claims.push_back(claim);
    }
  }

  void append_comparisons(const toml::table& table, PaperClaim claim, std::vector<PaperClaim>& claims) const {
    const toml::array* others = table["than"].as_array();
    if (others == nullptr)
      throw Error("claim.than", "", "must be a list of designs, where nothing is printed", location(table));
    claim.design = one_network(text(table, claim.comparison == about ? "about" : "greater"), location(table));
    claim.printed = value_at<double>(table, "factor").value_or(1);
    claim.within = value_at<double>(table, "within").value_or(claim.within);
    for (const toml::node& other : *others) {
      claim.other = one_network(file_.value<std::string>(other, "claim.than"), location(other));
      claims.push_back(claim);
    }
  }

  const TomlFile& file_;
  const toml::table& root_;
  std::map<std::string, Design> designs_;
};

}  // namespace

Paper read_paper(const std::string& content, const std::filesystem::path& path) {
  const TomlFile file(content, path.string());
  Study study = read_study_toml(file, {});
  const ClaimReader reader(file);
  return {std::move(study), reader.is_long(), reader.claims()};
}

std::vector<std::string> paper_names() {
  std::vector<std::string> names;
  for (const PaperFile& file : paper_files()) names.emplace_back(file.name);
  std::ranges::sort(names);
  return names;
}

Paper find_paper(const std::string& name) {
  std::vector<std::string_view> names;
  std::string allowed = "must be one of: ";
  for (const PaperFile& file : paper_files()) {
    if (file.name == name) return read_paper(std::string(file.content), name + ".toml");
    allowed.append(names.empty() ? "" : ", ").append(file.name);
    names.push_back(file.name);
  }
  throw Error(Error::Parts{"paper", name, allowed, nearest_name(name, names), {}});
}

}  // namespace faultline
