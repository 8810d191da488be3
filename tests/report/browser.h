// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "chromium.h"
#include "faultline/base/file.h"
#include "faultline/results/record.h"
#include "support/temporary_folder.h"

namespace faultline {

struct Window {
  int width = 1200, height = 900;  ///< pixels
};

/// Chromium with a page, and a script at its end that acts as the reader and records what it sees.
class Browser : public testing::Test {
 protected:
  static void TearDownTestSuite() { shared_.reset(); }
  void SetUp() override {
    if (shared_ != nullptr) return;
    if (!Chromium::is_installed()) GTEST_SKIP() << "chromium is not installed";
    shared_ = std::make_unique<Shared>();
  }

  /// The page's elements after `script` ran at its end; its calls of see(text) add to the result, as do
  /// errors.
  [[nodiscard]] static std::string play(const std::string& page, const std::string& script,
                                        Window window = {}) {
    const std::string watch =
        "<script>const seen = []; const see = (text) => seen.push(text);"
        "addEventListener('error', (event) => see('ERROR ' + event.message));"
        "const report = console.error; console.error = (...all) => { see('ERROR ' + all.join(' ')); "
        "report(...all); };</script>";
    std::string played = page;
    played.insert(played.find("<style>"), watch);
    played += "<script>" + script +
              "; document.documentElement.innerHTML = '<pre>' + seen.join('|') + '</pre>';</script>";
    try {
      return show(played, window);
    } catch (const std::runtime_error&) {  // Chromium may have died; a page that never ends fails again
      shared_ = std::make_unique<Shared>();
      return show(played, window);
    }
  }

 private:
  [[nodiscard]] static std::string show(const std::string& page, Window window) {
    return shared_->chromium.elements_of(shared_->folder.file("page.html", page), window.width,
                                         window.height);
  }
  struct Shared {
    TemporaryFolder folder;
    Chromium chromium{folder.path / "profile"};
  };
  inline static std::unique_ptr<Shared> shared_;  ///< by all tests of the suite that one process runs
};

}  // namespace faultline
