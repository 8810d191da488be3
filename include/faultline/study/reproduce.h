// SPDX-License-Identifier: Apache-2.0
// Published numbers and orderings compared with ours: a study whose file also lists what its paper claims.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faultline/base/interval.h"
#include "faultline/study/study.h"

namespace faultline {

/// What a claim calls by a short name.
struct Design {
  std::string name, topology, routing;  ///< canonical and compact; routing may be empty: any
  std::vector<std::string> topologies;  ///< all of a sweep, of which `topology` is the first; several only
                                        ///< for statements
};

/// One number, or one comparison, of a paper.
///   [designs]
///   FTA = "fat-tree:k=4,n=3 fta"          # topology and, after a blank, routing
///   [[claim]]
///   claim = "tolerated network faults"    source = "Table 2"
///   verb = "resilience"                   options = {scope = "network"}     # which records count
///   key = "/tolerated_faults"             # of their results; interval = "/…": where the interval stands;
///                                         # "/by_faults/faults=50/sets": of the entry with these faults
///   take = "mean"                         # or "max", over the records, each of which must have a number
///   relative_to = {faults = "0"}          # optional: each is divided by the one with these
///                                         # options instead, and the mean taken, with an interval over
///                                         # seeds; mean by mean, or maximum by maximum, where some
///                                         # have no such case
///   printed = {FTA = 3}                   rounding = 0.005
/// or, in place of `printed` (each claim has one of these),
///   at_least = {FTA = 0.9}, or at_most    # words in numbers: the note says how they are read
///   greater = "RUFT-PL", than = ["FTA"], factor = 2
///   about = "FTA", than = ["RUFT"], within = 0.1      # 0.05 unless given
///   note = "…"                            # why ours may differ
/// Or a statement that the verb statements checks, about every network of a design, which may be a sweep:
///   [designs]
///   "rings, n even" = "switch-ring:n=4..46:2"
///   [[claim]]
///   claim = "any 3 failed switches lose at most 6"    source = "Theorem 1"
///   statement = "theorem-1-switches"                  every = ["rings, n even"]
struct PaperClaim {
  enum class Comparison : std::uint8_t { number, at_least, at_most, greater, about, every };
  std::string text, source, note, verb, key, interval_key;
  std::vector<std::pair<std::string, nlohmann::json>> options, relative_to;
  bool takes_maximum = false;
  Comparison comparison = Comparison::number;
  Design design;
  double printed = 0;    ///< number, at_least, at_most: the value; greater: the factor; about: 1
  double within = 0.05;  ///< about: how far from 1 the quotient may be
  double rounding = 0;   ///< half a unit of the last printed digit
  Design other;          ///< greater, about: what `design` is divided by
};

/// In the order in which a reader looks for them.
enum class ClaimVerdict : std::uint8_t {
  differs,
  undecided,  ///< a comparison holds for a part of our interval; a printed value lies in one without bounds
  within_5_percent,  ///< a printed value lies outside of our interval, but near ours
  not_computed,
  agrees  ///< the printed value, within its rounding, lies in our interval; a comparison holds for all of it
};
inline constexpr std::size_t claim_verdict_count = 5;
/// "differs", "undecided", "within 5 %", "not computed", "agrees".
[[nodiscard]] std::string_view to_string(ClaimVerdict verdict);

struct Finding {
  std::string claim, source;
  std::string printed;
  double rounding = 0;         ///< of a printed number: how far the true one may be from it
  std::optional<double> ours;  ///< absent if no record answers
  std::optional<Interval> interval;
  ClaimVerdict verdict = ClaimVerdict::not_computed;
  std::string explanation;  ///< unless it agrees: the claim's note, or why it is not computed
};

struct Paper {
  Study study;
  bool is_long = false;  ///< only on request
  std::vector<PaperClaim> claims;
};

/// Those built in (studies/papers/*.toml), sorted.
[[nodiscard]] std::vector<std::string> paper_names();
/// Throws Error("paper") for an unknown name.
[[nodiscard]] Paper find_paper(const std::string& name);
/// Reads a study with claims. Throws Error with file, line and field.
[[nodiscard]] Paper read_paper(const std::string& content, const std::filesystem::path& path);

/// One finding a claim, from the records that answer it; not computed if one of these has no number.
[[nodiscard]] std::vector<Finding> judge(const std::vector<PaperClaim>& claims,
                                         const std::vector<Record>& records);
/// The same from the records of the paper's cases: others do not count, and a claim of which a case has no
/// record is not computed.
[[nodiscard]] std::vector<Finding> judge(const Paper& paper, const std::vector<Record>& records);

/// {claim, source, printed, ours, interval, verdict, explanation}; ours and interval null where absent.
[[nodiscard]] nlohmann::ordered_json to_json(const Finding& finding);

}  // namespace faultline
