// SPDX-License-Identifier: Apache-2.0
#include "resilience/reliability/rare_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "resilience/cuts/network_cuts.h"
#include "resilience/fractions/rare_event.h"

namespace faultline::survival {
namespace {

/// By number of components: the probability that the likeliest ones have all failed.
std::vector<double> likeliest_sets(const FailureModel& model, std::uint32_t most) {
  std::vector<double> failed;
  for (const FailureModel::Class& one : model.classes())
    failed.insert(failed.end(), std::min(one.count, most), one.failed);
  std::ranges::sort(failed, std::greater<>{});
  std::vector<double> products(most + 1, 0.0);
  products[0] = 1;
  for (std::uint32_t i = 0; i < std::min<std::size_t>(most, failed.size()); ++i)
    products[i + 1] = products[i] * failed[i];
  return products;
}

DerivationChoices choices_of(const Coverage& coverage, const FailureModel& model) {
  const std::vector<double> likeliest = likeliest_sets(model, coverage.largest());
  return coverage.choices([&](std::uint32_t fewest) { return likeliest[fewest]; });
}

}  // namespace

RareSets::RareSets(Circuit requirements, const FailureModel& model, std::uint32_t faults)
    : requirements_(std::move(requirements)),
      coverage_(requirements_, faults),
      choices_(choices_of(coverage_, model)),
      known_faults_(faults) {
  while (known_faults_ > 0 && !coverage_.knows_all(known_faults_)) --known_faults_;
}

double RareSets::Draws::operator()(RandomStream& random, std::vector<std::uint32_t>& failed) {
  const auto probability = [&](const auto& set) {
    double all = 1;
    for (const std::uint32_t component : set) all *= model_.class_of(component).failed;
    return all;
  };
  return sets_.max_weight() *
         draws_(random, failed, probability, [&](auto& set) { model_.draw_others(random, set); });
}

RareSetsOrObstacle rare_sets(const Subject& subject, const Tolerance& tolerance, const FailureModel& model,
                             StopFlag stop) {
  if (tolerance.witness.empty()) return {nullptr, "no set of faults that disconnects a pair is known"};
  double witness = 1;
  for (const Component component : tolerance.witness) witness *= model.class_of(component).failed;
  if (witness == 0)
    return {nullptr, "the fewest faults that disconnect a pair have a probability below 1e-308"};
  auto faults = static_cast<std::uint32_t>(tolerance.witness.size());
  while (faults < model.components() && model.at_least(faults + 1) > 1e-3 * witness) ++faults;
  if (faults > RareEvents::max_faults)
    return {nullptr, fmt::format("sets of {} faults or more matter; at most {} can be estimated",
                                 RareEvents::max_faults + 1, RareEvents::max_faults)};
  const bool fixed = subject.survival == Survival::fixed_paths;
  auto requirements =
      fixed ? compile_requirements(subject) : cut_requirements(subject, faults, {.stop = stop});
  if (!requirements)
    return {nullptr,
            fixed ? "paths have cycles"
                  : fmt::format("there are too many minimal cuts of at most {} components to list", faults)};
  auto sets = std::make_unique<const RareSets>(std::move(*requirements), model, faults);
  if (sets->max_weight() == 0)
    return {nullptr, fmt::format("a pair is lost only if components are counted more than {} times on its "
                                 "paths",
                                 sets->max_picks())};
  return {std::move(sets), {}};
}

}  // namespace faultline::survival
