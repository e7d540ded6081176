// Errors of the database as SqlError ("Error and Notice Message Fields", "PostgreSQL Error Codes").
#pragma once

#include <tern/sql/error.hpp>

#include <exception>
#include <string>
#include <string_view>

namespace tern::postgres {

// The body of an ErrorResponse. `fatal`: the database closes the connection.
SqlError error_of(std::string_view body, bool& fatal);

std::exception_ptr unavailable(const std::string& why);

// "1.5 s"
std::string format_duration(std::uint64_t milliseconds);

}  // namespace tern::postgres
