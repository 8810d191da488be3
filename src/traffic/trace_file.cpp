// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include "base/csv.h"
#include "base/utf8.h"
#include "faultline/traffic/trace.h"
#include "traffic/file_field.h"

namespace faultline {
namespace {

struct Line {
  std::uint32_t source = 0;
  Trace::Packet packet;
};

std::uint32_t count(std::string_view text, const char* what, std::uint32_t least, std::uint32_t most,
                    const Location& location) {
  const std::optional<std::uint32_t> value = number_of<std::uint32_t>(text);
  if (!value || *value < least || *value > most)
    throw Error(file_field, std::string(utf8_prefix(text, 40)),
                std::string("must be ") + what + ": a whole number from " + std::to_string(least) + " to " +
                    std::to_string(most),
                location);
  return *value;
}

Line parsed(const std::vector<std::string_view>& cells, std::size_t terminals, const Location& location) {
  if (cells.size() != 4)
    throw Error(file_field, std::to_string(cells.size()) + " values",
                "must be four: time,source,destination,flits", location);
  const auto last = static_cast<std::uint32_t>(terminals - 1);
  const std::uint32_t time = count(cells[0], "a cycle", 0, max_trace_time, location);
  const Line line{.source = count(cells[1], "a terminal", 0, last, location),
                  .packet = {.time = time,
                             .destination = TerminalId(count(cells[2], "a terminal", 0, last, location)),
                             .flits = count(cells[3], "a size in flits", 1, max_trace_flits, location)}};
  if (line.packet.destination.value() == line.source)
    throw Error(file_field, std::string(cells[2]), "must be another terminal than the source", location);
  return line;
}

/// Words. A line without numbers or letters has the wrong separators.
bool is_heading(const std::vector<std::string_view>& cells) {
  const auto is_number = [](std::string_view cell) { return number_of<double>(cell).has_value(); };
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0 || c >= 0x80; };
  return std::ranges::none_of(cells, is_number) && std::ranges::any_of(cells.front(), is_letter);
}

}  // namespace

Trace read_trace(const InputFile& file, std::size_t terminals) {
  std::vector<Line> lines;
  bool first_line = true;
  for_each_csv_line(file, [&](const std::vector<std::string_view>& cells, const Location& location) {
    if (!std::exchange(first_line, false) || !is_heading(cells))
      lines.push_back(parsed(cells, terminals, location));
  });
  if (lines.empty()) throw Error(file_field, "no packet", "must hold at least one", {file.path, 0});
  std::ranges::stable_sort(lines, {},
                           [](const Line& line) { return std::pair(line.source, line.packet.time); });
  Trace trace;
  trace.first.resize(terminals + 1);
  for (const Line& line : lines) {
    ++trace.first[line.source + 1];
    trace.packets.push_back(line.packet);
  }
  std::partial_sum(trace.first.begin(), trace.first.end(), trace.first.begin());
  return trace;
}

}  // namespace faultline
