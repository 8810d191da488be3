// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "faultline/results/record.h"

namespace faultline {

/// Records in one SQLite file. Each put is a transaction of its own: a process killed at any moment leaves
/// every record whole or absent. Several processes may work on one file, each on the cases that it claimed.
/// Safe to call from several threads.
class ResultsStore {
 public:
  enum class Mode : std::uint8_t { read, read_write };

  /// Opens, and with read_write creates, the file. Throws Error("results") when it is missing (read), not
  /// writable (read_write), or not a results file.
  explicit ResultsStore(const std::filesystem::path& path, Mode mode);
  ResultsStore(ResultsStore&&) noexcept;
  ResultsStore& operator=(ResultsStore&&) noexcept;
  /// Releases the claims that are left.
  ~ResultsStore();

  [[nodiscard]] bool contains(const std::string& hash) const;
  /// Keeps the record that is there already, if any, with its files, and releases the claim.
  void put(const Record& record, const std::vector<AnswerFile>& files = {});
  /// Throws Error for a file that is too large to be kept.
  static void refuse_too_large(const std::vector<AnswerFile>& files);
  /// What was put with this record as the file of `path`; nothing where no such file is kept, or not whole.
  /// Equal contents are kept once.
  [[nodiscard]] std::optional<std::string> file_of(const std::string& hash, const std::string& path) const;
  /// In the order in which they were put.
  [[nodiscard]] std::vector<Record> all() const;

  /// Who computes a case: `granted` to the caller, already `finished`, or `taken` by another.
  enum class Claim : std::uint8_t { granted, finished, taken };
  /// A claim lasts for `lease` unless it is renewed; that of a process which has ended, on this machine, no
  /// longer than the process.
  [[nodiscard]] Claim claim(const std::string& hash);
  void release(const std::string& hash);
  /// Prolongs all claims of this store.
  void renew_claims();
  static constexpr std::chrono::seconds lease{60};

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace faultline
