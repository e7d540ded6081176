// What kind of statement a text is, by its first words.
#pragma once

#include <cstdint>
#include <string_view>

namespace tern::postgres {

enum class Place : bool { Alone, InTransaction };

// Throws SqlError (Statement) for statements that change what a connection is for others, such as BEGIN, SET, LISTEN
// or COPY, and names the function to be called instead.
void check_statement(std::string_view text, Place place);

// "INSERT 0 5" -> 5; 0 for statements that change nothing.
std::int64_t changed_rows(std::string_view tag) noexcept;

}  // namespace tern::postgres
