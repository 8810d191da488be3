// SPDX-License-Identifier: Apache-2.0
#include "infiniband/dump_lines.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace faultline::infiniband {
namespace {

constexpr std::size_t longest_id = 64;

/// `"S-0008f10500108c5c"`
std::optional<std::string> quoted_id(Cursor& cursor) {
  const Cursor start = cursor;
  if (cursor.accept("\"")) {
    const std::string_view id = cursor.rest().substr(0, cursor.rest().find('"'));
    if (cursor.accept(id) && cursor.accept("\"") && !id.empty() && id.size() <= longest_id &&
        std::ranges::all_of(id, is_printable))
      return std::string(id);
  }
  cursor = start;
  return std::nullopt;
}

/// The text between the first and the last quote, because a description may contain quotes; the cursor moves
/// behind it.
std::string description(Cursor& cursor) {
  if (!cursor.move_behind("\"")) return {};
  const std::size_t length = cursor.rest().rfind('"');
  if (length == std::string_view::npos) return {};
  std::string text = printable_utf8(cursor.rest().substr(0, length));
  cursor = Cursor(cursor.rest().substr(length + 1));
  return text;
}

bool ends_word(const Cursor& cursor) { return cursor.at_end() || is_space(cursor.rest().front()); }

/// `lid 17 lmc 0`; zeros where it is not there.
std::pair<Lid, std::uint8_t> lid_and_lmc(Cursor& cursor, const Line& line, const std::string& file) {
  constexpr std::uint8_t max_lmc = 7;
  cursor.skip_spaces();
  if (!cursor.accept("lid ")) return {};
  const auto lid = cursor.number<Lid>();
  if (!lid || !ends_word(cursor)) refuse_line(line, file, "lid", "lid LID, from 0 to 65535");
  cursor.skip_spaces();
  if (!cursor.accept("lmc ")) return {*lid, std::uint8_t{0}};
  const auto lmc = cursor.number<std::uint8_t>();
  if (!lmc || *lmc > max_lmc || !ends_word(cursor)) refuse_line(line, file, "lmc", "lmc LMC, from 0 to 7");
  return {*lid, *lmc};
}

std::optional<NodeType> node_type(std::string_view word) {
  if (word == "Switch") return NodeType::switch_;
  if (word == "Ca" || word == "Hca") return NodeType::adapter;
  if (word == "Rt") return NodeType::router;
  return std::nullopt;
}

/// The GUID in an id of the form S-0008f10500108c5c.
Guid guid_of_id(std::string_view id) {
  constexpr std::size_t prefix = 2, digits = 16;
  if (id.size() != prefix + digits || id[1] != '-') return 0;
  Cursor cursor(id.substr(prefix));
  const Guid guid = cursor.number<Guid>(16).value_or(0);
  return cursor.at_end() ? guid : 0;
}

void skip_external_number(Cursor& cursor) { (void)cursor.bracketed<std::uint32_t>("[ext ", "]"); }

/// `# "name" lid 16 4xQDR` or `# lid 17 lmc 0 "name" lid 7 4xQDR`; `rest` begins behind the first #.
void read_port_comment(std::string_view rest, PortLine& port, const Line& line, const std::string& file) {
  Cursor cursor(rest);
  std::tie(port.own.lid, port.own.lmc) = lid_and_lmc(cursor, line, file);
  (void)description(cursor);
  port.remote_lid = lid_and_lmc(cursor, line, file).first;
  cursor.skip_spaces();
  std::tie(port.width, port.speed) = width_and_speed(cursor.word());
}

}  // namespace

std::pair<std::string, std::string> width_and_speed(std::string_view rate) {
  const std::size_t x = rate.find('x');
  if (x == 0 || x == std::string_view::npos || rate.find_first_not_of("0123456789") != x) return {};
  return {printable_utf8(rate.substr(0, x + 1)), printable_utf8(rate.substr(x + 1))};
}

bool is_known_speed(std::string_view speed) {
  constexpr std::array<std::string_view, 9> known{"SDR", "DDR", "QDR", "FDR10", "FDR",
                                                  "EDR", "HDR", "NDR", "XDR"};
  return std::ranges::find(known, speed) != known.end();
}

bool read_directive(const Line& line, Directives& directives) {
  Cursor cursor(line.text);
  cursor.skip_spaces();
  const std::size_t name_size = cursor.rest().find_first_of("=+");
  if (name_size == std::string_view::npos) return false;
  const std::string_view name = cursor.rest().substr(0, name_size);
  cursor = Cursor(cursor.rest().substr(name_size + 1));
  (void)cursor.accept("0x");
  const std::uint64_t value = cursor.number<std::uint64_t>(16).value_or(0);
  if (name == "vendid")
    directives.vendor = value;
  else if (name == "devid")
    directives.device = value;
  else if (name == "sysimgguid")
    directives.system_guid = value;
  else if (name == "switchguid" || name == "caguid" || name == "hcaguids" || name == "rtguid") {
    directives.guid = value;
    directives.port_guid = cursor.bracketed<Guid>("(", ")", 16).value_or(0);
  } else
    return false;
  return true;
}

bool opens_record(std::string_view text) {
  Cursor cursor(text);
  return node_type(cursor.word()) && cursor.skip_spaces();
}

std::optional<Node> read_header(const Line& line, const std::string& file) {
  Cursor cursor(line.text);
  const std::optional<NodeType> type = node_type(cursor.word());
  if (!type || !cursor.skip_spaces()) return std::nullopt;
  Node node{.type = *type};
  const auto port_count = cursor.number<std::uint32_t>();
  cursor.skip_spaces();
  auto id = quoted_id(cursor);
  if (!port_count || *port_count == 0 || *port_count > max_ports || !id || !line.terminated)
    refuse_line(line, file, "record",
                "Switch|Ca|Rt PORTS \"ID\" # \"NAME\" ..., with 1 to 255 ports (ibnetdiscover without -l)");
  node.port_count = *port_count;
  node.guid = guid_of_id(*id);
  node.id = std::move(*id);
  if (node.type == NodeType::switch_) node.end_ports.push_back({});
  if (!cursor.move_behind("#")) return node;
  node.description = description(cursor);
  if (node.type != NodeType::switch_) return node;
  node.is_enhanced = cursor.rest().find("enhanced") != std::string_view::npos;
  if (cursor.move_behind("port 0"))
    std::tie(node.end_ports.front().lid, node.end_ports.front().lmc) = lid_and_lmc(cursor, line, file);
  return node;
}

PortLine read_port_line(const Line& line, const std::string& file) {
  Cursor cursor(line.text);
  PortLine port;
  const auto number = cursor.bracketed<std::uint32_t>("[", "]");
  skip_external_number(cursor);
  port.own.guid = cursor.bracketed<Guid>("(", ")", 16).value_or(0);
  cursor.skip_spaces();
  auto remote = quoted_id(cursor);
  if (!number || *number == 0 || !remote)
    refuse_line(line, file, "port", "[PORT] \"ID\"[PORT] # ..., with ports from 1");
  port.own.number = *number;
  port.remote_id = std::move(*remote);
  cursor.skip_spaces();
  port.remote_port = cursor.bracketed<std::uint32_t>("[", "]");
  skip_external_number(cursor);
  if (!port.remote_port && cursor.rest().starts_with('['))
    refuse_line(line, file, "port", "[PORT] \"ID\"[PORT] # ...");
  port.remote_guid = cursor.bracketed<Guid>("(", ")", 16).value_or(0);
  if (cursor.move_behind("#")) read_port_comment(cursor.rest(), port, line, file);
  return port;
}

}  // namespace faultline::infiniband
