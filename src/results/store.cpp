// SPDX-License-Identifier: Apache-2.0
#include "faultline/results/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <utility>

#include "faultline/base/error.h"
#include "faultline/base/file.h"
#include "results/owner.h"

namespace faultline {
namespace {

constexpr int application_id = 0x464c544e;  // "FLTN": tells our files from other SQLite files
constexpr int busy_seconds = 120;           // a transaction is short, but a disk may be slow
constexpr int noticed_seconds = 2;          // until a user is told
constexpr int max_text_bytes = 1 << 28;     // of one record, or of one file

constexpr const char* schema =
    "CREATE TABLE IF NOT EXISTS records ("
    " hash TEXT PRIMARY KEY, study TEXT NOT NULL, case_text TEXT NOT NULL, result_text TEXT NOT NULL,"
    " seed INTEGER NOT NULL, version TEXT NOT NULL, seconds REAL NOT NULL,"
    " generation TEXT NOT NULL DEFAULT '');"
    "CREATE TABLE IF NOT EXISTS claims ("
    " hash TEXT PRIMARY KEY, owner TEXT NOT NULL, expires INTEGER NOT NULL);"
    // Files that belong to answers, each content once, by its hash.
    "CREATE TABLE IF NOT EXISTS contents (hash TEXT PRIMARY KEY, content BLOB NOT NULL);"
    "CREATE TABLE IF NOT EXISTS files ("
    " record TEXT NOT NULL, path TEXT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (record, path));"
    "CREATE TABLE IF NOT EXISTS failures (study TEXT NOT NULL, message TEXT NOT NULL);";

[[noreturn]] void refuse(sqlite3* database, const std::string& path) {
  const std::string detail = sqlite3_errmsg(database);
  switch (sqlite3_errcode(database)) {
    case SQLITE_ERROR:  // another schema than ours
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
      throw Error("results", path,
                  "is not a results file of faultline, or is damaged (" + detail +
                      "); move it away or give another path");
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      throw Error("results", path, "cannot be written (" + detail + "); give a path in a writable folder");
    default:
      throw std::runtime_error("results file " + printable(path) + ": " + detail +
                               "; what was stored before is kept");
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
    require(
        sqlite3_bind_text64(statement_, position, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  void bind_bytes(int position, const std::string& bytes) {
    require(sqlite3_bind_blob64(statement_, position, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
  }
  void bind(int position, std::uint64_t number) {
    require(sqlite3_bind_int64(statement_, position, static_cast<sqlite3_int64>(number)));
  }
  void bind(int position, double number) { require(sqlite3_bind_double(statement_, position, number)); }

  /// True while there is another row.
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW) require(code == SQLITE_DONE ? SQLITE_OK : code);
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
  void require(int code) const {
    if (code != SQLITE_OK) refuse(database_, path_);
  }

  sqlite3* database_;
  const std::string& path_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace

/// The database, its path for messages, and a lock for the threads of one process.
struct ResultsStore::Connection {
  Connection(const std::filesystem::path& file, Mode mode, std::function<void()> call)
      : path(file.string()), waits(std::move(call)) {
    std::error_code unknown;
    const auto status = std::filesystem::status(file, unknown);
    if (mode == Mode::read && !std::filesystem::exists(status))
      throw Error("results", path, "no such file; give the path of a results file");
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
      throw Error("results", path, "is a folder, a device or a pipe; give the path of a regular file");
    // Even reading may have to roll back what a killed writer left; a read-only file is opened read-only all
    // the same.
    const int flags = SQLITE_OPEN_READWRITE | (mode == Mode::read ? 0 : SQLITE_OPEN_CREATE);
    // An absolute path, because ":memory:" is not a file for SQLite.
    const std::string from_root = std::filesystem::absolute(file, unknown).string();
    if (unknown || path.find('\0') != std::string::npos)
      throw Error("results", path, "is not the path of a file; give the path of a results file");
    const int code = sqlite3_open_v2(from_root.c_str(), &raw, flags, nullptr);
    database.reset(raw);
    if (mode == Mode::read && code == SQLITE_CANTOPEN)
      throw Error("results", path,
                  fmt::format("cannot be read ({}); check its permissions", sqlite3_errmsg(raw)));
    if (code != SQLITE_OK) refuse(raw, path);
    sqlite3_busy_handler(raw, &wait_a_little, this);
    // A file from elsewhere may contain triggers and views.
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, 2 * max_text_bytes);  // a row holds more than one text
  }

  /// Called while another process holds the file: retries at short, constant intervals, because with growing
  /// ones the working process would always be first.
  static int wait_a_little(void* connection, int asked_before) {
    constexpr std::chrono::milliseconds pause{3};
    constexpr int pauses_a_second = 1000 / pause.count();
    auto& waits = static_cast<Connection*>(connection)->waits;
    if (asked_before >= noticed_seconds * pauses_a_second && waits) std::exchange(waits, nullptr)();
    std::this_thread::sleep_for(pause);
    return asked_before < busy_seconds * pauses_a_second ? 1 : 0;
  }

  [[nodiscard]] Statement prepare(const char* text) const { return {raw, path, text}; }
  void execute(const std::string& text) const {
    if (sqlite3_exec(raw, text.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) refuse(raw, path);
  }

  /// The first column of the first row.
  [[nodiscard]] std::int64_t number(const char* query) const {
    Statement statement = prepare(query);
    return statement.step() ? statement.integer(0) : 0;
  }

  struct Close {
    void operator()(sqlite3* open) const { sqlite3_close(open); }
  };
  std::string path;
  std::function<void()> waits;  ///< to be called once, then empty
  sqlite3* raw = nullptr;
  std::unique_ptr<sqlite3, Close> database;
  std::string owner = new_owner();
  bool has_claims = false;
  bool has_generations = true;
  mutable std::mutex mutex;
};

namespace {

/// All or nothing: rolled back unless it is committed.
template <class Connection>
class Transaction {
 public:
  Transaction(const Connection& connection, const char* begin) : connection_(connection) {
    connection_.execute(begin);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (sqlite3_get_autocommit(connection_.raw) == 0)
      sqlite3_exec(connection_.raw, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  void commit() const { connection_.execute("COMMIT"); }

 private:
  const Connection& connection_;
};

// Writers wait for each other at the beginning: none begins to read, and then finds that it may not write.
constexpr const char* to_read = "BEGIN";
constexpr const char* to_write = "BEGIN IMMEDIATE";

std::int64_t now_in_seconds() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

ResultsStore::ResultsStore(const std::filesystem::path& path, Mode mode, std::function<void()> waits)
    : connection_(std::make_unique<Connection>(path, mode, std::move(waits))) {
  const Transaction transaction(*connection_, mode == Mode::read ? to_read : to_write);
  const bool is_ours = connection_->number("PRAGMA application_id") == application_id;
  const bool is_empty = connection_->number("SELECT count(*) FROM sqlite_master") == 0;
  const bool has_code =
      connection_->number("SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index')") != 0;
  if (has_code || (!is_ours && !(is_empty && mode == Mode::read_write)))
    throw Error("results", path.string(), "is not a results file of faultline; give another path");
  connection_->has_generations =
      connection_->number("SELECT count(*) FROM pragma_table_info('records') WHERE name = 'generation'") != 0;
  if (mode == Mode::read) return;
  connection_->execute("PRAGMA application_id = " + std::to_string(application_id));
  if (!is_empty && !connection_->has_generations)
    connection_->execute("ALTER TABLE records ADD COLUMN generation TEXT NOT NULL DEFAULT ''");
  connection_->execute(schema);
  connection_->has_generations = true;
  transaction.commit();
}

ResultsStore::ResultsStore(ResultsStore&&) noexcept = default;

ResultsStore::~ResultsStore() {
  if (!connection_ || !connection_->has_claims) return;
  try {
    Statement statement = connection_->prepare("DELETE FROM claims WHERE owner = ?1");
    statement.bind(1, connection_->owner);
    statement.step();
  } catch (const std::exception&) {  // they end with this process
    return;
  }
}

namespace {
/// One that is damaged does not count: its case is computed again.
constexpr const char* finished_record =
    "SELECT 1 FROM records WHERE hash = ?1 AND json_valid(case_text) AND json_valid(result_text)";
}  // namespace

bool ResultsStore::contains(const std::string& hash) const {
  const std::scoped_lock lock(connection_->mutex);
  Statement statement = connection_->prepare(finished_record);
  statement.bind(1, hash);
  return statement.step();
}

namespace {

/// A process on this machine may be stopped, and cannot prolong its claims then.
bool is_held(const std::string& owner, std::int64_t expires) {
  const OwnerState state = state_of(owner);
  return state == OwnerState::lives || (state == OwnerState::unknown && expires > now_in_seconds());
}

}  // namespace

ResultsStore::Claim ResultsStore::claim(const std::string& hash) {
  const std::scoped_lock lock(connection_->mutex);
  const Transaction transaction(*connection_, to_write);
  Statement record = connection_->prepare(finished_record);
  record.bind(1, hash);
  if (record.step()) return Claim::finished;
  Statement there = connection_->prepare("SELECT owner, expires FROM claims WHERE hash = ?1");
  there.bind(1, hash);
  if (there.step() && is_held(there.text(0), there.integer(1))) return Claim::taken;
  Statement mine = connection_->prepare("INSERT OR REPLACE INTO claims VALUES (?1, ?2, ?3)");
  mine.bind(1, hash);
  mine.bind(2, connection_->owner);
  mine.bind(3, static_cast<std::uint64_t>(now_in_seconds() + lease.count()));
  mine.step();
  transaction.commit();
  connection_->has_claims = true;
  return Claim::granted;
}

void ResultsStore::release(const std::string& hash) {
  const std::scoped_lock lock(connection_->mutex);
  Statement statement = connection_->prepare("DELETE FROM claims WHERE hash = ?1 AND owner = ?2");
  statement.bind(1, hash);
  statement.bind(2, connection_->owner);
  statement.step();
}

void ResultsStore::renew_claims() {
  const std::scoped_lock lock(connection_->mutex);
  Statement statement = connection_->prepare("UPDATE claims SET expires = ?1 WHERE owner = ?2");
  statement.bind(1, static_cast<std::uint64_t>(now_in_seconds() + lease.count()));
  statement.bind(2, connection_->owner);
  statement.step();
}

namespace {

template <class Connection>
void put_file(const Connection& connection, const std::string& record, const OutputFile& file) {
  const std::string hash = content_hash(file.content);
  Statement content = connection.prepare("INSERT OR REPLACE INTO contents VALUES (?1, ?2)");
  content.bind(1, hash);
  content.bind_bytes(2, file.content);
  content.step();
  Statement name = connection.prepare("INSERT OR REPLACE INTO files VALUES (?1, ?2, ?3)");
  name.bind(1, record);
  name.bind(2, file.path);
  name.bind(3, hash);
  name.step();
}

}  // namespace

void ResultsStore::refuse_too_large(const Record& record, const std::vector<OutputFile>& files) {
  const auto check = [](const std::string& field, const std::string& value, const std::string& text) {
    if (text.size() > max_text_bytes)
      throw Error(field, value,
                  fmt::format("has {} bytes; a study keeps at most {} of an answer or of a file: ask for it "
                              "without a study",
                              text.size(), max_text_bytes));
  };
  check("result", "of this case", record.result_text);
  for (const OutputFile& file : files) check(file.field, file.path, file.content);
}

void ResultsStore::put(const Record& record, const std::vector<OutputFile>& files) {
  refuse_too_large(record, files);
  const std::scoped_lock lock(connection_->mutex);
  const Transaction transaction(*connection_, to_write);
  Statement statement = connection_->prepare(
      "INSERT INTO records (hash, study, case_text, result_text, seed, version, seconds, "
      "generation)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (hash) DO UPDATE SET"
      " study = ?2, case_text = ?3, result_text = ?4, seed = ?5, version = ?6, seconds = ?7, generation = ?8"
      " WHERE NOT json_valid(records.case_text) OR NOT json_valid(records.result_text)");
  statement.bind(1, record.hash);
  statement.bind(2, record.study);
  statement.bind(3, record.case_text);
  statement.bind(4, record.result_text);
  statement.bind(5, record.seed);
  statement.bind(6, record.version);
  statement.bind(7, record.seconds);
  statement.bind(8, record.generation);
  statement.step();
  if (sqlite3_changes(connection_->raw) != 0)
    for (const OutputFile& file : files) put_file(*connection_, record.hash, file);
  Statement claim = connection_->prepare("DELETE FROM claims WHERE hash = ?1");
  claim.bind(1, record.hash);
  claim.step();
  transaction.commit();
}

std::optional<std::string> ResultsStore::file_of(const std::string& hash, const std::string& path) const {
  const std::scoped_lock lock(connection_->mutex);
  Statement statement = connection_->prepare(
      "SELECT contents.hash, contents.content FROM files JOIN contents ON files.content = contents.hash"
      " WHERE record = ?1 AND path = ?2");
  statement.bind(1, hash);
  statement.bind(2, path);
  if (!statement.step()) return std::nullopt;
  std::string content = statement.text(1);
  if (content_hash(content) != statement.text(0)) return std::nullopt;
  return content;
}

void ResultsStore::make_newest(const std::vector<std::string>& hashes) {
  const std::scoped_lock lock(connection_->mutex);
  const Transaction transaction(*connection_, to_write);
  Statement older = connection_->prepare(
      "SELECT hash FROM records WHERE rowid NOT IN (SELECT max(rowid) FROM records GROUP BY case_text)");
  std::unordered_set<std::string> superseded;
  while (older.step()) superseded.insert(older.text(0));
  for (const std::string& hash : hashes) {
    if (!superseded.contains(hash)) continue;
    Statement last = connection_->prepare(
        "UPDATE records SET rowid = (SELECT max(rowid) + 1 FROM records) WHERE hash = ?1");
    last.bind(1, hash);
    last.step();
  }
  transaction.commit();
}

void ResultsStore::set_failures(const std::string& study, const std::vector<std::string>& messages) {
  const std::scoped_lock lock(connection_->mutex);
  const Transaction transaction(*connection_, to_write);
  Statement before = connection_->prepare("DELETE FROM failures WHERE study = ?1");
  before.bind(1, study);
  before.step();
  for (const std::string& message : messages) {
    Statement statement = connection_->prepare("INSERT INTO failures VALUES (?1, ?2)");
    statement.bind(1, study);
    statement.bind(2, message);
    statement.step();
  }
  transaction.commit();
}

std::vector<std::string> ResultsStore::failures() const {
  const std::scoped_lock lock(connection_->mutex);
  std::vector<std::string> messages;
  if (connection_->number("SELECT count(*) FROM sqlite_master WHERE name = 'failures'") == 0)
    return messages;  // written by an older program, opened to read
  Statement statement = connection_->prepare("SELECT message FROM failures ORDER BY rowid");
  while (statement.step()) messages.push_back(statement.text(0));
  return messages;
}

std::vector<Record> ResultsStore::all() const {
  const std::scoped_lock lock(connection_->mutex);
  Statement statement = connection_->prepare(
      connection_->has_generations
          ? "SELECT hash, study, case_text, result_text, seed, version, seconds, generation FROM records "
            "ORDER BY rowid"
          : "SELECT hash, study, case_text, result_text, seed, version, seconds, '' FROM records "
            "ORDER BY rowid");
  std::vector<Record> records;
  while (statement.step())
    records.push_back({statement.text(0), statement.text(1), statement.text(2), statement.text(3),
                       static_cast<std::uint64_t>(statement.integer(4)), statement.text(5), statement.real(6),
                       statement.text(7)});
  return records;
}

}  // namespace faultline
