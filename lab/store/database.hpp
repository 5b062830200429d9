// SPDX-License-Identifier: MIT
// SQLite as the store uses it: a connection, statements, and every fault as a sentence.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lab/base/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace kerntoll::lab::store {

/// One prepared statement. Columns count from 0, parameters are bound in their order.
class Statement {
public:
    Statement() = default;

    /// Binds all parameters and gets ready to step.
    template <class... Values>
    void bind(const Values&... values) {
        rewind();
        (bind_next(values), ...);
    }
    /// Goes to the next row; false: there is none any more.
    [[nodiscard]] Result<bool> step();
    /// Runs a statement that yields no rows, with these parameters.
    template <class... Values>
    [[nodiscard]] Result<void> run(const Values&... values) {
        bind(values...);
        return finish();
    }

    [[nodiscard]] bool null(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] std::uint64_t unsigned_integer(int column) const;
    [[nodiscard]] double real(int column) const;
    [[nodiscard]] std::string text(int column) const;

private:
    friend class Database;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    Statement(sqlite3_stmt* statement, std::filesystem::path path)
        : statement_(statement), path_(std::move(path)) {}

    void rewind();
    void bind_next(std::int64_t value);
    void bind_next(std::uint64_t value);
    void bind_next(std::uint32_t value);
    void bind_next(int value);
    void bind_next(double value);
    void bind_next(std::string_view value);
    void bind_null();
    template <class Value>
    void bind_next(const std::optional<Value>& value) {
        if (value) {
            bind_next(*value);
        } else {
            bind_null();
        }
    }
    Result<void> finish();

    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
    std::filesystem::path path_;
    int next_ = 1;
};

enum class Access { read_if_must, write, immutable };

/// A connection to one SQLite file.
class Database {
public:
    /// Opens the file. `read_if_must`: for writing where that is possible; `write`: makes the file
    /// where there is none; `immutable`: a file that nobody can change, for read-only media.
    [[nodiscard]] static Result<Database> open(const std::filesystem::path& path, Access access);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Whether the file cannot be written through this connection.
    [[nodiscard]] bool read_only() const;
    [[nodiscard]] Result<Statement> prepare(std::string_view sql) const;
    /// Runs statements that take no parameters.
    [[nodiscard]] Result<void> execute(const std::string& sql) const;
    /// Puts a file into write-ahead logging: readers and a writer side by side, and a commit that
    /// needs no fsync.
    [[nodiscard]] Result<void> use_write_ahead_log() const;
    /// The one number that a query yields.
    [[nodiscard]] Result<std::int64_t> number(std::string_view sql) const;
    [[nodiscard]] std::int64_t last_id() const;

private:
    struct Close {
        void operator()(sqlite3* connection) const;
    };
    std::unique_ptr<sqlite3, Close> connection_;
    std::filesystem::path path_;
};

/// A transaction: undone unless committed.
class Transaction {
public:
    /// `reading` sees the file as of one moment. `writing` waits for other writers at its
    /// beginning, where waiting is possible, and not at its first write.
    enum class Kind { reading, writing };
    [[nodiscard]] static Result<Transaction> begin(const Database& database, Kind kind);
    Transaction(Transaction&& other) noexcept;
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();
    [[nodiscard]] Result<void> commit();

private:
    explicit Transaction(const Database& database) : database_(&database) {}
    const Database* database_;
};

}  // namespace kerntoll::lab::store
