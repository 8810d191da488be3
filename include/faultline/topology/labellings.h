// SPDX-License-Identifier: Apache-2.0
// The labellings that routings need.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "faultline/base/divisor.h"
#include "faultline/formats/relation_file.h"
#include "faultline/infiniband/fabric.h"
#include "faultline/infiniband/forwarding_tables.h"
#include "faultline/topology/automorphism.h"
#include "faultline/topology/topology.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Base-k digits of addresses in a multistage network of n stages with k^(n-1) switches each:
/// switch id = stage * k^(n-1) + order; terminal and order are digit strings, least significant digit 0.
class StageDigits {
 public:
  /// Throws std::logic_error for k below 2, n of 0, and more than max_terminals terminals.
  StageDigits(std::uint32_t k, std::uint32_t n);

  [[nodiscard]] std::uint32_t k() const { return k_.value(); }
  [[nodiscard]] std::uint32_t n() const { return n_; }
  [[nodiscard]] std::uint32_t switches_per_stage() const { return power(n_ - 1); }
  [[nodiscard]] std::uint32_t terminal_count() const { return power(n_); }
  [[nodiscard]] std::uint32_t power(std::uint32_t exponent) const { return powers_[exponent].value(); }
  [[nodiscard]] std::uint32_t stage(SwitchId at) const { return powers_[n_ - 1].quotient(at.value()); }
  [[nodiscard]] std::uint32_t order(SwitchId at) const { return powers_[n_ - 1].remainder(at.value()); }
  [[nodiscard]] SwitchId at(std::uint32_t stage, std::uint32_t order) const {
    return SwitchId(std::size_t{stage} * switches_per_stage() + order);
  }
  [[nodiscard]] std::uint32_t digit(std::uint32_t address, std::uint32_t position) const {
    return k_.remainder(prefix(address, position));
  }
  /// The digits from `position` on.
  [[nodiscard]] std::uint32_t prefix(std::uint32_t address, std::uint32_t position) const {
    return powers_[position].quotient(address);
  }
  [[nodiscard]] std::uint32_t with_digit(std::uint32_t address, std::uint32_t position,
                                         std::uint32_t digit) const {
    return address + (digit - this->digit(address, position)) * power(position);
  }

 private:
  Divisor k_;
  std::uint32_t n_;
  std::vector<Divisor> powers_;  ///< k^0 … k^n
};

/// A permutation of one digit of every terminal's address. For networks whose stage s replaces digit s of the
/// switches' order: order digit j stands for address digit j from stage j + 1 on, for digit j + 1 before.
struct DigitChange {
  std::uint32_t digit;
  std::function<std::uint32_t(std::uint32_t)> image;
  std::uint32_t copies = 1;  ///< neighbouring output ports of stage `digit` for each value
};
[[nodiscard]] Automorphism renaming(const Topology& topology, const StageDigits& digits,
                                    const DigitChange& change);

/// k-ary n-tree (paper 1, section 3.1): ports 0 … k-1 lead down (towards terminals), k … 2k-1 lead up.
class TreeLabelling final : public Labelling {
 public:
  static constexpr std::string_view needed = "levels of a k-ary n-tree (topology fat-tree)";
  explicit TreeLabelling(StageDigits stage_digits) : digits(std::move(stage_digits)) {}
  [[nodiscard]] std::string_view name() const override { return needed; }
  [[nodiscard]] std::vector<Automorphism> automorphisms(const Topology& topology) const override;
  StageDigits digits;
};

/// The RUFT family (paper 1, sections 3.2 and 4). Output g of a switch is the group of `parallel` channels
/// numbered g * parallel … g * parallel + parallel - 1.
class RuftLabelling final : public Labelling {
 public:
  static constexpr std::string_view needed =
      "stages of the RUFT family (ruft, ruft-pl, ft-ruft-212, ft-ruft-222)";
  enum class Attachment : std::uint8_t {
    single,    ///< one injection, one ejection channel a terminal
    parallel,  ///< two of each, to the same switch
    crossed,   ///< two of each, to different switches: primary and secondary
  };
  RuftLabelling(StageDigits stage_digits, std::uint32_t copies, Attachment terminals, bool by_destination)
      : digits(std::move(stage_digits)),
        parallel(copies),
        attachment(terminals),
        static_selection(by_destination) {}
  [[nodiscard]] std::string_view name() const override { return needed; }
  [[nodiscard]] std::vector<Automorphism> automorphisms(const Topology& topology) const override;

  StageDigits digits;
  std::uint32_t parallel;
  Attachment attachment;
  bool
      static_selection;  ///< the parallel channel is fixed by the destination (no choice, no fault tolerance)
};

/// A real InfiniBand fabric: terminals are the cabled ports of its adapters and routers, switches its
/// switches.
class FabricLabelling final : public Labelling {
 public:
  static constexpr std::string_view needed = "LIDs of a real fabric (topology fabric)";
  [[nodiscard]] std::string_view name() const override { return needed; }

  [[nodiscard]] const infiniband::EndPort& end_port(TerminalId terminal) const {
    const infiniband::CableEnd& end = terminal_ports[terminal.index()];
    return *fabric.nodes[end.node].find_end_port(end.port);
  }
  [[nodiscard]] infiniband::Lid lid(TerminalId terminal) const { return end_port(terminal).lid; }
  [[nodiscard]] const infiniband::Node& node(SwitchId at) const {
    return fabric.nodes[switch_nodes[at.index()]];
  }
  /// By which a switch sends on a channel of `topology`.
  [[nodiscard]] std::uint8_t output_port(const Topology& topology, ChannelId channel) const {
    return static_cast<std::uint8_t>(topology.output_port(channel) + first_port);
  }
  /// The ends of the cable that carries a channel of `topology`. The channels of a terminal have its ports in
  /// order.
  [[nodiscard]] infiniband::CableEnd sending_end(const Topology& topology, ChannelId channel) const;
  [[nodiscard]] infiniband::CableEnd receiving_end(const Topology& topology, ChannelId channel) const;

  infiniband::Fabric fabric;
  std::uint32_t first_port = 0;  ///< what the fabric calls a switch's port that the topology numbers 0
  std::vector<infiniband::CableEnd> terminal_ports;    ///< by terminal
  std::vector<std::uint32_t> switch_nodes;             ///< by switch: index into fabric.nodes
  std::optional<infiniband::ForwardingTables> tables;  ///< what the switches hold now, if that is known
};

/// The network of a relation file, with the routing in the file.
class RelationLabelling final : public Labelling {
 public:
  static constexpr std::string_view needed = "relation of a file (topology relation, or routing.file)";
  explicit RelationLabelling(std::shared_ptr<const formats::RelationFile> relation)
      : file(std::move(relation)) {}
  [[nodiscard]] std::string_view name() const override { return needed; }
  std::shared_ptr<const formats::RelationFile> file;
};

}  // namespace faultline
#pragma GCC visibility pop
