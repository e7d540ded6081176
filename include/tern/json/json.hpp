// JSON <-> C++: json::read<T>(text), json::write(out, value), json::to_string(value), and enum_name().
#pragma once

#include <tern/json/read.hpp>   // IWYU pragma: export
#include <tern/json/write.hpp>  // IWYU pragma: export
