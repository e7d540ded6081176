// The media type of an endpoint's successful responses.
#pragma once

#include <tern/app/bind.hpp>

#include <string_view>

namespace tern::app {

// That of produces(), or of the result's type; empty: its responses say it themselves.
std::string_view media_type_of(const Endpoint& endpoint) noexcept;

}  // namespace tern::app
