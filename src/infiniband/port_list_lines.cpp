// SPDX-License-Identifier: Apache-2.0
#include "infiniband/port_list_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>

#include "infiniband/dump_lines.h"

namespace faultline::infiniband {
namespace {

[[noreturn]] void refuse_port(const Line& line, const std::string& file) {
  refuse_line(
      line, file, "port",
      fmt::format("PORT WIDTH SPEED - PORT ( 'NAME' - 'NAME' ) or PORT WIDTH SPEED 'NAME', where PORT "
                  "is SW|CA|RT LID NUMBER 0xGUID, with LIDs from 0 to 65535 and numbers from 1 to {}",
                  max_ports));
}

std::optional<NodeType> listed_type(std::string_view word) {
  if (word == "SW") return NodeType::switch_;
  if (word == "CA") return NodeType::adapter;
  if (word == "RT") return NodeType::router;
  return std::nullopt;
}

std::optional<ListedPort> listed_port(Cursor& cursor) {
  const std::optional<NodeType> type = listed_type(cursor.word());
  cursor.skip_spaces();
  const auto lid = cursor.number<Lid>();
  if (!type || !lid || !cursor.skip_spaces()) return std::nullopt;
  const auto number = cursor.number<std::uint32_t>();
  if (!number || *number > max_ports || !cursor.skip_spaces() || !cursor.accept("0x")) return std::nullopt;
  const auto guid = cursor.number<Guid>(16);
  if (!guid || !cursor.skip_spaces()) return std::nullopt;
  return ListedPort{*type, *lid, *number, *guid};
}

/// `4x QDR`; `?? ???` where the tool does not know the rate. The result is one word, as in the plain form.
std::optional<std::string> listed_rate(Cursor& cursor) {
  std::string rate;
  for (int words = 0; words < 2; ++words) {
    const std::string_view word = cursor.word();
    if (!std::ranges::all_of(
            word, [](unsigned char c) { return c == '?' || (c < 0x80 && std::isalnum(c) != 0); }) ||
        !cursor.skip_spaces())
      return std::nullopt;
    rate += word;
  }
  return rate;
}

/// What stands between `open` and `close`, which end the line: a name may contain either.
std::optional<std::string_view> enclosed(std::string_view rest, std::string_view open,
                                         std::string_view close) {
  while (!rest.empty() && is_space(rest.back())) rest.remove_suffix(1);
  if (rest.size() < open.size() + close.size() || !rest.starts_with(open) || !rest.ends_with(close))
    return std::nullopt;
  return rest.substr(open.size(), rest.size() - open.size() - close.size());
}

}  // namespace

bool begins_with_listed_port(std::string_view text) {
  Cursor cursor(text);
  return listed_type(cursor.word()) && cursor.skip_spaces() && cursor.number<std::uint32_t>();
}

std::optional<PortListLine> read_port_list_line(const Line& line, const std::string& file) {
  constexpr std::string_view between_names = "' - '";
  Cursor cursor(line.text);
  if (!listed_type(Cursor(cursor).word())) return std::nullopt;
  const std::optional<ListedPort> own = listed_port(cursor);
  const std::optional<std::string> rate = own ? listed_rate(cursor) : std::nullopt;
  if (!rate) refuse_port(line, file);
  PortListLine port{.own = *own};
  std::tie(port.width, port.speed) = width_and_speed(*rate);
  if (!cursor.accept("- ")) {
    const auto name = enclosed(cursor.rest(), "'", "'");
    // Some versions list port 0 of a switch, which has no cable.
    if (!name || (own->number == 0 && own->type != NodeType::switch_)) refuse_port(line, file);
    port.name = printable_utf8(*name);
    return port;
  }
  port.far = listed_port(cursor);
  const auto names = enclosed(cursor.rest(), "( '", "' )");
  const std::size_t split = names ? names->find(between_names) : std::string_view::npos;
  if (!port.far || own->number == 0 || port.far->number == 0 || split == std::string_view::npos)
    refuse_port(line, file);
  port.name = printable_utf8(names->substr(0, split));
  port.far_name = printable_utf8(names->substr(split + between_names.size()));
  return port;
}

}  // namespace faultline::infiniband
