// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "faultline/base/file.h"
#include "faultline/results/record.h"

namespace faultline {

/// Records in one SQLite file. Each put is a separate transaction: a process killed at any moment leaves
/// every record whole or absent. Several processes may work on one file, each on the cases that it claimed.
/// Safe to call from several threads.
class ResultsStore {
 public:
  enum class Mode : std::uint8_t { read, read_write };

  /// Opens the file, and with read_write creates it if necessary. Throws Error("results") if it is missing
  /// (read), not writable (read_write), or not a results file. While another program has locked the file, any
  /// call waits for up to two minutes; `waits` is called once, after two seconds, and must neither use the
  /// store nor throw. Where the file cannot be read or written, any call throws std::runtime_error.
  explicit ResultsStore(const std::filesystem::path& path, Mode mode, std::function<void()> waits = {});
  ResultsStore(ResultsStore&&) noexcept;
  ResultsStore& operator=(ResultsStore&&) = delete;  // which would not release the claims
  /// Releases the remaining claims, or leaves them to end with the process where it cannot.
  ~ResultsStore();

  [[nodiscard]] bool contains(const std::string& hash) const;
  /// Keeps an existing record with its files, if there is one that can be read, and releases the claim.
  /// Throws as refuse_too_large() does.
  void put(const Record& record, const std::vector<OutputFile>& files = {});
  /// Throws Error for an answer or a file that is too large to be kept: above 2^28 bytes.
  static void refuse_too_large(const Record& record, const std::vector<OutputFile>& files);
  /// What was put with this record as the file of `path`; absent if no such file is kept, or only part of it.
  /// Equal contents are kept once.
  [[nodiscard]] std::optional<std::string> file_of(const std::string& hash, const std::string& path) const;
  /// Puts these records behind those of the same case that were put later, with other contents of its files.
  void make_newest(const std::vector<std::string>& hashes);
  /// In the order in which they were put, or became the newest.
  [[nodiscard]] std::vector<Record> all() const;

  /// Replaces what set_failures() was last given for this study: a message for each case that failed.
  void set_failures(const std::string& study, const std::vector<std::string>& messages);
  /// Of all studies.
  [[nodiscard]] std::vector<std::string> failures() const;

  /// The answer to a claim: `granted` to the caller, already `finished`, or `taken` by another.
  enum class Claim : std::uint8_t { granted, finished, taken };
  /// The claim of a process on this machine lasts until it is released, or the process ends; that of any
  /// other for `lease` unless it is renewed.
  [[nodiscard]] Claim claim(const std::string& hash);
  void release(const std::string& hash);
  /// Extends all claims of this store.
  void renew_claims();
  static constexpr std::chrono::seconds lease{60};

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace faultline
