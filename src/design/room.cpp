// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "base/csv.h"
#include "faultline/design/layout.h"

namespace faultline {

Room row_of_racks(std::uint32_t spots) {
  Room room;
  for (std::uint32_t i = 0; i < spots; ++i) room.spots.push_back({static_cast<double>(i), 0, 0});
  return room;
}

Room read_room(const InputFile& file) {
  const std::string field = "design.room";
  Room room;
  for_each_csv_line(file, [&](const std::vector<std::string_view>& cells, const Location& location) {
    const bool is_switch = cells.front() == "switch";
    if ((!is_switch && cells.front() != "terminal") || cells.size() < 3 || cells.size() > 4)
      throw Error(field, std::string(cells.front()),
                  "must begin a line switch,x,y or terminal,x,y, with a third coordinate or without",
                  location);
    Spot spot{};
    for (std::size_t i = 1; i < cells.size(); ++i) {
      const auto value = finite_number_of(cells[i]);
      if (!value || std::abs(*value) > 1e9)
        throw Error(field, std::string(cells[i]), "must be a coordinate: a number of at most 1e9", location);
      spot[i - 1] = *value;
    }
    (is_switch ? room.spots : room.terminals).push_back(spot);
  });
  return room;
}

}  // namespace faultline
