// SPDX-License-Identifier: Apache-2.0
// Chromium without a window, started once for many pages: it takes seconds to start, and a page tenths of
// one. It is driven over its debugging pipe (Chrome DevTools Protocol: messages of JSON that end with a zero
// byte).
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace faultline {

class Chromium {
 public:
  [[nodiscard]] static bool is_installed();

  /// Throws std::runtime_error if Chromium does not start. `profile` is a folder of its own.
  explicit Chromium(const std::filesystem::path& profile);
  ~Chromium();
  Chromium(const Chromium&) = delete;
  Chromium& operator=(const Chromium&) = delete;

  /// The elements of a page, in a window of `width` times `height` pixels, after it has been loaded. Throws
  /// std::runtime_error if that takes longer than a minute.
  [[nodiscard]] std::string elements_of(const std::filesystem::path& page, int width, int height);

 private:
  using Json = nlohmann::json;
  void start(const std::filesystem::path& profile);
  void stop();
  void open_window();
  /// The result of a method of the protocol, for the window if there is one.
  Json call(const std::string& method, const Json& parameters);
  /// `loader`: what Page.navigate() named.
  void wait_for_load(const std::string& loader);
  [[nodiscard]] Json read_message();

  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  int calls_ = 0;
  std::string unread_, session_;
};

}  // namespace faultline
