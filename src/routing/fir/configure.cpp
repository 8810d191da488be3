// SPDX-License-Identifier: Apache-2.0
#include "routing/fir/configure.h"

#include <fmt/format.h>

#include <bit>

#include "faultline/base/error.h"

namespace faultline {
namespace {

/// Coordinates first … last, going up and round the end of the line.
struct Interval {
  std::uint32_t first, last;
};

class Configurer {
 public:
  Configurer(const CartesianLabelling& grid, const FirPlan& plan)
      : grid_(grid), plan_(plan), directions_(grid), ports_(grid), addresses_(grid) {}

  [[nodiscard]] FirSwitch configure(SwitchId at) const {
    FirSwitch result{.vcs = plan_.vcs(),
                     .address = addresses_.of(grid_, at),
                     .address_bits = addresses_.bits(),
                     .fault_tolerant = plan_.fault_tolerant};
    for (std::uint32_t port = 0; port < ports_.count(); ++port) {
      result.ports.push_back(directions_.name(ports_.direction(at, port)));
      for (std::uint32_t vc = 0; vc < plan_.vcs(); ++vc) {
        const std::uint64_t bit = std::uint64_t{1} << result.channels.size();
        if (is_adaptive(vc))
          result.adaptive |= bit;
        else if (plan_.fault_tolerant && vc == 1)
          result.escape |= bit;
        result.channels.push_back(registers(at, port, vc));
      }
    }
    return result;
  }

 private:
  [[nodiscard]] bool is_adaptive(std::uint32_t vc) const { return vc >= plan_.escape_vcs(); }
  [[nodiscard]] std::uint64_t bit(std::uint32_t port, std::uint32_t vc) const {
    return std::uint64_t{1} << (port * plan_.vcs() + vc);
  }
  [[nodiscard]] std::uint64_t escape_bits(std::uint32_t port) const {
    return ((std::uint64_t{1} << plan_.escape_vcs()) - 1) << port * plan_.vcs();
  }

  [[nodiscard]] FirRegisters registers(SwitchId at, std::uint32_t port, std::uint32_t vc) const {
    const std::uint32_t direction = ports_.direction(at, port);
    const std::uint32_t dimension = directions_.dimension(direction);
    FirRegisters result;
    if (const auto interval = interval_of(at, direction, vc)) {
      result.mask = addresses_.mask(dimension);
      result.first = addresses_.shifted(interval->first, dimension);
      result.last = addresses_.shifted(interval->last, dimension);
    } else {
      result.first = result.last = (1U << addresses_.bits()) - 1;  // no masked address is in it
    }
    result.one_buffer = one_buffer(port, vc);
    if (is_adaptive(vc)) return result;
    for (std::uint32_t before = 0; before < ports_.count(); ++before)
      if (comes_before(ports_.direction(at, before), direction)) result.preferred |= escape_bits(before);
    return result;
  }

  /// Of a ring with a bubble, the input of the packets that continue in it, by the opposite port; else all.
  [[nodiscard]] std::uint64_t one_buffer(std::uint32_t port, std::uint32_t vc) const {
    if (!is_adaptive(vc) && plan_.rings == FirRings::bubble && grid_.wraps())
      return bit(ports_.opposite(port), vc);
    return fir_all_channels(ports_.count() * plan_.vcs());
  }

  [[nodiscard]] bool comes_before(std::uint32_t a, std::uint32_t b) const {
    return plan_.by_direction ? a < b : directions_.dimension(a) < directions_.dimension(b);
  }

  /// The coordinates that a shortest path in this direction leads to; in one escape channel of a dateline,
  /// those on its side. Nothing where there are none.
  [[nodiscard]] std::optional<Interval> interval_of(SwitchId at, std::uint32_t direction,
                                                    std::uint32_t vc) const {
    const std::uint32_t dimension = directions_.dimension(direction), size = grid_.radix(dimension);
    const std::uint32_t here = grid_.coordinate(at, dimension);
    const bool plus = directions_.is_plus(direction);
    if (!grid_.wraps()) {
      if (here == (plus ? size - 1 : 0)) return std::nullopt;
      return plus ? Interval{here + 1, size - 1} : Interval{0, here - 1};
    }
    // Half-way round, both directions; in direction order, plus alone.
    const std::uint32_t reach = plus || !plan_.by_direction ? size / 2 : (size - 1) / 2;
    if (reach == 0) return std::nullopt;
    const Interval all = plus ? Interval{(here + 1) % size, (here + reach) % size}
                              : Interval{(here + size - reach) % size, (here + size - 1) % size};
    if (plan_.rings != FirRings::dateline || is_adaptive(vc)) return all;
    return part(all, here, vc == 1, size);
  }

  /// The part of the interval below, or above, `here`.
  static std::optional<Interval> part(Interval all, std::uint32_t here, bool below, std::uint32_t size) {
    const bool wraps = all.first > all.last;
    if (!wraps) return (all.last < here) == below ? std::optional(all) : std::nullopt;
    return below ? Interval{0, all.last} : Interval{all.first, size - 1};
  }

  const CartesianLabelling& grid_;
  FirPlan plan_;
  GridDirections directions_;
  FirPorts ports_;
  FirAddresses addresses_;
};

}  // namespace

FirAddresses::FirAddresses(const CartesianLabelling& grid) {
  std::uint32_t bits = 0;
  for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension) {
    shift_.push_back(bits);
    bits += static_cast<std::uint32_t>(std::bit_width(grid.radix(dimension) - 1));
  }
  shift_.push_back(bits);
}

std::uint32_t FirAddresses::of(const CartesianLabelling& grid, SwitchId at) const {
  std::uint32_t address = 0;
  for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension)
    address |= shifted(grid.coordinate(at, dimension), dimension);
  return address;
}

FirPorts::FirPorts(const CartesianLabelling& grid)
    : grid_(grid), directions_(grid), port_(directions_.count()) {
  for (std::uint32_t direction = 0; direction < directions_.count(); ++direction) {
    const bool is_first = directions_.is_plus(direction) || !is_shared(directions_.dimension(direction));
    port_[direction] = is_first ? count() : port_[directions_.opposite(direction)];
    if (is_first) direction_.push_back(direction);
  }
}

std::vector<FirSwitch> configure_fir(const CartesianLabelling& grid, std::size_t switches,
                                     const FirPlan& plan) {
  constexpr std::uint32_t max_channels = 64;
  const std::uint32_t ports = FirPorts(grid).count();
  if (ports * plan.vcs() > max_channels)
    throw Error(
        plan.fault_tolerant ? "routing.ft-fir" : "routing.fir",
        fmt::format("{} network ports of {} virtual channels each", ports, plan.vcs()),
        fmt::format(
            "must be at most {} virtual channels at a switch, whose registers have a bit for each: fewer "
            "dimensions, or a smaller adaptive_vcs",
            max_channels));
  const Configurer configurer(grid, plan);
  std::vector<FirSwitch> result;
  for (std::size_t at = 0; at < switches; ++at) result.push_back(configurer.configure(SwitchId(at)));
  return result;
}

}  // namespace faultline
