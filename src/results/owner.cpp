// SPDX-License-Identifier: Apache-2.0
#include "results/owner.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/number.h"

namespace faultline {
namespace {

/// The machine since its last start, and our namespace of process numbers.
std::string machine() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::error_code none;
  return boot + " " + std::filesystem::read_symlink("/proc/self/ns/pid", none).string();
}

/// When the process began, in clock ticks since the machine's start, because numbers are reused. Empty if
/// there is no such process any more, or it is hidden.
std::string start_of(std::uint32_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');  // the name may hold anything
  if (name_end == std::string::npos) return {};
  std::istringstream fields(line.substr(name_end + 1));
  constexpr int start_field = 20;  // proc(5): field 22, the state being 3
  std::string field, state;
  fields >> state;
  for (int i = 1; i < start_field; ++i) fields >> field;
  return state == "Z" || state == "X" ? std::string{} : field;
}

}  // namespace

std::string new_owner() {
  std::random_device random;
  const auto process = static_cast<std::uint32_t>(::getpid());
  return fmt::format("{} {} {} {:08x}{:08x}", machine(), process, start_of(process), random(), random());
}

OwnerState state_of(std::string_view owner) {
  std::istringstream fields{std::string(owner)};
  std::string boot, space, process, start;
  fields >> boot >> space >> process >> start;
  const auto number = number_of<std::uint32_t>(process);
  if (!fields || !number || boot + " " + space != machine()) return OwnerState::unknown;
  if (start_of(*number) == start) return OwnerState::lives;
  // Where processes of other users are hidden, it exists, but may be a later one of the same number.
  const bool is_hidden =
      ::kill(static_cast<pid_t>(*number), 0) != 0 && errno == EPERM && start_of(*number).empty();
  return is_hidden ? OwnerState::unknown : OwnerState::ended;
}

}  // namespace faultline
