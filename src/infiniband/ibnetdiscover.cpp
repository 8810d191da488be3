// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "faultline/base/file.h"
#include "faultline/infiniband/fabric.h"
#include "infiniband/cabling.h"
#include "infiniband/dump_lines.h"
#include "infiniband/oddities.h"
#include "infiniband/port_list.h"
#include "infiniband/remarks.h"

namespace faultline::infiniband {
namespace {

constexpr std::string_view wanted_dump =
    "the output of ibnetdiscover: records that begin with Switch or Ca, or, with -p, ports that begin with "
    "SW or CA";

/// Reads records: the plain form.
class DumpReader {
 public:
  explicit DumpReader(const std::string& file) : file_(file) {}

  void read(const Line& line) {
    if (in_record_ && line.text.starts_with('[')) return read_port(line);
    if (in_record_ && line.text.starts_with('@')) return skip_alias(line);
    if (in_record_ && line.text.starts_with('#')) return;
    if (std::optional<Node> node = read_header(line, file_)) return open_record(std::move(*node), line);
    in_record_ = false;
    read_directive(line, directives_);
  }

  Dump finish() && {
    if (dump_.fabric.nodes.empty())
      throw Error("dump", "", "holds no record; must be " + std::string(wanted_dump), {file_, 0});
    require_whole_last_line();
    aliases_.remark(dump_.remarks);
    return std::move(dump_);
  }

 private:
  void open_record(Node node, const Line& line) {
    if (!ids_.insert(node.id).second)
      throw Error("record", node.id, "must appear in the dump once; this is its second record",
                  {file_, line.number});
    if (directives_.guid != 0) node.guid = directives_.guid;
    node.vendor = directives_.vendor;
    node.device = directives_.device;
    node.system_guid = directives_.system_guid;
    if (node.type == NodeType::switch_)
      node.end_ports.front().guid = directives_.port_guid != 0 ? directives_.port_guid : node.guid;
    directives_ = {};
    ports_.clear();
    dump_.fabric.nodes.push_back(std::move(node));
    in_record_ = true;
  }

  void read_port(const Line& line) {
    PortLine port = read_port_line(line, file_);
    Node& node = dump_.fabric.nodes.back();
    if (port.own.number > node.port_count || !ports_.insert(port.own.number).second)
      throw Error("port", fmt::format("\"{}\"[{}]", node.id, port.own.number),
                  fmt::format("must be from 1 to {} and listed once", node.port_count), {file_, line.number});
    if (node.type != NodeType::switch_) add_end_port(node, port.own);
    has_rates_ = has_rates_ || !port.speed.empty();
    last_line_ = line;
    dump_.listings.push_back(
        {static_cast<std::uint32_t>(dump_.fabric.nodes.size() - 1), std::move(port), line.number});
  }

  void skip_alias(const Line& line) {
    aliases_.add([&] { return fmt::format("line {}: a port by alias ('@') is not read", line.number); });
  }

  /// Where the text ends within a port line, only the rate at its end tells that nothing is missing.
  void require_whole_last_line() const {
    if (last_line_.terminated || !has_rates_ || is_known_speed(dump_.listings.back().port.speed)) return;
    throw Error("port", excerpt(last_line_.text),
                "the file ends in the middle of this line; take the dump again", {file_, last_line_.number});
  }

  const std::string& file_;
  Dump dump_;
  Directives directives_;
  std::unordered_set<std::string> ids_;
  std::unordered_set<std::uint32_t> ports_;  // of the record that is open
  Oddities aliases_;
  Line last_line_;
  bool in_record_ = false;
  bool has_rates_ = false;
};

Dump read_records(std::string_view text, const std::string& file) {
  DumpReader reader(file);
  for_each_line(text, [&](const Line& line) { reader.read(line); });
  return std::move(reader).finish();
}

}  // namespace

const EndPort* Node::find_end_port(std::uint32_t number) const {
  const auto found = std::ranges::find(end_ports, number, &EndPort::number);
  return found == end_ports.end() ? nullptr : &*found;
}

std::size_t Fabric::count(NodeType type) const {
  return static_cast<std::size_t>(std::ranges::count(nodes, type, &Node::type));
}

Fabric parse_ibnetdiscover(std::string_view text, const std::string& file) {
  require_text(text, file, "dump", wanted_dump);
  auto [fabric, listings, remarks] =
      is_port_list(text) ? read_port_list(text, file) : read_records(text, file);
  lay_cables(listings, file, fabric);
  if (fabric.cables.empty())
    throw Error("dump", "", "holds no cable; must be " + std::string(wanted_dump), {file, 0});
  remark_on_repetitions(fabric);
  remark_on_remote_lids(listings, fabric);
  remark_on_unused_cables(fabric);
  remark_on_rates(fabric);
  std::ranges::move(remarks, std::back_inserter(fabric.remarks));
  return std::move(fabric);
}

Fabric read_fabric(const std::filesystem::path& path, std::string_view field) {
  return parse_ibnetdiscover(read_file(path, field), path.string());
}

}  // namespace faultline::infiniband
