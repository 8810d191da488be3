// SPDX-License-Identifier: Apache-2.0
// A real InfiniBand fabric as its discovery tool reports it: nodes, end ports and cables, without routing or
// topology.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace faultline::infiniband {

using Guid = std::uint64_t;  ///< 0: not stated
using Lid = std::uint16_t;   ///< 0: none; unicast LIDs are 1 … last_unicast_lid

inline constexpr Lid last_unicast_lid = 0xbfff;

enum class NodeType : std::uint8_t { switch_, adapter, router };

/// A port that packets can be addressed to: port 0 of a switch, a port of an adapter. It owns the LIDs
/// lid … lid + 2^lmc - 1.
struct EndPort {
  std::uint32_t number = 0;
  Guid guid = 0;
  Lid lid = 0;
  std::uint8_t lmc = 0;
  friend bool operator==(const EndPort&, const EndPort&) = default;
};

struct Node {
  NodeType type = NodeType::switch_;
  std::string id;  ///< unique in a dump: "S-0008f10500108c5c"
  Guid guid = 0;
  std::string description;  ///< printable, in UTF-8; may be empty, repeated, and contain '#' and '"'
  std::uint32_t port_count = 0;
  bool is_enhanced = false;  ///< a switch with an enhanced port 0
  std::uint64_t vendor = 0, device = 0;
  Guid system_guid = 0;  ///< shared by the nodes of one chassis
  std::vector<EndPort>
      end_ports;  ///< a switch: port 0, always; an adapter: the ports that are cabled, ascending
  friend bool operator==(const Node&, const Node&) = default;

  [[nodiscard]] const EndPort* find_end_port(std::uint32_t number) const;
};

/// A port of nodes[node]; ports are numbered from 1.
struct CableEnd {
  std::uint32_t node = 0;
  std::uint32_t port = 0;
  friend auto operator<=>(const CableEnd&, const CableEnd&) = default;
};

struct Cable {
  CableEnd a, b;             ///< a < b
  std::string width, speed;  ///< "4x", "QDR"; empty if the dump does not say
  friend bool operator==(const Cable&, const Cable&) = default;
};

struct Fabric {
  std::vector<Node> nodes;    ///< in the order of the dump
  std::vector<Cable> cables;  ///< by their lesser end, ascending
  std::vector<std::string>
      remarks;  ///< oddities that do not make the fabric unusable: one-sided cables, repeated names …

  [[nodiscard]] std::size_t count(NodeType type) const;
};

/// Reads the output of `ibnetdiscover`, either plain (also with -g or -f, or an ibsim net file) or with -p, a
/// list of ports; other lines are skipped. `file` names the text in errors. Throws Error with the line if the
/// text is no such dump, if a record or port is malformed or repeated, if a cable ends at a node without a
/// record or its two ends disagree, and if the last record lacks a port that others are cabled to (a dump
/// that was cut short).
///
/// A list of ports does not state all of a fabric. A switch has the GUID of its port 0. Ports whose nodes
/// have the same description, and whose GUIDs are as far apart as their numbers, belong to one adapter (or
/// router); its GUID, from which its id is made, is taken to be that of its lowest port. A node has as many
/// ports as the highest one listed. Vendors, systems and LMCs are not stated. Where no adapter has lines of
/// its own, adapters are taken from the lines of their switches. A remark says so.
[[nodiscard]] Fabric parse_ibnetdiscover(std::string_view text, const std::string& file);

/// read_file(path, field), then parse_ibnetdiscover.
[[nodiscard]] Fabric read_fabric(const std::filesystem::path& path, std::string_view field);

/// What `ibnetdiscover` would print; ibsim can also read it. parse_ibnetdiscover gives the same nodes and
/// cables again, but for end ports without a cable, which a dump does not list, and GUIDs of 0, which it
/// reads from the id.
[[nodiscard]] std::string to_ibnetdiscover(const Fabric& fabric);

/// OpenSM's guid2lid file: the LIDs of every end port whose GUID and LID are known.
[[nodiscard]] std::string to_guid2lid(const Fabric& fabric);

}  // namespace faultline::infiniband
#pragma GCC visibility pop
