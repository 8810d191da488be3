// SPDX-License-Identifier: Apache-2.0
// faultline-bench [ENGINE…]: measures the engines (all, or those named) and prints a JSON list of
// {engine, case, figure, value, unit} on standard output, and the same as a table on standard error.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/suites.h"

namespace {

using faultline::bench::Figure;
using faultline::bench::Suite;

/// A line for each case and engine.
void print_table(const std::vector<Figure>& figures) {
  std::size_t engine = 0, name = 0;
  for (const Figure& figure : figures) {
    engine = std::max(engine, figure.engine.size());
    name = std::max(name, figure.case_name.size());
  }
  const Figure* last = nullptr;
  for (const Figure& figure : figures) {
    if (last == nullptr || last->engine != figure.engine || last->case_name != figure.case_name)
      fmt::print(stderr, "{}{:<{}}  {:<{}}", last == nullptr ? "" : "\n", figure.case_name, name,
                 figure.engine, engine);
    fmt::print(stderr, "  {} {:.4g} {}", figure.figure, figure.value, figure.unit);
    last = &figure;
  }
  fmt::print(stderr, "\n");
}

void measure(const Suite& suite, nlohmann::ordered_json& list) {
  fmt::print(stderr, "measuring {}\n", suite.engine);
  const std::vector<Figure> figures = suite.run();
  print_table(figures);
  for (const Figure& figure : figures)
    list.push_back({{"engine", figure.engine},
                    {"case", figure.case_name},
                    {"figure", figure.figure},
                    {"value", figure.value},
                    {"unit", figure.unit}});
}

}  // namespace

int main(int argc, char** argv) {
  using namespace faultline::bench;
  const std::vector<std::string> wanted(argv + 1, argv + argc);
  const std::vector<Suite> all = suites();
  for (const std::string& name : wanted)
    if (std::ranges::find(all, name, &Suite::engine) == all.end()) {
      fmt::print(stderr, "faultline-bench: '{}' is no engine; there are:", name);
      for (const Suite& suite : all) fmt::print(stderr, " {}", suite.engine);
      fmt::print(stderr, "\n");
      return 2;
    }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  int status = 0;
  for (const Suite& suite : all) {
    if (!wanted.empty() && std::ranges::find(wanted, suite.engine) == wanted.end()) continue;
    try {
      measure(suite, list);
    } catch (const std::exception& error) {
      fmt::print(stderr, "faultline-bench: {}: {}\n", suite.engine, error.what());
      status = 1;
    }
  }
  fmt::print("{}\n", list.dump(1));
  return status;
}
