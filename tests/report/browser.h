// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "faultline/base/file.h"
#include "faultline/results/record.h"

namespace faultline {

/// Chromium with a page, and a script at its end that acts as the reader and records what it sees.
class Browser : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v chromium >/dev/null 2>&1") != 0) GTEST_SKIP() << "chromium is not installed";
    const char* name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::path(testing::TempDir()) / (name + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// The page's elements after `script` ran at its end; its calls of see(text) add to the result, as do
  /// errors. `window` is its size in pixels.
  [[nodiscard]] std::string play(const std::string& page, const std::string& script,
                                 const std::string& window = "1200,900") const {
    const std::string watch =
        "<script>const seen = []; const see = (text) => seen.push(text);"
        "addEventListener('error', (event) => see('ERROR ' + event.message));"
        "const report = console.error; console.error = (...all) => { see('ERROR ' + all.join(' ')); "
        "report(...all); };</script>";
    std::string played = page;
    played.insert(played.find("<style>"), watch);
    played += "<script>" + script +
              "; document.documentElement.innerHTML = '<pre>' + seen.join('|') + '</pre>';</script>";
    write_file(folder_ / "page.html", played, "page");
    const std::string command =
        "timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
        "--disable-background-networking --disable-component-update --disable-sync --window-size=" +
        window + " --user-data-dir='" + (folder_ / "profile").string() + "' --dump-dom 'file://" +
        (folder_ / "page.html").string() + "' > '" + (folder_ / "dom").string() + "' 2>/dev/null";
    EXPECT_TRUE(succeeds(command)) << command;
    return read_file(folder_ / "dom", "dom");
  }

  std::filesystem::path folder_;

 private:
  /// Chromium sometimes waits for ever when it starts on a busy machine, whatever the page: it is then
  /// started again. A page that never ends fails each time.
  [[nodiscard]] bool succeeds(const std::string& command) const {
    constexpr int timed_out = 124;
    int status = 0;
    for (int attempt = 0; attempt < 3; ++attempt) {
      status = std::system(command.c_str());
      if (!WIFEXITED(status) || WEXITSTATUS(status) != timed_out) break;
      std::filesystem::remove_all(folder_ / "profile");
    }
    return status == 0;
  }
};

}  // namespace faultline
