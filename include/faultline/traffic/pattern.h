// SPDX-License-Identifier: Apache-2.0
// Where packets go.
#pragma once

#include <cstdint>
#include <memory>

#include "faultline/describe/kind.h"
#include "faultline/topology/topology.h"
#include "faultline/traffic/trace.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Pure: the destination is a function of the source and of random bits that the caller provides.
class TrafficPattern {
 public:
  TrafficPattern() = default;
  TrafficPattern(const TrafficPattern&) = delete;
  TrafficPattern& operator=(const TrafficPattern&) = delete;
  virtual ~TrafficPattern() = default;

  /// Never called for a source that is silent. `random` is uniform over 64 bits.
  [[nodiscard]] virtual TerminalId destination(TerminalId source, std::uint64_t random) const = 0;

  /// True for a source that sends nothing (a permutation maps it to itself).
  [[nodiscard]] virtual bool silent(TerminalId source) const;

  /// The fraction of the packets of `source`, which is not silent, that `destination` receives; fractions add
  /// up to 1. The default is for a pattern that does not use `random`.
  [[nodiscard]] virtual double share(TerminalId source, TerminalId destination) const;

  /// The packets of a pattern that prescribes their times and sizes; else nullptr.
  [[nodiscard]] virtual const Trace* trace() const { return nullptr; }
};

using PatternPtr = std::shared_ptr<const TrafficPattern>;

/// The fraction of terminals that are not silent; 1 for a trace.
[[nodiscard]] double sending_fraction(const TrafficPattern& pattern, const Topology& topology);

struct PatternKind;
[[nodiscard]] std::span<const PatternKind* const> pattern_kinds();

/// A pattern is one file in src/traffic/kinds/: a parameter struct with fields(), samples() and build(); and
/// `static constexpr bool is_trace = true` if its patterns have a trace(), so that no load is asked for.
struct PatternKind {
  static constexpr auto catalogue = &pattern_kinds;

  KindInfo info;
  PatternPtr (*build)(const Topology& topology, std::uint64_t seed, const Parameters& parameters);
  bool is_trace = false;
};

template <class Params>
concept PatternParams = requires(const Params& params, const Topology& topology, std::uint64_t seed) {
  { params.build(topology, seed) } -> std::same_as<PatternPtr>;
  { Params::samples() } -> std::same_as<std::vector<Params>>;
};

/// Parameters of patterns that have a trace().
template <class Params>
concept TraceParams = PatternParams<Params> && Params::is_trace;

template <PatternParams Params>
[[nodiscard]] consteval PatternKind pattern_kind(std::string_view name, std::string_view summary,
                                                 std::string_view source) {
  return {kind_info<Params>(name, summary, source),
          [](const Topology& topology, std::uint64_t seed, const Parameters& parameters) {
            return parameters.as<Params>().build(topology, seed);
          },
          TraceParams<Params>};
}

/// `seed` decides what the pattern draws once at the start (hot spots, permutations). Throws Error for a
/// topology that does not fit it. A pattern may refer to `topology`, which must outlive it.
[[nodiscard]] PatternPtr build_pattern(const Topology& topology, std::uint64_t seed,
                                       const Resolved<PatternKind>& pattern);

}  // namespace faultline
#pragma GCC visibility pop
