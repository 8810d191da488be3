// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "faultline/results/record.h"

namespace faultline {

/// Records in one SQLite file. Each put is a transaction of its own: a process killed at any moment leaves
/// every record whole or absent. Safe to call from several threads.
class ResultsStore {
 public:
  enum class Mode : std::uint8_t { read, read_write };

  /// Opens, and with read_write creates, the file. Throws Error("results") when it is missing (read), not
  /// writable (read_write), or not a results file.
  explicit ResultsStore(const std::filesystem::path& path, Mode mode);
  ResultsStore(ResultsStore&&) noexcept;
  ResultsStore& operator=(ResultsStore&&) noexcept;
  ~ResultsStore();

  [[nodiscard]] bool contains(const std::string& hash) const;
  void put(const Record& record);
  /// In the order in which they were put.
  [[nodiscard]] std::vector<Record> all() const;

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace faultline
