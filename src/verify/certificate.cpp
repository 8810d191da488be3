// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "faultline/formats/relation_file.h"
#include "faultline/routing/destination_orbits.h"
#include "faultline/routing/relation_text.h"
#include "faultline/verify/verify.h"
#include "verify/changed_options.h"
#include "verify/dependencies.h"

namespace faultline {
namespace {

class Writer {
 public:
  Writer(const RelationPtr& offered, const Damage& damage, const Verdict& verdict,
         const CertificateSpec& spec)
      : offered_(*offered),
        admissible_(admissible_relation(offered, damage, SourceOffers::every_start)),
        first_(*admissible_),
        topology_(offered->topology()),
        damage_(damage),
        verdict_(verdict),
        spec_(spec),
        buffers_(*offered),
        any_time_(verdict.method == DeadlockMethod::acyclic_dependencies && damage.dead.empty() &&
                  !spec.takes_first) {
    for (const TerminalId destination : topology_.terminals()) stated_.push_back(destination);
    if (any_time_ && verdict.states > spec.states_in_full) find_classes();
    any_time_ = any_time_ && descends_in_every_tier();
  }

  std::string text() && {
    for (const TerminalId destination : stated_) write_classes(destination);
    const std::string classes = std::exchange(text_, {});
    write_circumstances();
    write_verdict();
    text_ += relation_text(offered_, stated_);
    write_automorphisms();
    text_ += classes;
    write_proof();
    add("end\n");
    return std::move(text_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  void find_classes() {
    DestinationOrbits orbits(topology_);
    const std::vector<TerminalId> first = orbits.representatives(topology_);
    for (const TerminalId one : first)
      if (!follows(offered_, orbits, orbits.members(one), spec_.threads, nullptr)) return;
    if (orbits.words() == 1) return;
    stated_ = first;
    orbits_ = std::move(orbits);
  }

  void write_automorphisms() {
    if (!orbits_) return;
    for (const Automorphism& one : orbits_->generators()) {
      add("automorphism");
      for (const ChannelId image : one.channels) add(" {}", image.value());
      add("\n");
    }
  }

  void write_circumstances() {
    add("faultline-certificate 2\ntopology {}\nrouting {}\n", formats::label_text(topology_.name()),
        formats::label_text(spec_.routing));
    add("switching {}\ndead", to_string(spec_.switching));
    for (const ChannelId channel : topology_.channels())
      if (damage_.dead.failed(channel)) add(" {}", channel.value());
    if (damage_.dead.failed_channel_count() == 0) add(" -");
    const Knowledge known = damage_.knowledge;
    add("\nknowledge {}\n", known.is_none()  ? "none"
                            : known.is_all() ? "all"
                                             : std::to_string(known.radius()));
    add("source {}\n", to_string(damage_.source));
    add("selection {}\nstuck dropped\n", spec_.takes_first         ? "first"
                                         : spec_.selection_commits ? "commits"
                                                                   : "asks-all");
    add("time {}\n", any_time_ ? "any" : "static");
  }

  void write_verdict() {
    add("verdict {}\npairs {}\n", to_string(verdict_.method), fmt::join(verdict_.pairs.of, " "));
    add("unreachable-pairs {}\n", verdict_.unreachable_pairs);
    add("max-hops {}\n", verdict_.max_hops ? std::to_string(*verdict_.max_hops) : "unbounded");
    add("states {}\nmoves {}\ndependencies {}\n", verdict_.states, verdict_.moves, verdict_.dependencies);
    add("destinations {}\n", orbits_ ? "classes" : "all");
  }

  void write_classes(TerminalId destination) {
    const DestinationStates plays = enumerate_plays(used(), destination, damage_.dead);
    const std::vector<PairClass> states = classes_of_states(plays);
    add("classes {} ", destination.value());
    for (const TerminalId source : topology_.terminals())
      text_ += source == destination ? '-' : letter(class_of_pair(plays, states, source, damage_.source));
    add("\n");
    for (const TerminalId source : topology_.terminals())
      if (source != destination) write_unused(source, destination);
  }

  [[nodiscard]] const RoutingRelation& used() const {
    return spec_.takes_first ? static_cast<const RoutingRelation&>(first_) : *admissible_;
  }

  static char letter(PairClass of) {
    constexpr std::array<char, pair_class_count> letters{'s', 'p', 'l', 't', 'r'};
    return letters[static_cast<std::size_t>(of)];
  }

  /// The living injection channels of a source that it does not offer.
  void write_unused(TerminalId source, TerminalId destination) {
    options_.clear();
    offered_.inject(source, destination, options_);
    bool any = false;
    for (const ChannelId channel : topology_.injection(source)) {
      if (damage_.dead.failed(channel) ||
          std::ranges::find(options_, channel, &RouteOption::channel) != options_.end())
        continue;
      if (!any) add("unused {}", source.value());
      any = true;
      add(" {}", channel.value());
    }
    if (any) add("\n");
  }

  /// Whether the ranks, which were found for the lowest tier that is left, also fit all other options, of
  /// every destination: those of one that is not written are the images of one that is.
  [[nodiscard]] bool descends_in_every_tier() const {
    DirectDependencies all(buffers_);
    for (const TerminalId destination : stated_)
      all.add(enumerate_states(offered_, destination), [](const auto&) { return true; });
    if (orbits_) all.close_under(*orbits_);
    const DependencyGraph graph = all.graph();
    for (std::size_t held = 0; held < graph.count(); ++held)
      for (const std::uint32_t asked : graph.of(held))
        if (verdict_.ranks[asked] >= verdict_.ranks[held]) return false;
    return true;
  }

  void write_proof() {
    if (!verdict_.ranks.empty()) {
      add("ranks");
      for (const std::uint32_t rank : verdict_.ranks)
        if (rank == Verdict::unranked)
          add(" -");
        else
          add(" {}", rank);
      add("\n");
    }
    for (const WaitingPacket& packet : verdict_.deadlock)
      add("packet {} {}\n", packet.source.value(), packet.destination.value());
    for (const ScheduledStep& step : verdict_.schedule)
      add("step {} {} {} {}\n", step.packet, step.channel.value(), step.vc, step.tag);
  }

  const RoutingRelation& offered_;
  RelationPtr admissible_;
  FirstOption first_;
  const Topology& topology_;
  const Damage& damage_;
  const Verdict& verdict_;
  const CertificateSpec& spec_;
  Buffers buffers_;
  bool any_time_;
  std::vector<TerminalId> stated_;           ///< the destinations for which the relation is written
  std::optional<DestinationOrbits> orbits_;  ///< what carries it to the others
  RouteOptions options_;
  std::string text_;
};

}  // namespace

std::string certificate_text(const RelationPtr& offered, const Damage& damage, const Verdict& verdict,
                             const CertificateSpec& spec) {
  if (verdict.method == DeadlockMethod::unproved)
    throw Error("verify.certificate", "unproved", "needs a proof or a deadlock to certify; none was found");
  if (verdict.deadlock_free && verdict.ranks.size() != Buffers(*offered).count())
    throw Error("verify.certificate", fmt::format("{} ranks", verdict.ranks.size()),
                "must be a verdict on this relation");
  return Writer(offered, damage, verdict, spec).text();
}

}  // namespace faultline
