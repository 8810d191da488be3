// SPDX-License-Identifier: Apache-2.0
#include "certificate.h"

#include <algorithm>
#include <limits>

namespace checker {
namespace {

constexpr Number max_value = std::numeric_limits<Number>::max() - 1;
constexpr Number max_radius = 64;

std::string label(Lines& lines, std::string_view keyword) {
  lines.expect(keyword);
  std::string text(lines.rest_of_line());
  lines.end_line();
  return text;
}

std::vector<Number> numbers(Lines& lines) {
  std::vector<Number> result;
  while (!lines.at_line_end()) result.push_back(lines.number(0, max_value));
  lines.end_line();
  return result;
}

void read_circumstances(Lines& lines, Certificate& certificate) {
  certificate.topology = label(lines, "topology");
  certificate.routing = label(lines, "routing");
  certificate.switching = lines.choice("switching", {"wormhole", "cut-through"});
  lines.expect("dead");
  if (lines.at_line_end()) lines.refuse("a word is missing");
  if (lines.take("-"))
    lines.end_line();
  else
    certificate.dead = numbers(lines);
  lines.expect("knowledge");
  if (lines.take("all"))
    certificate.given.knowledge = Circumstances::all;
  else if (!lines.take("none"))
    certificate.given.knowledge = lines.number(1, max_radius);
  lines.end_line();
  certificate.given.plans = lines.choice("source", {"any", "plan"}) == "plan";
  certificate.selection = lines.choice("selection", {"asks-all", "commits", "first"});
  certificate.given.takes_first = certificate.selection == "first";
  certificate.stuck = lines.choice("stuck", {"dropped", "waits"});
  certificate.time = lines.choice("time", {"static", "any"});
}

void read_verdict(Lines& lines, Certificate& certificate) {
  certificate.verdict = lines.choice("verdict", {"acyclic-dependencies", "escape", "bubble", "deadlock"});
  lines.expect("pairs");
  for (Number& count : certificate.pairs) count = lines.number(0, max_value);
  lines.end_line();
  certificate.unreachable_pairs = lines.entry("unreachable-pairs", 0, max_value);
  lines.expect("max-hops");
  if (!lines.take("unbounded")) certificate.max_hops = lines.number(0, max_value);
  lines.end_line();
  certificate.states = lines.entry("states", 0, max_value);
  certificate.moves = lines.entry("moves", 0, max_value);
  certificate.dependencies = lines.entry("dependencies", 0, max_value);
  certificate.by_classes = lines.choice("destinations", {"all", "classes"}) == "classes";
}

void read_dead(const Lines& lines, Certificate& certificate) {
  certificate.given.dead.assign(certificate.relation.channels.size(), false);
  for (const Number channel : certificate.dead) {
    if (channel >= certificate.relation.channels.size() || certificate.given.dead[channel])
      throw Refused(lines.line(), "a dead channel does not exist, or is named twice");
    certificate.given.dead[channel] = true;
  }
}

/// Where the destinations begin, and what maps them to the others.
void read_destinations(Lines& lines, Certificate& certificate) {
  const Relation& relation = certificate.relation;
  certificate.destinations = skip_destinations(lines);
  if (!certificate.by_classes && certificate.destinations.size() != relation.terminals)
    lines.refuse("the number of destinations differs from the number of terminals");
  for (Lines here : certificate.destinations) {
    here.expect("destination");
    if (relation.terminals == 0) here.refuse("there is no terminal");
    const Number number = here.number(0, relation.terminals - 1);
    if (!certificate.stated.empty() && number <= certificate.stated.back())
      here.refuse("destinations are not in order");
    certificate.stated.push_back(number);
  }
  if (!certificate.by_classes) return;
  if (certificate.verdict != "acyclic-dependencies" || !certificate.dead.empty())
    lines.refuse("one destination of each class is enough for acyclic dependencies with nothing dead only");
  if (certificate.given.takes_first)  // automorphisms do not keep the order of options
    lines.refuse("where switches take the first option, every destination must be stated");
  certificate.orbits = Orbits(lines, relation, certificate.stated);
}

void read_classes(Lines& lines, Certificate& certificate) {
  const Relation& relation = certificate.relation;
  for (const Number d : certificate.stated) {
    lines.expect("classes");
    if (lines.number(0, max_value) != d) lines.refuse("classes are not in the order of the destinations");
    certificate.classes.emplace_back(lines.word());
    if (certificate.classes.back().size() != relation.terminals)
      lines.refuse("the number of classes differs from the number of terminals");
    lines.end_line();
    while (lines.take("unused")) {
      const Number source = lines.number(0, relation.terminals - 1);
      auto& channels = certificate.unused[{d, source}];
      if (!channels.empty()) lines.refuse("a source's unused channels come twice");
      channels = numbers(lines);
      if (channels.empty()) lines.refuse("a line of unused channels names none");
    }
  }
}

void read_proof(Lines& lines, Certificate& certificate) {
  const Relation& relation = certificate.relation;
  if (lines.take("ranks")) {
    while (!lines.at_line_end()) {
      const std::string_view word = lines.word();
      certificate.ranks.push_back(word == "-" ? Certificate::unranked : lines.number_of(word, 0, max_value));
    }
    lines.end_line();
  }
  for (; lines.take("packet"); lines.end_line()) {
    if (relation.terminals == 0) lines.refuse("there is no terminal");
    const Number source = lines.number(0, relation.terminals - 1);
    certificate.packets.push_back({source, lines.number(0, relation.terminals - 1)});
  }
  for (; lines.take("step"); lines.end_line()) {
    Certificate::Step step{lines.line(), 0, 0, 0, 0};
    if (certificate.packets.empty() || relation.channels.empty()) lines.refuse("a step of no packet");
    step.packet = lines.number(0, certificate.packets.size() - 1);
    step.channel = lines.number(0, relation.channels.size() - 1);
    step.vc = lines.number(0, relation.virtual_channels - 1);
    step.tag = lines.number(0, relation.tags - 1);
    certificate.steps.push_back(step);
  }
}

}  // namespace

Certificate read_certificate(std::string_view text) {
  Lines lines(text);
  Certificate certificate;
  (void)lines.entry("faultline-certificate", 2, 2);
  read_circumstances(lines, certificate);
  read_verdict(lines, certificate);
  certificate.relation_line = lines.line();
  certificate.relation = read_relation(lines);
  read_dead(lines, certificate);
  read_destinations(lines, certificate);
  read_classes(lines, certificate);
  read_proof(lines, certificate);
  lines.end_text();
  if (certificate.relation.network != "-" && certificate.relation.network != certificate.topology)
    throw Refused(certificate.relation_line, "the relation is of another network than the topology named");
  return certificate;
}

}  // namespace checker
