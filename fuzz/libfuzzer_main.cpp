// SPDX-License-Identifier: Apache-2.0
// One target as a libFuzzer program: FAULTLINE_FUZZ_TARGET is its name.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "targets.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

constexpr bool is_digit(std::uint8_t byte) { return byte >= '0' && byte <= '9'; }

/// Where the numbers of a text begin.
std::vector<std::size_t> numbers_in(const std::uint8_t* data, std::size_t size) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < size; ++i)
    if (is_digit(data[i]) && (i == 0 || !is_digit(data[i - 1]))) starts.push_back(i);
  return starts;
}

/// Mostly a small number, like counts and indices; occasionally one of any length.
std::string some_number(std::minstd_rand& random) {
  constexpr unsigned small = 17, one_in = 16;
  if (random() % one_in != 0) return std::to_string(random() % small);
  return std::to_string(std::numeric_limits<std::uint64_t>::max() >> random() % 64U);
}

}  // namespace

/// The inputs are texts full of numbers that must fit each other: every other time one number is replaced as
/// a whole, which mutations of bytes seldom do.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  std::minstd_rand random(seed);
  const std::vector<std::size_t> numbers = numbers_in(data, size);
  if (numbers.empty() || random() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::size_t first = numbers[random() % numbers.size()];
  const std::uint8_t* const rest = std::find_if_not(data + first, data + size, is_digit);
  const std::string number = some_number(random);
  const std::vector<std::uint8_t> tail(rest, static_cast<const std::uint8_t*>(data + size));
  if (first + number.size() + tail.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::uint8_t* const end = std::ranges::copy(number, data + first).out;
  return static_cast<std::size_t>(std::ranges::copy(tail, end).out - data);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto run = [] {
    for (const faultline::fuzz::Target& target : faultline::fuzz::targets())
      if (target.name == FAULTLINE_FUZZ_TARGET) return target.run;
    faultline::fuzz::defect("no such target");
  }();
  run({reinterpret_cast<const char*>(data), size});
  return 0;
}
