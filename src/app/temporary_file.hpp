// Temporary files without a name, and linking them. All functions block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace tern::app {

// A new descriptor of a file without a name, for reading and writing: with O_TMPFILE if the file system supports it. A
// link can give it a name.
std::expected<int, std::error_code> make_temporary_file(const std::string& folder);
// The same in TMPDIR, or /tmp.
std::expected<int, std::error_code> make_temporary_file();
// For file systems without O_TMPFILE: a file that is unlinked immediately.
std::expected<int, std::error_code> make_unlinked_file(const std::string& folder);

// Writes both texts, one after the other, from byte `from` on.
std::error_code write_at(int descriptor, std::uint64_t from, std::string_view first, std::string_view second);
// The number of bytes read; less than requested only at the end.
std::expected<std::size_t, std::error_code> read_at(int descriptor, std::uint64_t from, std::span<char> into);

// Gives the file the name `path`, by a link or a copy. False if that exists and is not to be replaced.
std::expected<bool, std::error_code> save_file(int descriptor, const std::string& path, bool replace);

}  // namespace tern::app
