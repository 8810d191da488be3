// SPDX-License-Identifier: Apache-2.0
#include "simulate/wormhole/allocator.h"

#include <algorithm>

namespace faultline::wormhole {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

}  // namespace

Arbiter::Arbiter(Arbitration rule, std::uint32_t contenders) : rule_(rule), count_(contenders) {
  if (rule != Arbitration::matrix) return;
  wins_.resize(std::size_t{count_} * count_);
  for (std::uint32_t a = 0; a < count_; ++a)
    for (std::uint32_t b = a + 1; b < count_; ++b) wins_[std::size_t{a} * count_ + b] = true;
}

bool Arbiter::before(const Contender& a, const Contender& b) const {
  switch (rule_) {
    case Arbitration::matrix:
      return wins_[std::size_t{a.number} * count_ + b.number];
    case Arbitration::oldest:
      if (a.age != b.age) return a.age < b.age;
      break;
    case Arbitration::round_robin:
      break;
  }
  return distance(a.number) < distance(b.number);
}

void Arbiter::served(std::uint32_t contender) {
  pointer_ = contender + 1 == count_ ? 0 : contender + 1;
  if (rule_ != Arbitration::matrix) return;
  for (std::uint32_t other = 0; other < count_; ++other) {
    if (other == contender) continue;
    wins_[std::size_t{contender} * count_ + other] = false;
    wins_[std::size_t{other} * count_ + contender] = true;
  }
}

Allocator::Allocator(std::uint32_t inputs, std::uint32_t outputs, const SimulationSpec& spec)
    : first_{&Request::output, &Request::input, {outputs, Arbiter(spec.arbitration, inputs)}, {}, {}},
      second_{&Request::input, &Request::output, {inputs, Arbiter(spec.arbitration, outputs)}, {}, {}},
      iterations_(spec.allocation_iterations) {
  if (spec.allocation == Allocation::separable) std::swap(first_, second_);
  for (Side* side : {&first_, &second_}) side->best.resize(side->arbiters.size(), none);
}

const std::vector<Request>& Allocator::choose(Side& side, const std::vector<Request>& requests) {
  side.chosen.clear();
  for (const Request& request : requests) {
    const std::uint32_t here = request.*side.here;
    std::uint32_t& best = side.best[here];
    if (best == none) {
      best = static_cast<std::uint32_t>(side.chosen.size());
      side.chosen.push_back(request);
    } else if (Request& rival = side.chosen[best]; side.arbiters[here].before(
                   {request.*side.there, request.age}, {rival.*side.there, rival.age})) {
      rival = request;
    }
  }
  for (const Request& request : side.chosen) side.best[request.*side.here] = none;
  return side.chosen;
}

std::span<const Request> Allocator::match(std::span<const Request> requests) {
  matched_.clear();
  open_.assign(requests.begin(), requests.end());
  for (std::uint32_t iteration = 0; iteration < iterations_ && !open_.empty(); ++iteration) {
    const std::vector<Request>& accepted = choose(second_, choose(first_, open_));
    for (const Request& request : accepted) {
      matched_.push_back(request);
      if (iteration != 0) continue;
      first_.arbiters[request.*first_.here].served(request.*first_.there);
      second_.arbiters[request.*second_.here].served(request.*second_.there);
    }
    std::erase_if(open_, [&](const Request& request) {
      return std::ranges::any_of(
          accepted, [&](const Request& a) { return a.input == request.input || a.output == request.output; });
    });
  }
  return matched_;
}

}  // namespace faultline::wormhole
