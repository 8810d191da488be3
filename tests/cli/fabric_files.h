// SPDX-License-Identifier: Apache-2.0
// Files of a small fabric, for tests of the verbs of real fabrics.
#pragma once

#include <map>
#include <string>

#include "faultline/infiniband/forwarding_tables.h"
#include "support/small_fabric.h"
#include "support/temporary_folder.h"

namespace faultline {

/// The small fabric's files, and a folder for what is written.
struct FabricFiles {
  TemporaryFolder folder;
  std::string dump = folder.file("dump", small_dump), tables = folder.file("tables", small_tables);
  [[nodiscard]] std::string path(const char* name) const { return (folder.path / name).string(); }
};

inline std::string without_line(std::string text, const std::string& line_with) {
  const std::size_t at = text.find(line_with);
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.erase(begin, text.find('\n', at) + 1 - begin);
}

/// The dump once the first cable from leaf 1 to the spine is gone: neither end lists it.
inline std::string dump_without_cable() {
  return without_line(without_line(std::string(small_dump), "[3]\t\"S-00000000000000b1\"[1]"),
                      "[1]\t\"S-00000000000000a1\"[3]");
}

/// Of the tables in a folder, by switch and LID.
inline std::map<std::pair<infiniband::Guid, std::size_t>, std::uint8_t> entries_for_adapters(
    const std::string& folder) {
  constexpr std::size_t first_adapter = 4;
  std::map<std::pair<infiniband::Guid, std::size_t>, std::uint8_t> found;
  for (const auto& table : infiniband::read_forwarding_tables(folder + "/tables.lfts", "test").switches)
    for (std::size_t lid = first_adapter; lid < table.ports.size(); ++lid)
      found[{table.switch_guid, lid}] = table.ports[lid];
  return found;
}

}  // namespace faultline
