// SPDX-License-Identifier: Apache-2.0
// What is fuzzed: one function per type of input. Each takes any bytes, and ends in an answer or a refusal;
// everything else (another exception, a crash, a sanitizer's report, an answer that contradicts itself) is a
// defect.
#pragma once

#include <span>
#include <string_view>

namespace faultline::fuzz {

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
};

[[nodiscard]] std::span<const Target> targets();

/// Ends the program with the reason: a target's report of a defect.
[[noreturn]] void defect(std::string_view reason);

/// A planted defect, for the harness to find: a condition that the corpus does not meet, and that only
/// correctly parsed input can. It is active if the environment has FAULTLINE_CANARY.
void canary(bool condition);

/// Runs `read`; an Error is an answer as well, if its message is one printable line.
void answer_or_refusal(void (*read)(std::string_view bytes), std::string_view bytes);

}  // namespace faultline::fuzz
