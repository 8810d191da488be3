// SPDX-License-Identifier: Apache-2.0
// The verbs that ask about one network: one for each file of src/study/kinds/, whose fields are its options.
#include "questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"

namespace faultline::app {
namespace {

struct Request {
  std::vector<std::string> topology;
  std::string routing;
  Asking asking;
};

void print_text(const std::vector<Case>& cases, const std::vector<Json>& results, const Asking& asking) {
  if (cases.empty()) return;
  const VerbKind& verb = cases.front().options.kind();
  std::set<std::string> remarks;
  for (const Json& result : results) {
    for (const Json& remark : result.value("remarks", Json::array()))
      if (remarks.insert(remark.get<std::string>()).second) print_note(remark.get<std::string>());
    if (result.contains("relation"))
      fmt::print("relation file  {}\n", printable(result["relation"].get<std::string>(), 1000));
  }
  if (verb.text != nullptr)
    fmt::print("{}", verb.text(cases, results));
  else
    for (const Json& result : results) print_json(result);
  if (asking.further_text)
    for (const Json& result : results) fmt::print("{}", asking.further_text(result));
}

/// The answers so far, printed by the thread that ends the work.
class Answers {
 public:
  /// `as_list`: JSON is a list of answers even if there is one.
  Answers(std::vector<Case> cases, const Asking& asking, bool as_list)
      : cases_(std::move(cases)), asking_(asking), as_list_(as_list) {}

  [[nodiscard]] const std::vector<Case>& cases() const { return cases_; }
  void add(Json result) {
    const std::scoped_lock lock(mutex_);
    results_.push_back(std::move(result));
  }

  void print() const {
    const std::scoped_lock lock(mutex_);
    if (!asking_.json)
      print_text({cases_.begin(), cases_.begin() + static_cast<std::ptrdiff_t>(results_.size())}, results_,
                 asking_);
    else if (as_list_)
      print_json(results_);
    else if (!results_.empty())
      print_json(results_.front());
  }

  /// One line that says what an interruption left.
  [[nodiscard]] std::string kept() const {
    const std::scoped_lock lock(mutex_);
    const bool is_partial = !results_.empty() && is_unfinished(results_.back());
    const std::size_t finished = results_.size() - (is_partial ? 1 : 0);
    if (results_.empty()) return "interrupted; nothing was finished";
    return fmt::format("interrupted; printed {} of {} answers{}", finished, cases_.size(),
                       is_partial ? " and the unfinished part of one more" : "");
  }

  [[nodiscard]] bool has_any() const {
    const std::scoped_lock lock(mutex_);
    return !results_.empty();
  }
  [[nodiscard]] bool is_complete() const {
    const std::scoped_lock lock(mutex_);
    return results_.size() == cases_.size() && std::ranges::none_of(results_, is_unfinished);
  }
  /// Some answer says that something does not hold, or that it holds for a part of the fault sets only.
  [[nodiscard]] bool is_unproved() const {
    const std::scoped_lock lock(mutex_);
    return std::ranges::any_of(results_, [](const Json& result) {
      return result.contains("holds") && !(result["holds"].get<bool>() && result.value("exhaustive", true));
    });
  }

 private:
  static bool is_unfinished(const Json& result) { return result.value("interrupted", false); }

  std::vector<Case> cases_;
  const Asking& asking_;
  bool as_list_;
  mutable std::mutex mutex_;
  std::vector<Json> results_;
};

void compute(const Asking& asking, Answers& answers, StopFlag stop) {
  TopologyPtr topology;
  std::string built;
  for (const Case& one : answers.cases()) check_output_paths(case_outputs(one));
  for (const Case& one : answers.cases()) {
    if (is_set(stop)) return;
    if (const std::string wanted = to_compact(one.topology); wanted != built) {
      topology = build_topology(one.topology);
      built = wanted;
    }
    ProgressBar bar(std::string(one.options.kind().info.name));
    try {
      Answer found =
          run_case(one, topology, {asking.jobs, bar.as_progress(), stop, asking.threads, asking.limits});
      if (asking.complete) asking.complete(topology, found);
      write_files(found.files);
      answers.add(std::move(found.json));
    } catch (const Stopped&) {
      return;
    }
  }
}

/// A routing among the words that describe a topology is refused with the option that takes it.
void refuse_routings(const std::vector<std::string>& topology) {
  for (std::size_t i = 1; i < topology.size(); ++i) {
    const std::string& word = topology[i];
    const std::string name = word.substr(0, word.find(':'));
    if (std::ranges::any_of(routing_kinds(),
                            [&](const RoutingKind* kind) { return kind->info.name == name; }))
      throw Error("topology", word, "is a routing: write it as --routing " + word);
  }
}

}  // namespace

int ask(const CaseDescription& given, const Asking& asking, Interruption& interruption) {
  Answers answers(expand_case(given), asking, asks_for_several(given));
  const LastWords words(interruption, [&] {
    answers.print();
    return answers.kept();
  });
  try {
    compute(asking, answers, interruption.flag());
  } catch (...) {  // of a later case: those before it are finished
    interruption.begin_output();
    if (answers.has_any()) answers.print();
    throw;
  }
  interruption.begin_output();
  answers.print();
  if (!answers.is_complete()) {
    complain(answers.kept());
    return failed_run;
  }
  return answers.is_unproved() ? negative_verdict : success;
}

const VerbKind& verify_verb() { return *Named<VerbKind>({.path = "verb", .kind = "verify"}).kind; }

Description routing_description(const std::string& word) {
  return word.empty() ? Description{.path = "routing"} : parse_compact("routing", word);
}

void add_asking(CommandOptions& options, const VerbKind& verb, Asking& asking) {
  options.jobs(asking.jobs, "threads; never changes the answer");
  if (verb.threads_share_a_run)
    options.count("--threads", asking.threads, 255,
                  "threads that share one run of a large network (wormhole: 1024 switches and more); never "
                  "changes the answer");
  options.limits(asking.limits);
  options.flag("--json", asking.json, "print one JSON value");
}

std::vector<Verb> add_questions(CLI::App& program, const std::shared_ptr<KnownValues>& known) {
  std::vector<Verb> verbs;
  for (const VerbKind* kind : verb_kinds()) {
    const std::string name(kind->info.name);
    CommandOptions options = CommandOptions::of_new(program, name, kind->info.summary, known);
    auto request = std::make_shared<Request>();
    options.words("topology", request->topology,
                  "kind and parameters: fat-tree k=4 n=3, or switch-ring n=12 (see 'faultline list')");
    options.option("--routing", request->routing,
                   "routing, with parameters after a colon (default: the topology's)");
    options.complete_kinds("topology", names_of(&infos_of<TopologyKind>));
    options.complete_kinds("--routing", names_of(&infos_of<RoutingKind>));
    add_asking(options, *kind, request->asking);
    auto given = options.fields(name, kind->info.fields());
    verbs.push_back({&options.command(), [request, kind, given](Interruption& interruption) {
                       refuse_routings(request->topology);
                       return ask({description_from_words("topology", request->topology),
                                   routing_description(request->routing),
                                   {*kind, given()}},
                                  request->asking, interruption);
                     }});
  }
  return verbs;
}

}  // namespace faultline::app
