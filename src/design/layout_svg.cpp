// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/xml_text.h"
#include "design/reach.h"
#include "faultline/design/layout.h"

namespace faultline {
namespace {

constexpr double least_width = 1080, max_width = 20'000, margin = 60, panel_gap = 70;
constexpr double apart = 28;  ///< between the middles of two boxes that do not meet

double nearest_spots(const Room& room) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < room.spots.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const double distance =
          std::hypot(room.spots[a][0] - room.spots[b][0], room.spots[a][1] - room.spots[b][1]);
      if (distance > 0) nearest = std::min(nearest, distance);  // spots above each other are drawn as one
    }
  return nearest;
}

/// Room coordinates to those of the image, which is wide enough for the boxes of switches. A row of racks
/// gets height for the arcs of its cables.
class Frame {
 public:
  explicit Frame(const Room& room) {
    low_ = high_ = room.spots.front();
    for (const auto* spots : {&room.spots, &room.terminals})
      for (const Spot& spot : *spots)
        for (std::size_t i = 0; i < 2; ++i) {
          low_[i] = std::min(low_[i], spot[i]);
          high_[i] = std::max(high_[i], spot[i]);
        }
    const double extent = std::max({high_[0] - low_[0], (high_[1] - low_[1]) * 1.6, 1e-9});
    width_ = std::clamp(2 * margin + extent * apart / nearest_spots(room), least_width, max_width);
    scale_ = (width_ - 2 * margin) / extent;
    is_row_ = high_[1] == low_[1];
  }
  [[nodiscard]] bool is_row() const { return is_row_; }
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double height() const { return is_row_ ? 340 : (high_[1] - low_[1]) * scale_ + 2 * margin; }
  [[nodiscard]] double x(const Spot& spot) const { return margin + (spot[0] - low_[0]) * scale_; }
  [[nodiscard]] double y(const Spot& spot) const {
    return is_row_ ? height() / 2 : margin + (spot[1] - low_[1]) * scale_;
  }

 private:
  Spot low_{}, high_{};
  double width_ = least_width, scale_ = 1;
  bool is_row_ = false;
};

std::string line(const Frame& frame, const Spot& a, const Spot& b, bool above, std::string_view css_class) {
  if (!frame.is_row())
    return fmt::format("<path class=\"{}\" d=\"M{:.1f},{:.1f}L{:.1f},{:.1f}\"/>\n", css_class, frame.x(a),
                       frame.y(a), frame.x(b), frame.y(b));
  const double reach = std::min(130.0, 0.45 * std::abs(frame.x(a) - frame.x(b)) + 14) * (above ? -1 : 1);
  return fmt::format("<path class=\"{}\" d=\"M{:.1f},{:.1f}C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\"/>\n",
                     css_class, frame.x(a), frame.y(a), frame.x(a), frame.y(a) + reach, frame.x(b),
                     frame.y(b) + reach, frame.x(b), frame.y(b));
}

std::string panel(const SwitchNetwork& network, const Attachments& attachments, const Room& room,
                  const std::vector<std::uint32_t>& spot_of, const Frame& frame, double top,
                  const std::string& caption) {
  std::string text = fmt::format("<g transform=\"translate(0,{:.1f})\">\n<text x=\"{}\" y=\"-8\">{}</text>\n",
                                 top, margin, caption);
  for (const auto& [a, b] : network.links())
    text += line(frame, room.spots[spot_of[a]], room.spots[spot_of[b]], true, "link");
  for (std::uint32_t terminal = 0; terminal < attachments.size(); ++terminal) {
    const Spot home = design::home_of(terminal, attachments, room, spot_of).spot;
    for (const std::uint32_t at : attachments[terminal])
      text += line(frame, home, room.spots[spot_of[at]], false, "cable");
    if (!room.terminals.empty())
      text += fmt::format("<circle class=\"terminal\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n", frame.x(home),
                          frame.y(home));
  }
  for (std::uint32_t at = 0; at < spot_of.size(); ++at) {
    const Spot& spot = room.spots[spot_of[at]];
    text += fmt::format(
        "<rect class=\"switch\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"22\" height=\"16\" rx=\"3\"/>"
        "<text class=\"name\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        frame.x(spot) - 11, frame.y(spot) - 8, frame.x(spot), frame.y(spot) + 4, at);
  }
  return text + "</g>\n";
}

std::string caption(std::string_view what, const Cables& cables) {
  return fmt::format("{}: longest terminal cable {:.4g}, longest link between switches {:.4g}, {:.5g} in all",
                     what, cables.longest_terminal, cables.longest_link, cables.total);
}

}  // namespace

std::string layout_svg(const SwitchNetwork& network, const Attachments& attachments, const Room& room,
                       const SwitchLayout& layout, const std::string& title) {
  const Frame frame(room);
  const double first = 90, second = first + frame.height() + panel_gap, height = second + frame.height();
  std::vector<std::uint32_t> given(network.switches());
  std::iota(given.begin(), given.end(), 0U);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" font-family=\"sans-serif\" "
      "font-size=\"15\">\n<style>\nsvg {{ background: #fff; }} text {{ fill: #222; }}\n"
      ".link {{ fill: none; stroke: #888; stroke-width: 1.2; }}\n"
      ".cable {{ fill: none; stroke: #0a6ebd; stroke-width: 1.2; }}\n"
      ".switch {{ fill: #fff; stroke: #222; }} .terminal {{ fill: #0a6ebd; }}\n"
      ".name {{ font-size: 10px; text-anchor: middle; }} .note {{ fill: #666; }}\n"
      "@media (prefers-color-scheme: dark) {{ svg {{ background: #161616; }} text {{ fill: #ddd; }} "
      ".switch {{ fill: #161616; stroke: #ddd; }} .cable {{ stroke: #6cb6f5; }} .terminal {{ fill: #6cb6f5; "
      "}} "
      "}}\n</style>\n<title>{}</title>\n<text x=\"{}\" y=\"28\" font-weight=\"bold\">{}</text>\n"
      "<text class=\"note\" x=\"{}\" y=\"50\">blue: cables of terminals; grey: links between switches; "
      "{}</text>\n",
      frame.width(), height, xml_text(title), margin, xml_text(title), margin,
      layout.optimal() ? std::string("no layout has a shorter longest terminal cable")
                       : fmt::format("no layout has a longest terminal cable below {:.4g}", layout.bound));
  text += panel(network, attachments, room, given, frame, first,
                caption("Switches in their order", layout.before));
  text +=
      panel(network, attachments, room, layout.spot_of, frame, second, caption("This layout", layout.after));
  return text + "</svg>\n";
}

}  // namespace faultline
