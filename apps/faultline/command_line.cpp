// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "faultline/base/progress.h"

namespace faultline::app {

Description description_from_words(const std::string& path, const std::vector<std::string>& words) {
  if (words.empty()) return {.path = path};
  Description description = parse_compact(path, words.front());
  const Description more = parse_assignments(path, description.kind, std::span(words).subspan(1));
  for (const auto& field : more.fields) {
    if (description.find(field.first) != nullptr)
      throw Error(description.path_of(field.first), to_string(field.second),
                  "is given twice; give it only once");
    description.fields.push_back(field);
  }
  return description;
}

void complain(std::string_view line) noexcept {
  // In one write, so that lines of several processes do not mix; what cannot be written is lost.
  const std::string text = "faultline: " + std::string(line) + "\n";
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

void print_note(std::string_view remark) { fmt::print("note: {}\n", printable(remark, 1000)); }

void complain_of_cases(const std::vector<std::string>& failures) {
  std::map<std::string_view, std::size_t> cases;
  for (const std::string& failure : failures) ++cases[failure];
  for (const std::string& failure : failures) {
    const std::size_t alike = std::exchange(cases[failure], 0);
    if (alike != 0) complain(alike == 1 ? failure : fmt::format("{} ({} cases)", failure, alike));
  }
}

std::function<void()> says_that_it_waits(const std::string& results) {
  return [line = printable(results) + " is locked by another program; waiting until it is released"] {
    complain(line);
  };
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  return fmt::format("{:%Y-%m-%d}", fmt::localtime(now));
}

void print_json(const Json& json) {
  // A path need not be UTF-8, JSON is.
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

namespace {

/// "45 s", "3 min 20 s", "2 h 5 min".
std::string duration(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::clamp(std::ceil(seconds), 0.0, 1e15));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

struct ProgressBar::State {
  std::string name;
  bool is_terminal = false;
  bool shown = false;
  TimeToGo to_go;
  double next_line = 10;  ///< seconds, if not on a terminal
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now(), last{};
  std::mutex mutex;

  void begin_stage(std::chrono::steady_clock::time_point now) {
    start = now;
    to_go = {};
    next_line = 10;
  }
};

ProgressBar::ProgressBar(std::string name) : state_(std::make_unique<State>()) {
  state_->name = std::move(name);
  state_->is_terminal = ::isatty(STDERR_FILENO) != 0;
}

ProgressBar::~ProgressBar() {
  if (state_->shown) (void)std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(std::string_view what, std::uint64_t done, std::uint64_t total) {
  if (total == 0) return;
  const std::scoped_lock lock(state_->mutex);
  const auto now = std::chrono::steady_clock::now();
  if (done == 0) state_->begin_stage(now);  // the rate does not include what was finished before
  if (!state_->is_terminal) return warn(what, done, total);
  if (done < total && now - state_->last < std::chrono::milliseconds(100)) return;
  state_->last = now;
  state_->shown = true;
  constexpr std::uint64_t width = 30;
  const double seconds = std::chrono::duration<double>(now - state_->start).count();
  const double rate = static_cast<double>(done) / std::max(seconds, 1e-9);
  const std::optional<double> left = state_->to_go.after(done, total, seconds);
  const auto filled = static_cast<std::size_t>(std::min(width, width * done / total));
  const std::string line =
      fmt::format("\r\033[K{} [{}{}] {}/{} {}  {:.3g}/s{}", state_->name, std::string(filled, '#'),
                  std::string(width - filled, '.'), done, total, what, rate,
                  left ? fmt::format("  {} left", duration(*left)) : "");
  (void)std::fwrite(line.data(), 1, line.size(), stderr);
  (void)std::fflush(stderr);
}

/// Again each time that the time so far has doubled, because later estimates are better.
Progress ProgressBar::as_progress() {
  return [this](std::string_view what, std::uint64_t done, std::uint64_t total) { show(what, done, total); };
}

void ProgressBar::warn(std::string_view what, std::uint64_t done, std::uint64_t total) {
  constexpr double long_seconds = 1800;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - state_->start).count();
  const std::optional<double> left = state_->to_go.after(done, total, seconds);
  if (seconds < state_->next_line || !left || *left <= long_seconds) return;
  state_->next_line = 2 * seconds;
  complain(fmt::format("{}: {} of {} {} in the first {}; about {} to go", state_->name, done, total, what,
                       duration(seconds), duration(*left)));
}

}  // namespace faultline::app
