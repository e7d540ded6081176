// Temporary files without a name, and how they get one. All of this blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace tern::app {

// A new descriptor, for reading and writing, of a file that has no name: O_TMPFILE where the file system has it. Such a
// file never had one, and can get one by a link.
std::expected<int, std::error_code> make_temporary_file(const std::string& folder);
// The same in TMPDIR, or /tmp.
std::expected<int, std::error_code> make_temporary_file();
// For file systems without O_TMPFILE: a file whose name is taken off at once.
std::expected<int, std::error_code> make_unlinked_file(const std::string& folder);

// Both texts, one behind the other, from byte `from`.
std::error_code write_at(int descriptor, std::uint64_t from, std::string_view first, std::string_view second);
// How many bytes were read: fewer than there is room for only at the end.
std::expected<std::size_t, std::error_code> read_at(int descriptor, std::uint64_t from, std::span<char> into);

// The file gets `path` for a name, by a link or by a copy. False when that exists and is not to be replaced.
std::expected<bool, std::error_code> save_file(int descriptor, const std::string& path, bool replace);

}  // namespace tern::app
