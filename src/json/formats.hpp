// The formats of tern::Format, which has_format() checks. Each takes the whole text, in UTF-8.
#pragma once

#include <string_view>

#include <tern/json/rule_value.hpp>

namespace tern::json::detail {

// RFC 3339 (time.cpp).
bool is_date_time(std::string_view text);
bool is_date(std::string_view text);

}  // namespace tern::json::detail
