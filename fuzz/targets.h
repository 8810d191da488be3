// SPDX-License-Identifier: Apache-2.0
// What is fuzzed: one function a kind of input. Each takes any bytes, and ends in an answer or a refusal; all
// else (another exception, a crash, a sanitizer's complaint, an answer that contradicts itself) is a defect.
#pragma once

#include <span>
#include <string_view>

namespace faultline::fuzz {

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
};

[[nodiscard]] std::span<const Target> targets();

/// Ends the program with the reason: how a target says that something is wrong.
[[noreturn]] void defect(std::string_view reason);

/// A planted defect, for the harness to find: a condition that the corpus does not meet, and that only input
/// which is understood does. It counts where the environment has FAULTLINE_CANARY.
void canary(bool condition);

/// Runs `read`; an Error is an answer as well, if its message is one printable line.
void answer_or_refusal(void (*read)(std::string_view bytes), std::string_view bytes);

}  // namespace faultline::fuzz
