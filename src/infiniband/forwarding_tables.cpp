// SPDX-License-Identifier: Apache-2.0
#include "faultline/infiniband/forwarding_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "faultline/base/file.h"
#include "infiniband/scan.h"

namespace faultline::infiniband {
namespace {

constexpr std::string_view wanted_tables =
    "a dump of ibroute, dump_fts or OpenSM, tables that begin with 'Unicast lids'";

struct Entry {
  std::uint32_t lid = 0;
  std::optional<std::uint32_t> port;  ///< nothing where the table says that there is none
  Guid port_guid = 0;                 ///< of the destination, where the line names it
};

/// `0x0001 003 : (Channel Adapter portguid 0x0002c90300080e85: 'host')`, `0x0001 : 003 : …`,
/// `0x0001 : UNREACHABLE`
std::optional<Entry> read_entry(const Line& line) {
  Cursor cursor(line.text);
  if (!cursor.accept("0x")) return std::nullopt;
  const auto lid = cursor.number<std::uint32_t>(16);
  if (!lid || !cursor.skip_spaces()) return std::nullopt;
  if (cursor.accept(":")) cursor.skip_spaces();
  if (cursor.rest().starts_with("UNREACHABLE")) return Entry{*lid, {}, 0};
  const auto port = cursor.number<std::uint32_t>();
  if (!port || (cursor.at_end() ? !line.terminated : !is_space(cursor.rest().front()))) return std::nullopt;
  Entry entry{*lid, port, 0};
  Cursor info(
      cursor.rest().substr(0, cursor.rest().find('\'')));  // what follows is a name, which may be any text
  if (info.move_behind("portguid 0x")) entry.port_guid = info.number<Guid>(16).value_or(0);
  return entry;
}

/// `14 lids dumped`, `14 valid lids dumped `
bool ends_table(Cursor cursor) {
  if (!cursor.number<std::uint32_t>() || !cursor.skip_spaces()) return false;
  if (cursor.accept("valid")) cursor.skip_spaces();
  if (!cursor.accept("lids dumped")) return false;
  cursor.skip_spaces();
  return cursor.at_end();
}

/// `[0x0-0x132]`, or `[0-14]` as opensm-lfts.dump prints it.
std::optional<std::uint32_t> last_announced(std::string_view header) {
  Cursor cursor(header);
  if (!cursor.move_behind("lids [") || !cursor.move_behind("-")) return std::nullopt;
  const int base = cursor.accept("0x") ? 16 : 10;
  return cursor.number<std::uint32_t>(base);
}

class TableReader {
 public:
  explicit TableReader(const std::string& file) : file_(file) {}

  /// A line is what its beginning says: names of nodes, which may be any text, stand further behind.
  void read(Line line) {
    line.text.remove_prefix(std::min(line.text.find_first_not_of(" \t"), line.text.size()));
    if (line.text.starts_with("0x")) return add_entry(line);
    if (line.text.starts_with('#')) return;
    if (line.text.starts_with("Unicast lids")) return open_table(line, " guid 0x");
    if (line.text.starts_with("Multicast") || ends_table(Cursor(line.text))) return close_table();
    if (line.text.find("dump_ucast_routes: Switch 0x") != std::string_view::npos)
      open_table(line, "Switch 0x");
  }

  ForwardingTables finish() && {
    if (tables_.switches.empty())
      throw Error("tables", "", "holds no table; must be " + std::string(wanted_tables), {file_, 0});
    if (outside_)
      throw Error("entry", outside_->second,
                  "must stand in a table, which begins with a line such as 'Unicast lids ... guid 0x...'",
                  {file_, outside_->first});
    if (open_ && short_of_range())
      throw Error(
          "tables", fmt::format("0x{:04x}", last_lid_),
          fmt::format("the file ends here, but this table goes up to LID 0x{:04x}; take the dump again",
                      *last_wanted_),
          {file_, last_line_});
    return std::move(tables_);
  }

 private:
  void open_table(const Line& line, std::string_view before_guid) {
    close_table();
    Cursor cursor(line.text);
    std::optional<Guid> guid;
    if (cursor.move_behind(before_guid)) guid = cursor.number<Guid>(16);
    if (!guid || (cursor.at_end() && !line.terminated))
      throw Error("table", excerpt(line.text), "must name its switch: guid 0x...", {file_, line.number});
    if (!guids_.insert(*guid).second)
      throw Error("table", fmt::format("0x{:016x}", *guid),
                  "must be given once; this is the switch's second table", {file_, line.number});
    tables_.switches.push_back({*guid, {}});
    given_at_.clear();
    last_wanted_ = last_announced(line.text.substr(0, line.text.find(']')));
    last_lid_ = 0;
    last_line_ = line.number;
    open_ = true;
  }

  /// ibroute and dump_fts lose the last block of some tables, so a short one is worth a remark.
  void close_table() {
    any_header_ = true;
    if (open_ && short_of_range())
      tables_.remarks.push_back(fmt::format("line {}: the table of 0x{:016x} ends at LID {} of {}",
                                            last_line_, tables_.switches.back().switch_guid, last_lid_,
                                            *last_wanted_));
    open_ = false;
  }

  [[nodiscard]] bool short_of_range() const { return last_wanted_ && last_lid_ < *last_wanted_; }

  void add_entry(const Line& line) {
    const std::optional<Entry> entry = read_entry(line);
    if (!open_) {
      if (entry && !any_header_ && !outside_) outside_ = {line.number, excerpt(line.text)};
      return;
    }
    if (!entry || entry->port.value_or(0) > ForwardingTable::no_entry)
      throw Error("entry", excerpt(line.text),
                  std::string("must be written 0xLID PORT ..., with ports from 0 to 255") +
                      (line.terminated ? "" : "; the file ends in the middle of this line"),
                  {file_, line.number});
    if (entry->lid < 1 || entry->lid > last_unicast_lid)
      throw Error("entry", fmt::format("0x{:x}", entry->lid), "must be a unicast LID, from 0x1 to 0xbfff",
                  {file_, line.number});
    std::vector<std::uint8_t>& ports = tables_.switches.back().ports;
    if (ports.size() <= entry->lid) ports.resize(entry->lid + 1, ForwardingTable::no_entry);
    if (given_at_.size() <= entry->lid) given_at_.resize(entry->lid + 1);
    if (const int first = std::exchange(given_at_[entry->lid], line.number); first != 0)
      throw Error("entry", fmt::format("0x{:04x}", entry->lid),
                  fmt::format("must be given once in a table; line {} gives it as well", first),
                  {file_, line.number});
    if (entry->port) ports[entry->lid] = static_cast<std::uint8_t>(*entry->port);
    if (entry->port_guid != 0) keep_port_guid(entry->lid, entry->port_guid);
    last_lid_ = std::max(last_lid_, entry->lid);
    last_line_ = line.number;
  }

  void keep_port_guid(std::uint32_t lid, Guid guid) {
    if (tables_.port_guids.size() <= lid) tables_.port_guids.resize(lid + 1);
    std::vector<Guid>& guids = tables_.port_guids[lid];
    if (std::ranges::find(guids, guid) == guids.end()) guids.push_back(guid);
  }

  const std::string& file_;
  ForwardingTables tables_;
  std::unordered_set<Guid> guids_;
  bool open_ = false, any_header_ = false;
  std::optional<std::pair<int, std::string>> outside_;  // the first entry before any header, and its line
  std::optional<std::uint32_t>
      last_wanted_;            // of the open table: the LID that its header announces as the last
  std::vector<int> given_at_;  // by LID: the line of its entry in this table; 0: none
  std::uint32_t last_lid_ = 0;
  int last_line_ = 0;
};

}  // namespace

std::size_t ForwardingTable::entry_count() const {
  return ports.size() - static_cast<std::size_t>(std::ranges::count(ports, no_entry));
}

const ForwardingTable* ForwardingTables::find(Guid switch_guid) const {
  const auto found = std::ranges::find(switches, switch_guid, &ForwardingTable::switch_guid);
  return found == switches.end() ? nullptr : &*found;
}

ForwardingTables parse_forwarding_tables(std::string_view text, const std::string& file) {
  require_text(text, file, "tables", wanted_tables);
  TableReader reader(file);
  for_each_line(text, [&](const Line& line) { reader.read(line); });
  return std::move(reader).finish();
}

ForwardingTables read_forwarding_tables(const std::filesystem::path& path, std::string_view field) {
  return parse_forwarding_tables(read_file(path, field), path.string());
}

}  // namespace faultline::infiniband
