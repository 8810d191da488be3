// SPDX-License-Identifier: Apache-2.0
#include "agent/multipath_agent.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "agent/path_of.h"
#include "faultline/base/random.h"

namespace faultline {
namespace {

class MultipathAgent final : public SourceAgent {
 public:
  MultipathAgent(const AgentContext& context, const Multipath::Rules& paths,
                 const std::optional<LinkFaultTable::Rules>& faults)
      : context_(context), rules_(paths) {
    if (faults) faults_.emplace(*faults);
  }

  [[nodiscard]] std::size_t choose(TerminalId destination, std::span<const RouteOption> ways,
                                   std::uint64_t random) override {
    Multipath& pair = pairs_[destination];
    pair.know(ways, destination, context_);
    keep_within_limit(pair, destination);
    std::vector<std::size_t> left = offered(pair, ways, 0);
    for (std::uint64_t round = 0;; ++round) {
      while (left.empty() && pair.widen(rules_, ruled_out(pair, destination)))
        left = offered(pair, ways, pair.open() - 1);
      if (left.empty()) break;
      const std::size_t path = pair.draw(left, mix(random, round, 0));
      if (admits(pair.paths()[path], destination)) return position_of(pair.paths()[path].way, ways);
      ++refused_;
      std::erase(left, path);
    }
    ++forced_;
    return forced(pair, ways, destination);
  }

  void told(const LatencyReport& report) override {
    const auto known = pairs_.find(report.destination);
    if (known == pairs_.end()) return;
    Multipath& pair = known->second;
    const auto path = pair.find(report.way);
    if (!path) return;
    pair.paths()[*path].latency = std::max(1U, report.latency);
    if (knows_faults()) reclaimed_ += faults_->clear(channels_of(pair.paths()[*path], report.destination));
    keep_within_limit(pair, report.destination);
    pair.configure(rules_, ruled_out(pair, report.destination),
                   [&](const Multipath::Path& open) { return !is_touched(open, report.destination); });
  }

  void told(const FaultReport& report) override {
    if (!faults_) return;
    faults_->notify(report.channel);
    max_entries_ = std::max(max_entries_, faults_->entries().size());
  }

  void rerouted(const RoutingRelation& relation) override {
    context_.relation = relation;
    for (auto& [destination, pair] : pairs_)
      for (Multipath::Path& path : pair.paths()) path.channels.clear();
  }

  void add_to(AgentFigures& figures) const override {
    figures.pairs += pairs_.size();
    for (const auto& [destination, pair] : pairs_) {
      const std::uint64_t open =
          std::clamp<std::size_t>(pair.open() - ruled_out(pair, destination), 1, rules_.max_open);
      figures.paths_open += open;
      figures.max_paths_open = std::max({figures.max_paths_open, std::uint64_t{pair.max_ever_open()}, open});
    }
    figures.reclaimed_entries += reclaimed_;
    figures.refused_paths += refused_;
    figures.forced_packets += forced_;
    if (!faults_) return;
    figures.fault_entries += faults_->entries().size();
    figures.permanent_entries += static_cast<std::uint64_t>(std::ranges::count_if(
        faults_->entries(),
        [&](const LinkFaultTable::Entry& entry) { return faults_->is_permanent(entry); }));
    figures.max_fault_entries = std::max<std::uint64_t>(figures.max_fault_entries, max_entries_);
  }

  [[nodiscard]] std::vector<OpenPath> open_paths(TerminalId destination) override {
    std::vector<OpenPath> open;
    const auto known = pairs_.find(destination);
    if (known == pairs_.end()) return open;
    keep_within_limit(known->second, destination);
    for (const Multipath::Path& path : known->second.open_paths()) {
      if (is_touched(path, destination)) continue;
      const auto channels = channels_of(path, destination);
      open.push_back({path.latency, {channels.begin(), channels.end() - (channels.empty() ? 0 : 1)}});
    }
    return open;
  }

 private:
  /// Open paths from number `first` on by which the packet can be injected now.
  [[nodiscard]] static std::vector<std::size_t> offered(Multipath& pair, std::span<const RouteOption> ways,
                                                        std::size_t first) {
    std::vector<std::size_t> found;
    for (std::size_t i = first; i < pair.open(); ++i)
      if (position_of(pair.paths()[i].way, ways) != ways.size()) found.push_back(i);
    return found;
  }
  /// Their number if it is none of them.
  [[nodiscard]] static std::size_t position_of(InjectionWay way, std::span<const RouteOption> ways) {
    const auto same = [&](const RouteOption& option) { return way_of(option) == way; };
    return static_cast<std::size_t>(std::ranges::find_if(ways, same) - ways.begin());
  }
  /// Where all open paths are refused: the first that can be taken now and is not ruled out; if there is
  /// none, the first option.
  [[nodiscard]] std::size_t forced(const Multipath& pair, std::span<const RouteOption> ways,
                                   TerminalId destination) const {
    for (const Multipath::Path& path : pair.open_paths())
      if (const std::size_t way = position_of(path.way, ways);
          way != ways.size() && !rules_out(path, destination))
        return way;
    return 0;
  }

  [[nodiscard]] bool knows_faults() const { return faults_ && !faults_->entries().empty(); }
  /// Open paths over which no packet is sent again.
  [[nodiscard]] std::size_t ruled_out(const Multipath& pair, TerminalId destination) const {
    if (!knows_faults()) return 0;
    return static_cast<std::size_t>(std::ranges::count_if(
        pair.open_paths(), [&](const Multipath::Path& path) { return rules_out(path, destination); }));
  }
  [[nodiscard]] bool rules_out(const Multipath::Path& path, TerminalId destination) const {
    return knows_faults() && faults_->rules_out(channels_of(path, destination));
  }
  void keep_within_limit(Multipath& pair, TerminalId destination) const {
    pair.keep_within(rules_, [&] { return ruled_out(pair, destination); });
  }
  [[nodiscard]] bool is_touched(const Multipath::Path& path, TerminalId destination) const {
    return knows_faults() && faults_->touches(channels_of(path, destination));
  }
  [[nodiscard]] bool admits(const Multipath::Path& path, TerminalId destination) {
    return !knows_faults() || faults_->admits(channels_of(path, destination));
  }

  /// With the ejection channel, which may be reported dead as well.
  std::span<const ChannelId> channels_of(const Multipath::Path& path, TerminalId destination) const {
    if (path.channels.empty()) {
      RouteOptions ways;
      context_.relation.get().inject(context_.source, destination, ways);
      if (const std::size_t way = position_of(path.way, ways); way != ways.size())
        path.channels = path_of(context_.relation, ways[way], destination);
    }
    return path.channels;
  }

  AgentContext context_;
  Multipath::Rules rules_;
  std::optional<LinkFaultTable> faults_;
  std::unordered_map<TerminalId, Multipath> pairs_;
  std::size_t max_entries_ = 0;
  std::uint64_t reclaimed_ = 0, refused_ = 0, forced_ = 0;
};

}  // namespace

std::unique_ptr<SourceAgent> multipath_agent(const AgentContext& context, const Multipath::Rules& paths,
                                             const std::optional<LinkFaultTable::Rules>& faults) {
  return std::make_unique<MultipathAgent>(context, paths, faults);
}

}  // namespace faultline
