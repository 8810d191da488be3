// SPDX-License-Identifier: Apache-2.0
// The repair of a real fabric's forwarding tables, as a question to the verb `verify`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fabric_words.h"
#include "faultline/study/answer.h"
#include "faultline/study/case.h"

namespace faultline::app {

inline constexpr std::string_view engine_help =
    "routing that computes the new tables, with parameters after a colon: repair changes few entries, dfsssp "
    "computes all anew";

struct RepairRequest {
  FabricWords fabric;
  /// Content of new_tables(), used in place of the file fabric.tables.
  std::optional<std::string> tables_in_use;
  std::optional<std::string> dump;  ///< its content, where it has been read already
  std::vector<std::string> cut;     ///< cables and switches, besides what the dump lacks
  std::uint32_t cut_links = 0;      ///< cables between switches, drawn at random
  std::uint64_t seed = 1;
  std::string engine = "repair";
  std::string reference;  ///< tables of the whole fabric, to go back to with engine `repair`; empty: none
  std::optional<std::string> folder;  ///< where files are written; absent: nowhere
};

/// Where the new tables are written; `request` has a folder.
[[nodiscard]] std::string new_tables(const RepairRequest& request);

/// Whether `fabric watch` loads the tables that answer the question, and `fabric repair` advises to: packets
/// on them cannot deadlock. They need not connect every pair, which no tables do in a fabric that is split.
[[nodiscard]] bool are_worth_loading(const nlohmann::ordered_json& answer);

/// Throws Error for what is wrong whatever the dump holds: an engine that there is not, files of tables that
/// do not exist, and a folder whose files would be written over the fabric's.
void refuse_lasting_errors(const RepairRequest& request);

/// Reads the fabric to find what is cut, and the reference. Throws Error for what cannot be cut, or for more
/// than there is, and for a folder whose files would be written over the fabric's.
[[nodiscard]] CaseDescription repair_question(const RepairRequest& request);

/// Puts the fabric without the cables that were cut (fabric.ibnetdiscover) and its LIDs (guid2lid) before the
/// tables that answer the question (tables.lfts), which are the last to be written: a run that is killed
/// meanwhile leaves the old ones. Without a folder, removes them. A routing on several virtual lanes does not
/// hold, and is not free of deadlock, whatever `method` proves: tables have no service levels.
void complete_repair(const RepairRequest& request, const TopologyPtr& topology, Answer& answer);

}  // namespace faultline::app
