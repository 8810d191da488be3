// SPDX-License-Identifier: Apache-2.0
#include "faultline/results/store.h"

#include <sqlite3.h>

#include <mutex>

#include "faultline/base/error.h"

namespace faultline {
namespace {

constexpr int application_id = 0x464c544e;  // "FLTN": tells our files from other SQLite files
constexpr int busy_milliseconds = 10'000;

constexpr const char* schema =
    "CREATE TABLE IF NOT EXISTS records ("
    " hash TEXT PRIMARY KEY, study TEXT NOT NULL, case_text TEXT NOT NULL, result_text TEXT NOT NULL,"
    " seed INTEGER NOT NULL, version TEXT NOT NULL, seconds REAL NOT NULL);";

[[noreturn]] void refuse(sqlite3* database, const std::string& path) {
  const std::string detail = sqlite3_errmsg(database);
  switch (sqlite3_errcode(database)) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      throw Error("results", path,
                  "is not a results file of faultline, or is damaged (" + detail +
                      "); move it away or give another path");
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      throw Error("results", path, "cannot be written (" + detail + "); give a path in a writable folder");
    default:
      throw std::runtime_error("results file " + path + ": " + detail);
  }
}

/// A prepared statement; values are bound and read by position.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& path, const char* text) : database_(database), path_(path) {
    if (sqlite3_prepare_v2(database_, text, -1, &statement_, nullptr) != SQLITE_OK) refuse(database_, path_);
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  void bind(int position, const std::string& text) {
    sqlite3_bind_text(statement_, position, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
  void bind(int position, std::uint64_t number) {
    sqlite3_bind_int64(statement_, position, static_cast<sqlite3_int64>(number));
  }
  void bind(int position, double number) { sqlite3_bind_double(statement_, position, number); }

  /// True while there is a row.
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) refuse(database_, path_);
    return code == SQLITE_ROW;
  }
  [[nodiscard]] std::string text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes == nullptr
               ? std::string{}
               : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
  }
  [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  [[nodiscard]] double real(int column) const { return sqlite3_column_double(statement_, column); }

 private:
  sqlite3* database_;
  const std::string& path_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace

/// The database, its path for messages, and a lock for the threads of one process.
struct ResultsStore::Connection {
  Connection(const std::filesystem::path& file, Mode mode) : path(file.string()) {
    if (mode == Mode::read && !std::filesystem::exists(file))
      throw Error("results", path, "no such file; give the path of a results file");
    // Reading as well may have to roll back what a killed writer left; a read-only file is opened read-only
    // all the same.
    const int flags = SQLITE_OPEN_READWRITE | (mode == Mode::read ? 0 : SQLITE_OPEN_CREATE);
    const int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
    database.reset(raw);
    if (code != SQLITE_OK) refuse(raw, path);
    sqlite3_busy_timeout(raw, busy_milliseconds);
  }

  [[nodiscard]] Statement prepare(const char* text) const { return {raw, path, text}; }
  void execute(const std::string& text) const {
    if (sqlite3_exec(raw, text.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) refuse(raw, path);
  }

  struct Close {
    void operator()(sqlite3* open) const { sqlite3_close(open); }
  };
  std::string path;
  sqlite3* raw = nullptr;
  std::unique_ptr<sqlite3, Close> database;
  mutable std::mutex mutex;
};

ResultsStore::ResultsStore(const std::filesystem::path& path, Mode mode)
    : connection_(std::make_unique<Connection>(path, mode)) {
  Statement identity = connection_->prepare("PRAGMA application_id");
  const bool is_ours = identity.step() && identity.integer(0) == application_id;
  Statement tables = connection_->prepare("SELECT count(*) FROM sqlite_master");
  const bool is_empty = tables.step() && tables.integer(0) == 0;
  if (!is_ours && !(is_empty && mode == Mode::read_write))
    throw Error("results", path.string(), "is not a results file of faultline; give another path");
  if (mode == Mode::read) return;
  // One writer at a time; a transaction that a kill interrupts is rolled back at the next opening.
  connection_->execute("BEGIN IMMEDIATE");
  connection_->execute("PRAGMA application_id = " + std::to_string(application_id));
  connection_->execute(schema);
  connection_->execute("COMMIT");
}

ResultsStore::ResultsStore(ResultsStore&&) noexcept = default;
ResultsStore& ResultsStore::operator=(ResultsStore&&) noexcept = default;
ResultsStore::~ResultsStore() = default;

bool ResultsStore::contains(const std::string& hash) const {
  const std::scoped_lock lock(connection_->mutex);
  Statement statement = connection_->prepare("SELECT 1 FROM records WHERE hash = ?1");
  statement.bind(1, hash);
  return statement.step();
}

void ResultsStore::put(const Record& record) {
  const std::scoped_lock lock(connection_->mutex);
  Statement statement =
      connection_->prepare("INSERT OR REPLACE INTO records VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  statement.bind(1, record.hash);
  statement.bind(2, record.study);
  statement.bind(3, record.case_text);
  statement.bind(4, record.result_text);
  statement.bind(5, record.seed);
  statement.bind(6, record.version);
  statement.bind(7, record.seconds);
  statement.step();
}

std::vector<Record> ResultsStore::all() const {
  const std::scoped_lock lock(connection_->mutex);
  Statement statement = connection_->prepare(
      "SELECT hash, study, case_text, result_text, seed, version, seconds FROM records ORDER BY rowid");
  std::vector<Record> records;
  while (statement.step())
    records.push_back({statement.text(0), statement.text(1), statement.text(2), statement.text(3),
                       static_cast<std::uint64_t>(statement.integer(4)), statement.text(5),
                       statement.real(6)});
  return records;
}

}  // namespace faultline
