// SPDX-License-Identifier: Apache-2.0
#include "chromium.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

namespace faultline {

bool Chromium::is_installed() { return std::system("command -v chromium >/dev/null 2>&1") == 0; }

Chromium::Chromium(const std::filesystem::path& profile) {
  ::signal(SIGPIPE, SIG_IGN);  // if it ends, writing to it is an error
  // It sometimes waits for ever when it starts on a busy machine: it is then started again.
  for (int attempt = 1;; ++attempt) {
    start(profile);
    try {
      open_window();
      return;
    } catch (const std::runtime_error&) {
      stop();
      if (attempt == 3) throw;
    }
    std::filesystem::remove_all(profile);
  }
}

Chromium::~Chromium() { stop(); }

void Chromium::start(const std::filesystem::path& profile) {
  std::array<int, 2> to{}, from{};
  if (::pipe2(to.data(), O_CLOEXEC) != 0 || ::pipe2(from.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("no pipes for Chromium");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, to[0], 3);  // where Chromium reads and writes
  ::posix_spawn_file_actions_adddup2(&actions, from[1], 4);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> words{"chromium",
                                 "--headless",
                                 "--no-sandbox",
                                 "--disable-gpu",
                                 "--disable-quic",
                                 "--no-first-run",
                                 "--disable-background-networking",
                                 "--disable-component-update",
                                 "--disable-sync",
                                 "--remote-debugging-pipe",
                                 "--user-data-dir=" + profile.string()};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int failed = ::posix_spawnp(&process_, argv[0], &actions, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(to[0]);
  ::close(from[1]);
  to_ = to[1];
  from_ = from[0];
  unread_.clear();
  if (failed != 0) throw std::runtime_error("Chromium cannot be started");
}

void Chromium::stop() {
  ::close(to_);
  ::close(from_);
  if (process_ <= 0) return;
  ::kill(-process_, SIGKILL);  // and its helpers
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

void Chromium::open_window() {
  session_.clear();
  const Json target = call("Target.createTarget", {{"url", "about:blank"}});
  session_ =
      call("Target.attachToTarget", {{"targetId", target["targetId"]}, {"flatten", true}})["sessionId"];
  call("Page.enable", Json::object());
  call("Page.setLifecycleEventsEnabled", {{"enabled", true}});
}

std::string Chromium::elements_of(const std::filesystem::path& page, int width, int height) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  wait_for_load(call("Page.navigate", {{"url", "file://" + page.string()}})["loaderId"]);
  const Json elements = call("Runtime.evaluate",
                             {{"expression", "document.documentElement.outerHTML"}, {"returnByValue", true}});
  return elements["result"]["value"];
}

Chromium::Json Chromium::call(const std::string& method, const Json& parameters) {
  Json request{{"id", ++calls_}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) request["sessionId"] = session_;
  const std::string text = request.dump();
  const auto size = static_cast<ssize_t>(text.size() + 1);  // with the zero byte
  if (::write(to_, text.c_str(), text.size() + 1) != size) throw std::runtime_error("Chromium reads nothing");
  for (;;) {
    Json message = read_message();
    if (message.value("id", 0) != calls_) continue;
    if (message.contains("error")) throw std::runtime_error(method + ": " + message["error"].dump());
    return message["result"];
  }
}

void Chromium::wait_for_load(const std::string& loader) {
  for (;;) {
    const Json message = read_message();
    if (message.value("method", "") != "Page.lifecycleEvent") continue;
    const Json& event = message["params"];
    if (event["name"] == "load" && event["loaderId"] == loader) return;
  }
}

Chromium::Json Chromium::read_message() {
  constexpr int patience_ms = 60'000;
  std::size_t end = unread_.find('\0');
  while (end == std::string::npos) {
    pollfd ready{.fd = from_, .events = POLLIN, .revents = 0};
    std::array<char, 1 << 16> bytes;
    const ssize_t count = ::poll(&ready, 1, patience_ms) == 1 ? ::read(from_, bytes.data(), bytes.size()) : 0;
    if (count <= 0) throw std::runtime_error("Chromium does not answer");
    const std::size_t before = unread_.size();
    unread_.append(bytes.data(), static_cast<std::size_t>(count));
    end = unread_.find('\0', before);
  }
  Json message = Json::parse(unread_.substr(0, end));
  unread_.erase(0, end + 1);
  return message;
}

}  // namespace faultline
