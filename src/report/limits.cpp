// SPDX-License-Identifier: Apache-2.0
#include "report/limits.h"

namespace faultline::report {
namespace {

using nlohmann::json;

std::size_t numbers_in(const json& value) {
  std::size_t count = value.is_number() ? 1 : 0;
  if (value.is_structured())
    for (const json& part : value) count += numbers_in(part);
  return count;
}

}  // namespace

void Limited::add(json set) {
  const std::size_t numbers = numbers_in(set);
  if (is_full() || numbers > max_numbers - numbers_) {
    leave_out();
    return;
  }
  numbers_ += numbers;
  kept_.push_back(std::move(set));
}

json Limited::result() && { return {{"sets", std::move(kept_)}, {"left_out", left_out_}}; }

}  // namespace faultline::report
