#pragma once
// A prepared SQLite statement that finalises itself.

#include <sqlite3.h>

#include <new>
#include <string>

namespace loopscope::session {

class Statement {
public:
    Statement(sqlite3* database, const char* sql) {
        ok_ = sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr) == SQLITE_OK;
    }
    ~Statement() { sqlite3_finalize(statement_); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    Statement& bind(int at, const std::string& text) {
        ok_ = ok_ && sqlite3_bind_text(statement_, at, text.data(), static_cast<int>(text.size()),
                                       SQLITE_TRANSIENT) == SQLITE_OK;
        return *this;
    }
    Statement& bind(int at, std::int64_t value) {
        ok_ = ok_ && sqlite3_bind_int64(statement_, at, value) == SQLITE_OK;
        return *this;
    }
    Statement& bind(int at, double value) {
        ok_ = ok_ && sqlite3_bind_double(statement_, at, value) == SQLITE_OK;
        return *this;
    }
    // True while there is a row; `failed` tells an end from an error.
    bool step() {
        if (!ok_)
            return false;
        int code = sqlite3_step(statement_);
        ok_ = code == SQLITE_ROW || code == SQLITE_DONE;
        return code == SQLITE_ROW;
    }
    bool failed() const { return !ok_; }
    std::string text(int column) const {
        auto data = sqlite3_column_text(statement_, column);
        auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
        // No data is what a NULL has, and any text that there is no memory for.
        if (!data && sqlite3_errcode(sqlite3_db_handle(statement_)) == SQLITE_NOMEM)
            throw std::bad_alloc();
        return data ? std::string(reinterpret_cast<const char*>(data), size) : std::string();
    }
    std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
    double real(int column) const { return sqlite3_column_double(statement_, column); }

private:
    sqlite3_stmt* statement_ = nullptr;
    bool ok_ = false;
};

} // namespace loopscope::session
