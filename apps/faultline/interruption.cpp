// SPDX-License-Identifier: Apache-2.0
#include "interruption.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <system_error>

#include "command_line.h"

namespace faultline::app {
namespace {

constexpr int milliseconds_to_stop = 700;

/// The signals that are not ignored.
sigset_t heeded() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  return signals;
}

}  // namespace

Interruption::Interruption() {
  const sigset_t signals = heeded();
  signals_ = ::signalfd(-1, &signals, SFD_CLOEXEC);
  ended_ = ::eventfd(0, EFD_CLOEXEC);
  if (signals_ < 0 || ended_ < 0) return;           // signals then end the program as ever
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // also for threads created later
  try {
    watcher_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {  // no thread can be started
    ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  }
}

Interruption::~Interruption() {
  if (watcher_.joinable()) {
    const std::uint64_t one = 1;
    if (::write(ended_, &one, sizeof one) != static_cast<ssize_t>(sizeof one)) watcher_.detach();
  }
  if (watcher_.joinable()) watcher_.join();
  ::close(signals_);
  ::close(ended_);
}

void Interruption::watch() {
  std::array<pollfd, 2> both{pollfd{signals_, POLLIN, 0}, pollfd{ended_, POLLIN, 0}};
  while (::poll(both.data(), both.size(), -1) < 0) continue;
  if (both[1].revents != 0) return;
  signalfd_siginfo came{};
  if (::read(signals_, &came, sizeof came) != static_cast<ssize_t>(sizeof came)) return;
  const int signal = static_cast<int>(came.ssi_signo);
  signal_ = signal;
  stop_ = true;
  both[0].revents = both[1].revents = 0;
  ::poll(both.data(), both.size(), milliseconds_to_stop);
  if (both[1].revents != 0) return;  // the work has ended, and end() will do the rest
  end_late(signal);
}

void Interruption::end_late(int signal) {
  if (!output_begun_.test_and_set()) try {
      std::string line = "interrupted; nothing was finished";
      if (const std::scoped_lock lock(mutex_); last_words_) line = last_words_();
      (void)std::fflush(stdout);
      complain(line);
    } catch (const std::exception&) {  // nobody reads what is printed
      complain("interrupted");
    }
  die_of(signal);
}

void Interruption::die_of(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

LastWords::LastWords(Interruption& interruption, std::function<std::string()> words)
    : interruption_(interruption) {
  const std::scoped_lock lock(interruption_.mutex_);
  interruption_.last_words_ = std::move(words);
}

LastWords::~LastWords() {
  const std::scoped_lock lock(interruption_.mutex_);
  interruption_.last_words_ = nullptr;
}

void Interruption::begin_output() {
  if (output_begun_.test_and_set())
    for (;;) ::pause();  // the watcher ends the program
}

void Interruption::end() {
  if (signal_ == 0) return;
  (void)std::fflush(stdout);
  die_of(signal_);
}

}  // namespace faultline::app
