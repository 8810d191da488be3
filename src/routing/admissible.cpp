// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/admissible.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <mutex>

#include "routing/destination_classes.h"
#include "routing/numbered_words.h"
#include "routing/ruled_out.h"
#include "routing/source_groups.h"

namespace faultline {
namespace {

/// No faults known, or only those at a switch's own outputs.
bool looks_no_further(Knowledge knowledge) {
  return knowledge.is_none() || knowledge == Knowledge::neighbours();
}

/// The pairs of a switch and a destination, by what output bits offer there: options on one channel, or on
/// several.
struct OutputCounts {
  std::uint64_t one = 0, several = 0;
};

OutputCounts count_outputs(const RoutingRelation& relation) {
  OutputCounts counts;
  const auto vcs = static_cast<int>(relation.virtual_channels());
  for (const SwitchId at : relation.topology().switches())
    for (const TerminalId destination : relation.topology().terminals())
      if (const std::uint64_t bits = relation.output_bits(at, destination); bits != 0)
        ++(std::countr_zero(bits) / vcs == (63 - std::countl_zero(bits)) / vcs ? counts.one : counts.several);
  return counts;
}

/// Offers what the base relation offers, without what switches and sources rule out.
class Admissible final : public RoutingRelation {
 public:
  Admissible(RelationPtr base, Damage damage, SourceOffers offers)
      : RoutingRelation(base->shared_topology()),
        base_(std::move(base)),
        damage_(std::move(damage)),
        every_start_(damage_.source == SourceRole::plan && offers == SourceOffers::every_start),
        needs_tables_(!looks_no_further(damage_.knowledge)),
        hands_on_(damage_.knowledge.is_none() && base_->offers_output_bits()),
        offers_bits_(base_->offers_output_bits() && !damage_.knowledge.is_none() &&
                     topology().terminal_count() * topology().switch_count() <= max_words),
        classes_(offers_bits_ && needs_tables_ ? DestinationClasses::of_alike(*base_, damage_.dead)
                                               : DestinationClasses::of_single(topology())),
        words_(offers_bits_ ? classes_.first.size() : 0),
        words_a_row_((words_.size() + 63) / 64),
        all_living_(words_a_row_ * topology().switch_count()),
        enterable_(all_living_.size()),
        groups_(offers_bits_ ? SourceGroups(topology(), damage_.dead) : SourceGroups()),
        let_in_(words_a_row_ * groups_.entries.size()),
        injection_vcs_(base_->injection_vcs()),
        switches_(classes_.first.size()),
        sources_(damage_.source == SourceRole::plan && !every_start_ ? topology().terminal_count() : 0) {
    if (offers_bits_)
      for (const SwitchId at : topology().switches()) dead_outputs_.push_back(dead_outputs(at));
  }

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    if (is_known_to_refuse(source, destination)) return;
    const auto first = static_cast<std::ptrdiff_t>(options.size());
    base_->inject(source, destination, options);
    const auto given = options.begin() + first;
    if (every_start_) {
      options.erase(std::remove_if(given, options.end(), [&](const auto& option) { return dead(option); }),
                    options.end());
      for (auto option = options.begin() + first; option != options.end(); ++option) option->tier = 0;
    } else if (damage_.source == SourceRole::plan) {
      const auto& losing = losing_starts(destination);
      narrow(options, given, [&](const StateKey& next) { return !losing.contains(next); });
    } else if (!damage_.knowledge.is_none()) {
      const std::uint32_t number = classes_.class_of[destination.index()];
      if (offers_bits_ && words_[number].known.load(std::memory_order_acquire))
        return narrow(options, given,
                      [&](const StateKey& next) { return is_in(enterable_, next.at, number); });
      const RuledOut& out = ruled_out(destination);
      narrow(options, given, [&](const StateKey& next) { return !out.entered.contains(next); });
    }
  }

  void route(const RouteState& state, RouteOptions& options) const override {
    const auto first = static_cast<std::ptrdiff_t>(options.size());
    base_->route(state, options);
    if (damage_.knowledge.is_none()) return;
    const RuledOut& out = ruled_out(state.destination);
    if (out.rounds.empty())
      return narrow(options, options.begin() + first,
                    [&](const StateKey& next) { return !out.entered.contains(next); });
    const StateKey here = key_of(*base_, state);
    narrow(options, options.begin() + first,
           [&](const StateKey& next) { return !out.entered.contains(next) && !out.leads_back(here, next); });
  }

  [[nodiscard]] InjectionOffer injection_offer(TerminalId source, TerminalId destination) const override {
    if (damage_.source != SourceRole::any) return {};
    if (damage_.knowledge.is_none()) return base_->injection_offer(source, destination);
    if (!offers_bits_) return {};
    const std::uint32_t group = groups_.group_of[source.index()];
    const std::uint32_t number = classes_.class_of[destination.index()];
    if (!is_in(let_in_, group, number) && !is_in_known(let_in_, group, number)) return {};
    return injection_vcs_ != 0 ? InjectionOffer{injection_vcs_} : base_->injection_offer(source, destination);
  }
  [[nodiscard]] const void* injection_entry(TerminalId source, TerminalId destination) const override {
    if (!exceeds_caches()) return base_->injection_entry(source, destination);
    return &let_in_[word_of(groups_.group_of[source.index()], classes_.class_of[destination.index()])];
  }
  [[nodiscard]] bool offers_output_bits() const override { return hands_on_ || offers_bits_; }
  [[nodiscard]] const void* output_entry(SwitchId at, TerminalId destination) const override {
    if (!exceeds_caches()) return base_->output_entry(at, destination);
    return &all_living_[word_of(at.index(), classes_.class_of[destination.index()])];
  }
  [[nodiscard]] std::uint64_t output_bits(SwitchId at, TerminalId destination) const override {
    const std::uint64_t bits = base_->output_bits(at, destination);
    return hands_on_ ? bits : kept_bits(at, destination, bits);
  }

  [[nodiscard]] bool offers_output_sets() const override {
    return damage_.knowledge.is_none() && base_->offers_output_sets();
  }
  [[nodiscard]] OutputSets output_sets(SwitchId at, TerminalId destination, Tag tag) const override {
    return base_->output_sets(at, destination, tag);
  }

  [[nodiscard]] std::uint32_t relative_positions() const override {
    return damage_.knowledge.is_none() ? base_->relative_positions() : 0;
  }
  [[nodiscard]] std::uint32_t relative_position(SwitchId at, TerminalId destination) const override {
    return base_->relative_position(at, destination);
  }
  [[nodiscard]] Tag relative_tags() const override { return base_->relative_tags(); }

  [[nodiscard]] const RoutingRelation& en_route() const override {
    if (hands_on_) return base_->en_route();
    if (!offers_bits_ || !damage_.knowledge.is_all()) return *this;
    std::call_once(en_route_.flag, [&] {
      const OutputCounts counts = count_outputs(*base_);
      if (counts.several != 0)
        en_route_.content = std::make_unique<const EnRoute>(*this, counts.several > counts.one / 4);
    });
    if (en_route_.content == nullptr) return *base_;
    return *en_route_.content;
  }

  [[nodiscard]] std::uint64_t tag_count() const override { return base_->tag_count(); }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return base_->virtual_channels(); }
  [[nodiscard]] bool reads_held_channel() const override { return base_->reads_held_channel(); }
  [[nodiscard]] SwitchId intermediate(Tag tag) const override { return base_->intermediate(tag); }
  [[nodiscard]] Claim claim() const override { return base_->claim(); }
  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const override { return base_->bubble_rings(); }
  [[nodiscard]] bool is_escape(const RouteState& state, const RouteOption& option,
                               std::uint8_t vc) const override {
    return base_->is_escape(state, option, vc);
  }
  [[nodiscard]] bool relies_on_escape() const override { return base_->relies_on_escape(); }
  [[nodiscard]] bool sends_again() const override { return base_->sends_again(); }
  [[nodiscard]] std::uint64_t switching_elements(SwitchId at) const override {
    return base_->switching_elements(at);
  }

 private:
  /// What it offers to packets that it has led from their injection on, where switches know all faults: a
  /// state with one option is entered only if that option leads on, so that no table need be read.
  class EnRoute final : public RoutingRelation {
   public:
    EnRoute(const Admissible& whole, bool often_reads)
        : RoutingRelation(whole.shared_topology()),
          whole_(whole),
          base_(*whole.base_),
          often_reads_(often_reads) {}
    void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
      whole_.inject(source, destination, options);
    }
    void route(const RouteState& state, RouteOptions& options) const override {
      whole_.route(state, options);
    }
    [[nodiscard]] bool offers_output_bits() const override { return true; }
    [[nodiscard]] std::uint64_t output_bits(SwitchId at, TerminalId destination) const override {
      const std::uint64_t bits = base_.output_bits(at, destination);
      return (bits & (bits - 1)) == 0 ? bits : whole_.kept_bits(at, destination, bits);
    }
    [[nodiscard]] const void* output_entry(SwitchId at, TerminalId destination) const override {
      return often_reads_ ? whole_.output_entry(at, destination) : nullptr;
    }
    [[nodiscard]] std::uint32_t virtual_channels() const override { return whole_.virtual_channels(); }

   private:
    const Admissible& whole_;
    const RoutingRelation& base_;
    bool often_reads_;
  };

  template <class Content>
  struct Once {
    std::once_flag flag;
    Content content;
  };

  /// The output bits of living channels that are not offered towards a class of destinations.
  struct Words {
    std::once_flag flag;
    std::atomic<bool> known = false;
    NumberedWords removed;  ///< by switch
  };
  static constexpr std::size_t max_words = std::size_t{1} << 25;  // 64 MiB of numbers

  /// Bits by switch, or group of sources, and class of destinations.
  using Pairs = std::vector<std::atomic<std::uint64_t>>;

  void tabulate(std::uint32_t number) const {
    Words& words = words_[number];
    std::call_once(words.flag, [&] {
      words.removed = NumberedWords(topology().switch_count());
      const TerminalId destination = classes_.first[number];
      const RuledOut& out = ruled_out(destination);
      const std::vector<bool> may_remove = switches_that_may_remove(out);
      for (const SwitchId at : topology().switches()) {
        const std::uint64_t removed = may_remove[at.index()] ? removed_outputs(at, destination, out) : 0;
        if (removed == 0)
          add(all_living_, at.index(), number);
        else
          words.removed.set(at.index(), removed);
        if (!out.entered.contains({at.value()})) add(enterable_, at.index(), number);
      }
      for (std::size_t group = 0; group < groups_.entries.size(); ++group)
        if (lets_in(groups_.entries[group], out)) add(let_in_, group, number);
      words.known.store(true, std::memory_order_release);
    });
  }

  /// Of the base relation's output bits.
  [[gnu::noinline, nodiscard]] std::uint64_t kept_bits(SwitchId at, TerminalId destination,
                                                       std::uint64_t bits) const {
    const std::uint64_t living = bits & ~dead_outputs_[at.index()];
    const std::uint32_t number = classes_.class_of[destination.index()];
    if (is_in(all_living_, at.index(), number)) [[likely]]
      return living;
    return living & ~removed_bits(at, number);
  }
  /// The living outputs that are not offered.
  [[gnu::noinline, nodiscard]] std::uint64_t removed_bits(SwitchId at, std::uint32_t number) const {
    return is_in_known(all_living_, at.index(), number) ? 0 : words_[number].removed[at.index()];
  }
  [[gnu::noinline, nodiscard]] bool is_in_known(const Pairs& pairs, std::size_t row,
                                                std::uint32_t number) const {
    if (!words_[number].known.load(std::memory_order_acquire)) tabulate(number);
    return is_in(pairs, row, number);
  }

  [[nodiscard]] std::size_t word_of(std::size_t row, std::uint32_t number) const {
    return row * words_a_row_ + number / 64;
  }
  [[nodiscard]] bool is_in(const Pairs& pairs, std::size_t row, std::uint32_t number) const {
    return (pairs[word_of(row, number)].load(std::memory_order_relaxed) >> number % 64 & 1) != 0;
  }
  /// The table is worth prefetching from.
  [[nodiscard]] bool exceeds_caches() const {
    constexpr std::size_t nearest_cache = 32 << 10;  // bytes
    return all_living_.size() * sizeof(std::uint64_t) > nearest_cache;
  }
  void add(Pairs& pairs, std::size_t row, std::uint32_t number) const {
    pairs[word_of(row, number)].fetch_or(std::uint64_t{1} << number % 64, std::memory_order_relaxed);
  }
  /// False also where it is not known yet. Without this, simulations with known faults took up to 2 % longer.
  [[nodiscard]] bool is_known_to_refuse(TerminalId source, TerminalId destination) const {
    if (damage_.source != SourceRole::any || !offers_bits_) return false;
    const std::uint32_t group = groups_.group_of[source.index()];
    const std::uint32_t number = classes_.class_of[destination.index()];
    return groups_.entries[group].size() == 1 && words_[number].known.load(std::memory_order_acquire) &&
           !is_in(let_in_, group, number);
  }
  /// By every injection channel.
  [[nodiscard]] static bool lets_in(const std::vector<SwitchId>& entries, const RuledOut& out) {
    return !entries.empty() && std::ranges::none_of(entries, [&](SwitchId entry) {
      return out.entered.contains({entry.value()});
    });
  }

  /// As output bits.
  [[nodiscard]] std::uint64_t dead_outputs(SwitchId at) const {
    const std::uint32_t vcs = virtual_channels();
    const auto outputs = topology().outputs(at);
    std::uint64_t bits = 0;
    for (std::uint32_t bit = 0; bit < outputs.size() * vcs; ++bit)
      if (damage_.dead.failed(outputs[bit / vcs])) bits |= std::uint64_t{1} << bit;
    return bits;
  }

  /// Those with an output to a switch that may not be entered; all if some outputs lead back.
  [[nodiscard]] std::vector<bool> switches_that_may_remove(const RuledOut& out) const {
    std::vector<bool> may_remove(topology().switch_count(), !out.rounds.empty());
    for (const SwitchId at : topology().switches()) {
      if (!out.entered.contains({at.value()})) continue;
      for (const ChannelId channel : topology().inputs(at))
        if (topology().role(channel) == ChannelRole::network)
          may_remove[topology().source(channel).index()] = true;
    }
    return may_remove;
  }
  [[nodiscard]] std::uint64_t removed_outputs(SwitchId at, TerminalId destination,
                                              const RuledOut& out) const {
    const std::uint32_t vcs = virtual_channels();
    const auto outputs = topology().outputs(at);
    const auto is_removed = [&](std::uint32_t bit) {
      const ChannelId channel = outputs[bit / vcs];
      if (topology().role(channel) == ChannelRole::ejection) return false;
      const StateKey next{topology().target(channel).value()};
      return out.entered.contains(next) || out.leads_back({at.value()}, next);
    };
    std::uint64_t removed = 0;
    std::uint64_t rest = base_->output_bits(at, destination) & ~dead_outputs_[at.index()];
    for (; rest != 0; rest &= rest - 1)
      if (is_removed(static_cast<std::uint32_t>(std::countr_zero(rest)))) removed |= rest & -rest;
    return removed;
  }

  [[nodiscard]] bool dead(const RouteOption& option) const { return damage_.dead.failed(option.channel); }

  /// Options from `first` on lose their dead channels, and the virtual channels that lead to states that
  /// `keeps` does not accept.
  template <class Keeps>
  void narrow(RouteOptions& options, RouteOptions::iterator first, Keeps keeps) const {
    auto kept = first;
    for (auto option = first; option != options.end(); ++option) {
      if (dead(*option)) continue;
      if (topology().role(option->channel) != ChannelRole::ejection)
        for_each_vc(option->vcs, [&](std::uint8_t vc) {
          if (!keeps(key_after(*base_, *option, vc))) option->vcs &= ~(1U << vc);
        });
      if (option->vcs != 0) *kept++ = *option;
    }
    options.erase(kept, options.end());
  }

  const RuledOut& ruled_out(TerminalId destination) const {
    const std::uint32_t number = classes_.class_of[destination.index()];
    auto& entry = switches_[number];
    if (needs_tables_)
      std::call_once(entry.flag, [&] {
        entry.content = faultline::ruled_out(*base_, classes_.first[number], damage_.dead, damage_.knowledge);
      });
    return entry.content;
  }

  const StateKeys& losing_starts(TerminalId destination) const {
    auto& entry = sources_[destination.index()];
    std::call_once(entry.flag, [&] {
      std::call_once(trying_.flag, [&] {
        trying_.content = std::make_unique<const Admissible>(
            base_, Damage{damage_.dead, damage_.knowledge, SourceRole::plan}, SourceOffers::every_start);
      });
      entry.content = faultline::losing_starts(*trying_.content, destination, damage_.dead);
    });
    return entry.content;
  }

  RelationPtr base_;
  Damage damage_;
  bool every_start_;
  bool needs_tables_;
  bool hands_on_;     ///< output bits are the base relation's: switches know no faults
  bool offers_bits_;  ///< output bits are those without what switches rule out
  DestinationClasses classes_;
  mutable std::vector<Words> words_;  ///< by class
  std::size_t words_a_row_;
  /// Set if all living outputs of the base relation are known to be offered. Then the base relation answers,
  /// which is faster than a table that exceeds the caches.
  mutable Pairs all_living_;
  mutable Pairs enterable_;                                 ///< set if packets are known to be let in
  SourceGroups groups_;                                     ///< if output bits are offered
  mutable Pairs let_in_;                                    ///< the same of all entries of a group
  std::vector<std::uint64_t> dead_outputs_;                 ///< by switch, if output bits are offered
  std::uint32_t injection_vcs_;                             ///< of the base relation
  mutable std::vector<Once<RuledOut>> switches_;            // caches, filled once: by class
  mutable std::vector<Once<StateKeys>> sources_;            // by destination
  mutable Once<std::unique_ptr<const EnRoute>> en_route_;   // none: the base relation serves
  mutable Once<std::unique_ptr<const Admissible>> trying_;  // what packets do that start in every way
};

/// Nothing is dead, so there is nothing to rule out.
bool changes_nothing(const RoutingRelation& relation, const Damage& damage) {
  if (!damage.dead.empty()) return false;
  if (relation.always_progresses()) return true;
  return looks_no_further(damage.knowledge) && damage.source == SourceRole::any;
}

}  // namespace

void keep_lowest_tier(RouteOptions& options) {
  if (options.empty()) return;
  const auto [lowest, highest] = std::ranges::minmax(options, {}, &RouteOption::tier);
  if (lowest.tier == highest.tier) return;
  std::erase_if(options, [tier = lowest.tier](const RouteOption& option) { return option.tier > tier; });
}

RelationPtr admissible_relation(RelationPtr relation, Damage damage, SourceOffers offers) {
  damage.dead.require_of(relation->topology(), "routing.faults");
  damage.source = effective_role(damage.source, damage.knowledge);
  const bool tries_all = damage.source == SourceRole::plan && offers == SourceOffers::every_start;
  if (!tries_all && changes_nothing(*relation, damage)) return relation;
  return std::make_shared<const Admissible>(std::move(relation), std::move(damage), offers);
}

}  // namespace faultline
