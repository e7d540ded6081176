#include <tern/sql/error.hpp>

#include <string>
#include <utility>

namespace tern {

std::string_view SqlError::sqlstate() const noexcept {
  if (!state_.empty()) return state_;
  switch (kind_) {
    case SqlErrorKind::UniqueViolation: return "23505";
    case SqlErrorKind::ForeignKeyViolation: return "23503";
    case SqlErrorKind::CheckViolation: return "23514";
    case SqlErrorKind::NotNullViolation: return "23502";
    case SqlErrorKind::Statement: return "42000";
    case SqlErrorKind::Parameter: return "22023";
    case SqlErrorKind::Text: return "22021";
    case SqlErrorKind::Column: return "42804";
    case SqlErrorKind::NoRow: return "02000";
    case SqlErrorKind::TooManyRows: return "21000";
    case SqlErrorKind::Busy: return "55P03";
    case SqlErrorKind::Timeout: return "57014";
    case SqlErrorKind::Serialization: return "40001";
    case SqlErrorKind::Deadlock: return "40P01";
    case SqlErrorKind::Full: return "53100";
    case SqlErrorKind::ReadOnly: return "25006";
    case SqlErrorKind::Unavailable: return "58030";
    case SqlErrorKind::NotADatabase: return "XX001";
    case SqlErrorKind::TransactionEnded: return "25P02";
    case SqlErrorKind::Migration:
    case SqlErrorKind::Other: break;
  }
  return "XX000";
}

HttpError sql_problem(const SqlError& error) {
  const auto named = [&](std::string_view what) {
    return std::string(what) + (error.column().empty() ? "" : ": " + error.column());
  };
  switch (error.kind()) {
    case SqlErrorKind::UniqueViolation: return HttpError(Status::Conflict, named("this value exists already"));
    case SqlErrorKind::ForeignKeyViolation: return HttpError(Status::Conflict, "a reference would not exist");
    case SqlErrorKind::CheckViolation: return HttpError(Status::UnprocessableContent, named("a check has failed"));
    case SqlErrorKind::NotNullViolation: return HttpError(Status::UnprocessableContent, named("a value is missing"));
    case SqlErrorKind::Text: return HttpError(Status::UnprocessableContent, "a text has a NUL, or is not UTF-8");
    case SqlErrorKind::NoRow: return HttpError(Status::NotFound);
    case SqlErrorKind::Busy:
    case SqlErrorKind::Timeout:
    case SqlErrorKind::Serialization:
    case SqlErrorKind::Deadlock:
      return std::move(HttpError(Status::ServiceUnavailable, "the database is busy").set("Retry-After", "1"));
    case SqlErrorKind::Unavailable:
      return std::move(HttpError(Status::ServiceUnavailable, "the database is not available").set("Retry-After", "1"));
    default: return HttpError(Status::InternalServerError);
  }
}

}  // namespace tern
