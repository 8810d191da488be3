// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <optional>

#include "faultline/infiniband/lids.h"
#include "faultline/infiniband/table_match.h"
#include "faultline/routing/follows_tables.h"
#include "faultline/routing/kind.h"
#include "faultline/topology/labellings.h"
#include "routing/output_positions.h"
#include "routing/tables_relation.h"

namespace faultline::routings {
namespace {

/// Routes by the fabric's own forwarding tables for a LID of the destination. A port with an LMC above 0 has
/// several LIDs, and a source may address any of them: the tag says which, counted from the first. A packet
/// is stuck if the tables have no entry for its LID, name a port without a cable, or would deliver it to
/// another terminal.
class TablesRelation final : public RoutingRelation, public FollowsTables {
 public:
  /// `others`: instead of the fabric's own.
  TablesRelation(TopologyPtr topology, std::optional<infiniband::ForwardingTables> others)
      : RoutingRelation(std::move(topology)),
        fabric_(this->topology().labelling<FabricLabelling>("tables")),
        others_(std::move(others)),
        has_output_words_(max_outputs(this->topology()) <= 64) {
    if (!others_ && !fabric_.tables)
      throw Error("routing", "tables", "needs the fabric's forwarding tables; give topology.tables = PATH");
    for (const TerminalId destination : this->topology().terminals()) {
      const std::uint32_t lids = infiniband::lid_count(fabric_.end_port(destination));
      max_lids_ = std::max(max_lids_, lids);
      first_column_.push_back(first_column_.back() + lids);
    }
    output_.assign(this->topology().switch_count() * columns(), no_output);
    for (const SwitchId at : this->topology().switches())
      if (const auto* table = tables().find(fabric_.node(at).guid)) find_outputs(at, *table);
  }

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    for (const ChannelId channel : topology().injection(source))
      for (Tag tag = 0; tag < lids(destination); ++tag) options.push_back({.channel = channel, .tag = tag});
  }
  [[nodiscard]] std::uint32_t injection_vcs() const override { return max_lids_ == 1 ? 1 : 0; }

  void route(const RouteState& state, RouteOptions& options) const override {
    const std::uint8_t output = output_of(state.at, state.destination, state.tag);
    if (output != no_output)
      options.push_back({.channel = topology().outputs(state.at)[output], .tag = state.tag});
  }
  [[nodiscard]] bool offers_output_bits() const override { return has_output_words_ && max_lids_ == 1; }
  [[nodiscard]] std::uint64_t output_bits(SwitchId at, TerminalId destination) const override {
    return output_word(output_of(at, destination, 0));
  }
  [[nodiscard]] bool offers_output_sets() const override { return has_output_words_ && max_lids_ > 1; }
  [[nodiscard]] OutputSets output_sets(SwitchId at, TerminalId destination, Tag tag) const override {
    const std::uint64_t output = output_word(output_of(at, destination, tag));
    return {.parts = {{{.outputs = output, .vcs = output != 0 ? 1U : 0U}}}, .tag = tag};
  }
  [[nodiscard]] std::uint64_t tag_count() const override { return max_lids_; }

  [[nodiscard]] const infiniband::ForwardingTables& tables() const override {
    return others_ ? *others_ : *fabric_.tables;
  }
  [[nodiscard]] std::vector<std::string> remarks() const override {
    std::vector<std::string> remarks = tables().remarks;
    std::ranges::move(infiniband::remarks_on_match(tables(), fabric_.fabric), std::back_inserter(remarks));
    return remarks;
  }

 private:
  static constexpr std::size_t port_numbers = 256;
  static constexpr std::uint8_t no_output = 255;  ///< no switch has more than 255 ports

  [[nodiscard]] std::size_t columns() const { return first_column_.back(); }
  [[nodiscard]] std::uint32_t lids(TerminalId terminal) const {
    return first_column_[terminal.index() + 1] - first_column_[terminal.index()];
  }

  void find_outputs(SwitchId at, const infiniband::ForwardingTable& table) {
    const auto outputs = topology().outputs(at);
    std::uint8_t at_port[port_numbers];  // the output at a port
    std::ranges::fill(at_port, no_output);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      at_port[fabric_.output_port(topology(), outputs[i])] = static_cast<std::uint8_t>(i);
    for (const TerminalId destination : topology().terminals()) {
      const infiniband::EndPort& end = fabric_.end_port(destination);
      std::uint8_t* const entries = &output_[at.index() * columns() + first_column_[destination.index()]];
      infiniband::for_each_lid(end, [&](infiniband::Lid lid) {
        const std::optional<std::uint8_t> port = table.port(lid);
        if (!port || at_port[*port] == no_output) return;
        const ChannelId channel = outputs[at_port[*port]];
        if (topology().role(channel) != ChannelRole::ejection || topology().terminal(channel) == destination)
          entries[lid - end.lid] = at_port[*port];
      });
    }
  }

  [[nodiscard]] std::uint8_t output_of(SwitchId at, TerminalId destination, Tag tag) const {
    const std::size_t row = at.index() * columns();
    if (max_lids_ == 1) return output_[row + destination.index()];
    return tag < lids(destination) ? output_[row + first_column_[destination.index()] + tag] : no_output;
  }
  [[nodiscard]] static std::uint64_t output_word(std::uint8_t output) {
    return output != no_output ? std::uint64_t{1} << output : 0;
  }

  const FabricLabelling& fabric_;
  std::optional<infiniband::ForwardingTables> others_;
  bool has_output_words_;  ///< a word has a bit for each output of a switch
  std::uint32_t max_lids_ = 1;
  std::vector<std::uint32_t> first_column_{0};  ///< by terminal, and the end: a column for each of its LIDs
  std::vector<std::uint8_t> output_;  ///< by switch and column: position among the outputs of the switch
};

struct Tables {
  static constexpr std::uint32_t table_bytes = 1;  // an output
  static constexpr bool table_by_terminal = true;
  std::optional<InputFile> file;

  static void fields(auto& field) {
    field("file", &Tables::file, file_path(), "forwarding tables to follow instead of the fabric's own");
  }
  static std::vector<Tables> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    std::optional<infiniband::ForwardingTables> others;
    if (file) others = infiniband::parse_forwarding_tables(*file->content, file->path);
    if (const auto* const fabric = context.topology->find_labelling<FabricLabelling>(); others && fabric)
      infiniband::require_same_fabric(*others, fabric->fabric, "routing.file", file->path);
    return tables_relation(context.topology, std::move(others));
  }
};

}  // namespace
}  // namespace faultline::routings

namespace faultline {

RelationPtr tables_relation(TopologyPtr topology, std::optional<infiniband::ForwardingTables> others) {
  return std::make_shared<const routings::TablesRelation>(std::move(topology), std::move(others));
}

}  // namespace faultline

namespace faultline::routings {

extern constinit const RoutingKind tables =
    routing_kind<Tables>("tables", "a real fabric: its own forwarding tables, by any LID of the destination",
                         "InfiniBand Architecture Specification, volume 1, chapter 18 (switches)",
                         Survival::fixed_paths, "any-free", Knowledge::none());

}  // namespace faultline::routings
