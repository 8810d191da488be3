// SPDX-License-Identifier: Apache-2.0
// Exact deadlock detection: virtual channels that wait only for each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace faultline {

using VcIndex = std::uint32_t;  ///< channel * VCs + vc
inline constexpr VcIndex no_vc = ~VcIndex{0};

/// VCs whose front packets cannot move now. Each moves once any of those that it waits for has moved.
class Waits {
 public:
  struct Wait {
    VcIndex vc;
    std::span<const VcIndex> for_any;
  };

  /// Each VC once, in any order; `for_any` is not empty.
  void add(VcIndex vc, std::span<const VcIndex> for_any) {
    vcs_.push_back(vc);
    wanted_.insert(wanted_.end(), for_any.begin(), for_any.end());
    ends_.push_back(wanted_.size());
  }
  [[nodiscard]] std::size_t size() const { return vcs_.size(); }
  [[nodiscard]] Wait operator[](std::size_t number) const {
    const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
    return {vcs_[number], std::span(wanted_).subspan(begin, ends_[number] - begin)};
  }

 private:
  std::vector<VcIndex> vcs_, wanted_;
  std::vector<std::size_t> ends_;  ///< in wanted_
};

/// The VCs of a cycle in which each waits for the next, or none. Repeatedly removes what can move, and what
/// waits for such (Dally & Towles, section 14.1); the rest waits for ever. The cycle is found from the VC
/// with the lowest number that does. Linear in the number of waits.
[[nodiscard]] std::vector<VcIndex> find_deadlock(const Waits& waits);

/// A VC as seen by an engine.
struct VcState {
  enum class Front : std::uint8_t {
    none,     ///< or about to move for another reason
    waiting,  ///< a packet that wants one of `wants`
    active,   ///< a packet that has `output`
  };
  Front front = Front::none;
  bool empty = true, full = false;  ///< the buffer
  bool free = false;                ///< may be allocated
  VcIndex output = no_vc;
  VcIndex holder = no_vc;  ///< the VC whose packet has this one, if any
  std::vector<VcIndex> wants;
};

/// The same, for all VCs of a network.
[[nodiscard]] std::vector<VcIndex> find_deadlock(const std::vector<VcState>& vcs);

/// Whether an engine searches for a deadlock at the end of a bin: if nothing was delivered in it, and from
/// time to time.
[[nodiscard]] bool looks_for_deadlock(std::size_t bin, std::uint64_t delivered_in_bin);

}  // namespace faultline
