// SPDX-License-Identifier: Apache-2.0
#include "routing/methodology/grid_plan_search.h"

#include <bit>
#include <vector>

#include "routing/grid_directions.h"
#include "routing/methodology/leg_search.h"

namespace faultline {
namespace {

/// Where the channels of a grid are, and the terminals of its switches.
struct GridChannels {
  struct Position {
    std::uint32_t at = 0, direction = 0;
  };

  explicit GridChannels(TopologyPtr network)
      : topology(std::move(network)),
        grid(topology->labelling<CartesianLabelling>("methodology")),
        positions(topology->channel_count()) {
    const GridDirections directions(grid);
    for (const SwitchId at : topology->switches())
      for (std::uint32_t direction = 0; direction < directions.count(); ++direction)
        if (const ChannelId channel = directions.channel(at, direction); channel.valid())
          positions[channel.index()] = {static_cast<std::uint32_t>(at.index()), direction};
  }

  TopologyPtr topology;
  const CartesianLabelling& grid;
  std::vector<Position> positions;  ///< by channel, of those between switches
};

class GridPlanSearch final : public PlanSearch {
 public:
  GridPlanSearch(std::shared_ptr<const GridChannels> channels, std::shared_ptr<const LegGeometry> geometry,
                 const Mechanisms& mechanisms, std::string_view kernel)
      : channels_(std::move(channels)),
        geometry_(std::move(geometry)),
        mechanisms_(mechanisms),
        kernel_(kernel),
        legs_(make_leg_search(*geometry_, kernel)),
        sends_(channels_->topology->terminal_count(), 1),
        receives_(sends_),
        senders_(geometry_->switches()),
        receivers_(geometry_->switches()) {
    count_terminals();
  }

  [[nodiscard]] std::unique_ptr<PlanSearch> clone() const override {
    return std::make_unique<GridPlanSearch>(channels_, geometry_, mechanisms_, kernel_);
  }

  /// A torus is the same seen from every switch, and so is direction order: relative to switch 0.
  [[nodiscard]] ChannelId canonical(ChannelId channel) const override {
    if (geometry_->has_ends()) return channel;
    const Topology& topology = *channels_->topology;
    if (topology.role(channel) == ChannelRole::network)
      return GridDirections(channels_->grid)
          .channel(SwitchId(0), channels_->positions[channel.index()].direction);
    const TerminalId first(topology.terminal(channel).index() % terminals_per_switch());
    return topology.role(channel) == ChannelRole::injection ? topology.injection(first).front()
                                                            : topology.ejection(first).front();
  }

  [[nodiscard]] Losses evaluate(std::span<const ChannelId> dead) override {
    apply(dead);
    const auto& lost = legs_->find_lost(mechanisms_);
    Losses losses{.pairs = terminal_channels_.empty() ? pairs_at(lost) : pairs_with_dead_terminals(lost)};
    losses.disconnected = losses.pairs != 0 && (!terminal_channels_.empty() || !legs_->is_connected());
    return losses;
  }

 private:
  [[nodiscard]] std::size_t terminals_per_switch() const { return sends_.size() / geometry_->switches(); }

  void count_terminals() {
    senders_.assign(senders_.size(), static_cast<std::uint32_t>(terminals_per_switch()));
    receivers_ = senders_;
  }

  void apply(std::span<const ChannelId> dead) {
    const Topology& topology = *channels_->topology;
    legs_->revive_all();
    for (const ChannelId channel : terminal_channels_) mark(channel, 1);
    terminal_channels_.clear();
    for (const ChannelId channel : dead) {
      if (topology.role(channel) == ChannelRole::network) {
        const GridChannels::Position position = channels_->positions[channel.index()];
        legs_->fail(position.at, position.direction);
      } else {
        terminal_channels_.push_back(channel);
        mark(channel, 0);
      }
    }
  }

  /// A grid's terminals have one channel of each role.
  void mark(ChannelId channel, std::uint8_t alive) {
    const bool injection = channels_->topology->role(channel) == ChannelRole::injection;
    const TerminalId terminal = channels_->topology->terminal(channel);
    std::uint8_t& mark = (injection ? sends_ : receives_)[terminal.index()];
    const auto at = channels_->grid.home(terminal).index();
    (injection ? senders_ : receivers_)[at] += static_cast<std::uint32_t>(alive - mark);
    mark = alive;
  }

  template <class Visit>
  void for_each_lost(const std::vector<LegSearch::LostPairs>& lost, Visit visit) const {
    for (const LegSearch::LostPairs& pairs : lost)
      for (std::size_t word = 0; word < pairs.row.size(); ++word)
        for (std::uint64_t rest = pairs.row[word]; rest != 0; rest &= rest - 1) {
          const auto from =
              static_cast<std::uint32_t>(64 * word) + static_cast<std::uint32_t>(std::countr_zero(rest));
          visit(from, destination(from, pairs.residue));
        }
  }
  [[nodiscard]] std::uint32_t destination(std::uint32_t from, std::uint32_t residue) const {
    std::uint32_t to = 0;
    for (std::uint32_t dimension = 0; dimension < geometry_->dimensions(); ++dimension) {
      const std::uint32_t sum =
          geometry_->coordinate(from, dimension) + geometry_->coordinate(residue, dimension);
      to += sum % geometry_->radix(dimension) * geometry_->stride(dimension);
    }
    return to;
  }

  [[nodiscard]] std::uint64_t pairs_at(const std::vector<LegSearch::LostPairs>& lost) const {
    std::uint64_t pairs = 0;
    for (const LegSearch::LostPairs& one : lost)
      for (const std::uint64_t word : one.row) pairs += static_cast<std::uint64_t>(std::popcount(word));
    return pairs * terminals_per_switch() * terminals_per_switch();
  }

  [[nodiscard]] std::uint64_t pairs_with_dead_terminals(const std::vector<LegSearch::LostPairs>& lost) const {
    const std::uint64_t terminals = sends_.size();
    std::uint64_t sending = 0, receiving = 0, to_themselves = 0;
    for (std::size_t terminal = 0; terminal < terminals; ++terminal) {
      sending += sends_[terminal];
      receiving += receives_[terminal];
      to_themselves += sends_[terminal] & receives_[terminal];
    }
    std::uint64_t served = sending * receiving - to_themselves;
    for_each_lost(lost, [&](std::uint32_t from, std::uint32_t to) {
      served -= std::uint64_t{senders_[from]} * receivers_[to];
    });
    return terminals * (terminals - 1) - served;
  }

  std::shared_ptr<const GridChannels> channels_;
  std::shared_ptr<const LegGeometry> geometry_;
  Mechanisms mechanisms_;
  std::string kernel_;
  std::unique_ptr<LegSearch> legs_;
  std::vector<ChannelId> terminal_channels_;        // dead ones
  std::vector<std::uint8_t> sends_, receives_;      // by terminal
  std::vector<std::uint32_t> senders_, receivers_;  // by switch: terminals
};

}  // namespace

std::unique_ptr<PlanSearch> make_grid_plan_search(TopologyPtr topology, const Mechanisms& mechanisms,
                                                  std::string_view kernel) {
  auto channels = std::make_shared<const GridChannels>(std::move(topology));
  auto geometry = std::make_shared<const LegGeometry>(channels->grid, mechanisms.tie_choice, "methodology");
  return std::make_unique<GridPlanSearch>(std::move(channels), std::move(geometry), mechanisms, kernel);
}

}  // namespace faultline
