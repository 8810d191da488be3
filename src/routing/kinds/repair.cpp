// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/sort_unique.h"
#include "faultline/base/counted.h"
#include "faultline/base/error.h"
#include "faultline/infiniband/lids.h"
#include "faultline/infiniband/table_match.h"
#include "faultline/routing/contract.h"
#include "faultline/routing/kind.h"
#include "faultline/topology/labellings.h"
#include "routing/output_positions.h"
#include "routing/path_trees.h"
#include "routing/table_repair.h"
#include "routing/table_restore.h"
#include "routing/tables_relation.h"
#include "routing/up_down_order.h"

namespace faultline::routings {
namespace {

/// Columns of all terminals; a terminal has one for each tag with which packets for it are injected.
struct TerminalColumns {
  ForwardingColumns columns;
  std::vector<std::uint32_t> first{0};  ///< by terminal, and the end: the number of its first column
};

/// No entries, in a column for each LID of each terminal, or in one for each terminal where `ports` is null.
TerminalColumns empty_columns(const Topology& topology, const FabricLabelling* ports) {
  TerminalColumns found;
  found.columns.switches = topology.switch_count();
  for (const TerminalId terminal : topology.terminals()) {
    const std::uint32_t count = ports != nullptr ? infiniband::lid_count(ports->end_port(terminal)) : 1;
    found.columns.terminal.insert(found.columns.terminal.end(), count, terminal);
    found.first.push_back(found.first.back() + count);
  }
  found.columns.next.resize(topology.switch_count() * found.columns.terminal.size());
  return found;
}

/// Reads a routing; of several options at a switch it takes the first.
class ColumnReader {
 public:
  explicit ColumnReader(const RoutingRelation& base)
      : base_(base), contract_(base), topology_(base.topology()) {
    if (base.virtual_channels() != 1 || base.reads_held_channel())
      refuse("has several virtual channels, or its choice depends on where a packet comes from");
  }

  TerminalColumns read() {
    TerminalColumns found;
    found.columns.switches = topology_.switch_count();
    for (const TerminalId destination : topology_.terminals()) {
      const std::uint32_t tags = tags_to(destination);
      for (Tag tag = 0; tag < tags; ++tag) {
        found.columns.terminal.push_back(destination);
        for (const SwitchId at : topology_.switches())
          found.columns.next.push_back(next(at, destination, tag));
      }
      found.first.push_back(found.first.back() + tags);
    }
    return found;
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(
        "routing", "repair",
        fmt::format("needs a base with one virtual channel whose packets keep their tags, such as tables "
                    "or destro; the given one, on {}, {}",
                    topology_.name(), reason));
  }
  /// Packets for a terminal have tags below it.
  std::uint32_t tags_to(TerminalId destination) {
    if (base_.tag_count() == 1) return 1;
    options_.clear();
    for (const TerminalId source : topology_.terminals())
      if (source != destination && options_.empty()) contract_.inject(source, destination, options_);
    std::vector<Tag> tags;
    for (const RouteOption& option : options_) tags.push_back(option.tag);
    sort_unique(tags);
    if (!tags.empty() && tags.back() + 1 != tags.size()) refuse("injects them with some tags only");
    return static_cast<std::uint32_t>(tags.size());
  }
  ChannelId next(SwitchId at, TerminalId destination, Tag tag) {
    options_.clear();
    // The base does not read the held channel; a switch that none leads to has an entry all the same.
    const auto inputs = topology_.inputs(at);
    const ChannelId held = inputs.empty() ? ChannelId(std::size_t{0}) : inputs.front();
    contract_.route({.at = at, .destination = destination, .held = held, .tag = tag}, options_);
    if (options_.empty()) return {};
    const RouteOption& option = options_.front();
    if (option.tag != tag && topology_.role(option.channel) == ChannelRole::network)
      refuse("changes tags on the way");
    return option.channel;
  }

  const RoutingRelation& base_;
  Contract contract_;
  const Topology& topology_;
  RouteOptions options_;
};

/// The files that a repair has read besides the fabric's dump.
struct TableFiles {
  bool own_tables = false;  ///< the fabric's, which are repaired
  std::optional<InputFile> reference;

  /// What in them does not fit the fabric.
  [[nodiscard]] std::vector<std::string> remarks(const Topology& topology) const {
    const auto* const fabric = topology.find_labelling<FabricLabelling>();
    if (fabric == nullptr) return {};
    std::vector<std::string> remarks;
    if (own_tables && fabric->tables) remarks = infiniband::remarks_on_nodes(*fabric->tables, fabric->fabric);
    if (!reference) return remarks;
    const auto tables = infiniband::parse_forwarding_tables(*reference->content, reference->path);
    for (const std::string& remark : infiniband::remarks_on_nodes(tables, fabric->fabric))
      if (std::ranges::find(remarks, remark) == remarks.end()) remarks.push_back("reference: " + remark);
    return remarks;
  }
};

class RepairedRelation final : public RoutingRelation {
 public:
  RepairedRelation(TopologyPtr topology, const FaultSet& known, RepairedColumns repaired,
                   std::vector<std::uint32_t> first_columns, bool leaves_out_reference, TableFiles files)
      : RoutingRelation(std::move(topology)),
        unusable_(with_whole_links(this->topology(), known)),
        repaired_(std::move(repaired)),
        first_(std::move(first_columns)),
        leaves_out_reference_(leaves_out_reference),
        files_(std::move(files)),
        has_output_words_(max_outputs(this->topology()) <= 64),
        positions_(output_positions(this->topology())) {
    for (std::size_t i = 0; i + 1 < first_.size(); ++i)
      max_tags_ = std::max(max_tags_, first_[i + 1] - first_[i]);
  }

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    const std::uint32_t first = first_[destination.index()];
    for (const ChannelId channel : topology().injection(source)) {
      if (unusable_.failed(channel)) continue;
      for (std::uint32_t column = first; column < first_[destination.index() + 1]; ++column)
        if (repaired_.columns.at(column, topology().target(channel)).valid())
          options.push_back({.channel = channel, .tag = column - first});
    }
  }
  void route(const RouteState& state, RouteOptions& options) const override {
    const ChannelId next = next_of(state.at, state.destination, state.tag);
    if (next.valid()) options.push_back({.channel = next, .tag = state.tag});
  }
  [[nodiscard]] bool offers_output_bits() const override { return has_output_words_ && max_tags_ == 1; }
  [[nodiscard]] std::uint64_t output_bits(SwitchId at, TerminalId destination) const override {
    return output_word(next_of(at, destination, 0));
  }
  [[nodiscard]] bool offers_output_sets() const override { return has_output_words_ && max_tags_ > 1; }
  [[nodiscard]] OutputSets output_sets(SwitchId at, TerminalId destination, Tag tag) const override {
    const std::uint64_t output = output_word(next_of(at, destination, tag));
    return {.parts = {{{.outputs = output, .vcs = output != 0 ? 1U : 0U}}}, .tag = tag};
  }
  [[nodiscard]] std::uint64_t tag_count() const override { return max_tags_; }
  [[nodiscard]] Claim claim() const override {
    return {.deadlock_free = true, .deadlock_free_cut_through = true, .tolerates = {}};
  }
  [[nodiscard]] std::vector<std::string> remarks() const override {
    std::vector<std::string> remarks = files_.remarks(topology());
    if (repaired_.columns_chosen_anew != 0)
      remarks.push_back(fmt::format(
          "to {}, paths that were whole had to change as well, because they {}",
          counted(repaired_.columns_chosen_anew, "terminal address"),
          repaired_.breaks_cycles ? "closed a cycle of channel dependencies, by which packets could deadlock"
                                  : "left no room without a cycle of channel dependencies"));
    if (leaves_out_reference_)
      remarks.emplace_back(
          "the reference is not used: its paths would close a cycle of channel dependencies");
    return remarks;
  }

 private:
  [[nodiscard]] ChannelId next_of(SwitchId at, TerminalId destination, Tag tag) const {
    const std::size_t column = first_[destination.index()] + tag;
    return column < first_[destination.index() + 1] ? repaired_.columns.at(column, at) : ChannelId();
  }
  [[nodiscard]] std::uint64_t output_word(ChannelId channel) const {
    return channel.valid() ? std::uint64_t{1} << positions_[channel.index()] : 0;
  }

  FaultSet unusable_;
  RepairedColumns repaired_;
  std::vector<std::uint32_t> first_;  // column by terminal, and the end
  bool leaves_out_reference_;
  TableFiles files_;
  bool has_output_words_;  // a word has a bit for each output of a switch
  std::vector<std::uint16_t> positions_;
  std::uint32_t max_tags_ = 1;
};

struct Repair {
  static constexpr std::uint32_t table_bytes = 12;  // channels before, meanwhile and afterwards
  static constexpr bool table_by_terminal = true;
  Nested<RoutingKind> base{"auto", {}};
  double change_hops = 1.5;
  std::optional<InputFile> reference;

  static void fields(auto& field) {
    field("base", &Repair::base, nested().or_word("auto").written_out(),
          "routing whose tables are repaired, of several options the first; auto: a fabric's own tables or, "
          "where there are none, shortest paths as far as they close no cycle");
    field("change_hops", &Repair::change_hops, between(0, 1000),
          "hops that a changed entry weighs as much as, where paths are chosen");
    field("reference", &Repair::reference, file_path(),
          "forwarding tables of the fabric when it was whole, whose entries come back wherever their paths "
          "are whole again; left out where its paths would close a cycle of channel dependencies");
  }
  static std::vector<Repair> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    require_fitting_tables(*context.topology);
    TerminalColumns before = tables_before(context);
    std::optional<RepairedColumns> repaired;
    if (reference) repaired = restore(context, before.columns);
    const bool leaves_out_reference = repaired && repaired->breaks_cycles;
    if (!repaired || leaves_out_reference) repaired = repair(context, before.columns);
    return std::make_shared<const RepairedRelation>(context.topology, context.known, *std::move(repaired),
                                                    std::move(before.first), leaves_out_reference,
                                                    TableFiles{base.is_none(), reference});
  }

 private:
  [[nodiscard]] RepairedColumns repair(const RoutingContext& context, const ForwardingColumns& before) const {
    return faultline::repair(*context.topology, context.known, before, change_hops);
  }

  [[nodiscard]] RepairedColumns restore(const RoutingContext& context,
                                        const ForwardingColumns& in_use) const {
    infiniband::ForwardingTables tables =
        infiniband::parse_forwarding_tables(*reference->content, reference->path);
    if (const auto* const fabric = context.topology->find_labelling<FabricLabelling>())
      infiniband::require_same_fabric(tables, fabric->fabric, "routing.reference", reference->path);
    const TerminalColumns whole = ColumnReader(*tables_relation(context.topology, std::move(tables))).read();
    if (whole.columns.terminal != in_use.terminal)
      throw Error("routing.reference", reference->path,
                  "gives some terminal another number of LIDs than the tables of the base that is repaired; "
                  "one of the two must be left out");
    return repair(context, with_restored_paths(*context.topology, context.known, whole.columns, in_use));
  }

  static TerminalColumns read(const RoutingContext& context, const Resolved<RoutingKind>& routing) {
    return ColumnReader(*build_healthy_relation(context.topology, routing, context.switching)).read();
  }
  [[nodiscard]] TerminalColumns tables_before(const RoutingContext& context) const {
    if (!base.is_none()) return read(context, base.resolved);
    const auto* const fabric = context.topology->find_labelling<FabricLabelling>();
    if (fabric != nullptr && fabric->tables) return read(context, parse_compact("routing.base", "tables"));
    TerminalColumns made = empty_columns(*context.topology, reference ? fabric : nullptr);
    made.columns = faultline::repair(*context.topology, FaultSet(*context.topology), made.columns, 0).columns;
    return made;
  }
};

}  // namespace

extern constinit const RoutingKind repair = routing_kind<Repair>(
    "repair",
    "two-way links, or one-way channels without a cycle: the forwarding tables of a routing, such as a "
    "fabric's own, led around known faults (a link of which one direction is dead is not used at all), and "
    "out of cycles of channel dependencies, with few changes on one virtual channel",
    "Pearce & Kelly, A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs, ACM JEA 11, 2006",
    Survival::any_path_two_way, "first");

}  // namespace faultline::routings
