// SPDX-License-Identifier: Apache-2.0
#include "infiniband/cabling.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "faultline/infiniband/forwarding_tables.h"
#include "infiniband/oddities.h"

namespace faultline::infiniband {
namespace {

class Cabling {
 public:
  Cabling(const std::vector<Listing>& listings, const std::string& file, Fabric& fabric)
      : listings_(listings), file_(file), fabric_(fabric) {
    for (std::uint32_t node = 0; node < fabric.nodes.size(); ++node)
      node_of_.emplace(fabric.nodes[node].id, node);
    for (const Listing& listing : listings)
      at_.emplace(CableEnd{listing.node, listing.port.own.number}, &listing);
  }

  void lay_all() {
    for (const Listing& listing : listings_) lay(listing);
    std::ranges::sort(fabric_.cables, {}, &Cable::a);
    for (const Oddities* sort : {&to_itself_, &without_port_, &one_sided_, &rates_})
      sort->remark(fabric_.remarks);
  }

 private:
  [[nodiscard]] std::string name(const CableEnd& end) const {
    return fmt::format("\"{}\"[{}]", fabric_.nodes[end.node].id, end.port);
  }
  [[nodiscard]] Location location(const Listing& listing) const { return {file_, listing.line}; }

  void lay(const Listing& listing) {
    const CableEnd near{listing.node, listing.port.own.number};
    const std::optional<CableEnd> far = far_end(listing, near);
    if (!far) return;
    if (*far == near) {
      to_itself_.add(
          [&] { return fmt::format("line {}: {} is cabled to itself; left out", listing.line, name(near)); });
      return;
    }
    require_entries(listing, near);
    require_entries(listing, *far);
    const auto back = at_.find(*far);
    if (back != at_.end())
      require_agreement(listing, near, *back->second, *far);
    else
      accept_one_sided(listing, near, *far);
    if (back == at_.end() || near < *far)
      fabric_.cables.push_back(
          {std::min(near, *far), std::max(near, *far), listing.port.width, listing.port.speed});
  }

  /// No table could lead packets to this end if it was port 255 of a switch.
  void require_entries(const Listing& listing, const CableEnd& end) const {
    if (end.port == ForwardingTable::no_entry && fabric_.nodes[end.node].type == NodeType::switch_)
      throw Error("port", name(end),
                  fmt::format("must be from 1 to {} at a switch, because {} in a forwarding table means that "
                              "there is no entry",
                              ForwardingTable::no_entry - 1, ForwardingTable::no_entry),
                  location(listing));
  }

  /// The end named by a listing; if it names no port, the one port at that node that lists this end.
  std::optional<CableEnd> far_end(const Listing& listing, const CableEnd& near) {
    const PortLine& port = listing.port;
    const auto node = node_of_.find(port.remote_id);
    if (node == node_of_.end())
      throw Error("cable", fmt::format("{} - \"{}\"", name(near), printable_utf8(port.remote_id)),
                  fmt::format("must end at a Switch or Ca record, there is none of \"{}\"{}",
                              printable_utf8(port.remote_id), retake),
                  location(listing));
    const Node& remote = fabric_.nodes[node->second];
    if (port.remote_port) {
      if (*port.remote_port >= 1 && *port.remote_port <= remote.port_count)
        return CableEnd{node->second, *port.remote_port};
      throw Error("cable", fmt::format("{} - \"{}\"[{}]", name(near), remote.id, *port.remote_port),
                  fmt::format("must end at a port from 1 to {}{}", remote.port_count, retake),
                  location(listing));
    }
    for (auto back = at_.lower_bound({node->second, 1});
         back != at_.end() && back->first.node == node->second; ++back)
      if (back->second->port.remote_id == fabric_.nodes[near.node].id &&
          back->second->port.remote_port == near.port)
        return back->first;
    without_port_.add([&] {
      return fmt::format("line {}: {} does not say at which port of \"{}\" it ends; left out", listing.line,
                         name(near), remote.id);
    });
    return std::nullopt;
  }

  void require_agreement(const Listing& listing, const CableEnd& near, const Listing& back,
                         const CableEnd& far) {
    const PortLine& theirs = back.port;
    if (far_end(back, far) != near)
      throw Error("cable", fmt::format("{} - {}", name(near), name(far)),
                  fmt::format("both ends must agree, but line {} cables {} to \"{}\"{}{}", back.line,
                              name(far), printable_utf8(theirs.remote_id),
                              theirs.remote_port ? fmt::format("[{}]", *theirs.remote_port) : "", retake),
                  location(listing));
    if (near < far && (listing.port.width != theirs.width || listing.port.speed != theirs.speed))
      rates_.add([&] {
        return fmt::format("lines {} and {}: the ends of {} - {} disagree about its rate, {}{} and {}{}",
                           listing.line, back.line, name(near), name(far), listing.port.width,
                           listing.port.speed, theirs.width, theirs.speed);
      });
  }

  /// A text that was cut short affects its last record only: an earlier one that does not list the cable is a
  /// gap.
  void accept_one_sided(const Listing& listing, const CableEnd& near, const CableEnd& far) {
    const auto [other, first] = claimed_.emplace(far, near);
    if (!first || far.node + 1 == fabric_.nodes.size())
      throw Error("cable", fmt::format("{} - {}", name(near), name(far)),
                  first ? fmt::format("must be listed at both ends, but the last record does not list {}{}",
                                      name(far), retake)
                        : fmt::format("must be the only cable there, but {} ends there too{}",
                                      name(other->second), retake),
                  location(listing));
    one_sided_.add([&] {
      return fmt::format("line {}: {} - {} is listed at this end only", listing.line, name(near), name(far));
    });
    Node& remote = fabric_.nodes[far.node];
    if (remote.type != NodeType::switch_)
      add_end_port(remote,
                   {.number = far.port, .guid = listing.port.remote_guid, .lid = listing.port.remote_lid});
  }

  const std::vector<Listing>& listings_;
  const std::string& file_;
  Fabric& fabric_;
  std::unordered_map<std::string, std::uint32_t> node_of_;
  std::map<CableEnd, const Listing*> at_;
  std::map<CableEnd, CableEnd> claimed_;  // ends that only the other end lists
  Oddities to_itself_, without_port_, one_sided_, rates_;
};

}  // namespace

void add_end_port(Node& node, const EndPort& port) {
  node.end_ports.insert(std::ranges::upper_bound(node.end_ports, port.number, {}, &EndPort::number), port);
}

void lay_cables(const std::vector<Listing>& listings, const std::string& file, Fabric& fabric) {
  Cabling(listings, file, fabric).lay_all();
}

}  // namespace faultline::infiniband
