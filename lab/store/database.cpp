// SPDX-License-Identifier: MIT
#include "lab/store/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <system_error>
#include <utility>

namespace kerntoll::lab::store {
namespace {

/// How long to wait for another kerntoll that writes at this moment.
constexpr int busy_milliseconds = 10'000;

std::string reason(sqlite3* connection) {
    if (const int number = sqlite3_system_errno(connection); number != 0) {
        return std::generic_category().message(number);
    }
    return sqlite3_errmsg(connection);
}

Error sentence(sqlite3* connection, int code, const std::filesystem::path& path) {
    const std::string file = path.string();
    const auto text = [&] {
        switch (code & 0xff) {  // the low byte is the class, the rest is detail
            case SQLITE_FULL:
                return fmt::format(
                    "the disk is full: the results file {} cannot grow; what was stored before is "
                    "kept; free some space and resume the run",
                    file);
            case SQLITE_READONLY:
                return fmt::format(
                    "the results file {} cannot be written (it or its directory is read-only); "
                    "name another file with --db",
                    file);
            case SQLITE_NOTADB:
                return fmt::format(
                    "{} is not a results file of kerntoll (it is not an SQLite database); name "
                    "another file with --db",
                    file);
            case SQLITE_CANTOPEN:
                return fmt::format(
                    "the results file {} cannot be opened ({}); name another file with --db", file,
                    reason(connection));
            case SQLITE_BUSY:
                return fmt::format(
                    "another program has kept the results file {} locked for {} s; wait for it to "
                    "end, or name another file with --db",
                    file, busy_milliseconds / 1000);
            case SQLITE_CORRUPT:
                return fmt::format(
                    "the results file {} is damaged ({}); `sqlite3 {} .recover` may save what it "
                    "holds; name another file with --db",
                    file, sqlite3_errmsg(connection), file);
            case SQLITE_IOERR:
                return fmt::format(
                    "the results file {} cannot be read or written ({}); what was stored before is "
                    "kept",
                    file, reason(connection));
            default:
                return fmt::format("the results file {} cannot be used: {}", file,
                                   sqlite3_errmsg(connection));
        }
    }();
    return {Fault::store, text, {}};
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
}

void Statement::rewind() {
    sqlite3_reset(statement_.get());
    next_ = 1;
}

// Binding can fail for want of memory or for a wrong index only; both show when the statement is
// stepped, as a constraint that fails or as a test that does.
void Statement::bind_next(std::int64_t value) {
    sqlite3_bind_int64(statement_.get(), next_++, value);
}

void Statement::bind_next(std::uint64_t value) {
    bind_next(static_cast<std::int64_t>(value));
}

void Statement::bind_next(std::uint32_t value) {
    bind_next(std::int64_t{value});
}

void Statement::bind_next(int value) {
    bind_next(std::int64_t{value});
}

void Statement::bind_next(double value) {
    sqlite3_bind_double(statement_.get(), next_++, value);
}

void Statement::bind_next(std::string_view value) {
    sqlite3_bind_text64(statement_.get(), next_++, value.data(), value.size(), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
}

void Statement::bind_null() {
    sqlite3_bind_null(statement_.get(), next_++);
}

Result<bool> Statement::step() {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) {
        return true;
    }
    if (code == SQLITE_DONE) {
        return false;
    }
    return std::unexpected(sentence(sqlite3_db_handle(statement_.get()), code, path_));
}

Result<void> Statement::finish() {
    auto stepped = step();
    sqlite3_reset(statement_.get());  // ends the implicit transaction of a single statement
    if (!stepped) {
        return std::unexpected(stepped.error());
    }
    return {};
}

bool Statement::null(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

std::uint64_t Statement::unsigned_integer(int column) const {
    return static_cast<std::uint64_t>(integer(column));
}

double Statement::real(int column) const {
    return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
    const auto* bytes = sqlite3_column_text(statement_.get(), column);
    if (bytes == nullptr) {
        return {};
    }
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    return {reinterpret_cast<const char*>(bytes), size};
}

void Database::Close::operator()(sqlite3* connection) const {
    sqlite3_close_v2(connection);
}

Result<Database> Database::open(const std::filesystem::path& path, Access access) {
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    std::string file = path.string();
    switch (access) {
        case Access::write:
            flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
            break;
        case Access::read_if_must:
            flags |= SQLITE_OPEN_READWRITE;  // SQLite falls back to reading on its own
            break;
        case Access::immutable:
            flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
            std::string quoted;
            for (const char c : std::filesystem::absolute(path).string()) {
                const bool special = c == '%' || c == '?' || c == '#';
                quoted += special ? fmt::format("%{:02x}", static_cast<unsigned char>(c))
                                  : std::string(1, c);
            }
            file = "file:" + quoted + "?immutable=1";
            break;
    }
    Database database;
    database.path_ = path;
    sqlite3* connection = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &connection, flags, nullptr);
    database.connection_.reset(connection);
    if (code != SQLITE_OK) {
        return std::unexpected(sentence(connection, code, path));
    }
    sqlite3_busy_timeout(connection, busy_milliseconds);
    return database;
}

bool Database::read_only() const {
    return sqlite3_db_readonly(connection_.get(), "main") == 1;
}

Result<Statement> Database::prepare(std::string_view sql) const {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) {
        return std::unexpected(sentence(connection_.get(), code, path_));
    }
    return Statement(statement, path_);
}

Result<void> Database::execute(const std::string& sql) const {
    const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) {
        return std::unexpected(sentence(connection_.get(), code, path_));
    }
    return {};
}

Result<std::int64_t> Database::number(std::string_view sql) const {
    auto statement = prepare(sql);
    if (!statement) {
        return std::unexpected(statement.error());
    }
    if (auto row = statement->step(); !row) {
        return std::unexpected(row.error());
    }
    return statement->integer(0);
}

std::int64_t Database::last_id() const {
    return sqlite3_last_insert_rowid(connection_.get());
}

Result<void> Database::use_write_ahead_log() const {
    // Changing the mode needs the file alone, and SQLite does not wait for that on its own: two
    // that make the same file would stand in each other's way.
    constexpr int step_milliseconds = 5;
    int code = SQLITE_BUSY;
    for (int waited = 0; waited < busy_milliseconds; waited += step_milliseconds) {
        code =
            sqlite3_exec(connection_.get(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
        if ((code & 0xff) != SQLITE_BUSY) {
            break;
        }
        sqlite3_sleep(step_milliseconds);
    }
    if (code != SQLITE_OK) {
        return std::unexpected(sentence(connection_.get(), code, path_));
    }
    return {};
}

Result<Transaction> Transaction::begin(const Database& database, Kind kind) {
    const char* sql = kind == Kind::writing ? "BEGIN IMMEDIATE" : "BEGIN";
    if (auto begun = database.execute(sql); !begun) {
        return std::unexpected(begun.error());
    }
    return Transaction(database);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
    if (database_ != nullptr) {
        (void)database_->execute("ROLLBACK");
    }
}

Result<void> Transaction::commit() {
    auto committed = database_->execute("COMMIT");
    if (committed) {
        database_ = nullptr;
    }
    return committed;
}

}  // namespace kerntoll::lab::store
