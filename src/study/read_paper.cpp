// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>

#include "faultline/study/reproduce.h"
#include "faultline/topology/kind.h"
#include "study/papers.h"
#include "study/study_text.h"
#include "study/sweep.h"

namespace faultline {
namespace {

class ClaimReader {
 public:
  ClaimReader(const std::string& content, const std::string& file)
      : file_(file), root_(toml::parse(content, file)) {
    read_designs();
  }

  [[nodiscard]] std::vector<PaperClaim> claims() const {
    std::vector<PaperClaim> claims;
    const toml::array* tables = root_["claim"].as_array();
    if (tables == nullptr)
      throw Error("claim", "", "is required: a paper has at least one [[claim]]", {file_, 0});
    for (const toml::node& node : *tables) {
      const toml::table* table = node.as_table();
      if (table == nullptr) throw Error("claim", "", "must be a table: [[claim]]", location(node));
      append(*table, claims);
    }
    return claims;
  }
  [[nodiscard]] bool is_long() const { return root_["long"].value_or(false); }

 private:
  [[nodiscard]] Location location(const toml::node& node) const {
    return {file_, static_cast<int>(node.source().begin.line)};
  }

  void read_designs() {
    const toml::table* table = root_["designs"].as_table();
    if (table == nullptr) throw Error("designs", "", "is required: the names of the claims", {file_, 0});
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
    const std::string text = node.value_or(std::string());
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

  [[nodiscard]] std::string text(const toml::table& table, std::string_view key, bool required = true) const {
    const auto found = table[key].value<std::string>();
    if (!found && (required || table.contains(key)))
      throw Error("claim." + std::string(key), "", "must be a text", location(table));
    return found.value_or("");
  }

  static std::vector<std::pair<std::string, nlohmann::json>> options(
      const toml::node_view<const toml::node>& view) {
    std::vector<std::pair<std::string, nlohmann::json>> options;
    const toml::table* table = view.as_table();
    if (table == nullptr) return options;
    for (const auto& [key, node] : *table) {
      nlohmann::json value;
      if (const auto* whole = node.as_integer())
        value = whole->get();
      else if (const auto* real = node.as_floating_point())
        value = real->get();
      else if (const auto* flag = node.as_boolean())
        value = flag->get();
      else
        value = node.value_or(std::string());
      options.emplace_back(key.str(), std::move(value));
    }
    return options;
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
                        .comparison = PaperClaim::Comparison::every,
                        .design = design(one.value_or(std::string_view()), location(table))});
  }

  void append(const toml::table& table, std::vector<PaperClaim>& claims) const {
    refuse_unknown(table);
    if (table.contains("statement")) return append_statement(table, claims);
    PaperClaim claim{.text = text(table, "claim"),
                     .source = text(table, "source"),
                     .note = text(table, "note", false),
                     .verb = text(table, "verb"),
                     .key = text(table, "key"),
                     .interval_key = text(table, "interval", false),
                     .options = options(table["options"]),
                     .relative_to = options(table["relative_to"]),
                     .takes_maximum = text(table, "take", false) == "max",
                     .rounding = table["rounding"].value_or(0.0)};
    using Comparison = PaperClaim::Comparison;
    bool has_numbers = false;
    for (const auto& [key, comparison] :
         {std::pair{"printed", Comparison::number}, std::pair{"at_least", Comparison::at_least},
          std::pair{"at_most", Comparison::at_most}}) {
      if (!table.contains(key)) continue;
      const toml::table* numbers = table[key].as_table();
      if (numbers == nullptr)
        throw Error("claim." + std::string(key), "", "must be numbers by design", location(*table.get(key)));
      claim.comparison = comparison;
      append_numbers(key, *numbers, claim, claims);
      has_numbers = true;
    }
    if (!has_numbers) append_comparisons(table, claim, claims);
  }

  void append_numbers(const std::string& key, const toml::table& numbers, PaperClaim claim,
                      std::vector<PaperClaim>& claims) const {
    for (const auto& [name, node] : numbers) {
      const auto value = node.value<double>();
      if (!value) throw Error("claim." + key, "", "must be numbers by design", location(node));
      claim.design = design(name.str(), location(node));
      claim.printed = *value;
      claims.push_back(claim);
    }
  }

  void append_comparisons(const toml::table& table, PaperClaim claim, std::vector<PaperClaim>& claims) const {
    const bool about = table.contains("about");
    const toml::array* others = table["than"].as_array();
    if (others == nullptr)
      throw Error("claim.than", "", "must be a list of designs, where nothing is printed", location(table));
    claim.comparison = about ? PaperClaim::Comparison::about : PaperClaim::Comparison::greater;
    claim.design = design(text(table, about ? "about" : "greater"), location(table));
    claim.printed = about ? 1 : table["factor"].value_or(1.0);
    claim.within = table["within"].value_or(claim.within);
    for (const toml::node& other : *others) {
      claim.other = design(other.value_or(std::string_view()), location(other));
      claims.push_back(claim);
    }
  }

  std::string file_;
  toml::table root_;
  std::map<std::string, Design> designs_;
};

}  // namespace

Paper read_paper(const std::string& content, const std::filesystem::path& path) {
  Study study = read_study_text(content, path, {});  // refuses what is not TOML
  const ClaimReader reader(content, path.string());
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
