// TOML 1.0, by toml++.
#pragma once

#include "config/node.hpp"

#include <expected>
#include <string>
#include <string_view>

namespace tern::configuration {

// `name` is the file in origins and faults: "shop.toml:3:7: …".
std::expected<Node, std::string> read_toml(std::string_view text, const std::string& name);

}  // namespace tern::configuration
