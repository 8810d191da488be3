// SPDX-License-Identifier: Apache-2.0
// Results files: the bytes of a database or, after the letter t, the texts of one record, divided by a NUL.
#include "faultline/results/store.h"

#include <unistd.h>

#include <cstdio>

#include "faultline/base/error.h"
#include "report/cases.h"
#include "report/networks.h"
#include "targets.h"

namespace faultline::fuzz {
namespace {

void show(const std::vector<Record>& records) {
  const report::Cases cases = report::read_cases(records);
  const nlohmann::json networks = report::draw_networks(cases.readable, {.drawn_terminals = 16});
  (void)networks.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  for (const nlohmann::json& network : networks)
    canary(network.contains("drawing") && network["drawing"]["terminals"].size() == 9);
}

void read(std::string_view bytes) {
  if (bytes.starts_with('t')) {
    const std::size_t middle = std::min(bytes.find('\0'), bytes.size());
    return show({Record{.hash = "x",
                        .study = "s",
                        .case_text = std::string(bytes.substr(1, middle - 1)),
                        .result_text = std::string(bytes.substr(std::min(middle + 1, bytes.size()))),
                        .seed = 0,
                        .version = "",
                        .seconds = 0}});
  }
  const std::string path = "/dev/shm/faultline-fuzz-" + std::to_string(::getpid()) + ".db";
  if (std::FILE* file = std::fopen(path.c_str(), "wb")) {
    (void)std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
  }
  struct Removed {
    const std::string& path;
    ~Removed() {
      std::remove(path.c_str());
      std::remove((path + "-journal").c_str());
    }
  } removed{path};
  try {
    show(ResultsStore(path, ResultsStore::Mode::read).all());
  } catch (const std::runtime_error& failure) {
    if (dynamic_cast<const Error*>(&failure) != nullptr) throw;
    if (!std::string_view(failure.what()).starts_with("results file ")) throw;  // SQLite could not go on
  }
}

}  // namespace

extern constinit const Target results{"results",
                                      [](std::string_view bytes) { answer_or_refusal(read, bytes); }};

}  // namespace faultline::fuzz
