// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/mean.h"
#include "faultline/base/counted.h"
#include "faultline/simulate/statistics.h"
#include "faultline/study/reproduce.h"

namespace faultline {
namespace {

struct Measured {
  double value = 0;
  std::optional<Interval> interval;  ///< absent: the result has none
};

struct StoredAnswer {
  nlohmann::json asked, result;
};

/// The value at "/by_faults/faults=50/sets": a step "name=number" selects the entry of a list that has it.
/// Null if there is none.
const nlohmann::json* value_at(const nlohmann::json& result, std::string_view key) {
  const nlohmann::json* here = &result;
  while (!key.empty() && here != nullptr) {
    const std::size_t end = std::min(key.find('/', 1), key.size());
    const std::string step(key.substr(1, end - 1));
    key.remove_prefix(end);
    const std::size_t equals = step.find('=');
    const nlohmann::json* next = nullptr;
    if (equals != std::string::npos && here->is_array()) {
      for (const nlohmann::json& entry : *here)
        if (entry.contains(step.substr(0, equals)) &&
            entry.at(step.substr(0, equals)).dump() == step.substr(equals + 1))
          next = &entry;
    } else if (here->is_object() && here->contains(step)) {
      next = &here->at(step);
    }
    here = next;
  }
  return here;
}

std::optional<Interval> interval_in(const nlohmann::json& result, const std::string& key) {
  if (key.empty()) return std::nullopt;
  const nlohmann::json* found = value_at(result, key);
  if (found == nullptr) throw Error("claim.interval", key, "must name what the results hold");
  const nlohmann::json& bounds = *found;
  // JSON has no infinity: a null bound is none.
  const auto bound = [](const nlohmann::json& value, double none) {
    return value.is_null() ? none : value.get<double>();
  };
  return Interval{bound(bounds.at(0), -HUGE_VAL), bound(bounds.at(1), HUGE_VAL)};
}

Measured quotient(const Measured& above, const Measured& below) {
  Measured result{above.value / below.value, std::nullopt};
  if (!above.interval && !below.interval) return result;
  const Interval a = above.interval.value_or(Interval{above.value, above.value});
  const Interval b = below.interval.value_or(Interval{below.value, below.value});
  result.interval = Interval{a.low == -HUGE_VAL ? a.low : a.low / std::max(b.high, 1e-300),
                             b.low > 0 ? a.high / b.low : HUGE_VAL};
  return result;
}

/// One value of several cases, or why there is none; neither where no record answers.
struct Combined {
  std::optional<Measured> measured;
  std::string obstacle;
};

class Records {
 public:
  /// `pending`: texts of cases that have no record.
  explicit Records(const std::vector<Record>& records, const std::vector<std::string>& pending = {}) {
    for (const std::string& text : pending) pending_.push_back(nlohmann::json::parse(text));
    for (const Record& record : records) {
      constexpr bool may_throw = false;
      nlohmann::json asked = nlohmann::json::parse(record.case_text, nullptr, may_throw),
                     result = nlohmann::json::parse(record.result_text, nullptr, may_throw);
      if (asked.is_discarded()) continue;  // damaged: where its text is known, the case is pending
      if (result.is_discarded())
        pending_.push_back(std::move(asked));
      else
        answers_.push_back({std::move(asked), std::move(result)});
    }
  }

  [[nodiscard]] Combined value(const PaperClaim& claim, const Design& design) const {
    const Selection plain = selected(claim, design, claim.options);
    const Selection base =
        claim.relative_to.empty() ? Selection{} : selected(claim, design, base_options(claim));
    // Those that have one would be another estimate, of seeds or loads that the results chose.
    if (const auto without = plain.without_number + base.without_number; without != 0)
      return {{},
              fmt::format("{} of its cases {} no number there", without, agreeing(without, "has", "have"))};
    if (plain.taken.empty()) return {};
    if (claim.relative_to.empty()) return {combined(claim, plain.taken), {}};
    if (base.taken.empty()) return {{}, "it has no case to be divided by"};
    if (!claim.takes_maximum)
      if (const std::vector<Taken> quotients = quotients_of(claim, plain.taken, base.taken);
          !quotients.empty())
        return {mean_of(quotients), {}};
    return {quotient(combined(claim, plain.taken), combined(claim, base.taken)), {}};
  }

  /// How many cases of the claim have no record.
  [[nodiscard]] std::uint64_t missing(const PaperClaim& claim) const {
    const auto needs = [&](const nlohmann::json& asked, const Design& design) {
      if (matches(asked, claim, design, claim.options)) return true;
      return !claim.relative_to.empty() && matches(asked, claim, design, base_options(claim));
    };
    return static_cast<std::uint64_t>(std::ranges::count_if(pending_, [&](const nlohmann::json& asked) {
      return needs(asked, claim.design) || needs(asked, claim.other);
    }));
  }

  /// The results of the verb statements about each network of the claim's design, in its order; null if it
  /// was not checked.
  [[nodiscard]] std::vector<nlohmann::json> statements(const PaperClaim& claim) const {
    std::map<std::string, nlohmann::json> found;
    for (const StoredAnswer& answer : answers_)
      if (const nlohmann::json* value = value_at(answer.result, claim.key);
          value != nullptr && matches_but_topology(answer.asked, claim, claim.design, claim.options))
        found[answer.asked.at("topology")] = *value;
    std::vector<nlohmann::json> all;
    for (const std::string& topology : claim.design.topologies) all.push_back(found[topology]);
    return all;
  }

 private:
  using Options = std::vector<std::pair<std::string, nlohmann::json>>;

  /// Of what the claim's values are divided by.
  static Options base_options(const PaperClaim& claim) {
    Options options = claim.options;
    for (const auto& replaced : claim.relative_to) {
      std::erase_if(options, [&](const auto& option) { return option.first == replaced.first; });
      options.push_back(replaced);
    }
    return options;
  }

  /// A field that takes text may be given as a number: 128 and "128".
  static bool same(const nlohmann::json& a, const nlohmann::json& b) {
    const auto text = [](const nlohmann::json& value) {
      return value.is_string() ? value.get<std::string>() : value.dump();
    };
    return a == b || text(a) == text(b);
  }

  static bool matches(const nlohmann::json& asked, const PaperClaim& claim, const Design& design,
                      const Options& options) {
    if (asked.at("topology") != design.topology) return false;
    return matches_but_topology(asked, claim, design, options);
  }

  static bool matches_but_topology(const nlohmann::json& asked, const PaperClaim& claim, const Design& design,
                                   const Options& options) {
    if (asked.at("verb") != claim.verb) return false;
    // A case without a record may leave its routing to the topology's default, which may be this one.
    const nlohmann::json& routing = asked.at("routing");
    if (!design.routing.empty() && routing != "" && routing != design.routing) return false;
    return std::ranges::all_of(options, [&](const auto& option) {
      const auto found = asked.at("options").find(option.first);
      return found != asked.at("options").end() && same(*found, option.second);
    });
  }

  /// A value, and what was asked for it.
  struct Taken {
    const nlohmann::json* asked = nullptr;
    Measured measured;
  };
  struct Selection {
    std::vector<Taken> taken;
    std::size_t without_number = 0;
  };
  /// A result that lacks the key answers another question; one that has null there, no number.
  [[nodiscard]] Selection selected(const PaperClaim& claim, const Design& design,
                                   const Options& options) const {
    Selection all;
    for (const StoredAnswer& answer : answers_) {
      if (!matches(answer.asked, claim, design, options)) continue;
      const nlohmann::json* found = value_at(answer.result, claim.key);
      if (found == nullptr) continue;
      if (found->is_number())
        all.taken.push_back(
            {&answer.asked, {found->get<double>(), interval_in(answer.result, claim.interval_key)}});
      else
        ++all.without_number;
    }
    return all;
  }

  /// Of at least one.
  static Measured combined(const PaperClaim& claim, const std::vector<Taken>& all) {
    const auto value = [](const Taken& one) { return one.measured.value; };
    if (claim.takes_maximum) return std::ranges::max(all, {}, value).measured;
    return mean_of(all);
  }

  /// Each case divided by the one that differs from it in nothing but what the claim is relative to; none
  /// unless each has one: a study may compute what it divides by for fewer seeds.
  static std::vector<Taken> quotients_of(const PaperClaim& claim, const std::vector<Taken>& plain,
                                         const std::vector<Taken>& base) {
    const auto rest = [&](const Taken& one) {
      nlohmann::json asked = *one.asked;
      for (const auto& [name, value] : claim.relative_to) asked["options"].erase(name);
      return asked;
    };
    std::vector<Taken> quotients;
    for (const Taken& above : plain) {
      const nlohmann::json same = rest(above);
      const auto below = std::ranges::find_if(base, [&](const Taken& one) { return rest(one) == same; });
      if (below == base.end()) return {};
      quotients.push_back({above.asked, quotient(above.measured, below->measured)});
    }
    return quotients;
  }

  /// The interval is over seeds, each with its mean, if there are several: that patterns or sizes differ is
  /// no uncertainty.
  static Measured mean_of(const std::vector<Taken>& all) {
    if (all.size() == 1) return all.front().measured;
    std::map<std::string, std::vector<double>> by_seed;
    std::vector<double> values;
    for (const Taken& one : all) {
      by_seed[one.asked->at("options").value("seed", nlohmann::json()).dump()].push_back(one.measured.value);
      values.push_back(one.measured.value);
    }
    std::vector<double> means;
    for (const auto& [seed, of_seed] : by_seed) means.push_back(faultline::mean_of(of_seed));
    return {faultline::mean_of(values), t_interval(means.size() > 1 ? means : values)};
  }

  std::vector<StoredAnswer> answers_;
  std::vector<nlohmann::json> pending_;
};

/// 0 / 0, and the spread of values of which some were divided by 0, are not numbers.
bool can_be_compared(const Measured& ours) {
  const Interval range = ours.interval.value_or(Interval{ours.value, ours.value});
  return !std::isnan(ours.value) && !std::isnan(range.low) && !std::isnan(range.high);
}

bool near(double ours, double printed, double within = 0.05) {
  return std::abs(ours - printed) <= within * std::abs(printed);
}

ClaimVerdict verdict(const PaperClaim& claim, const Measured& ours) {
  using enum ClaimVerdict;
  const Interval range = ours.interval.value_or(Interval{ours.value, ours.value});
  switch (claim.comparison) {
    case PaperClaim::Comparison::greater:
      return range.low > claim.printed ? agrees : range.high > claim.printed ? undecided : differs;
    case PaperClaim::Comparison::at_least:
      return range.low >= claim.printed ? agrees : range.high >= claim.printed ? undecided : differs;
    case PaperClaim::Comparison::at_most:
      return range.high <= claim.printed ? agrees : range.low <= claim.printed ? undecided : differs;
    case PaperClaim::Comparison::about:
      if (near(range.low, 1, claim.within) && near(range.high, 1, claim.within)) return agrees;
      return range.low > 1 + claim.within || range.high < 1 - claim.within ? differs : undecided;
    default:
      break;
  }
  if (range.low - claim.rounding <= claim.printed && claim.printed <= range.high + claim.rounding)
    return std::isfinite(range.low) && std::isfinite(range.high) ? agrees : undecided;
  return ours.interval && near(ours.value, claim.printed) ? within_5_percent : differs;
}

std::string printed_text(const PaperClaim& claim) {
  if (claim.comparison == PaperClaim::Comparison::number) return fmt::format("{}", claim.printed);
  if (claim.comparison == PaperClaim::Comparison::at_least) return fmt::format("at least {}", claim.printed);
  if (claim.comparison == PaperClaim::Comparison::at_most) return fmt::format("at most {}", claim.printed);
  if (claim.comparison == PaperClaim::Comparison::about) return fmt::format("about {}", claim.other.name);
  return claim.printed == 1 ? fmt::format("> {}", claim.other.name)
                            : fmt::format("> {} x {}", claim.printed, claim.other.name);
}

std::string listed(const nlohmann::json& names) {
  std::string text;
  for (const nlohmann::json& name : names) text += (text.empty() ? "" : ", ") + name.get<std::string>();
  return text;
}

/// Ours is the number of networks that contradict the statement; printed, in effect, is 0.
Finding judged_everywhere(const PaperClaim& claim, const Records& records) {
  const std::vector<nlohmann::json> answers = records.statements(claim);
  Finding finding{.claim = fmt::format("{}: {} (exceptions among {} networks)", claim.design.name, claim.text,
                                       answers.size()),
                  .source = claim.source,
                  .printed = "0"};
  double exceptions = 0;
  bool computed = true;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const nlohmann::json holds = answers[i].is_null() ? nlohmann::json() : answers[i].at("holds");
    if (holds.is_null()) {
      computed = false;
    } else if (!holds.get<bool>() && exceptions++ == 0) {
      finding.explanation = fmt::format("smallest exception {}: {} fail; lost: {}",
                                        claim.design.topologies[i], listed(answers[i].at("counter_example")),
                                        listed(answers[i].at("counter_example_lost")));
    }
  }
  if (computed || exceptions > 0) finding.ours = exceptions;
  finding.verdict = exceptions > 0 ? ClaimVerdict::differs
                    : computed     ? ClaimVerdict::agrees
                                   : ClaimVerdict::not_computed;
  if (!claim.note.empty() && finding.verdict == ClaimVerdict::differs)
    finding.explanation += (finding.explanation.empty() ? "" : "; ") + claim.note;
  return finding;
}

Finding judged(const PaperClaim& claim, const Records& records) {
  if (claim.comparison == PaperClaim::Comparison::every) return judged_everywhere(claim, records);
  Finding finding{
      .claim = claim.design.name + ": " + claim.text, .source = claim.source, .printed = printed_text(claim)};
  if (claim.comparison == PaperClaim::Comparison::number) finding.rounding = claim.rounding;
  if (const auto missing = records.missing(claim); missing != 0) {
    finding.verdict = ClaimVerdict::not_computed;
    finding.explanation =
        fmt::format("{} of its cases {} not computed yet", missing, agreeing(missing, "is", "are"));
    return finding;
  }
  auto [ours, obstacle] = records.value(claim, claim.design);
  if (ours && !claim.other.name.empty()) {
    const Combined other = records.value(claim, claim.other);
    ours = other.measured ? std::optional(quotient(*ours, *other.measured)) : std::nullopt;
    obstacle = other.obstacle;
  }
  if (!ours || !can_be_compared(*ours)) {
    finding.verdict = ClaimVerdict::not_computed;
    finding.explanation =
        ours ? "it divides by values that are 0, and the quotient is not a number" : obstacle;
    return finding;
  }
  finding.verdict = verdict(claim, *ours);
  if (std::isfinite(ours->value)) finding.ours = ours->value;
  finding.interval = ours->interval;
  if (finding.verdict != ClaimVerdict::agrees) finding.explanation = claim.note;
  return finding;
}

std::vector<Finding> judged(const std::vector<PaperClaim>& claims, const Records& records) {
  std::vector<Finding> findings;
  findings.reserve(claims.size());
  for (const PaperClaim& claim : claims) findings.push_back(judged(claim, records));
  return findings;
}

}  // namespace

std::vector<Finding> judge(const std::vector<PaperClaim>& claims, const std::vector<Record>& records) {
  return judged(claims, Records(records));
}

std::vector<Finding> judge(const Paper& paper, const std::vector<Record>& records) {
  std::map<std::string, const Record*> by_hash;
  for (const Record& record : records) by_hash.emplace(record.hash, &record);
  std::vector<Record> answers;
  std::vector<std::string> pending;
  const CaseList& cases = paper.study.cases;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto found = by_hash.find(cases.hash(i));
    if (found != by_hash.end() && nlohmann::json::accept(found->second->case_text))
      answers.push_back(*found->second);
    else
      pending.push_back(case_text(cases[i]));
  }
  return judged(paper.claims, Records(answers, pending));
}

std::string_view to_string(ClaimVerdict verdict) {
  constexpr std::array<std::string_view, claim_verdict_count> texts{"differs", "undecided", "within 5 %",
                                                                    "not computed", "agrees"};
  return texts.at(static_cast<std::size_t>(verdict));
}

nlohmann::ordered_json to_json(const Finding& finding) {
  nlohmann::ordered_json json{
      {"claim", finding.claim}, {"source", finding.source}, {"printed", finding.printed}};
  json["rounding"] = finding.rounding;
  json["ours"] = finding.ours ? nlohmann::ordered_json(*finding.ours) : nlohmann::ordered_json(nullptr);
  json["interval"] = nullptr;
  if (finding.interval) json["interval"] = {finding.interval->low, finding.interval->high};
  json["verdict"] = to_string(finding.verdict);
  json["explanation"] = finding.explanation;
  return json;
}

}  // namespace faultline
