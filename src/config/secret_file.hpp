// Files with secrets.
#pragma once

#include <expected>
#include <string>

namespace tern::configuration {

// The content of a file, without one line break at its end. The fault names the file: it cannot be read, has more than
// 64 KiB, or everyone may write to it.
std::expected<std::string, std::string> read_secret(const std::string& path);

// Why the file at `path` should not have secrets: everyone may read it. Empty if all is well.
std::string exposure(const std::string& path);

}  // namespace tern::configuration
