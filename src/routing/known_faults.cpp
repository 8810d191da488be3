// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <unordered_set>

#include "faultline/routing/relation.h"
#include "faultline/routing/states.h"

namespace faultline {
namespace {

/// Offers what the base relation offers, less the options without a healthy continuation. The states without
/// one are worked out when a destination is first asked for, and kept.
class KnownFaults final : public RoutingRelation {
 public:
  KnownFaults(RelationPtr base, FaultSet faults)
      : RoutingRelation(base->shared_topology()),
        base_(std::move(base)),
        faults_(std::move(faults)),
        stuck_(topology().terminal_count()) {}

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    const std::size_t first = options.size();
    base_->inject(source, destination, options);
    keep_healthy(destination, first, options);
  }
  void route(const RouteState& state, RouteOptions& options) const override {
    const std::size_t first = options.size();
    base_->route(state, options);
    keep_healthy(state.destination, first, options);
  }
  [[nodiscard]] std::uint64_t tag_count() const override { return base_->tag_count(); }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return base_->virtual_channels(); }
  [[nodiscard]] bool reads_held_channel() const override { return base_->reads_held_channel(); }
  [[nodiscard]] Claim claim() const override { return base_->claim(); }
  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const override { return base_->bubble_rings(); }
  [[nodiscard]] bool is_escape(const RouteState& state, const RouteOption& option,
                               std::uint8_t vc) const override {
    return base_->is_escape(state, option, vc);
  }
  [[nodiscard]] bool relies_on_escape() const override { return base_->relies_on_escape(); }
  [[nodiscard]] std::uint64_t switching_elements(SwitchId at) const override {
    return base_->switching_elements(at);
  }

 private:
  struct Stuck {
    std::once_flag once;
    std::unordered_set<StateKey, StateKeyHash> states;
  };

  const Stuck& stuck(TerminalId destination) const {
    Stuck& entry = stuck_[destination.index()];
    std::call_once(entry.once, [&] { entry.states = states_without_path(*base_, faults_, destination); });
    return entry;
  }

  /// An option stays while one of its virtual channels leads on.
  void keep_healthy(TerminalId destination, std::size_t first, RouteOptions& options) const {
    const Stuck& entry = stuck(destination);
    std::size_t kept = first;
    for (std::size_t i = first; i < options.size(); ++i) {
      RouteOption option = options[i];
      if (faults_.failed(option.channel)) continue;
      if (!entry.states.empty() && topology().kind(option.channel) != ChannelKind::ejection) {
        for_each_vc(option.vcs, [&](std::uint8_t vc) {
          if (entry.states.contains(key_after(*base_, option, vc))) option.vcs &= ~(1U << vc);
        });
        if (option.vcs == 0) continue;
      }
      options[kept++] = option;
    }
    options.resize(kept);
  }

  RelationPtr base_;
  FaultSet faults_;
  mutable std::vector<Stuck> stuck_;  // a cache, filled once per destination
};

}  // namespace

RelationPtr with_known_faults(RelationPtr relation, FaultSet faults) {
  return std::make_shared<const KnownFaults>(std::move(relation), std::move(faults));
}

}  // namespace faultline
