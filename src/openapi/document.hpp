// The OpenAPI 3.1 document of an App.
#pragma once

#include "app/core.hpp"

#include <tern/app/openapi.hpp>

#include <string>
#include <string_view>

namespace tern::openapi {

// JSON without blanks, of the routes of `within`. Both have ended their registration. Throws SetupError if the options,
// or what routes say about themselves, contradict each other.
std::string make_document(const OpenApiOptions& options, const app::Core& outermost, const app::Core& within);

// A JSON document as YAML 1.2, and with indentation.
std::string to_yaml(std::string_view json);
std::string indented(std::string_view json);

}  // namespace tern::openapi
