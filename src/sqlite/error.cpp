// SQLite's result codes and messages as SqlError (https://sqlite.org/rescode.html).
#include "sqlite/connection.hpp"

#include <tern/sql/error.hpp>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace tern::sqlite {
namespace {

SqlErrorKind kind_of_constraint(int code) {
  switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID: return SqlErrorKind::UniqueViolation;
    case SQLITE_CONSTRAINT_FOREIGNKEY: return SqlErrorKind::ForeignKeyViolation;
    case SQLITE_CONSTRAINT_NOTNULL: return SqlErrorKind::NotNullViolation;
    default: return SqlErrorKind::CheckViolation;  // also a value that a STRICT table refuses, and triggers
  }
}

SqlErrorKind kind_of(int code) {
  switch (code & 0xFF) {
    case SQLITE_CONSTRAINT: return kind_of_constraint(code);
    case SQLITE_ERROR:
    case SQLITE_AUTH:
    case SQLITE_MISUSE: return SqlErrorKind::Statement;
    case SQLITE_RANGE:
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH: return SqlErrorKind::Parameter;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return SqlErrorKind::Busy;
    case SQLITE_INTERRUPT: return SqlErrorKind::Timeout;
    case SQLITE_FULL: return SqlErrorKind::Full;
    case SQLITE_READONLY: return SqlErrorKind::ReadOnly;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_IOERR: return SqlErrorKind::Unavailable;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT: return SqlErrorKind::NotADatabase;
    default: return SqlErrorKind::Other;
  }
}

// "UNIQUE constraint failed: book.isbn, book.year", "… failed: index 'book_title'", "CHECK constraint failed:
// positive".
void add_names(SqlError& error, std::string_view message) {
  constexpr std::string_view mark = " constraint failed: ";
  const std::size_t at = message.find(mark);
  if (at == std::string_view::npos) return;
  std::string_view names = message.substr(at + mark.size());
  if (error.kind() == SqlErrorKind::CheckViolation) {
    error.set_constraint(std::string(names));
  } else if (names.starts_with("index '") && names.ends_with("'")) {
    error.set_constraint(std::string(names.substr(7, names.size() - 8)));
  } else {
    names = names.substr(0, names.find(", "));
    const std::size_t dot = names.find('.');
    if (dot != std::string_view::npos) {
      error.set_column(std::string(names.substr(0, dot)), std::string(names.substr(dot + 1)));
    }
  }
}

// For SQLite, only ENOSPC is a full disk.
bool has_no_room(int error) {
  return error == EDQUOT || error == EFBIG || error == ENOSPC;
}

// The last errno of a file of the database: of the file itself, or of its write-ahead log or journal.
int last_errno(sqlite3* connection, int which) {
  sqlite3_file* file = nullptr;
  int error = 0;
  sqlite3_file_control(connection, "main", which, static_cast<void*>(&file));
  if (file != nullptr && file->pMethods != nullptr) {
    file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, static_cast<void*>(&error));
  }
  return error;
}

// The errno behind a failure to read or write; 0: none. (sqlite3_system_errno() has none for a commit.)
int system_error(sqlite3* connection, int code) {
  if (connection == nullptr || (code & 0xFF) != SQLITE_IOERR) return 0;
  for (const int which : {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER}) {
    if (const int error = last_errno(connection, which); has_no_room(error)) return error;
  }
  return sqlite3_system_errno(connection);
}

}  // namespace

void throw_error(sqlite3* connection, int code, std::string_view text) {
  if ((code & 0xFF) == SQLITE_NOMEM) throw std::bad_alloc();
  std::string message(text);
  if (!message.empty()) message += ": ";
  const std::string_view reason = connection != nullptr ? sqlite3_errmsg(connection) : sqlite3_errstr(code);
  message += reason;
  const int cause = system_error(connection, code);
  if (cause != 0) message.append(": ").append(std::strerror(cause));
  SqlError error(has_no_room(cause) ? SqlErrorKind::Full : kind_of(code), std::move(message));
  error.set_code(code);
  if (error.kind() <= SqlErrorKind::NotNullViolation) add_names(error, reason);
  throw error;
}

void throw_error(sqlite3* connection, int code) {
  throw_error(connection, code, {});
}

}  // namespace tern::sqlite
