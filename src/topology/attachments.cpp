// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/attachments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/csv.h"
#include "base/number.h"
#include "faultline/base/random.h"
#include "topology/degree.h"

namespace faultline {
namespace {

std::uint32_t attached_switch(std::string_view cell, const std::string& field, std::uint32_t switches,
                              const Location& location) {
  const auto number = number_of<std::uint32_t>(std::string(cell));
  if (!number || *number >= switches)
    throw Error(field, std::string(cell), fmt::format("must be a switch, from 0 to {}", switches - 1),
                location);
  return *number;
}

constexpr std::string_view on_a_ring = " on the ring that the terminals are attached to";

}  // namespace

std::vector<std::uint32_t> diameter_offsets(std::uint32_t n, std::uint32_t degree) {
  require_degree(degree, n, on_a_ring);
  if (degree > 1 && degree >= n)
    throw Error("topology.degree", std::to_string(degree),
                fmt::format("must be less than {}, the number of switches around which diameters run", n));
  std::vector<std::uint32_t> offsets{0};
  const std::uint32_t q = n / degree, r = n % degree;
  if (degree == 2)
    offsets.push_back((n / 2 + 1) % n);
  else
    for (std::uint32_t j = 1; j < degree; ++j) {
      const bool construction_3 = r == 0;
      const std::uint32_t extra = construction_3 ? std::uint32_t{j + 2 == degree} : std::min(j, r);
      offsets.push_back((j * q + extra) % n);
    }
  return offsets;
}

std::vector<std::uint32_t> naive_offsets(std::uint32_t n, std::uint32_t degree) {
  require_degree(degree, n, on_a_ring);
  std::vector<std::uint32_t> offsets(degree);
  std::iota(offsets.begin(), offsets.end(), 0U);
  return offsets;
}

Attachments attach_around(std::uint32_t n, const std::vector<std::uint32_t>& offsets,
                          std::uint32_t terminals) {
  require_degree(1, n);
  require_fitting_ports(offsets.size(), terminals);
  Attachments attachments(terminals);
  for (std::uint32_t terminal = 0; terminal < terminals; ++terminal)
    for (const std::uint32_t offset : offsets) attachments[terminal].push_back((terminal % n + offset) % n);
  return attachments;
}

Attachments careless_attachments(std::uint32_t switches, std::uint32_t degree, std::uint32_t terminals) {
  require_degree(degree, switches);
  require_fitting_ports(degree, terminals);
  const std::uint64_t groups = switches / degree;
  Attachments attachments(terminals);
  for (std::uint32_t terminal = 0; terminal < terminals; ++terminal) {
    const auto group = static_cast<std::uint32_t>(terminal * groups / terminals);
    for (std::uint32_t i = 0; i < degree; ++i) attachments[terminal].push_back(group * degree + i);
  }
  return attachments;
}

Attachments random_attachments(std::uint32_t switches, std::uint32_t degree, std::uint32_t terminals,
                               std::uint64_t seed) {
  require_degree(degree, switches);
  require_fitting_ports(degree, terminals);
  constexpr std::uint64_t max_draws = std::uint64_t{1} << 36;  // minutes
  if (terminals > max_draws / switches)
    throw Error("topology.terminals", std::to_string(terminals),
                fmt::format("must be at most {} that are attached at random to {} switches",
                            max_draws / switches, switches));
  std::vector<std::uint32_t> load(switches), key(switches), order(switches);
  std::iota(order.begin(), order.end(), 0U);
  RandomStream random(seed, 0);
  Attachments attachments(terminals);
  for (auto& attached : attachments) {
    for (std::uint32_t& value : key) value = random.next();
    // The switches with the lightest load, in random order: distinct, and loads stay within one.
    std::ranges::partial_sort(order, order.begin() + degree, {},
                              [&](std::uint32_t at) { return std::tuple(load[at], key[at], at); });
    attached.assign(order.begin(), order.begin() + degree);
    for (const std::uint32_t at : attached) ++load[at];
  }
  return attachments;
}

Attachments read_attachments(const InputFile& file, const std::string& field, std::uint32_t switches,
                             std::uint32_t degree) {
  Attachments attachments;
  for_each_csv_line(file, [&](const std::vector<std::string_view>& cells, const Location& location) {
    if (cells.size() != degree)
      throw Error(field, fmt::format("{}", fmt::join(cells, ",")),
                  fmt::format("must name {} switches, the degree, separated by commas", degree), location);
    std::vector<std::uint32_t> attached;
    for (const std::string_view cell : cells) {
      attached.push_back(attached_switch(cell, field, switches, location));
      if (std::ranges::count(attached, attached.back()) != 1)
        throw Error(field, std::string(cell), "is attached to this terminal twice", location);
    }
    attachments.push_back(std::move(attached));
  });
  if (attachments.empty()) throw Error(field, file.path, "must have a line for each terminal; it has none");
  return attachments;
}

Attachments attachments_of_file(const std::optional<InputFile>& file, std::uint32_t switches,
                                std::uint32_t degree, std::optional<std::uint32_t> terminals) {
  if (!file) throw Error("topology.file", "", "is required with attachment=file");
  Attachments attachments = read_attachments(*file, "topology.file", switches, degree);
  if (terminals && *terminals != attachments.size())
    throw Error("topology.terminals", std::to_string(*terminals),
                fmt::format("must be {}, as many as lines in {}", attachments.size(), file->path));
  return attachments;
}

std::string attachments_text(const Attachments& attachments) {
  std::string text = "# one line per terminal: the numbers of its switches\n";
  for (const auto& attached : attachments) text += fmt::format("{}\n", fmt::join(attached, ","));
  return text;
}

}  // namespace faultline
