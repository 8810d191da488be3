// SPDX-License-Identifier: Apache-2.0
#include "study/packet_mix.h"

#include <algorithm>
#include <optional>

#include "base/csv.h"

namespace faultline {
namespace {

std::optional<PacketShare> part(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto flits = number_of<std::uint32_t>(text.substr(0, colon));
  const auto share =
      colon == std::string_view::npos ? std::optional(1.0) : number_of<double>(text.substr(colon + 1));
  if (!flits || *flits < 1 || *flits > max_flits_asked_for || !share || !(*share > 0 && *share <= 1e100))
    return std::nullopt;
  return PacketShare{*flits, *share};
}

}  // namespace

std::vector<PacketShare> parse_packet_mix(const std::string& text, const std::string& field) {
  std::vector<PacketShare> mix;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::optional<PacketShare> found = part(std::string_view(text).substr(start, end - start));
    if (!found || (end != text.size() || start != 0) != (text.find(':', start) < end))
      throw Error(field, text,
                  "must be a number of flits from 1 to " + std::to_string(max_flits_asked_for) +
                      ", or several with their shares: 8:0.5,128:0.5");
    mix.push_back(*found);
    start = end + 1;
  }
  return mix;
}

}  // namespace faultline
