// SPDX-License-Identifier: Apache-2.0
// Fault sets per second of the resilience engine: drawn, evaluated and counted, in CPU time of one core
// unless stated otherwise.
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/figures.h"
#include "bench/naive_ft_ruft_222.h"
#include "faultline/topology/kind.h"
#include "resilience/circuit/live_tables.h"
#include "resilience/circuit/lower.h"
#include "resilience/evaluate/evaluator.h"
#include "resilience/evaluate/fault_sets.h"
#include "resilience/fractions/points.h"
#include "resilience/kernels/device.h"
#include "tests/support/shared_folder.h"

namespace faultline::bench {
namespace {

using namespace survival;

constexpr std::uint32_t faults = 50;

struct Case {
  std::string name, topology, routing;
  std::uint32_t faults;
  std::uint64_t samples;
};

struct Study {
  explicit Study(const Case& one)
      : topology(build_topology(parse_compact("topology", one.topology))),
        components(topology, FaultUnit::channel, FaultScope::network) {
    const auto routing = routing_or_default(
        Description{.path = "routing", .kind = one.routing, .fields = {}, .location = {}}, *topology);
    survival = routing.kind().survival;
    relation = build_relation(topology, FaultSet(*topology), routing);
  }
  [[nodiscard]] Subject subject() const { return {relation, survival, components}; }

  TopologyPtr topology;
  FaultComponents components;
  Survival survival{};
  RelationPtr relation;
};

double seconds(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<Case> cases() {
  std::vector<Case> all{
      {"ft-ruft-222 k=16 n=3, 50 faults", "ft-ruft-222:k=16,n=3", "", faults, 2'000'000},
      {"ruft-pl k=16 n=3, 50 faults", "ruft-pl:k=16,n=3", "", faults, 2'000'000},
      {"fat-tree fta k=16 n=3, 50 faults", "fat-tree:k=16,n=3", "", faults, 500'000},
      {"torus 32x32 minimal-adaptive, 50 faults", "torus:radix=32x32", "minimal-adaptive", faults, 50'000}};
  if (const std::filesystem::path fabric = shared_folder() / "fabrics/avakas.ibnetdiscover";
      std::filesystem::exists(fabric))
    all.push_back({"fabric avakas, 5 faults", "fabric:file=" + fabric.string(), "", 5, 2'000'000});
  return all;
}

/// The evaluators.
struct Engine {
  using Make = std::unique_ptr<Evaluator>(std::shared_ptr<const CompiledSubject>, const Subject&);

  std::string name;
  std::function<Make> make;
  std::uint64_t factor = 1;  ///< factor for the number of samples, so that the run takes long enough
  std::uint32_t max_threads = 2;
};

std::vector<Engine> engines() {
  std::vector<Engine> all;
  for (const Kernel* kernel : kernels())
    if (kernel->available())
      all.push_back({std::string(kernel->name),
                     [kernel](std::shared_ptr<const CompiledSubject> compiled, const Subject& subject) {
                       return make_program_evaluator(std::move(compiled), *kernel, subject);
                     }});
  if (const std::string why = why_no_device(); !why.empty())
    std::fprintf(stderr, "skipped: the GPU kernel (%s)\n", why.c_str());
  else
    all.push_back({"cuda",
                   [](const std::shared_ptr<const CompiledSubject>& compiled, const Subject&) {
                     return make_device_evaluator(*compiled);
                   },
                   100, 1});
  return all;
}

/// "Do all pairs survive?" alone, from what must hold for each of them.
void measure_intact(const Case& one, const Subject& subject, const Engine& engine,
                    std::vector<Figure>& figures) {
  const auto requirements = compile_requirements(subject);
  if (!requirements) return;
  auto compiled = std::make_shared<const CompiledSubject>(
      CompiledSubject{lower(*requirements), live_tables(subject.components), std::nullopt, true});
  const auto evaluator = engine.make(compiled, subject);
  const FractionsSpec spec{.method = ResilienceMethod::sampled, .samples = one.samples * engine.factor};
  const MeasuredPoint point = measure(*evaluator, subject.components, one.faults, spec, {}, {});
  figures.push_back({"resilience", one.name, "all pairs survive? " + engine.name,
                     static_cast<double>(point.point.sets) / point.seconds, "fault sets/s"});
}

void measure_counted(const Case& one, const Subject& subject, const Engine& engine,
                     const std::shared_ptr<const CompiledSubject>& compiled, std::vector<Figure>& figures) {
  const auto evaluator = engine.make(compiled, subject);
  for (const std::uint32_t threads : {1U, 2U}) {
    if (threads > engine.max_threads) continue;
    const FractionsSpec spec{.method = ResilienceMethod::sampled, .samples = one.samples * engine.factor};
    MeasuredPoint point;
    const double wall = seconds(
        [&] { point = measure(*evaluator, subject.components, one.faults, spec, {.threads = threads}, {}); });
    if (threads == 1)
      figures.push_back({"resilience", one.name, "pairs counted, " + engine.name,
                         static_cast<double>(point.point.sets) / point.seconds, "fault sets/s"});
    figures.push_back({"resilience", one.name,
                       "pairs counted, " + engine.name + ", wall clock, threads " + std::to_string(threads),
                       static_cast<double>(point.point.sets) / wall, "fault sets/s"});
  }
}

/// Fault sets per second of the loop, on sets for which the engine must give the same answer.
double measure_naive(const Subject& subject, const Evaluator& evaluator) {
  constexpr std::uint32_t sets = 20'000;
  const NaiveFtRuft222 naive(16);
  FaultBlock block{.faults = faults, .lanes = sets, .members = {}};
  FaultSetSampler(static_cast<std::uint32_t>(subject.components.count()), 1).draw(block, 0);
  std::uint64_t intolerable = 0;
  const std::clock_t start = std::clock();
  for (std::size_t lane = 0; lane < sets; ++lane) intolerable += naive.all_connected(block.set(lane)) ? 0 : 1;
  const double time = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const MeasuredPoint same = measure(evaluator, subject.components, faults,
                                     {.method = ResilienceMethod::sampled, .samples = sets}, {}, {});
  if (same.point.intolerable_fraction * sets != static_cast<double>(intolerable))
    throw std::logic_error("the hand-written loop and the engine disagree");
  return sets / time;
}

}  // namespace

std::vector<Figure> resilience_figures() {
  std::vector<Figure> figures;
  const std::vector<Engine> all = engines();
  for (const Case& one : cases()) {
    const Study study(one);
    const Subject subject = study.subject();
    std::shared_ptr<const CompiledSubject> compiled;
    const double compile_time = seconds([&] { compiled = compile(subject); });
    figures.push_back({"resilience", one.name, "compile", compile_time, "s"});
    const std::size_t first = figures.size();
    for (const Engine& engine : all) {
      measure_intact(one, subject, engine, figures);
      measure_counted(one, subject, engine, compiled, figures);
    }
    if (one.topology.starts_with("ft-ruft-222")) {
      const double ours = figures[first].value;
      const double naive =
          measure_naive(subject, *make_program_evaluator(compiled, fastest_kernel(), subject));
      figures.push_back({"resilience", one.name, "hand-written loop", naive, "fault sets/s"});
      figures.push_back({"resilience", one.name, "ratio to a hand-written loop", ours / naive, ""});
    }
  }
  return figures;
}

}  // namespace faultline::bench
