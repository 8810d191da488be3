// SPDX-License-Identifier: Apache-2.0
#include "simulate/wormhole/allocator.h"

#include <algorithm>

#include "simulate/wormhole/model.h"

namespace faultline::wormhole {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

std::vector<Arbiter> arbiters(std::uint32_t count, std::uint32_t contenders, Arbitration rule,
                              ArbiterKey first) {
  std::vector<Arbiter> all;
  for (; count > 0; --count, ++first.number) all.emplace_back(rule, contenders, first);
  return all;
}

}  // namespace

Allocator::Allocator(std::uint32_t inputs, std::uint32_t outputs, const SimulationSpec& spec,
                     ArbiterKey first)
    : first_{&Request::output,
             &Request::input,
             arbiters(outputs, inputs, arbitration_of(spec), first),
             {},
             {}},
      second_{&Request::input,
              &Request::output,
              arbiters(inputs, outputs, arbitration_of(spec), {first.seed, first.at, first.number + outputs}),
              {},
              {}},
      iterations_(spec.wormhole().allocation_iterations) {
  if (spec.wormhole().allocation == Allocation::separable) std::swap(first_, second_);
  for (Side* side : {&first_, &second_}) side->best.resize(side->arbiters.size(), none);
}

const std::vector<Request>& Allocator::choose(Side& side, const std::vector<Request>& requests, Time now) {
  side.chosen.clear();
  for (const Request& request : requests) {
    const std::uint32_t here = request.*side.here;
    std::uint32_t& best = side.best[here];
    if (best == none) {
      best = static_cast<std::uint32_t>(side.chosen.size());
      side.chosen.push_back(request);
    } else if (Request& rival = side.chosen[best]; side.arbiters[here].before(
                   {request.*side.there, request.age}, {rival.*side.there, rival.age}, now)) {
      rival = request;
    }
  }
  for (const Request& request : side.chosen) side.best[request.*side.here] = none;
  return side.chosen;
}

std::span<const Request> Allocator::match(std::span<const Request> requests, Time now) {
  matched_.clear();
  open_.assign(requests.begin(), requests.end());
  for (std::uint32_t iteration = 0; iteration < iterations_ && !open_.empty(); ++iteration) {
    const std::vector<Request>& accepted = choose(second_, choose(first_, open_, now), now);
    for (const Request& request : accepted) {
      matched_.push_back(request);
      if (iteration != 0) continue;
      first_.arbiters[request.*first_.here].served(request.*first_.there);
      second_.arbiters[request.*second_.here].served(request.*second_.there);
    }
    if (iteration + 1 == iterations_) break;
    std::erase_if(open_, [&](const Request& request) {
      return std::ranges::any_of(
          accepted, [&](const Request& a) { return a.input == request.input || a.output == request.output; });
    });
  }
  return matched_;
}

}  // namespace faultline::wormhole
