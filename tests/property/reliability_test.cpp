// SPDX-License-Identifier: Apache-2.0
// Reliability against sums over all states, closed forms, and a simulated Markov process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <map>

#include "faultline/base/random.h"
#include "faultline/resilience/resilience.h"
#include "faultline/topology/builder.h"
#include "resilience/evaluate/evaluator.h"
#include "support/effort.h"
#include "support/error_message.h"
#include "support/sample_networks.h"

namespace faultline {
namespace {

constexpr double rate = 0.01, repair = 12;  // q = 0.107

struct Question {
  std::string topology;
  FaultUnits units = FaultUnit::channel;
  FaultScope scope = FaultScope::network;
  std::string routing;
};

struct AskedNetwork {
  explicit AskedNetwork(const Question& question)
      : sample(make_network(question.topology, question.routing)),
        components(sample.relation->shared_topology(), question.units, question.scope) {}
  [[nodiscard]] Reliability ask(const ReliabilitySpec& spec, const StudyConditions& conditions = {}) const {
    return *ResilienceStudy(sample.relation, sample.survival, components, conditions).reliability(spec);
  }
  SampleNetwork sample;
  FaultComponents components;
};

ReliabilitySpec with_rates(FaultUnits units, double scale = 1, bool repaired = true) {
  ReliabilitySpec spec;
  double factor = scale;
  for (const FaultUnit unit :
       {FaultUnit::channel, FaultUnit::link, FaultUnit::switch_, FaultUnit::terminal}) {
    if (!units.contains(unit)) continue;
    spec.rates.push_back({unit, factor * rate, repaired ? std::optional(repair) : std::nullopt});
    factor *= 0.5;
  }
  return spec;
}

/// Every state, one at a time, with the plain evaluator.
struct Truth {
  double unavailability = 0, lost_pairs = 0, entered_per_hour = 0;
  std::vector<double> birnbaum;
  std::map<std::string, double> birnbaum_by_name;

  Truth(const AskedNetwork& network, const ReliabilitySpec& spec, Knowledge knowledge = Knowledge::all()) {
    const auto n = static_cast<std::uint32_t>(network.components.count());
    const Survival survival = knowledge.is_all() ? network.sample.survival : Survival::fixed_paths;
    const survival::Subject subject{network.sample.relation, survival, network.components, knowledge};
    const auto reference = survival::make_reference_evaluator(subject);
    const auto terminals = static_cast<double>(network.sample.relation->topology().terminal_count());
    std::vector<double> failed(n), rates(n);
    for (std::uint32_t i = 0; i < n; ++i)
      for (const ComponentRate& one : spec.rates)
        if (one.unit == network.components.unit(i)) {
          rates[i] = one.failure_rate;
          failed[i] = *one.repair_time / (1 / one.failure_rate + *one.repair_time);
        }
    std::vector<bool> bad;
    survival::Verdicts verdicts;
    std::vector<double> probability;
    for (std::uint32_t state = 0; state < 1U << n; ++state) {
      survival::FaultBlock block{0, 1, {}};
      probability.push_back(1);
      for (std::uint32_t i = 0; i < n; ++i) {
        const bool down = (state >> i & 1U) != 0;
        probability.back() *= down ? failed[i] : 1 - failed[i];
        if (down) block.members.push_back(i);
      }
      block.faults = static_cast<std::uint32_t>(block.members.size());
      reference->evaluate(block, verdicts);
      bad.push_back(verdicts.lost_pairs[0] != 0);
      if (bad.back()) unavailability += probability.back();
      lost_pairs +=
          probability.back() * static_cast<double>(verdicts.lost_pairs[0]) / (terminals * (terminals - 1));
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      double if_failed = 0, if_works = 0;
      for (std::uint32_t state = 0; state < 1U << n; ++state) {
        if (!bad[state]) {
          if ((state >> i & 1U) == 0 && bad[state | 1U << i])
            entered_per_hour += probability[state] * rates[i];
        } else if ((state >> i & 1U) != 0) {
          if_failed += probability[state] / failed[i];
        } else {
          if_works += probability[state] / (1 - failed[i]);
        }
      }
      birnbaum.push_back(if_failed - if_works);
      birnbaum_by_name[network.components.name(i)] = birnbaum.back();
    }
    std::ranges::sort(birnbaum, std::greater<>{});
  }
};

const std::vector<Question> tiny{
    {"ruft:k=2,n=2", FaultUnit::channel, FaultScope::all, {}},
    {"fat-tree:k=2,n=2", FaultUnit::channel, FaultScope::network, {}},
    {"fat-tree:k=2,n=2", FaultUnit::link, FaultScope::all, {}},
    {"fat-tree:k=2,n=2", FaultUnit::link | FaultUnit::switch_, FaultScope::network, {}},
    {"torus:radix=3x2", FaultUnit::switch_, FaultScope::network, {}},
    {"fat-tree:k=2,n=2", FaultUnit::link, FaultScope::network, "shortest-path"},
};

TEST(Reliability, ExhaustivelyItIsTheSumOverAllStates) {
  for (const Question& question : tiny) {
    const AskedNetwork network(question);
    ReliabilitySpec spec = with_rates(question.units);
    const Truth truth(network, spec);
    const Reliability found = network.ask(spec);
    ASSERT_EQ(found.method, Reliability::Method::exhaustive) << question.topology;
    EXPECT_NEAR(found.steady->unavailability.value, truth.unavailability, 1e-12);
    EXPECT_NEAR(found.steady->disconnected_pairs.value, truth.lost_pairs, 1e-12);
    ASSERT_TRUE(found.steady->hours_to_intolerable);
    EXPECT_NEAR(found.steady->hours_to_intolerable->value,
                (1 - truth.unavailability) / truth.entered_per_hour, 1e-9 / truth.entered_per_hour);
    const std::size_t listed = std::min<std::size_t>(10, truth.birnbaum.size());
    ASSERT_EQ(found.steady->most_important.size(), listed) << question.topology;
    for (std::size_t i = 0; i < listed; ++i) {
      const ComponentImportance& one = found.steady->most_important[i];
      EXPECT_NEAR(one.birnbaum.value, truth.birnbaum[i], 1e-9);
      ASSERT_TRUE(truth.birnbaum_by_name.contains(one.name)) << one.name;
      EXPECT_NEAR(one.birnbaum.value, truth.birnbaum_by_name.at(one.name), 1e-9) << one.name;
    }
  }
}

TEST(Reliability, CountsFailuresThatNoSwitchKnows) {
  for (const Question& question : tiny) {
    const AskedNetwork network(question);
    ReliabilitySpec spec = with_rates(question.units);
    const Truth truth(network, spec, Knowledge::none());
    const Reliability found = network.ask(spec, {.knowledge = Knowledge::none()});
    ASSERT_GT(truth.unavailability, 0.01) << question.topology;
    EXPECT_NEAR(found.steady->unavailability.value, truth.unavailability, 1e-12) << question.topology;
    EXPECT_NEAR(found.steady->disconnected_pairs.value, truth.lost_pairs, 1e-12) << question.topology;
  }
  // Where any dead link loses packets, every one of the four has to be up.
  const AskedNetwork tree({"fat-tree:k=2,n=2", FaultUnit::link, FaultScope::network, {}});
  const Reliability series = tree.ask(with_rates(FaultUnit::link), {.knowledge = Knowledge::none()});
  EXPECT_NEAR(series.steady->unavailability.value, 1 - std::pow(1 / (1 + rate * repair), 4), 1e-12);
}

/// Rounding aside.
void expect_within(const Interval& interval, double exact, const std::string& what) {
  EXPECT_LE(interval.low, exact * (1 + 1e-9)) << what;
  EXPECT_GE(interval.high, exact * (1 - 1e-9)) << what;
}

TEST(SlowReliability, SampledAndRareIntervalsCoverTheSum) {
  for (const Question& question : thinned(tiny, 4))
    for (const ResilienceMethod method : {ResilienceMethod::sampled, ResilienceMethod::rare}) {
      const AskedNetwork network(question);
      // The estimator for rare events needs rare events.
      ReliabilitySpec spec = with_rates(question.units, method == ResilienceMethod::rare ? 0.02 : 1);
      const Truth truth(network, spec);
      spec.method = method;
      spec.samples = 4000;
      int covered = 0, pairs = 0, hours = 0;
      constexpr int repetitions = 40;
      double sum = 0;
      for (std::uint64_t seed = 1; seed <= repetitions; ++seed) {
        const SteadyState steady = *network.ask(spec, {.seed = seed}).steady;
        const auto in = [](const Interval& interval, double exact) {
          return interval.low <= exact * (1 + 1e-9) && exact * (1 - 1e-9) <= interval.high ? 1 : 0;
        };
        covered += in(steady.unavailability.interval, truth.unavailability);
        pairs += in(steady.disconnected_pairs.interval, truth.lost_pairs);
        hours +=
            in(steady.hours_to_intolerable->interval, (1 - truth.unavailability) / truth.entered_per_hour);
        sum += steady.unavailability.value;
      }
      const std::string what = question.topology + (method == ResilienceMethod::rare ? " rare" : " sampled");
      EXPECT_NEAR(sum / repetitions / truth.unavailability, 1, 0.05) << what;
      // Fewer than 32 of 40 has a probability below 1e-3 where each covers with probability 0.95.
      EXPECT_GE(covered, 32) << what;
      EXPECT_GE(pairs, 32) << what;
      EXPECT_GE(hours, 32) << what;
    }
}

TEST(Reliability, RareIntervalsAllowForCutsThatMeetUnseen) {
  // A terminal at each of five switches, every two joined: a few hundred draws hardly meet two cuts in one
  // set.
  const AskedNetwork network({"switch-clique:switches=5,terminals=5,degree=1,attachment=uniform,seed=1",
                              FaultUnit::link, FaultScope::network, "shortest-path"});
  for (const double scale : {0.2, 1e-3, 1e-6}) {
    ReliabilitySpec spec = with_rates(FaultUnit::link, scale);
    const Truth truth(network, spec);
    spec.method = ResilienceMethod::rare;
    spec.samples = 300;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const SteadyState steady = *network.ask(spec, {.seed = seed}).steady;
      expect_within(steady.unavailability.interval, truth.unavailability, "unavailability");
      expect_within(steady.disconnected_pairs.interval, truth.lost_pairs, "pairs");
      expect_within(steady.hours_to_intolerable->interval,
                    (1 - truth.unavailability) / truth.entered_per_hour, "hours");
      // Of 300 values in 0 … range: a few per cent.
      EXPECT_LT(steady.unavailability.interval.high / steady.unavailability.interval.low, 1.5);
      EXPECT_LT(steady.unavailability.interval.low, steady.unavailability.interval.high);
    }
  }
}

/// Rare events are tried where sampling has had few hits, and are taken only if they say more. The
/// probability is that of the 16 pairs of switches that are fatal, to the first order.
TEST(Reliability, TheMethodIsTheOneThatSaysMore) {
  const AskedNetwork network({"ft-ruft-222:k=4,n=3", FaultUnit::switch_, FaultScope::network, {}});
  const double q = 1e-6 * 24 / (1 + 1e-6 * 24), truth = 16 * q * q;
  for (const std::uint64_t samples : {2'000U, 20'000U}) {
    ReliabilitySpec spec{.rates = {{FaultUnit::switch_, 1e-6, 24.0}}, .samples = samples};
    const Interval chosen = network.ask(spec).steady->unavailability.interval;
    spec.method = ResilienceMethod::sampled;
    const Interval sampled = network.ask(spec).steady->unavailability.interval;
    spec.method = ResilienceMethod::rare;
    const Interval rare = network.ask(spec).steady->unavailability.interval;
    expect_within(chosen, truth, "unavailability");
    EXPECT_DOUBLE_EQ(chosen.high - chosen.low, std::min(sampled.high - sampled.low, rare.high - rare.low));
    EXPECT_LT(chosen.high - chosen.low, truth);
  }
}

/// Nearly every set is intolerable: what the draws say exceeds all probability.
TEST(Reliability, ARareProbabilityIsAtMostOne) {
  const AskedNetwork network({"mesh:radix=3x2", FaultUnit::link, FaultScope::all, "dimension-order"});
  ReliabilitySpec spec{.rates = {{FaultUnit::link, 1.0, 1.0}}, .method = ResilienceMethod::rare};
  if (under_sanitizers) spec.samples = 2'000;
  for (std::uint64_t seed = 1; seed <= effort(5U, 1U); ++seed) {
    const SteadyState steady = *network.ask(spec, {.seed = seed}).steady;
    for (const Estimate& one : {steady.unavailability, steady.disconnected_pairs}) {
      EXPECT_LE(one.value, 1);
      EXPECT_LE(one.interval.low, one.value);
      EXPECT_LE(one.value, one.interval.high);
    }
  }
}

TEST(Reliability, OfNetworksThatAnyFaultBreaksIsThatOfASeries) {
  const AskedNetwork network({"ruft:k=4,n=2", FaultUnit::channel, FaultScope::network, {}});
  const auto n = static_cast<double>(network.components.count());
  ReliabilitySpec spec = with_rates(FaultUnit::channel, 1e-3);
  spec.method = ResilienceMethod::sampled;
  const double q = rate * 1e-3 * repair / (1 + rate * 1e-3 * repair);
  const SteadyState steady = *network.ask(spec).steady;
  expect_within(steady.unavailability.interval, 1 - std::pow(1 - q, n), "unavailability");
  EXPECT_NEAR(steady.unavailability.value, 1 - std::pow(1 - q, n), 1e-12);  // every set drawn is intolerable
  expect_within(steady.hours_to_intolerable->interval, 1 / (n * rate * 1e-3), "hours");
  // Without repair, a series of n fails at n times the rate.
  spec = with_rates(FaultUnit::channel, 1, false);
  const Reliability unrepaired = network.ask(spec);
  EXPECT_FALSE(unrepaired.steady);
  expect_within(unrepaired.first_loss->interval, 1 / (n * rate), "first loss");
  EXPECT_NEAR(unrepaired.first_loss->value * n * rate, 1, 0.05);
}

/// The network is almost always down: differences from one would cancel.
TEST(Reliability, OfASeriesOfPoorComponentsIsStillExact) {
  const AskedNetwork network({"mesh:radix=2x2", FaultUnit::link, FaultScope::all, {}});
  constexpr double per_hour = 2, hours = 300, works = 1 / (1 + per_hour * hours);
  ReliabilitySpec spec;
  spec.rates = {{FaultUnit::link, per_hour, hours}};
  const Reliability found = network.ask(spec);
  ASSERT_EQ(found.method, Reliability::Method::exhaustive);
  ASSERT_TRUE(found.steady && found.steady->hours_to_intolerable);
  const double needed = 8;
  EXPECT_NEAR(found.steady->hours_to_intolerable->value, 1 / (needed * per_hour), 1e-9);
  ASSERT_EQ(found.steady->most_important.size(), 8U);
  for (const auto& one : found.steady->most_important)
    EXPECT_NEAR(one.birnbaum.value / std::pow(works, needed - 1), 1, 1e-9);
  EXPECT_NEAR(found.steady->availability.value / std::pow(works, needed), 1, 1e-9);
  EXPECT_EQ(found.steady->availability.interval.low, found.steady->availability.interval.high);
  // Of twelve pairs, eight need a link between switches and two of terminals, four need one more.
  EXPECT_NEAR(found.steady->connected_pairs.value / ((8 * std::pow(works, 3) + 4 * std::pow(works, 4)) / 12),
              1, 1e-9);
}

/// In the sets that lose a pair, failures and repairs nearly cancel: the others tell the hours.
TEST(Reliability, SampledHoursOfANetworkThatIsMostlyDownAreThoseOfTheSum) {
  for (const Question& question : tiny) {
    const AskedNetwork network(question);
    for (const double scale : {8.0, 60.0}) {
      ReliabilitySpec spec = with_rates(question.units, scale);
      const Truth truth(network, spec);
      if (truth.unavailability < 0.6) continue;
      spec.method = ResilienceMethod::sampled;
      spec.samples = 20'000;
      const auto hours = network.ask(spec).steady->hours_to_intolerable;
      const double up = (1 - truth.unavailability) * static_cast<double>(spec.samples);
      EXPECT_TRUE(hours || up < 10) << question.topology << ", scale " << scale;
      if (!hours) continue;
      const double expected = (1 - truth.unavailability) / truth.entered_per_hour;
      expect_within(hours->interval, expected, question.topology);
      EXPECT_NEAR(hours->value / expected, 1, 0.3) << question.topology << ", scale " << scale;
    }
  }
}

/// Two terminals at two switches, beside which there are others that no path needs.
TEST(Reliability, ComponentsThatCannotMatterHaveNoImportance) {
  const AskedNetwork network({"switch-clique:switches=5,terminals=2,attachment=careless,degree=3",
                              FaultUnit::switch_,
                              FaultScope::network,
                              {}});
  ASSERT_EQ(network.components.count(), 5U);
  for (const double scale : {1e-6, 1e-3, 0.03, 0.1, 0.7, 1.3, 5.0, 20.0, 300.0}) {
    const ReliabilitySpec spec = with_rates(FaultUnit::switch_, scale);
    const double load = spec.rates[0].failure_rate * repair, q = load / (1 + load);
    const SteadyState steady = *network.ask(spec).steady;
    EXPECT_NEAR(steady.unavailability.value / (q * q * q), 1, 1e-9) << scale;
    ASSERT_EQ(steady.most_important.size(), 3U) << scale;
    for (const ComponentImportance& one : steady.most_important)
      EXPECT_NEAR(one.birnbaum.value / (q * q), 1, 1e-9) << scale;
  }
}

/// Two switches with a terminal each, and as many links between them.
ResilienceStudy two_switches(std::uint32_t links, const StudyConditions& conditions = {}) {
  TopologyBuilder builder;
  for (std::uint32_t at = 0; at < 2; ++at) {
    builder.add_switch({0, at});
    builder.attach(builder.add_terminal(), {SwitchId(at), links});
  }
  for (std::uint32_t i = 0; i < links; ++i) builder.connect_both({SwitchId(0), i}, {SwitchId(1), i});
  const auto topology = std::make_shared<const Topology>(std::move(builder).build("two", "shortest-path"));
  return {build_healthy_relation(topology, parse_compact("routing", "shortest-path")), Survival::any_path,
          FaultComponents(topology, FaultUnit::link, FaultScope::network), conditions};
}

TEST(Reliability, OfANetworkInPartsIsNever) {
  ResilienceStudy study = two_switches(0);
  const Reliability repaired = *study.reliability(with_rates(FaultUnit::link));
  EXPECT_EQ(repaired.steady->availability.value, 0);
  EXPECT_EQ(repaired.steady->unavailability.value, 1);
  EXPECT_EQ(repaired.steady->disconnected_pairs.value, 1);
  const Reliability unrepaired = *study.reliability(with_rates(FaultUnit::link, 1, false));
  EXPECT_EQ(unrepaired.first_loss->value, 0);
  const auto cuts = study.minimum_cuts(10);
  ASSERT_TRUE(cuts);
  EXPECT_EQ(cuts->size, 0U);
  EXPECT_EQ(cuts->count, "1");
}

/// Of one link the first failure is the first loss: a mean of exponential times, known in closed form.
TEST(Reliability, IntervalsOfFewTimesToTheFirstLossCoverIt) {
  for (const double failures : {1e-155, 1e-3, 1e155}) {
    int covered = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      ReliabilitySpec spec{.rates = {{FaultUnit::link, failures, std::nullopt}},
                           .method = ResilienceMethod::sampled};
      spec.histories = 20;
      const Estimate found = *two_switches(1, {.seed = seed}).reliability(spec)->first_loss;
      EXPECT_GE(found.interval.low, 0);
      covered += found.interval.low * failures <= 1 && 1 <= found.interval.high * failures ? 1 : 0;
    }
    EXPECT_GE(covered, 172) << "for a rate of " << failures;  // 95 % of normal means, a little less of these
  }
}

TEST(Reliability, OfAStoppedStudyIsAbsent) {
  const std::atomic<bool> stop = true;
  for (const bool repaired : {true, false})
    EXPECT_FALSE(two_switches(1, {.stop = &stop}).reliability(with_rates(FaultUnit::link, 1, repaired)));
}

/// All of its links may fail: the only pair is at one switch, and the tolerance is not known exactly.
TEST(Reliability, OfLinksThatNobodyUsesIsNotFinite) {
  TopologyBuilder builder;
  for (std::uint32_t at = 0; at < 40; ++at) builder.add_switch({0, at});
  for (std::uint32_t terminal = 0; terminal < 2; ++terminal)
    builder.attach(builder.add_terminal(), {SwitchId(0), 2 + terminal});
  for (std::uint32_t at = 0; at + 1 < 40; ++at)
    builder.connect_both({SwitchId(at), 0}, {SwitchId(at + 1), 1});
  const auto topology = std::make_shared<const Topology>(std::move(builder).build("chain", "shortest-path"));
  for (const Knowledge knowledge : {Knowledge::none(), Knowledge::all()}) {
    ResilienceStudy study(build_healthy_relation(topology, parse_compact("routing", "shortest-path")),
                          Survival::any_path, FaultComponents(topology, FaultUnit::link, FaultScope::network),
                          {.knowledge = knowledge});
    EXPECT_FALSE(study.reliability(with_rates(FaultUnit::link, 1, false))->first_loss)
        << to_string(knowledge);
  }
}

TEST(Reliability, AnImportanceIsAtMostOne) {
  for (const Question& question : tiny)
    for (const double scale : {1e-9, 1.0, 30.0, 1e4})
      for (const ResilienceMethod method : {ResilienceMethod::exhaustive, ResilienceMethod::sampled}) {
        ReliabilitySpec spec = with_rates(question.units, scale);
        spec.method = method;
        spec.samples = 200;
        const Reliability found = AskedNetwork(question).ask(spec);
        for (const auto& one : found.steady->most_important) {
          EXPECT_GE(one.birnbaum.interval.low, 0) << question.topology << " " << scale;
          EXPECT_LE(one.birnbaum.interval.low, one.birnbaum.interval.high) << question.topology;
          EXPECT_LE(one.birnbaum.interval.high, 1) << question.topology << " " << scale;
          EXPECT_LE(one.birnbaum.value, 1) << question.topology << " " << scale;
        }
      }
}

TEST(Reliability, WithoutRepairItIsTheMixtureOverNumbersOfFaults) {
  // All components alike: after f faults, which of them are down is uniform, and the next comes after
  // 1 / ((n - f) rate) hours.
  for (const std::string topology : {"fat-tree:k=2,n=2", "ruft-pl:k=2,n=2", "ft-ruft-212:k=2,n=2"}) {
    const AskedNetwork network({topology, FaultUnit::channel, FaultScope::network, {}});
    const auto n = static_cast<std::uint32_t>(network.components.count());
    ReliabilitySpec spec = with_rates(FaultUnit::channel, 1, false);
    spec.method = ResilienceMethod::sampled;
    FractionsSpec every_number{.method = ResilienceMethod::exhaustive};
    for (std::uint32_t faults = 0; faults < n; ++faults) every_number.fault_counts.push_back(faults);
    ResilienceStudy study(network.sample.relation, network.sample.survival, network.components);
    double hours = 0;
    for (const FaultPoint& point : study.fractions(every_number).points)
      hours += (1 - point.intolerable_fraction) / ((n - point.faults) * rate);
    const Estimate found = *study.reliability(spec)->first_loss;
    EXPECT_NEAR(found.value / hours, 1, 0.05) << topology;
    spec.method = ResilienceMethod::exhaustive;
    EXPECT_NEAR(study.reliability(spec)->first_loss->value / hours, 1, 1e-9) << topology;
    EXPECT_LT(found.interval.low, found.value);
    EXPECT_GT(found.interval.high, found.value);
  }
}

TEST(Reliability, APlayedOutMarkovProcessStaysUpAsLong) {
  const Question question{"fat-tree:k=2,n=2", FaultUnit::link | FaultUnit::switch_, FaultScope::network, {}};
  const AskedNetwork network(question);
  const ReliabilitySpec spec = with_rates(question.units);
  const SteadyState steady = *network.ask(spec).steady;
  const auto n = static_cast<std::uint32_t>(network.components.count());
  const survival::Subject subject{network.sample.relation, network.sample.survival, network.components};
  const auto reference = survival::make_reference_evaluator(subject);
  survival::Verdicts verdicts;
  std::vector<bool> bad;
  for (std::uint32_t state = 0; state < 1U << n; ++state) {
    survival::FaultBlock block{0, 1, {}};
    for (std::uint32_t i = 0; i < n; ++i)
      if ((state >> i & 1U) != 0) block.members.push_back(i);
    block.faults = static_cast<std::uint32_t>(block.members.size());
    reference->evaluate(block, verdicts);
    bad.push_back(verdicts.lost_pairs[0] != 0);
  }
  RandomStream random(5, 0);
  std::uint32_t state = 0, entries = 0;
  double up = 0, all = 0;
  for (int event = 0; event < 400'000; ++event) {
    std::vector<double> rates;
    double total = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const bool is_link = network.components.unit(i) == FaultUnit::link;
      rates.push_back((state >> i & 1U) != 0 ? 1 / repair : is_link ? rate : rate / 2);
      total += rates.back();
    }
    const double hours = -std::log1p(-random.next_unit()) / total;
    all += hours;
    if (!bad[state]) up += hours;
    double left = random.next_unit() * total;
    std::uint32_t next = 0;
    while (next + 1 < n && (left -= rates[next]) >= 0) ++next;
    if (!bad[state] && bad[state ^ 1U << next]) ++entries;
    state ^= 1U << next;
  }
  EXPECT_NEAR(up / all, 1 - steady.unavailability.value, 0.01);
  EXPECT_NEAR(up / entries / steady.hours_to_intolerable->value, 1, 0.03);
}

TEST(Reliability, DoesNotDependOnThreads) {
  const AskedNetwork network({"ruft-pl:k=4,n=2", FaultUnit::channel, FaultScope::network, {}});
  for (const auto& [method, repaired] :
       {std::pair(ResilienceMethod::sampled, true), std::pair(ResilienceMethod::rare, true),
        std::pair(ResilienceMethod::sampled, false)}) {
    ReliabilitySpec spec = with_rates(FaultUnit::channel, 0.1, repaired);
    spec.method = method;
    spec.samples = 3000;
    const Reliability one = network.ask(spec);
    const Reliability three = network.ask(spec, {.threads = 3});
    if (repaired) {
      EXPECT_EQ(one.steady->unavailability.value, three.steady->unavailability.value);
      EXPECT_EQ(one.steady->hours_to_intolerable->value, three.steady->hours_to_intolerable->value);
      EXPECT_EQ(one.steady->most_important.front().name, three.steady->most_important.front().name);
    } else {
      EXPECT_EQ(one.first_loss->value, three.first_loss->value);
    }
  }
}

/// Two links in parallel fail after 1 / 2r + 1 / r hours; with a switch at either end, whichever comes first.
TEST(Reliability, FromEverySetIsTheClosedFormOfLinksInParallel) {
  ReliabilitySpec spec = with_rates(FaultUnit::link, 1, false);
  spec.method = ResilienceMethod::exhaustive;
  for (const std::uint32_t links : {1U, 2U, 3U, 7U}) {
    double hours = 0;
    for (std::uint32_t left = 1; left <= links; ++left) hours += 1 / (left * rate);
    const Reliability found = *two_switches(links).reliability(spec);
    EXPECT_NEAR(found.first_loss->value / hours, 1, 1e-12) << links;
    EXPECT_EQ(found.first_loss->interval.low, found.first_loss->interval.high);
    EXPECT_EQ(found.sets, std::uint64_t{1} << links);
  }
}

TEST(Reliability, FromEverySetIsWithinTheIntervalOfHistories) {
  for (const Question& question : tiny) {
    const AskedNetwork network(question);
    ReliabilitySpec spec = with_rates(question.units, 1, false);
    spec.method = ResilienceMethod::exhaustive;
    const Reliability exact = network.ask(spec);
    if (!exact.first_loss) continue;
    spec.method = ResilienceMethod::sampled;
    const Reliability drawn = network.ask(spec);
    EXPECT_EQ(drawn.sets, spec.histories);
    EXPECT_NEAR(drawn.first_loss->value / exact.first_loss->value, 1, 0.06) << question.topology;
  }
}

TEST(Reliability, WithoutRepairRefusesAnEstimatorOfRareEvents) {
  ReliabilitySpec spec = with_rates(FaultUnit::link, 1, false);
  spec.method = ResilienceMethod::rare;
  EXPECT_THAT(testing_support::error_message([&] { (void)two_switches(2).reliability(spec); }),
              testing::HasSubstr("reliability without repair must be exhaustive or sampled"));
}

/// All channels matter alike: those that happen to come out highest are not found to matter more.
TEST(Reliability, ImportanceOfTheFirstOnesIsWithinTheirIntervals) {
  const AskedNetwork network({"ruft-pl:k=2,n=4", FaultUnit::channel, FaultScope::network, {}});
  const auto n = static_cast<double>(network.components.count());
  const double q = rate * 0.1 * repair / (1 + rate * 0.1 * repair);
  const double birnbaum = q * std::pow(1 - q * q, n / 2 - 1);  // of pairs in parallel, all in a series
  ReliabilitySpec spec = with_rates(FaultUnit::channel, 0.1);
  spec.samples = 20'000;
  for (const ResilienceMethod method : {ResilienceMethod::sampled, ResilienceMethod::rare}) {
    spec.method = method;
    int covered = 0, listed = 0;
    for (std::uint64_t seed = 1; seed <= effort(20U, 2U); ++seed) {
      const Reliability found = network.ask(spec, {.seed = seed});
      for (const auto& one : found.steady->most_important) {
        ++listed;
        covered += one.birnbaum.interval.low <= birnbaum && birnbaum <= one.birnbaum.interval.high ? 1 : 0;
      }
    }
    ASSERT_EQ(listed, effort(200, 20));
    EXPECT_GE(covered, effort(196, 19));
  }
}

/// Of two links in parallel each has failed where a pair is lost: three times the same probability, whose
/// intervals hold together only if they are wider than the interval of one.
TEST(Reliability, IntervalsOfImportanceHoldTogether) {
  for (const ResilienceMethod method : {ResilienceMethod::sampled, ResilienceMethod::rare}) {
    ReliabilitySpec spec = with_rates(FaultUnit::link, 0.1);
    spec.method = method;
    spec.samples = 1000;
    const SteadyState steady = *two_switches(2).reliability(spec)->steady;
    ASSERT_EQ(steady.most_important.size(), 2U);
    const double q = rate * 0.1 * repair / (1 + rate * 0.1 * repair);
    const Interval lost = steady.unavailability.interval;
    for (const ComponentImportance& one : steady.most_important)
      EXPECT_LT(one.birnbaum.interval.low, (1 - 1e-9) * (lost.low - q * lost.high) / (q * (1 - q)));
  }
}

/// Every set that is drawn loses a pair and is left as fast as any other: only their share of all sets is
/// not known. Its interval must be missed less often than that of the hours, and is that of Clopper and
/// Pearson.
TEST(Reliability, HoursAllowForAllThatIsEstimated) {
  const AskedNetwork network({"ft-ruft-212:k=2,n=3", FaultUnit::channel, FaultScope::network, {}});
  ReliabilitySpec spec = with_rates(FaultUnit::channel, 0.001);
  spec.method = ResilienceMethod::sampled;
  const SteadyState steady = *network.ask(spec).steady;
  const Estimate& down = steady.unavailability;
  ASSERT_GT(down.value, 0);
  const Estimate& hours = *steady.hours_to_intolerable;
  // In normal approximation 2.58 standard errors, where an interval of 95 % has 1.96.
  EXPECT_GT(hours.interval.high / hours.value - 1, 1.25 * (1 - down.interval.low / down.value));
  EXPECT_GT(1 - hours.interval.low / hours.value, 1.25 * (1 - down.value / down.interval.high));
}

/// Few hits: how long the network stays up is known from below only.
TEST(Reliability, HoursHaveAValueAlsoWhereFewSetsTellThem) {
  const AskedNetwork network({"ft-ruft-222:k=4,n=3", FaultUnit::switch_, FaultScope::network, {}});
  ReliabilitySpec spec{.rates = {{FaultUnit::switch_, 1e-6, 24.0}}, .samples = 500};
  spec.method = ResilienceMethod::sampled;
  const double q = 1e-6 * 24 / (1 + 1e-6 * 24), truth = 1 / (16 * q * q * (2 / 24.0));  // of 16 fatal pairs
  const SteadyState steady = *network.ask(spec).steady;
  ASSERT_GT(steady.unavailability.value, 0);
  ASSERT_TRUE(steady.hours_to_intolerable);
  EXPECT_NEAR(steady.hours_to_intolerable->value / truth, 1, 0.3);
  EXPECT_LE(steady.hours_to_intolerable->interval.low, truth);
  EXPECT_EQ(steady.hours_to_intolerable->interval.high, std::numeric_limits<double>::infinity());
}

TEST(SlowReliability, RareEventsAreFoundWhereSamplingSeesNothing) {
  const AskedNetwork network({"ft-ruft-222:k=4,n=3", FaultUnit::channel, FaultScope::network, {}});
  ResilienceStudy study(network.sample.relation, network.sample.survival, network.components);
  const Reliability found = *study.reliability(with_rates(FaultUnit::channel, 1e-6));
  EXPECT_EQ(found.method, Reliability::Method::rare);
  // So small that only smallest cuts matter: their number, counted exactly, times the probability of each.
  const std::uint32_t size = study.tolerance().faults + 1;
  const Fractions exact =
      study.fractions({.fault_counts = {size}, .method = ResilienceMethod::exact, .samples = 100});
  const double q = rate * 1e-6 * repair;
  const double expected = std::stod(*exact.points[0].intolerable_sets) * std::pow(q, size);
  EXPECT_NEAR(found.steady->unavailability.value / expected, 1, 0.02);
  const Interval interval = found.steady->unavailability.interval;
  EXPECT_LT(interval.high / interval.low, 1.1);
  EXPECT_EQ(found.steady->most_important.size(), 10U);
}

std::string refusal_of_reliability(const ReliabilitySpec& spec, const StudyConditions& conditions = {}) {
  return testing_support::error_message([&] {
    (void)AskedNetwork({"fat-tree:k=2,n=2", FaultUnit::link, FaultScope::network, {}}).ask(spec, conditions);
  });
}

TEST(Reliability, WhatMakesNoSenseIsRefused) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal_of_reliability({.rates = {{FaultUnit::switch_, 1e-6, 24.0}}}),
              HasSubstr("must name a unit that may fail: link"));
  EXPECT_THAT(refusal_of_reliability({}), HasSubstr("resilience.failure-rate"));
  EXPECT_THAT(refusal_of_reliability({.rates = {{FaultUnit::link, 0, 24.0}}}), HasSubstr("must be above 0"));
  EXPECT_THAT(refusal_of_reliability({.rates = {{FaultUnit::link, 1e-6, -1.0}}}),
              HasSubstr("resilience.repair-time = '-1'"));
  EXPECT_THAT(refusal_of_reliability({.rates = {{FaultUnit::link, 1e-6, 24.0}}},
                                     {.knowledge = Knowledge::neighbours()}),
              HasSubstr("resilience.knowledge"));
  EXPECT_THAT(
      refusal_of_reliability({.rates = {{FaultUnit::link, 1e-6, 24.0}}, .method = ResilienceMethod::exact}),
      HasSubstr("resilience.exact"));
}

}  // namespace
}  // namespace faultline
