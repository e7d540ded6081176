#include "postgres/error.hpp"

#include "postgres/wire.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tern::postgres {
namespace {

struct KnownState {
  std::string_view prefix;
  SqlErrorKind kind;
};

// The first that is a prefix of the SQLSTATE.
constexpr auto known_states = std::to_array<KnownState>({
    {"23505", SqlErrorKind::UniqueViolation},
    {"23P01", SqlErrorKind::UniqueViolation},  // an exclusion constraint
    {"23503", SqlErrorKind::ForeignKeyViolation},
    {"23001", SqlErrorKind::ForeignKeyViolation},
    {"23502", SqlErrorKind::NotNullViolation},
    {"23514", SqlErrorKind::CheckViolation},
    {"40001", SqlErrorKind::Serialization},
    {"40P01", SqlErrorKind::Deadlock},
    {"55P03", SqlErrorKind::Busy},
    {"57014", SqlErrorKind::Timeout},
    {"25P02", SqlErrorKind::TransactionEnded},
    {"25P03", SqlErrorKind::TransactionEnded},
    {"25006", SqlErrorKind::ReadOnly},
    {"53100", SqlErrorKind::Full},
    {"53", SqlErrorKind::Unavailable},
    {"57P", SqlErrorKind::Unavailable},
    {"08", SqlErrorKind::Unavailable},
    {"28", SqlErrorKind::Unavailable},
    {"3D", SqlErrorKind::Unavailable},
    {"22", SqlErrorKind::Parameter},
    {"42", SqlErrorKind::Statement},
    {"26", SqlErrorKind::Statement},
    {"0A", SqlErrorKind::Statement},
});

SqlErrorKind kind_of(std::string_view state) {
  const auto found =
      std::ranges::find_if(known_states, [&](const KnownState& known) { return state.starts_with(known.prefix); });
  return found == known_states.end() ? SqlErrorKind::Other : found->kind;
}

// "Key (isbn)=(1) already exists.": a violation of an index names no column elsewhere.
std::string column_of_detail(std::string_view detail) {
  const std::size_t begin = detail.find('(');
  const std::size_t end = detail.find(")=(");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
  const std::string_view columns = detail.substr(begin + 1, end - begin - 1);
  return std::string(columns.substr(0, columns.find(", ")));
}

}  // namespace

SqlError error_of(std::string_view body, bool& fatal) {
  std::string message;
  std::string_view state;
  std::string_view severity;
  std::string_view detail;
  std::string_view table;
  std::string_view column;
  std::string_view constraint;
  Reader reader(body);
  while (const char field = static_cast<char>(reader.read_8())) {
    const std::string_view text = reader.read_string();
    switch (field) {
      case 'V': severity = text; break;
      case 'C': state = text; break;
      case 'M': message = text; break;
      case 'D': detail = text; break;
      case 't': table = text; break;
      case 'c': column = text; break;
      case 'n': constraint = text; break;
      default: break;
    }
  }
  fatal = severity == "FATAL" || severity == "PANIC";
  if (!detail.empty()) message.append(": ").append(detail);
  message.append(" (SQLSTATE ").append(state).append(")");
  SqlError error(kind_of(state), std::move(message));
  error.set_sqlstate(state);
  error.set_constraint(std::string(constraint));
  error.set_column(std::string(table),
                   column.empty() && !constraint.empty() ? column_of_detail(detail) : std::string(column));
  return error;
}

std::exception_ptr unavailable(const std::string& why) {
  return std::make_exception_ptr(SqlError(SqlErrorKind::Unavailable, why));
}

std::string format_duration(std::uint64_t milliseconds) {
  if (milliseconds < 1000) return std::to_string(milliseconds) + " ms";
  return std::to_string(milliseconds / 1000) + '.' + std::to_string(milliseconds % 1000 / 100) + " s";
}

}  // namespace tern::postgres
