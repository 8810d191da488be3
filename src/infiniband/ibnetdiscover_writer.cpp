// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "faultline/infiniband/fabric.h"
#include "faultline/infiniband/lids.h"

namespace faultline::infiniband {
namespace {

struct Ending {
  CableEnd near, far;
  const Cable* cable;
};

class DumpWriter {
 public:
  explicit DumpWriter(const Fabric& fabric) : fabric_(fabric) {
    for (const Cable& cable : fabric.cables) {
      endings_.push_back({cable.a, cable.b, &cable});
      endings_.push_back({cable.b, cable.a, &cable});
    }
    std::ranges::sort(endings_, {}, &Ending::near);
  }

  std::string write() && {
    auto next = endings_.begin();
    for (std::uint32_t index = 0; index < fabric_.nodes.size(); ++index) {
      const Node& node = fabric_.nodes[index];
      if (index != 0) line("");
      write_header(node);
      for (; next != endings_.end() && next->near.node == index; ++next) write_port(node, *next);
    }
    return std::move(text_);
  }

 private:
  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    text_ += '\n';
  }

  void write_header(const Node& node) {
    if (node.vendor != 0) line("vendid=0x{:x}", node.vendor);
    if (node.device != 0) line("devid=0x{:x}", node.device);
    if (node.system_guid != 0) line("sysimgguid=0x{:x}", node.system_guid);
    if (node.type == NodeType::switch_) {
      const EndPort& own = node.end_ports.front();
      if (node.guid != 0) line("switchguid=0x{:x}({:x})", node.guid, own.guid);
      line("Switch\t{} \"{}\"\t\t# \"{}\" {} port 0 lid {} lmc {}", node.port_count, node.id,
           node.description, node.is_enhanced ? "enhanced" : "base", own.lid, own.lmc);
    } else {
      const bool router = node.type == NodeType::router;
      if (node.guid != 0) line("{}=0x{:x}", router ? "rtguid" : "caguid", node.guid);
      line("{}\t{} \"{}\"\t\t# \"{}\"", router ? "Rt" : "Ca", node.port_count, node.id, node.description);
    }
  }

  void write_port(const Node& node, const Ending& ending) {
    const Node& remote = fabric_.nodes[ending.far.node];
    std::string own_guid, own_lid, remote_guid;
    if (const EndPort* own = node.find_end_port(ending.near.port)) {
      own_guid = fmt::format("({:x}) ", own->guid);
      own_lid = fmt::format("lid {} lmc {} ", own->lid, own->lmc);
    }
    const EndPort* far = remote.find_end_port(remote.type == NodeType::switch_ ? 0 : ending.far.port);
    if (far != nullptr && remote.type != NodeType::switch_) remote_guid = fmt::format("({:x}) ", far->guid);
    line("[{}]{}\t\"{}\"[{}]{}\t\t# {}\"{}\" lid {} {}{}", ending.near.port, own_guid, remote.id,
         ending.far.port, remote_guid, own_lid, remote.description, far == nullptr ? 0 : far->lid,
         ending.cable->width, ending.cable->speed);
  }

  const Fabric& fabric_;
  std::vector<Ending> endings_;
  std::string text_;
};

}  // namespace

std::string to_ibnetdiscover(const Fabric& fabric) { return DumpWriter(fabric).write(); }

std::string to_guid2lid(const Fabric& fabric) {
  std::string text;
  for (const Node& node : fabric.nodes)
    for (const EndPort& port : node.end_ports)
      if (port.guid != 0 && has_lid(port))
        fmt::format_to(std::back_inserter(text), "0x{:016x} 0x{:04x} 0x{:04x}\n\n", port.guid, port.lid,
                       port.lid + lid_count(port) - 1);
  return text;
}

}  // namespace faultline::infiniband
