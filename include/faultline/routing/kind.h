// SPDX-License-Identifier: Apache-2.0
// A routing is one file in src/routing/kinds/: a parameter struct with fields(), samples() and build().
// Optional: the constants table_bytes, table_by_terminal and agent.
#pragma once

#include "faultline/base/error.h"
#include "faultline/describe/kind.h"
#include "faultline/routing/admissible.h"
#include "faultline/routing/relation.h"
#include "faultline/routing/switching.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Which pairs a routing still serves when it knows the faults.
enum class Survival : std::uint8_t {
  fixed_paths,       ///< those with an intact path among the ones offered in the healthy network
  any_path,          ///< those with any path: the routing is recomputed on the surviving network
  any_path_two_way,  ///< the same, but a link counts only while all its channels are healthy
  plans,  ///< those for which a source that knows the faults finds a plan (RoutingRelation::plan_search)
};

/// Whether a routing is recomputed without the dead channels: by switches that know all of them or, if it
/// plans, by its sources.
[[nodiscard]] constexpr bool is_computed_anew(Survival survival, Knowledge knowledge, SourceRole source) {
  if (survival == Survival::fixed_paths) return false;
  return knowledge.is_all() || (survival == Survival::plans && source == SourceRole::plan);
}

/// Thrown by a routing that needs more virtual channels than it may use to be free of deadlock. One
/// that can be built for a whole network may not be for a damaged one.
class TooFewVirtualChannels : public Error {
 public:
  using Error::Error;
};

/// What a relation is built for.
struct RoutingContext {
  TopologyPtr topology;
  const FaultSet&
      known;  ///< empty or, for Survival other than fixed_paths, the channels left out of the computation
  Switching switching = Switching::cut_through;  ///< decides how rings are kept free of deadlock
};

struct RoutingKind;
[[nodiscard]] std::span<const RoutingKind* const> routing_kinds();

struct RoutingKind {
  static constexpr auto catalogue = &routing_kinds;
  static constexpr bool may_be_left_out = true;  ///< for the topology's default

  KindInfo info;
  Survival survival = Survival::fixed_paths;
  std::string_view selection;              ///< the selection function used unless another is asked for
  Knowledge knowledge = Knowledge::all();  ///< what it was designed for: used unless another is asked for
  SourceRole source = SourceRole::any;     ///< likewise
  /// Size of the tables that are computed to build it, for each switch and each set of switches that
  /// terminals are attached to; or each terminal.
  std::uint32_t table_bytes = 0;
  bool table_by_terminal = false;
  std::string_view agent;  ///< the source agent used unless another is asked for; empty: none
  RelationPtr (*build)(const RoutingContext& context, const Parameters& parameters);
};

template <class Params>
concept RoutingParams = requires(const Params& params, const RoutingContext& context) {
  { params.build(context) } -> std::same_as<RelationPtr>;
  { Params::samples() } -> std::same_as<std::vector<Params>>;
};

template <RoutingParams Params>
[[nodiscard]] consteval RoutingKind routing_kind(std::string_view name, std::string_view summary,
                                                 std::string_view source, Survival survival,
                                                 std::string_view selection,
                                                 Knowledge knowledge = Knowledge::all(),
                                                 SourceRole role = SourceRole::any) {
  std::uint32_t table_bytes = 0;
  if constexpr (requires { Params::table_bytes; }) table_bytes = Params::table_bytes;
  bool table_by_terminal = false;
  if constexpr (requires { Params::table_by_terminal; }) table_by_terminal = Params::table_by_terminal;
  std::string_view agent;
  if constexpr (requires { Params::agent; }) agent = Params::agent;
  return {kind_info<Params>(name, summary, source),
          survival,
          selection,
          knowledge,
          role,
          table_bytes,
          table_by_terminal,
          agent,
          [](const RoutingContext& context, const Parameters& parameters) {
            return parameters.as<Params>().build(context);
          }};
}

/// The routing asked for, or the topology's default where that is none. Throws std::logic_error
/// where the default is unknown: the topology names no routing.
[[nodiscard]] Resolved<RoutingKind> routing_or_default(const Resolved<RoutingKind>& asked,
                                                       const Topology& topology);

/// The relation as the routing, or the topology's default, defines it for the healthy network: switches rule
/// nothing out. Throws Error when the routing needs a labelling that the topology lacks.
[[nodiscard]] RelationPtr build_healthy_relation(TopologyPtr topology, const Resolved<RoutingKind>& routing,
                                                 Switching switching = Switching::cut_through);

/// The relation before switches and sources rule out anything, and what they know. A routing that is
/// recomputed without the dead channels (is_computed_anew) already takes all that is known into account:
/// nothing more is ruled out, Knowledge::none().
struct OfferedRelation {
  RelationPtr relation;
  Damage damage;
};
[[nodiscard]] OfferedRelation build_offered_relation(TopologyPtr topology, const Damage& damage,
                                                     const Resolved<RoutingKind>& routing,
                                                     Switching switching = Switching::cut_through);

/// The relation as switches and sources use it under `damage` (see admissible_relation), or recomputed
/// (is_computed_anew). Throws as above.
[[nodiscard]] RelationPtr build_relation(TopologyPtr topology, const Damage& damage,
                                         const Resolved<RoutingKind>& routing,
                                         Switching switching = Switching::cut_through,
                                         SourceOffers offers = SourceOffers::admissible);

/// build_healthy_relation() if nothing is `known` to be dead; else the same for Damage{known}.
[[nodiscard]] RelationPtr build_relation(TopologyPtr topology, const FaultSet& known,
                                         const Resolved<RoutingKind>& routing,
                                         Switching switching = Switching::cut_through);

}  // namespace faultline
#pragma GCC visibility pop
